package target_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"loadgen/target"
)

// A body that somebody else reads is bounded, and pays for what is beyond the allowance.
func TestBody(t *testing.T) {
	for _, row := range []struct {
		name       string
		size, most int64
		held       int64
		err        error
	}{
		{"nothing", 0, 100, 0, nil},
		{"as much as it may have", 100, 100, 0, nil},
		{"one byte more", 101, 100, 0, target.ErrReplyTooLong},
		{"the allowance", target.ReplyAllowance, 1 << 20, 0, nil},
		{"a byte beyond the allowance", target.ReplyAllowance + 1, 1 << 20, 2, nil},
		{"far beyond", 1 << 20, 1 << 20, 2 * (1<<20 - target.ReplyAllowance), nil},
		{"without an end", 10 << 20, 5 << 20, 2 * (5<<20 - target.ReplyAllowance), target.ErrReplyTooLong},
	} {
		for _, way := range []func(io.Reader) io.Reader{iotest.HalfReader, iotest.DataErrReader} {
			budget := target.NewReplyBudget(20 << 20)
			share := budget.Share()
			from := way(strings.NewReader(strings.Repeat("x", int(row.size))))
			body := target.NewBoundedBody(io.NopCloser(from), &share, row.most)
			text, err := io.ReadAll(body)
			if !errors.Is(err, row.err) || err == nil && int64(len(text)) != row.size || int64(len(text)) > row.most {
				t.Errorf("%s: %d bytes were read, %v; want %d of at most %d, %v", row.name, len(text), err, row.size, row.most, row.err)
			}
			if held := budget.Held(); held > row.held || err == nil && held < row.held {
				t.Errorf("%s: %d bytes are held; want %d", row.name, held, row.held)
			}
			if body.Close(); budget.Held() != 0 {
				t.Errorf("%s: %d bytes are held after Close", row.name, budget.Held())
			}
		}
	}
}

// A body that waits for room waits no longer than its attempt lasts.
func TestBodyEndedWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := target.NewReplyBudget(1 << 20)
		first, heir, last := budget.Share(), budget.Share(), budget.Share()
		if !first.Take(1<<20) || !heir.Take(1<<20) {
			t.Fatal("the first and the heir did not get what they asked for")
		}
		body := target.NewBoundedBody(io.NopCloser(strings.NewReader(strings.Repeat("x", 1<<20))), &last, 1<<20)
		fault := make(chan error)
		go func() {
			_, err := io.ReadAll(body)
			fault <- err
		}()
		synctest.Wait()
		last.End()
		if err := <-fault; !errors.Is(err, target.ErrReplyEnded) {
			t.Errorf("reading = %v; want %v", err, target.ErrReplyEnded)
		}
		body.Close()
		first.Leave()
		heir.Leave()
		if held := budget.Held(); held != 0 {
			t.Errorf("%d bytes are held at the end", held)
		}
	})
}
