// Command record makes the recordings in testdata/incidents: it starts a redis-server on a port
// of the loopback, runs real processes against it, stops some with SIGSTOP or kills them, and
// keeps what MONITOR prints and what the processes log.
//
//	go run ./testdata/incidents/record -out testdata/incidents
//
// The recordings differ from run to run in times, ports and tokens, never in what an audit of
// them finds.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// incident is what happens in a recording.
type incident struct {
	protocol  string
	ttl, work time.Duration
	nodes     int
	// after says what is done, and when, besides starting a node every 100 ms.
	after []event
	lasts time.Duration
}

type event struct {
	at   time.Duration
	what string // stop, continue, kill: node 0; update: the source
}

var incidents = map[string]incident{
	"healthy-lease": {protocol: "lease", ttl: 600 * time.Millisecond, work: 900 * time.Millisecond, nodes: 2, lasts: 2 * time.Second},
	"lease-pause": {
		protocol: "lease", ttl: 600 * time.Millisecond, work: 700 * time.Millisecond, nodes: 2, lasts: 4 * time.Second,
		after: []event{{300 * time.Millisecond, "stop"}, {600 * time.Millisecond, "update"}, {2500 * time.Millisecond, "continue"}},
	},
	"foreign-delete": {
		protocol: "fixedttl", ttl: 400 * time.Millisecond, work: 700 * time.Millisecond, nodes: 2, lasts: 3 * time.Second,
		after: []event{{300 * time.Millisecond, "update"}},
	},
	"nottl-crash": {
		protocol: "nottl", work: 500 * time.Millisecond, nodes: 3, lasts: 3 * time.Second,
		after: []event{{50 * time.Millisecond, "kill"}},
	},
}

func main() {
	log.SetFlags(0)
	out := flag.String("out", ".", "where the recordings go")
	node := flag.Int("node", -1, "run as this node")
	protocol := flag.String("protocol", "", "of the node")
	address := flag.String("address", "", "of the server")
	ttl := flag.Duration("ttl", 0, "of the lock")
	work := flag.Duration("work", 0, "of a rebuild")
	flag.Parse()
	if *node >= 0 {
		run(*node, *protocol, *address, *ttl, *work)
		return
	}
	for name, i := range incidents {
		if err := record(name, i, *out); err != nil {
			log.Fatalf("%s: %v", name, err)
		}
	}
}

// record makes one recording.
func record(name string, i incident, dir string) error {
	address, stop, err := server()
	if err != nil {
		return err
	}
	defer stop()
	done, err := monitor(address, filepath.Join(dir, name+".monitor.log"))
	if err != nil {
		return err
	}
	defer done()
	app, err := os.Create(filepath.Join(dir, name+".app.ndjson"))
	if err != nil {
		return err
	}
	defer app.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	began := time.Now()
	var nodes []*exec.Cmd
	for n := range i.nodes {
		time.Sleep(time.Until(began.Add(time.Duration(n) * 100 * time.Millisecond)))
		c := exec.Command(self, "-node", fmt.Sprint(n), "-protocol", i.protocol, "-address", address, "-ttl", i.ttl.String(), "-work", i.work.String())
		c.Stdout, c.Stderr = app, os.Stderr
		if err := c.Start(); err != nil {
			return err
		}
		nodes = append(nodes, c)
		if n == 0 && len(i.after) > 0 && i.after[0].what == "kill" {
			time.Sleep(i.after[0].at)
			c.Process.Kill()
		}
	}
	for _, e := range i.after {
		time.Sleep(time.Until(began.Add(e.at)))
		switch e.what {
		case "stop":
			err = nodes[0].Process.Signal(syscall.SIGSTOP)
		case "continue":
			err = nodes[0].Process.Signal(syscall.SIGCONT)
		case "update":
			c := redis.NewClient(&redis.Options{Addr: address})
			err = c.Set(context.Background(), "source:version", "2", 0).Err()
			c.Close()
		}
		if err != nil {
			return err
		}
	}
	time.Sleep(time.Until(began.Add(i.lasts)))
	for _, c := range nodes {
		c.Process.Kill()
		c.Wait()
	}
	return nil
}

// server starts a redis-server.
func server() (address string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address = l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	l.Close()
	c := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	if err := c.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		c.Process.Kill()
		c.Wait()
	}
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address, stop, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("the server does not listen on %s", address)
}

// monitor keeps what MONITOR prints, as redis-cli shows it.
func monitor(address, file string) (done func(), err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	out, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	fmt.Fprint(conn, "MONITOR\r\n")
	started := make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(conn)
		for n := 0; lines.Scan(); n++ {
			fmt.Fprintln(out, strings.TrimPrefix(lines.Text(), "+"))
			if n == 0 {
				close(started)
			}
		}
	}()
	<-started
	return func() {
		conn.Close()
		<-ended
		out.Close()
	}, nil
}

var (
	renew   = redis.NewScript(`if redis.call("get",KEYS[1])==ARGV[1] then return redis.call("pexpire",KEYS[1],ARGV[2]) else return 0 end`)
	release = redis.NewScript(`if redis.call("get",KEYS[1])==ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`)
)

// run is one request on a node: it gets the value, or rebuilds it under a lock.
func run(node int, protocol, address string, ttl, work time.Duration) {
	ctx := context.Background()
	c := redis.NewClient(&redis.Options{Addr: address, DisableIdentity: true, MaxRetries: -1})
	token := fmt.Sprintf("n%d-%d", node, os.Getpid())
	say := func(event string) {
		fmt.Printf("{\"ts\":%q,\"node\":\"n%d\",\"token\":%q,\"event\":%q}\n", time.Now().UTC().Format(time.RFC3339Nano), node, token, event)
	}
	say("request")
	for {
		if _, err := c.Get(ctx, "feed").Result(); err == nil {
			say("hit")
			return
		}
		if ok, _ := c.SetNX(ctx, "lock:feed", token, ttl).Result(); ok {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	say("acquired")
	version, err := c.Get(ctx, "source:version").Result()
	if err != nil {
		version = "1"
	}
	say("rebuild-start")
	stop := make(chan struct{})
	if protocol == "lease" {
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(ttl / 3):
					n, _ := renew.Run(ctx, c, []string{"lock:feed"}, token, ttl.Milliseconds()).Int()
					say(fmt.Sprint("renew ", n))
				}
			}
		}()
	}
	time.Sleep(work)
	close(stop)
	c.Set(ctx, "feed", "v"+version, time.Minute)
	say("stored v" + version)
	if protocol == "lease" {
		release.Run(ctx, c, []string{"lock:feed"}, token)
	} else {
		c.Del(ctx, "lock:feed")
	}
	say("released")
}
