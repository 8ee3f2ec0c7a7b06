package scheduler

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A queue gives turns in their order, however they have come in.
func TestTurnsComeInOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var q queue
		var want []turn
		next := func() turn { return turn{int64(random.IntN(20)), int32(random.IntN(1000))} }
		for range random.IntN(20) {
			x := next()
			q.push(x)
			want = append(want, x)
		}
		var many []turn
		for range random.IntN(40) {
			many = append(many, next())
		}
		q.add(many)
		want = append(want, many...)
		if len(q) > 0 {
			x := next()
			want = append(want, x)
			slices.SortFunc(want, func(a, b turn) int {
				if a.before(b) {
					return -1
				}
				return 1
			})
			first := q[0]
			q.replace(x)
			want = slices.Delete(want, slices.Index(want, first), slices.Index(want, first)+1)
		}
		for _, w := range want {
			if q[0] != w {
				t.Fatalf("seed %d: the turn %v comes, want %v", seed, q[0], w)
			}
			q.pop()
		}
		if len(q) != 0 {
			t.Fatalf("seed %d: %d turns too many", seed, len(q))
		}
	}
}
