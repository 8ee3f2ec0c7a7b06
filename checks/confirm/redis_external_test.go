package confirm_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/confirm"
	"lockstep/checks/confirm/redisserver"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// A Redis server does what counterexamples say that the store did, in a tenth of their time.
func TestARedisServerConfirmsCounterexamples(t *testing.T) {
	s, err := confirm.Dial(context.Background(), "redis://"+redisserver.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
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
