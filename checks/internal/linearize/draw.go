package linearize

import (
	"bytes"
	"fmt"
	"html"
	"io"

	"github.com/anishathalye/porcupine"
)

// Words are how an operation of a history is told: who does it, what it asks and what it is
// answered, and when.
type Words struct{ Who, Asked, Answered, When string }

// Draw writes porcupine's page about the history: when each operation was called and
// returned, the longest ways to linearize it, and where they end. Words has those of each
// operation that has not been undone, in the order of their calls. The same history gives the
// same bytes every time.
func (h *History) Draw(w io.Writer, o Object, words []Words) error {
	events, rows := h.ended(), map[string]int{}
	numbers, of := map[int]int{}, map[int]int{}
	unreturned := map[int]bool{}
	for i := range events {
		if _, is := events[i].Value.(pending); is {
			unreturned[events[i].Id] = true
		}
	}
	for i := range events {
		e := &events[i]
		if e.Kind == porcupine.CallEvent {
			k := len(numbers)
			numbers[e.Id] = k
			// Whoever never gets an answer may go on: what is pending has a row of its own.
			row := words[k].Who
			if unreturned[e.Id] {
				row = fmt.Sprint("pending ", k)
			}
			if _, known := rows[row]; !known {
				rows[row] = len(rows)
			}
			of[e.Id] = rows[row]
			e.Value = told{e.Value, k}
		}
		e.Id, e.ClientId = numbers[e.Id], of[e.Id]
	}
	model := h.model(o)
	step := model.Step
	model.Step = func(state, input, output any) []any { return step(state, input.(told).input, output) }
	describe := o.Model.DescribeState
	if describe == nil {
		describe = func(state any) string { return fmt.Sprint(state) }
	}
	// States and metadata become HTML as they are.
	model.DescribeState = func(state any) string { return html.EscapeString(describe(state)) }
	model.DescribeOperation = func(input, _ any) string {
		of := words[input.(told).operation]
		text := of.Asked
		if of.Who != "" {
			text = of.Who + ": " + text
		}
		if of.Answered != "" {
			text += " -> " + of.Answered
		}
		return text
	}
	model.DescribeOperationMetadata = func(number any) string { return html.EscapeString(words[number.(int)].When) }
	for i := range events {
		events[i].Metadata = events[i].Id
	}
	whole := model.ToModel()
	_, info := porcupine.CheckEventsVerbose(whole, events, 0)
	var page bytes.Buffer
	if err := porcupine.Visualize(whole, info, &page); err != nil {
		return err
	}
	text, err := ordered(page.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// told is an input with the number of its operation.
type told struct {
	input     any
	operation int
}
