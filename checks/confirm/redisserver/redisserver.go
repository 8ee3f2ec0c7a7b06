// Package redisserver starts a Redis server for tests. Nothing but tests imports it.
package redisserver

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"
)

// Start starts a redis-server on a port of the loopback, which ends with the test, and returns
// its address as 127.0.0.1:6379. Where there is none the test is skipped, unless
// REQUIRE_REDIS is set.
func Start(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no redis-server here; CI has one")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	l.Close()
	server := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	for range 200 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatal(fmt.Errorf("redis-server does not listen on %s", address))
	return ""
}
