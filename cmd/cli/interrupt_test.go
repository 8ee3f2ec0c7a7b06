package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// What is read until the end is what is there, however it comes.
func TestWhatIsReadInterruptiblyIsWhatIsThere(t *testing.T) {
	text := make([]byte, 1<<18)
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	for name, from := range map[string]io.Reader{
		"at once":         bytes.NewReader(text),
		"in halves":       iotest.HalfReader(bytes.NewReader(text)),
		"with the end":    iotest.DataErrReader(bytes.NewReader(text)),
		"by single bytes": iotest.OneByteReader(bytes.NewReader(text)),
	} {
		got, err := io.ReadAll(&interruptible{ctx: t.Context(), from: from})
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s: %d of %d bytes, %v", name, len(got), len(text), err)
		}
	}
	wrong := errors.New("wrong")
	got, err := io.ReadAll(&interruptible{ctx: t.Context(), from: io.MultiReader(strings.NewReader("a"), iotest.ErrReader(wrong))})
	if string(got) != "a" || !errors.Is(err, wrong) {
		t.Errorf("%s, %v", got, err)
	}
}

// ^C ends it while it waits.
func TestReadingIsInterruptedWhileItWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	from, to := io.Pipe()
	go func() {
		_, _ = io.WriteString(to, "a")
		cancel()
	}()
	if got, err := io.ReadAll(&interruptible{ctx: ctx, from: from}); !errors.Is(err, errInterrupted) {
		t.Errorf("%s, %v", got, err)
	}
}
