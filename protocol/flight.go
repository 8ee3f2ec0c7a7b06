package protocol

import (
	"fmt"

	"lockstep/model"
)

const flightName = "flight"

// Do is the mechanism of golang.org/x/sync/singleflight, for the requests of one
// node: if work for the key is in flight on this node, it waits for its result;
// else it does the work itself, in this process, and shares the result, value or
// error, with all who joined meanwhile. shared reports whether it was given to
// more than one. If fn panics, so does Do, for all of them, with a *[PanicError]; if a
// fault ends its goroutine it does so to all of them. fn
// runs under the context of the request that does the work: if that is cancelled, its
// error is everybody's, unless fn uses [Client.WithoutCancel]. Who has joined waits on,
// cancelled or not.
func (c *Client) Do(key string, fn func() (Value, error)) (v Value, err error, shared bool) {
	f, joined := c.join(key, true)
	if joined {
		v, err = f.wait()
		return v, err, true
	}
	returned := false
	defer func() {
		if returned || c.run.stopping.Load() {
			return
		}
		cause := recover()
		if cause == nil && c.run.exiting {
			f.resolve(flown{Exit: true})
			return
		}
		p := &PanicError{Value: fmt.Sprint(cause)}
		if injected, ok := cause.(*PanicError); ok {
			p.fault = injected.fault
		}
		f.resolve(flown{Panic: p.Value, Fault: p.fault})
		panic(p)
	}()
	v, err = fn()
	returned = true
	return v, err, f.Resolve(v, err)
}

// PanicError is what Do panics with if the work has panicked, and Compute if a fault
// makes it.
type PanicError struct {
	// Value is that of the first panic, as text.
	Value string
	// fault: it is one that was injected, and no mistake of the author.
	fault bool
}

func (p *PanicError) Error() string { return p.Value }

// Forget lets the next Do or Join for the key not join what is in flight. Whoever
// has joined still gets its result.
func (c *Client) Forget(key string) {
	c.do(Call{Kind: model.ForgetFlight, Store: flightName, Key: key})
}

// Join waits for the result of the work in flight for the key on this node, if
// there is any.
func (c *Client) Join(key string) (v Value, err error, joined bool) {
	f, joined := c.join(key, false)
	if !joined {
		return Value{}, nil, false
	}
	v, err = f.wait()
	return v, err, true
}

// Flight is work in flight that other requests of the node can join.
type Flight struct {
	c  *Client
	id uint32
}

// Fly registers work for the key that this process is about to do. It must
// resolve it before it returns.
func (c *Client) Fly(key string) *Flight {
	r := c.do(Call{Kind: model.StartFlight, Store: flightName, Key: key})
	return &Flight{c, c.hold(r.Observation.Register(), false)}
}

// Resolve gives the result to all who joined, and reports whether there were any.
func (f *Flight) Resolve(v Value, err error) (shared bool) {
	return f.resolve(flown{Value: v, Err: err})
}

func (f *Flight) resolve(result flown) (shared bool) {
	call := Call{Kind: model.ResolveFlight, Arg: f.c.argument(f.id, "Flight.Resolve"), hasArg: true}
	f.c.pass(&call, "the result of a flight", result)
	return f.c.do(call).Observation.Code() == model.Shared
}

// flown is the result of a flight. Its fields are exported for reflect to see
// them.
type flown struct {
	Value Value
	Err   error
	// Panic is the value of the panic with which the work ended, as text.
	Panic string
	// Fault: a fault has made it panic. Exit: one has ended its goroutine.
	Fault, Exit bool
}

func (c *Client) join(key string, orStart bool) (*Flight, bool) {
	r := c.do(Call{Kind: model.JoinFlight, Store: flightName, Key: key, OrStart: orStart})
	switch r.Observation.Code() {
	case model.Found, model.Started:
		return &Flight{c, c.hold(r.Observation.Register(), false)}, r.Observation.Code() == model.Found
	}
	return nil, false
}

func (f *Flight) wait() (Value, error) {
	r := f.c.do(Call{Kind: model.AwaitFlight, Arg: f.c.argument(f.id, "Flight"), hasArg: true})
	result := rewrite(r.Result, func(k int) uint32 { return f.c.hold(r.Observation.ResultRegister(k), true) }).(flown)
	if result.Panic != "" {
		panic(&PanicError{result.Panic, result.Fault})
	}
	if result.Exit {
		f.c.run.exit()
	}
	return result.Value, result.Err
}

func (f *Flight) handle() uint32 { return f.id }
