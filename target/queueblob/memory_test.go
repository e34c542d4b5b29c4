package queueblob_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// send sends one request to stand-ins.
func send(m *queueblob.Memory, b target.Beside) target.Outcome {
	o, _ := m.Submit(0, &target.Operation{Beside: &b})
	return o
}

// The stand-ins of the tests hold a hundredth of the things and a sixty-fourth of the bytes
// that others do.
const (
	mostThings = queueblob.MostThings / 100
	mostBytes  = queueblob.MostBytes / 64
	mostBlob   = queueblob.MostBlob / 64
)

// What there is no room for is refused and said, and room comes back with what goes.
func TestThereIsAnEndToWhatIsHeld(t *testing.T) {
	if number, size := queueblob.NewMemory().Room(); number != queueblob.MostThings || size != queueblob.MostBytes {
		t.Errorf("there is room for %d things of %d bytes; want %d and %d", number, size, queueblob.MostThings, queueblob.MostBytes)
	}
	for _, row := range []struct {
		name string
		// fill writes thing n, of which so many fit; free makes room for one more.
		fill func(n int) target.Beside
		fits int
		free target.Beside
	}{
		{"many messages, and the queue itself", func(int) target.Beside {
			return target.Beside{Verb: target.PutMessage, Store: "work"}
		}, mostThings - 1, target.Beside{Verb: target.DropQueue, Store: "work"}},
		{"many blobs, and the container itself", func(n int) target.Beside {
			return target.Beside{Verb: target.PutBlob, Store: "notes", Name: fmt.Sprintf("%06d", n)}
		}, mostThings - 1, target.Beside{Verb: target.DeleteBlob, Store: "notes", Name: "000007"}},
		{"many queues with a message each", func(n int) target.Beside {
			return target.Beside{Verb: target.PutMessage, Store: fmt.Sprintf("work-%d", n)}
		}, mostThings / 2, target.Beside{Verb: target.DropQueue, Store: "work-3"}},
		{"large blobs", func(n int) target.Beside {
			return target.Beside{Verb: target.PutBlob, Store: "notes", Name: fmt.Sprint(n), Body: make([]byte, mostBlob-100)}
		}, mostBytes / mostBlob, target.Beside{Verb: target.DropContainer, Store: "notes"}},
	} {
		m := queueblob.Small(mostThings, mostBytes)
		for n := range row.fits {
			if o := send(m, row.fill(n)); o.Status != 201 {
				t.Fatalf("%s: number %d of %d is answered %d %s %s; want 201", row.name, n, row.fits, o.Status, o.Code, o.Detail)
			}
		}
		o := send(m, row.fill(row.fits))
		if o.Status != 507 || o.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) != results.Failed ||
			!strings.Contains(o.Detail, "stand-ins hold 100000 messages, blobs, queues and containers and 256 MiB") {
			t.Errorf("%s: number %d is answered %d %s; want 507 and how much there is", row.name, row.fits, o.Status, o.Detail)
		}
		if c := m.Counts(); c.Requests != int64(row.fits)+1 || c.Ok != int64(row.fits) || c.Failed != 1 {
			t.Errorf("%s: the books are %+v; want %d and one that failed", row.name, c, row.fits)
		}
		send(m, row.free)
		if o := send(m, row.fill(row.fits)); o.Status != 201 {
			t.Errorf("%s: with room again it is answered %d %s; want 201", row.name, o.Status, o.Detail)
		}
	}
}

// What takes the place of something takes its room, too, and no room is lost.
func TestRoomComesBack(t *testing.T) {
	m := queueblob.Small(mostThings, mostBytes)
	for n := range 3 * mostBytes / mostBlob {
		if o := send(m, target.Beside{Verb: target.PutBlob, Store: "notes", Name: "a", Body: make([]byte, mostBlob)}); o.Status != 201 {
			t.Fatalf("write %d over the same blob is answered %d; want 201", n, o.Status)
		}
	}
	for n := range mostThings + 5 {
		send(m, target.Beside{Verb: target.PutMessage, Store: "work", Body: make([]byte, 4096)})
		o := send(m, target.Beside{Verb: target.ReceiveMessages, Store: "work", Hidden: time.Second})
		if len(o.Found) != 1 {
			t.Fatalf("message %d: %d received; want 1", n, len(o.Found))
		}
		send(m, target.Beside{Verb: target.DeleteMessage, Store: "work", Name: o.Found[0].Name, Receipt: o.Found[0].Receipt})
	}
	if c := m.Counts(); c.Failed != 0 {
		t.Errorf("the books are %+v; want none failed", c)
	}
}

// Whatever is asked, nothing panics, and what breaks a limit is answered with 400 or 413.
func TestNothingPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "a", "work", "a/b", "..", "\x00", "\xff", "A", "-", strings.Repeat("n", 2000), "0x1", "é"}
	pick := func() string { return texts[rng.IntN(len(texts))] }
	m := queueblob.NewMemory()
	for range 20_000 {
		b := &target.Beside{Verb: target.BesideVerb(rng.IntN(12)), Store: pick(), Name: pick(), Receipt: pick(), Body: []byte(pick()),
			Metadata: map[string]string{pick(): pick()}, Match: pick(), Hidden: time.Duration(rng.IntN(20)-3) * 24 * time.Hour,
			Most: rng.IntN(6000) - 100, After: pick()}
		if o, _ := m.Submit(0, &target.Operation{Beside: b}); o.Status == 0 || o.Status >= 300 && (o.Code == "" || o.Detail == "") {
			t.Fatalf("%+v is answered %+v; want a status, and a reason where it is no success", b, o)
		}
	}
	if o, _ := m.Submit(0, &target.Operation{}); o.Status != 400 {
		t.Errorf("no request is answered %d; want 400", o.Status)
	}
}

// In real time an answer comes when its time is over, and no message goes to two.
func TestStandInsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		w := queueblob.NewWaiting(clk)
		const messages, workers = 100, 8
		for range messages {
			w.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "work"}})
		}
		if at := clk.Now().Offset(); at != messages*queueblob.Answer {
			t.Errorf("%d requests took %v; want %v each", messages, at, queueblob.Answer)
		}
		var mu sync.Mutex
		seen := map[string]bool{}
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for {
					o := w.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.ReceiveMessages, Store: "work", Hidden: time.Hour}})
					if len(o.Found) == 0 {
						return
					}
					mu.Lock()
					if seen[o.Found[0].Name] {
						t.Errorf("message %s went to two", o.Found[0].Name)
					}
					seen[o.Found[0].Name] = true
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if c := w.Counts(); len(seen) != messages || c.Requests != 2*messages+workers || c.Ok != c.Requests {
			t.Errorf("%d messages came with the books %+v; want %d and %d requests", len(seen), c, messages, 2*messages+workers)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		o := w.Do(gone, &target.Operation{Beside: &target.Beside{Verb: target.PutBlob, Store: "notes", Name: "a"}})
		if o.Status != 0 || !strings.Contains(o.Detail, "gave up") {
			t.Errorf("whoever gives up hears %+v; want no status", o)
		}
		if o := w.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.GetBlob, Store: "notes", Name: "a"}}); o.Status != 200 {
			t.Errorf("what was given up is answered %d; want it carried out all the same", o.Status)
		}
	})
}

// labelled is a target that says which it is.
type labelled string

func (l labelled) Do(context.Context, *target.Operation) target.Outcome {
	return target.Outcome{Detail: string(l)}
}

func (l labelled) Submit(clock.Instant, *target.Operation) (target.Outcome, clock.Instant) {
	return target.Outcome{Detail: string(l)}, 7
}

// Each request goes where it belongs.
func TestRequestsGoWhereTheyBelong(t *testing.T) {
	live := queueblob.New(labelled("table"), queueblob.Services{Queues: labelled("queue"), Blobs: labelled("blobs"), Own: labelled("own")})
	virtual := queueblob.NewVirtual(labelled("table"), labelled("beside"))
	for verb := range target.Ask + 1 {
		op, want, beside := &target.Operation{}, "table", "table"
		if verb > 0 {
			op.Beside, want, beside = &target.Beside{Verb: verb}, "blobs", "beside"
			if strings.Contains(verb.String(), "message") || strings.Contains(verb.String(), "queue") {
				want = "queue"
			}
			if verb == target.Ask {
				want = "own"
			}
		}
		if o := live.Do(t.Context(), op); o.Detail != want {
			t.Errorf("%v went to the %s; want the %s", verb, o.Detail, want)
		}
		if o, at := virtual.Submit(0, op); o.Detail != beside || at != 7 {
			t.Errorf("%v went to the %s at %v; want %s", verb, o.Detail, at, beside)
		}
	}
	o := queueblob.New(labelled("table"), queueblob.Services{}).Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.PutMessage}})
	if o.Status != 501 || !strings.Contains(o.Detail, "no queue") {
		t.Errorf("without a queue it is answered %+v; want 501", o)
	}
}

// A blob that is written over takes the room that it has then, not what it had.
func TestWhatIsWrittenOverTakesItsRoom(t *testing.T) {
	m := queueblob.Small(mostThings, mostBytes)
	write := func(n, size int) int {
		return send(m, target.Beside{Verb: target.PutBlob, Store: "notes", Name: fmt.Sprint(n), Body: make([]byte, size)}).Status
	}
	const fit = mostBytes / mostBlob
	for n := range fit {
		if first, second := write(n, 1), write(n, mostBlob-100); first != 201 || second != 201 {
			t.Fatalf("blob %d is written with %d and %d; want 201", n, first, second)
		}
	}
	if got := write(fit, 1); got != 201 {
		t.Fatalf("a small blob is answered %d; want 201", got)
	}
	if got := write(fit, mostBlob-100); got != 507 {
		t.Errorf("a large one over it is answered %d; want 507", got)
	}
}

// A queue or a container is made once, and what is put makes it where it is missing.
func TestStandInsAreMade(t *testing.T) {
	for _, b := range []target.Beside{{Verb: target.PutMessage, Store: "work"}, {Verb: target.PutBlob, Store: "notes", Name: "a"}} {
		for _, row := range []struct {
			name  string
			asked []*target.Beside
			last  int
		}{
			{"made", []*target.Beside{b.Maker()}, 201},
			{"made twice", []*target.Beside{b.Maker(), b.Maker()}, 409},
			{"made, and put into", []*target.Beside{b.Maker(), &b}, 201},
			{"put into, and made", []*target.Beside{&b, b.Maker()}, 409},
		} {
			m, last := queueblob.NewMemory(), target.Outcome{}
			for _, one := range row.asked {
				last, _ = m.Submit(0, &target.Operation{Beside: one})
			}
			if last.Status != row.last {
				t.Errorf("%v, %s: answered %d; want %d", b.Verb, row.name, last.Status, row.last)
			}
		}
	}
}
