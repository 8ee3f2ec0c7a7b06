package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizes are the units in which an amount of memory can be written, in bytes.
var sizes = map[string]float64{
	"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
}

// ParseSize reads an amount of memory, as 500MB or 2GiB, up to 1e18 bytes, and returns it in
// bytes.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "kKMGTiB")
	n, err := strconv.ParseFloat(digits, 64)
	scale, ok := sizes[text[len(digits):]]
	if err != nil || !ok || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) || n*scale > 1e18 {
		return 0, fmt.Errorf("%q is not an amount of memory; write it as 500MB or 2GB", text)
	}
	return int64(n * scale), nil
}
