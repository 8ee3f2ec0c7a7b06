package model

// AnswerKind is how a request answers whoever has called it.
type AnswerKind uint8

const (
	// NoAnswer: no request has returned.
	NoAnswer AnswerKind = iota
	// AnsweredFresh: with a value.
	AnsweredFresh
	// AnsweredStale: with a stale copy that its service keeps.
	AnsweredStale
	// AnsweredDefault: with what is good enough for anyone.
	AnsweredDefault
	// AnsweredEmpty: with nothing.
	AnsweredEmpty
	// AnsweredFailed: with an error, or by a panic.
	AnsweredFailed
)

// String returns what the answer is called in the return of a trace.
func (k AnswerKind) String() string {
	return [...]string{"none", "fresh", "stale", "default", "empty", "failed"}[k]
}

// Answer is what a request answers in the step in which it returns. It is no part of the
// state: who asks for more than the last one has to remember it.
type Answer struct {
	Kind AnswerKind
	// Value is the value of a fresh answer.
	Value Datum
	// For is the key +1 for which the request asked, 0 if the protocol does not say.
	For uint8
	// Cancelled: by then the request had been cancelled, so nobody waits for it.
	Cancelled bool
}

// answer returns what a request answers that is about to return so.
func (p *Process) answer(op *Operation) Answer {
	if !p.IsRequest() {
		return Answer{}
	}
	a := Answer{Kind: op.Answer, For: op.For, Cancelled: p.Cancelled}
	if op.Arg != NoRegister {
		a.Value = p.Registers[op.Arg].Datum
	}
	return a
}
