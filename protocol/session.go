package protocol

import "time"

// Session is a lease that a process keeps alive, to which entries can be bound
// ([Ephemeral]). When it has expired the store removes them, which is a step of its own;
// and the process learns of it at the next KeepAlive, or by a watch of its key.
type Session struct {
	s     *Store
	key   string
	token Token
	ttl   time.Duration
}

// OpenSession begins a session under a key that nobody else uses, and reports whether it
// did: it does not while an earlier one of the key is alive. ttl is for how long it lives
// without a KeepAlive; it must be positive.
func (s *Store) OpenSession(key string, ttl time.Duration) (*Session, bool, error) {
	if ttl <= 0 {
		s.c.run.misuse("OpenSession %s: the TTL %s is not positive", key, ttl)
	}
	token := s.c.NewToken()
	ok, err := s.SetNX(key, token, ttl)
	if err != nil || !ok {
		return nil, false, err
	}
	return &Session{s, key, token, ttl}, true, nil
}

// KeepAlive lets the session live on for its TTL, and reports whether it was still alive.
func (x *Session) KeepAlive() (bool, error) {
	owner, err := x.s.ExpireIfEqual(x.key, x.token, x.ttl)
	return owner == Mine, err
}

// Close ends the session.
func (x *Session) Close() error {
	_, err := x.s.DelIfEqual(x.key, x.token)
	return err
}

// Token identifies the session, in a Checkpoint for example.
func (x *Session) Token() Token { return x.token }

// Ephemeral binds the entry to the session under a key of the same store: when that is
// gone the store removes the entry, within a time of 0 to within. Without the session
// nothing is stored, and the operation returns ErrRefused. It goes with no TTL.
func Ephemeral(session string, within time.Duration) SetOption {
	return func(o *setOptions) { o.session, o.ttl = session, within }
}
