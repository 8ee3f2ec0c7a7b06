package confirm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Server is what the commands go to.
type Server interface {
	// Do sends a command. A reply is a string, an int64, or nil for nothing.
	Do(ctx context.Context, args ...any) (any, error)
	// Pass lets so much time pass.
	Pass(ctx context.Context, d time.Duration) error
	// Slack is how exactly time is known: that much before an expiry an entry is still there,
	// and that much after it it is gone.
	Slack() time.Duration
	// Close ends the connection.
	Close() error
}

// client is what both kinds of servers have in common.
type client struct{ *redis.Client }

func (c client) Do(ctx context.Context, args ...any) (any, error) {
	reply, err := c.Client.Do(ctx, args...).Result()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	return reply, err
}

// mini is a miniredis, whose clock is moved.
type mini struct {
	client
	server *miniredis.Miniredis
}

// Mini starts a miniredis in this process. Its time passes at once.
func Mini() (Server, error) {
	server, err := miniredis.Run()
	if err != nil {
		return nil, err
	}
	return &mini{client{redis.NewClient(&redis.Options{Addr: server.Addr()})}, server}, nil
}

func (m *mini) Pass(_ context.Context, d time.Duration) error {
	m.server.FastForward(d)
	return nil
}

func (m *mini) Slack() time.Duration { return time.Millisecond }

func (m *mini) Close() error {
	err := m.client.Close()
	m.server.Close()
	return err
}

// real is a server in real time.
type real struct{ client }

// Dial connects to a server by its address, as redis://127.0.0.1:6379/0. Time passes by waiting.
func Dial(ctx context.Context, url string) (Server, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a server; write it as redis://127.0.0.1:6379", url)
	}
	c := redis.NewClient(options)
	if err := c.Ping(ctx).Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s does not answer: %w", url, err), c.Close())
	}
	return &real{client{c}}, nil
}

func (r *real) Pass(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *real) Slack() time.Duration { return 30 * time.Millisecond }
