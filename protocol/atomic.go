package protocol

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"time"

	"lockstep/model"
)

// View is a store inside an atomic step.
type View struct {
	store    string
	valueTTL time.Duration
	do       ScriptDo
}

// ScriptDo lets an operation of a script take effect and returns what its entry
// then holds. It is for the scheduler.
type ScriptDo func(call Call, arg model.Datum) (model.Datum, model.Code, error)

// Atomic runs fn on a store in one atomic step, the way scripts, conditional writes
// and transactions do. fn must be a function of the package level, not a closure,
// and a pure one: its result depends on nothing but the view and args. Both
// consist of booleans, numbers, strings, values, and structs and arrays of these; args
// also of times.
//
//	type write struct{ Value, Fence protocol.Value }
//
//	func fenced(v *protocol.View, w write) bool {
//		if last, ok := v.Get("fence"); ok && protocol.Older(w.Fence, last) {
//			return false
//		}
//		v.Set("fence", w.Fence)
//		v.Set("feed", w.Value, v.ValueTTL())
//		return true
//	}
//
//	ok, err := protocol.Atomic(c.Cache, write{v, fence}, fenced)
func Atomic[A, R any](s *Store, args A, fn func(*View, A) R) (R, error) {
	r := s.c.do(scriptCall(s, args, fn))
	if err := r.failure(); err != nil {
		var none R
		return none, err
	}
	return scriptResult[R](s.c, r), nil
}

// scriptCall makes the call that runs fn.
func scriptCall[A, R any](s *Store, args A, fn func(*View, A) R) Call {
	c := s.c
	name := functionName(fn)
	if strings.Contains(name, ".func") || strings.HasSuffix(name, "-fm") {
		c.run.misuse("Atomic: %s is a closure or a method value: what it captures would not be part of the step; use a function of the package level and pass what it needs in args", name)
	}
	text, registers, err := c.mention([]any{args}, "a task, a deadline, a watch or a flight means nothing to a store", true)
	if err != nil {
		c.run.misuse("Atomic: %v", err)
	}
	call := Call{Kind: model.RunScript, Store: s.name, Text: shortName(name) + "(" + text + ")", Results: registers}
	call.Script = func(do ScriptDo, data []model.Datum) (any, string, []model.Datum, error) {
		in := rewrite(any(args), func(k int) uint32 {
			if data[k].Kind == model.KindStamp {
				return datumID(model.Datum{Kind: model.KindStamp, N: uint8(k)})
			}
			return datumID(data[k])
		})
		return runScript(&View{s.name, c.run.world.valueTTL, do}, in.(A), fn)
	}
	return call
}

func scriptResult[R any](c *Client, r Reply) R {
	out := rewrite(r.Result, func(k int) uint32 { return c.hold(r.Observation.ResultRegister(k), true) })
	return out.(R)
}

// scriptError unwinds a script that cannot go on.
type scriptError struct{ error }

// runScript runs fn and describes its result.
func runScript[A, R any](v *View, args A, fn func(*View, A) R) (result any, text string, data []model.Datum, err error) {
	defer func() {
		p := recover()
		if failed, ok := p.(scriptError); ok {
			err = failed.error
		} else if p != nil {
			source := panicSource()
			err = fmt.Errorf("%s:%d: an atomic function panicked: %v", source.File, source.Line, p)
		}
	}()
	out := fn(v, args)
	text, err = describe([]any{out}, func(id uint32) (int, error) {
		d := datumOf(id)
		for k, seen := range data {
			if seen == d {
				return k, nil
			}
		}
		data = append(data, d)
		return len(data) - 1, nil
	})
	if err == nil && len(data) > model.MaxResults {
		err = fmt.Errorf("the result of an atomic function mentions %d values; at most %d can be passed on", len(data), model.MaxResults)
	}
	return out, fmt.Sprintf("%T %s", out, text), data, err
}

// Inside an atomic step a Value is the datum itself.
const datumBit = 1 << 31

func datumID(d model.Datum) uint32 {
	return datumBit | uint32(d.For)<<16 | uint32(d.Kind)<<8 | uint32(d.N)
}

func datumOf(id uint32) model.Datum {
	return model.Datum{Kind: model.Kind(id >> 8 & 0xff), N: uint8(id), For: uint8(id >> 16)}
}

// Older reports whether a value was computed from an older version of the source
// than another, or a counter is smaller than another. It is for atomic steps alone:
// elsewhere values can only be equal or not. No value is older than any.
func Older(a, b Value) bool {
	if a.id == 0 || b.id == 0 {
		return a.id == 0 && b.id != 0
	}
	x, y := datumOf(a.id), datumOf(b.id)
	if a.id&datumBit == 0 || b.id&datumBit == 0 {
		panic("Older is for functions that Atomic runs; a store compares, a client does not")
	}
	if x.Kind != y.Kind || x.Kind == model.KindToken {
		panic("Older compares two values computed from the source, or two counters")
	}
	return x.N < y.N
}

// Get returns what is under the key, and whether there is anything.
func (v *View) Get(key string) (Value, bool) {
	d, code := v.run(Call{Kind: model.Get, Key: key}, Value{})
	if code != model.Found {
		return Value{}, false
	}
	return Value{datumID(d)}, true
}

// Set stores the value under the key.
func (v *View) Set(key string, value Value, options ...SetOption) {
	v.set(key, value, setOptions{}, options)
}

func (v *View) set(key string, value Value, o setOptions, options []SetOption) model.Code {
	for _, option := range options {
		option(&o)
	}
	call := Call{Kind: model.Set, Mode: o.mode, Key: key, TTL: o.ttl, Session: o.session}
	if o.at.id != 0 {
		call.stamp = datumOf(o.at.id).N + 1
	}
	if o.longest != 0 {
		if o.at.id != 0 || o.longest < 0 {
			panic(errDated.Error())
		}
		call.stamp, call.Age = model.StampNow, o.longest
	}
	_, code := v.run(call, value)
	return code
}

// ValueTTL is [Client.ValueTTL].
func (v *View) ValueTTL() SetOption {
	return func(o *setOptions) { o.ttl = v.valueTTL }
}

// SetNX stores the value only if there is nothing under the key, and reports
// whether it did. A ttl of 0 means none.
func (v *View) SetNX(key string, value Value, ttl time.Duration, options ...SetOption) bool {
	return v.set(key, value, setOptions{mode: model.IfAbsent, ttl: ttl}, options) == model.Done
}

// Del deletes the key and reports whether there was anything.
func (v *View) Del(key string) bool {
	_, code := v.run(Call{Kind: model.Delete, Key: key}, Value{})
	return code == model.Done
}

// PExpire restarts the TTL of the key and reports whether the key is there.
func (v *View) PExpire(key string, ttl time.Duration) bool {
	_, code := v.run(Call{Kind: model.PExpire, Key: key, TTL: ttl}, Value{})
	return code == model.Done
}

// Incr adds one to the counter under the key, which starts at 0, and returns it.
func (v *View) Incr(key string) Value {
	d, code := v.run(Call{Kind: model.Increment, Key: key}, Value{})
	if code != model.Found {
		panic("Incr of " + key + ", which holds no counter")
	}
	return Value{datumID(d)}
}

// Push adds an element to the list under the key; see [Store.Push].
func (v *View) Push(key string) {
	if _, code := v.run(Call{Kind: model.Push, Key: key}, Value{}); code != model.Done {
		panic("Push to " + key + ", which holds no list")
	}
}

// Pop takes an element from the list under the key, and reports whether there was one.
func (v *View) Pop(key string) bool {
	_, code := v.run(Call{Kind: model.Pop, Key: key}, Value{})
	if code == model.Refused {
		panic("Pop of " + key + ", which holds no list")
	}
	return code == model.Done
}

// Publish sends a message to all who have subscribed to the channel.
func (v *View) Publish(channel string) {
	v.run(Call{Kind: model.Publish, Key: channelKey(channel)}, Value{})
}

func (v *View) run(call Call, arg Value) (model.Datum, model.Code) {
	call.Store = v.store
	call.Source = caller()
	d := model.Datum{}
	if call.Kind == model.Set {
		if arg.id&datumBit == 0 {
			panic("a value that is not in the arguments of the atomic function was stored under " + call.Key)
		}
		d = datumOf(arg.id)
	}
	if call.TTL < 0 && call.Kind == model.Set {
		panic("a negative TTL for " + call.Key)
	}
	got, code, err := v.do(call, d)
	if err != nil {
		panic(scriptError{err})
	}
	return got, code
}

// shortName leaves out the package and the type arguments of a function.
func shortName(name string) string {
	name = name[strings.LastIndex(name, "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	name, _, _ = strings.Cut(name, "[")
	return name
}

func functionName(fn any) string {
	return runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
}
