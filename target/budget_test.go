package target_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/target"
)

// boundedReply is a share and what a model that sums up everything anew holds of it.
type boundedReply struct {
	share target.ReplyShare
	// orders is what its goroutine is to do; done is empty while it does it.
	orders, done chan func()

	held, asked int64
	waits       bool
	// told is what its last Take said.
	told bool
	want bool
}

// desk plays random sequences on a budget and on the model.
type desk struct {
	t       *testing.T
	budget  *target.ReplyBudget
	most    int64
	replies []*boundedReply
	line    []*boundedReply // who waits, in order
	heir    *boundedReply
	story   strings.Builder
}

func (d *desk) sum() (sum int64) {
	for _, r := range d.replies {
		sum += r.held
	}
	return sum
}

// settle grants in the model what can be granted.
func (d *desk) settle() {
	if d.heir != nil && d.heir.held == 0 {
		d.heir = nil
	}
	for len(d.line) > 0 {
		first := d.line[0]
		switch {
		case d.sum()+first.asked <= d.most:
		case d.heir == nil:
			d.heir = first
		default:
			return
		}
		first.held += first.asked
		first.waits, first.want = false, true
		d.line = d.line[1:]
	}
}

func (d *desk) take(r *boundedReply, bytes int64) {
	fmt.Fprintf(&d.story, " %d takes %d", slices.Index(d.replies, r), bytes)
	if r == d.heir {
		r.held += bytes
		r.want = true
	} else {
		r.asked, r.waits = bytes, true
		d.line = append(d.line, r)
		d.settle()
	}
	r.orders <- func() { r.told = r.share.Take(bytes) }
}

// end ends a reply's attempt, and begins another with the same share.
func (d *desk) end(r *boundedReply) {
	fmt.Fprintf(&d.story, " %d ends", slices.Index(d.replies, r))
	if r.waits {
		r.waits, r.want = false, false
		d.line = slices.DeleteFunc(d.line, func(other *boundedReply) bool { return other == r })
		d.settle()
	}
	r.share.End()
	synctest.Wait()
	if r.told = r.told || r.share.Take(1); r.told && !r.want {
		d.t.Fatalf("%s: it took something after its end", &d.story)
	}
	d.leave(r)
	r.share.Begin()
}

func (d *desk) leave(r *boundedReply) {
	fmt.Fprintf(&d.story, " %d leaves", slices.Index(d.replies, r))
	r.held = 0
	d.settle()
	r.share.Leave()
}

// check holds the budget to the model.
func (d *desk) check() {
	synctest.Wait()
	if got, want := d.budget.Used(), d.sum(); got != want {
		d.t.Fatalf("%s: %d bytes are held; want %d", &d.story, got, want)
	}
	if len(d.line) > 0 && d.heir == nil {
		d.t.Fatalf("%s: somebody waits, and nobody is heir", &d.story)
	}
	others := d.sum()
	for i, r := range d.replies {
		if got := len(r.done) == 0; got != r.waits {
			d.t.Fatalf("%s: %d waits: %v; want %v", &d.story, i, got, r.waits)
		}
		if got := r.share.Heir(); got != (r == d.heir) {
			d.t.Fatalf("%s: %d is heir: %v; want %v", &d.story, i, got, !got)
		}
		if r == d.heir {
			others -= r.held
		}
	}
	if others > d.most {
		d.t.Fatalf("%s: all but the heir hold %d; want at most %d", &d.story, others, d.most)
	}
}

// What is held, who waits, in which order they are served and who is heir are as a model
// has them that sums up everything anew; and nothing is held at the end.
func TestBudgetAsAModelHasIt(t *testing.T) {
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			d := &desk{t: t, most: 1 + rng.Int64N(200)}
			fmt.Fprintf(&d.story, "seed %d, %d bytes:", seed, d.most)
			d.budget = target.NewReplyBudget(d.most)
			for range 2 + rng.IntN(6) {
				r := &boundedReply{share: d.budget.Share(), orders: make(chan func()), done: make(chan func(), 1)}
				r.done <- nil
				d.replies = append(d.replies, r)
				go func() {
					for order := range r.orders {
						<-r.done
						order()
						r.done <- nil
					}
				}()
			}
			for range 150 {
				r := d.replies[rng.IntN(len(d.replies))]
				switch choice := rng.IntN(10); {
				case r.waits || choice == 0:
					// Whoever waits does nothing else.
					if choice < 3 {
						d.end(r)
					}
				case choice < 7:
					d.take(r, 1+rng.Int64N(90))
				default:
					d.leave(r)
				}
				d.check()
			}
			for _, r := range d.replies {
				d.end(r)
				d.check()
				close(r.orders)
			}
			assert.EqualValuesf(t, 0, d.budget.Used(), "%s", &d.story)
		})
	}
}

// A body grows to what comes, keeps what it has, is charged for its capacity beyond the
// allowance, and gives all of it back.
func TestGrow(t *testing.T) {
	drawn := make([]byte, 6<<20)
	rand.NewChaCha8([32]byte{}).Read(drawn)
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		budget := target.NewReplyBudget(target.CommonReplyBudget)
		share := budget.Share()
		var body []byte
		for range 5 {
			share.Begin()
			most := 1 + rng.IntN(5<<20)
			if rng.IntN(2) == 0 {
				most = 1 + rng.IntN(200<<10)
			}
			at := rng.IntN(len(drawn) - most)
			want := drawn[at : at+most]
			body = body[:0]
			for len(body) < most {
				if len(body) == cap(body) {
					expected := rng.IntN(2) * (most - len(body))
					was := len(body)
					var sound bool
					if body, sound = share.Grow(body, expected, most); !sound || len(body) != was || cap(body) == was {
						t.Fatalf("seed %d: Grow(%d bytes) gave %d of %d, %v", seed, was, len(body), cap(body), sound)
					}
				}
				n := min(cap(body), most) - len(body)
				body = append(body, want[len(body):len(body)+1+rng.IntN(n)]...)
				held, owed := budget.Used(), int64(cap(body))
				if owed <= target.ReplyAllowance {
					owed = 0
				}
				if held != owed || cap(body) > most+128<<10 && cap(body) > target.ReplyAllowance {
					t.Fatalf("seed %d: %d bytes are held for a body of %d of %d; at most %d will come", seed, held, len(body), cap(body), most)
				}
			}
			require.Truef(t, bytes.Equal(want, body), "seed %d: a body of %d bytes holds something else than was put in", seed, most)
			if body = share.Drop(body); cap(body) > target.ReplyAllowance || budget.Used() != 0 || budget.Spare() > target.MostSpare {
				t.Fatalf("seed %d: after Drop %d bytes are held, %d kept, %d spare", seed, budget.Used(), cap(body), budget.Spare())
			}
		}
	}
}

// What was announced is believed as long as there is plenty, and then no more.
func TestAnnouncedIsNotHad(t *testing.T) {
	budget := target.NewReplyBudget(10 << 20)
	var shares []*target.ReplyShare
	for range 40 {
		share := budget.Share()
		shares = append(shares, &share)
		_, sound := share.Grow(nil, 5<<20, 5<<20)
		require.True(t, sound, "Grow waited, and nobody ended it")
	}
	assert.LessOrEqual(t, budget.Used(), int64(6<<20), "what only was announced holds at most about half")
	for _, share := range shares {
		share.Leave()
	}
	assert.EqualValues(t, 0, budget.Used(), "budget.Used()")
}

// A body that somebody else reads is bounded, and pays for what is beyond the allowance.
func TestBody(t *testing.T) {
	for _, row := range []struct {
		name       string
		size, most int64
		held       int64
		err        error
	}{
		{"nothing", 0, 100, 0, nil},
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
			assert.Truef(t, errors.Is(err, row.err) && (err != nil || int64(len(text)) == row.size) && int64(len(text)) <= row.most,
				"%s: %d bytes were read, %v; want %d of at most %d, %v", row.name, len(text), err, row.size, row.most, row.err)
			held := budget.Used()
			assert.Truef(t, held == row.held || err != nil && held < row.held, "%s: %d bytes are held; want %d", row.name, held, row.held)
			body.Close()
			assert.Zerof(t, budget.Used(), "%s: bytes are held after Close", row.name)
		}
	}
}

// A body that waits for room waits no longer than its attempt lasts.
func TestBodyEndedWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := target.NewReplyBudget(1 << 20)
		first, heir, last := budget.Share(), budget.Share(), budget.Share()
		require.True(t, first.Take(1<<20) && heir.Take(1<<20), "the first and the heir did not get what they asked for")
		body := target.NewBoundedBody(io.NopCloser(strings.NewReader(strings.Repeat("x", 1<<20))), &last, 1<<20)
		fault := make(chan error)
		go func() {
			_, err := io.ReadAll(body)
			fault <- err
		}()
		synctest.Wait()
		last.End()
		assert.ErrorIs(t, <-fault, target.ErrReplyEnded, "reading")
		body.Close()
		first.Leave()
		heir.Leave()
		assert.EqualValues(t, 0, budget.Used(), "budget.Used()")
	})
}
