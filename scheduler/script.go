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
	run := &model.ScriptRun{}
	values := in.Values
	do := func(c protocol.Call, arg model.Datum) (model.Datum, model.Code, error) {
		op, err := l.operation(c)
		if err != nil {
			return model.Datum{}, 0, err
		}
		value := &values[op.Key]
		if err := op.Exceeds(*value); err != nil {
			return model.Datum{}, 0, err
		}
		if op.Kind == model.Publish {
			run.Operations, run.Arguments = append(run.Operations, op), append(run.Arguments, arg)
			return model.Datum{}, model.Done, nil
		}
		// What it does to a TTL is nothing that a script can see.
		after, code := op.Effect(model.Entry{Value: *value}, arg)
		*value = after.Value
		run.Operations, run.Arguments = append(run.Operations, op), append(run.Arguments, arg)
		return after.Value, code, nil
	}
	result, text, mentions, err := call.Script(do, in.Data[:len(call.Results)])
	if err != nil {
		return nil, "", err
	}
	run.Mentions = slices.Clone(mentions)
	run.Class, err = l.class(text, result)
	return run, text, err
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
