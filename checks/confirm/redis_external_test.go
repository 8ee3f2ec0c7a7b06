package confirm_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/confirm"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// redisServer starts a redis-server on a port of the loopback and returns its address. Where
// there is none the test is skipped, unless LOCKSTEP_REQUIRE_REDIS is set.
func redisServer(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("LOCKSTEP_REQUIRE_REDIS") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no redis-server here; CI has one")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	server := exec.Command(path, "--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill()
		server.Wait()
	})
	return fmt.Sprintf("redis://127.0.0.1:%d", port)
}

// dial connects to a server that is about to listen.
func dial(t *testing.T, url string) confirm.Server {
	t.Helper()
	var err error
	for range 100 {
		var s confirm.Server
		if s, err = confirm.Dial(context.Background(), url); err == nil {
			t.Cleanup(func() { s.Close() })
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal(err)
	return nil
}

// A Redis server does what counterexamples say that the store did, in a tenth of their time.
func TestARedisServerConfirmsCounterexamples(t *testing.T) {
	s := dial(t, redisServer(t))
	for name, fault := range map[string]model.Fault{"lease": faults.Pause(1, 12*time.Second), "fixedttl": faults.Crash(1), "setnx": faults.Evict(1)} {
		e, _ := catalogue.Find(name)
		scenario := scheduler.NewScenario(e.New())
		scenario.Faults = []model.Fault{fault}
		r, err := scheduler.Check(context.Background(), scenario, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
		if err != nil || r.Verdicts[0].Trace == nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := confirm.Run(context.Background(), s, r.Verdicts[0].Trace, confirm.Options{Scale: 0.1})
		if err != nil || got.Difference != nil || got.Compared < 4 {
			t.Errorf("%s: %v, %+v, %+v", name, err, got, got.Difference)
		}
	}
}

// What does not listen is an error that says so.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	if _, err := confirm.Dial(context.Background(), "redis://127.0.0.1:1"); err == nil {
		t.Error("it answers")
	}
	if _, err := confirm.Dial(context.Background(), "localhost"); err == nil {
		t.Error("localhost is an address")
	}
}
