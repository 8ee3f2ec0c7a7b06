package linearize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Where the data of a page of porcupine's begin and end.
const (
	dataBegin = "const data = "
	dataEnd   = "\n"
)

// pageData are the data of a page, as far as they must be known to put them in order.
type pageData struct {
	Partitions []struct {
		History               json.RawMessage
		PartialLinearizations [][]pageStep
		// Largest is, for each operation, the longest way to linearize it.
		Largest map[int]int
	}
	Annotations json.RawMessage
}

type pageStep struct {
	Index            int
	StateDescription string
}

// ordered puts the ways to linearize a history, which porcupine finds in an order that
// differs from time to time, in one that does not.
func ordered(page []byte) ([]byte, error) {
	head, rest, found := bytes.Cut(page, []byte(dataBegin))
	text, tail, ended := bytes.Cut(rest, []byte(dataEnd))
	var data pageData
	if err := json.Unmarshal(text, &data); err != nil || !found || !ended {
		return nil, fmt.Errorf("the page of porcupine is not as it is known: %w", err)
	}
	for i := range data.Partitions {
		p := &data.Partitions[i]
		slices.SortFunc(p.PartialLinearizations, func(a, b []pageStep) int {
			byIndex := func(x, y pageStep) int { return cmp.Compare(x.Index, y.Index) }
			return cmp.Or(cmp.Compare(len(b), len(a)), slices.CompareFunc(a, b, byIndex))
		})
		p.Largest = map[int]int{}
		for k, way := range p.PartialLinearizations {
			for _, s := range way {
				if _, known := p.Largest[s.Index]; !known {
					p.Largest[s.Index] = k
				}
			}
		}
	}
	text, err := json.Marshal(&data)
	if err != nil {
		return nil, err
	}
	return slices.Concat(head, []byte(dataBegin), text, []byte(dataEnd), tail), nil
}
