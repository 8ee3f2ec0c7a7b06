package scheduler

import (
	"errors"
	"fmt"
	"slices"

	"lockstep/model"
	"lockstep/protocol"
)

// Script returns what an atomic step does: a table that is filled by running its
// function where it has not been run on the same input.
func (l *learner) Script(id model.LocalID, in *model.ScriptInput) (*model.ScriptRun, error) {
	if run := l.locals[id].scripts[*in]; run != nil {
		return run, nil
	}
	call := l.locals[id].call
	run, text, err := l.runScript(&call, in)
	if err == nil {
		// A second time, to see whether it is a pure function.
		var again string
		if _, again, err = l.runScript(&call, in); err == nil && again != text {
			err = fmt.Errorf("an atomic function returns %s in one run and %s in another; %s", text, again, likelyCauses)
		}
	}
	if err != nil {
		return nil, blameScript(&call, err)
	}
	if l.locals[id].scripts == nil {
		l.locals[id].scripts = make(map[model.ScriptInput]*model.ScriptRun)
	}
	l.locals[id].scripts[*in] = run
	return run, nil
}

// runScript runs the function of an atomic step on a copy of the input.
func (l *learner) runScript(call *protocol.Call, in *model.ScriptInput) (*model.ScriptRun, string, error) {
	state := scriptState{l: l, run: &model.ScriptRun{}, in: in, values: in.Values, dated: in.Dated}
	result, text, mentions, err := call.Script(state.do, in.Data[:len(call.Results)])
	run := state.run
	if errors.Is(err, errAsks) {
		run.Asks = true
		return run, fmt.Sprint("asks ", run.Asked), nil
	}
	if err != nil {
		return nil, "", err
	}
	run.Mentions = slices.Clone(mentions)
	run.Class, err = l.class(text, result)
	return run, text, err
}

// errAsks ends the run of a script that asks what its input does not answer.
var errAsks = errors.New("scheduler: an age is asked for")

// scriptState is what a script has done so far.
type scriptState struct {
	l      *learner
	run    *model.ScriptRun
	in     *model.ScriptInput
	values [model.MaxKeys]model.Datum
	// dated has a bit for each key whose entry carries a time, written for each that the
	// script has changed itself.
	dated, written uint16
}

// do lets an operation take effect and returns what its entry then holds.
func (s *scriptState) do(c protocol.Call, arg model.Datum) (model.Datum, model.Code, error) {
	op, err := s.l.operation(c)
	if err != nil {
		return model.Datum{}, 0, err
	}
	if op.Kind == model.ReadStamp {
		return s.age(&op, c.Key)
	}
	value := &s.values[op.Key]
	if err := op.Exceeds(*value); err != nil {
		return model.Datum{}, 0, err
	}
	s.run.Operations, s.run.Arguments = append(s.run.Operations, op), append(s.run.Arguments, arg)
	if op.Kind == model.Publish {
		return model.Datum{}, model.Done, nil
	}
	// What it does to a TTL is nothing that a script can see.
	after, code := op.Effect(model.Entry{Value: *value}, arg)
	*value = after.Value
	if bit := uint16(1) << op.Key; code == model.Done && (op.Kind == model.Set || op.Kind == model.Delete) {
		s.written |= bit
		if s.dated &^= bit; op.Stamp != 0 {
			s.dated |= bit
		}
	}
	return after.Value, code, nil
}

// age answers how old what is under a key is, or asks for that.
func (s *scriptState) age(op *model.Operation, key string) (model.Datum, model.Code, error) {
	bit := uint16(1) << op.Key
	n := len(s.run.Asked)
	switch {
	case s.values[op.Key].Kind == model.KindNone:
		return model.Datum{}, model.NotPassed, nil
	case s.dated&bit == 0:
		return model.Datum{}, 0, fmt.Errorf("OlderThan of %s: the entry carries no time; set it with At or AtNow", key)
	case s.written&bit != 0:
		return model.Datum{}, 0, fmt.Errorf("OlderThan of %s, which the same atomic function has set; ask before that", key)
	case n == model.MaxAges:
		return model.Datum{}, 0, model.AskedTooOften()
	}
	s.run.Asked = append(s.run.Asked, model.Age{Key: op.Key, Age: op.TTL})
	switch {
	case n == s.in.Ages.Count():
		return model.Datum{}, 0, errAsks
	case s.in.Ages.Older(n):
		return model.Datum{}, model.Passed, nil
	}
	return model.Datum{}, model.NotPassed, nil
}

// blameScript makes an error of a script one of the protocol, unless it is about
// ticks.
func blameScript(call *protocol.Call, err error) error {
	var finer *finerTick
	var broken *ProtocolError
	if errors.As(err, &finer) || errors.As(err, &broken) {
		return err
	}
	return &ProtocolError{Err: fmt.Errorf("%s:%d: %w", call.Source.File, call.Source.Line, err)}
}
