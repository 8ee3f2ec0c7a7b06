package sweep

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a share of the points of a sweep: those whose numbers, counted from 0, leave the
// remainder Number-1 when they are divided by Of. So each share has points from everywhere,
// and all are about equally long.
type Shard struct{ Number, Of int }

// Whole is the share that is everything.
var Whole = Shard{1, 1}

// ParseShard reads a share: 2/3 for the second of three.
func ParseShard(text string) (Shard, error) {
	number, of, _ := strings.Cut(text, "/")
	i, wrongNumber := strconv.Atoi(number)
	n, wrongOf := strconv.Atoi(of)
	if wrongNumber != nil || wrongOf != nil || i < 1 || i > n || n > MaxPoints {
		return Shard{}, fmt.Errorf("%q is no share; write 2/3 for the second of three", text)
	}
	return Shard{i, n}, nil
}

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Number, s.Of) }

// has reports whether the point of the number is of the share.
func (s Shard) has(point int) bool { return point%s.Of == s.Number-1 }

// size is how many of so many points are of the share.
func (s Shard) size(points int) int { return (points + s.Of - s.Number) / s.Of }
