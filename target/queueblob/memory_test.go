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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	mostThings = queueblob.MaxThings / 100
	mostBytes  = queueblob.MaxBytes / 64
	mostBlob   = queueblob.MaxBlob / 64
)

// What there is no room for is refused and said, and room comes back with what goes.
func TestThereIsAnEndToWhatIsHeld(t *testing.T) {
	if number, size := queueblob.NewMemory().Room(); number != queueblob.MaxThings || size != queueblob.MaxBytes {
		t.Errorf("there is room for %d things of %d bytes; want %d and %d", number, size, queueblob.MaxThings, queueblob.MaxBytes)
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
			require.Equalf(t, 201, send(m, row.fill(n)).Status, "%s: number %d of %d", row.name, n, row.fits)
		}
		o := send(m, row.fill(row.fits))
		assert.Truef(t, o.Status == 507 && o.Class(target.Expected{NotFound: true, Conflict: true, Precondition: true}) == results.Failed,
			"%s: number %d is answered %d %s; want 507", row.name, row.fits, o.Status, o.Detail)
		if c := m.Counts(); c.Requests != int64(row.fits)+1 || c.Ok != int64(row.fits) || c.Failed != 1 {
			t.Errorf("%s: the books are %+v; want %d and one that failed", row.name, c, row.fits)
		}
		send(m, row.free)
		assert.Equalf(t, 201, send(m, row.fill(row.fits)).Status, "%s: with room again", row.name)
	}
}

// What takes the place of something takes its room, too, and no room is lost.
func TestRoomComesBack(t *testing.T) {
	m := queueblob.Small(mostThings, mostBytes)
	for n := range 3 * mostBytes / mostBlob {
		o := send(m, target.Beside{Verb: target.PutBlob, Store: "notes", Name: "a", Body: make([]byte, mostBlob)})
		require.Truef(t, o.Status == 201, "write %d over the same blob is answered %d; want 201", n, o.Status)
	}
	for n := range mostThings + 5 {
		send(m, target.Beside{Verb: target.PutMessage, Store: "work", Body: make([]byte, 4096)})
		o := send(m, target.Beside{Verb: target.ReceiveMessages, Store: "work", Hidden: time.Second})
		require.Lenf(t, o.Found, 1, "message %d: messages received", n)
		send(m, target.Beside{Verb: target.DeleteMessage, Store: "work", Name: o.Found[0].Name, Receipt: o.Found[0].Receipt})
	}
	assert.EqualValues(t, 0, m.Counts().Failed, "the books")
	// What is written over takes the room that it has then, not what it had.
	m = queueblob.Small(mostThings, mostBytes)
	const fit = mostBytes / mostBlob
	for n := range 2*fit + 2 {
		size, want := []int{1, mostBlob - 100}[n%2], 201
		if n == 2*fit+1 {
			want = 507
		}
		o := send(m, target.Beside{Verb: target.PutBlob, Store: "notes", Name: fmt.Sprint(n / 2),
			Body: make([]byte, size)})
		require.Truef(t, o.Status == want, "blob %d of %d bytes is answered %d; want %d", n/2, size, o.Status, want)
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
	o, _ := m.Submit(0, &target.Operation{})
	assert.Equal(t, 400, o.Status, "no request")
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
		assert.Equalf(t, messages*queueblob.Answer, clk.Now().Offset(), "time of %d requests", messages)
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
					assert.Truef(t, !seen[o.Found[0].Name], "message %s went to two", o.Found[0].Name)
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
		assert.Truef(t, o.Status == 0 && strings.Contains(o.Detail, "gave up"), "whoever gives up hears %+v; want no status", o)
		o = w.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.GetBlob, Store: "notes", Name: "a"}})
		assert.Equal(t, 200, o.Status, "what was given up, carried out all the same")
		began := clk.Now()
		o = queueblob.Services{Own: w}.Do(t.Context(),
			&target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: "broker", Takes: 70 * time.Millisecond}})
		took := clk.Now().Sub(began)
		assert.Truef(t, o.Status == 200 && took == 70*time.Millisecond, "Ask is answered %d after %v; want 200 after 70ms", o.Status, took)
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
		assert.Equalf(t, want, live.Do(t.Context(), op).Detail, "target of %v", verb)
		o, at := virtual.Submit(0, op)
		assert.Truef(t, o.Detail == beside && at == 7, "%v went to the %s at %v; want %s", verb, o.Detail, at, beside)
	}
	o := queueblob.New(labelled("table"), queueblob.Services{}).Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.PutMessage}})
	assert.Truef(t, o.Status == 501 && strings.Contains(o.Detail, "no queue"), "without a queue it is answered %+v; want 501", o)
}

// A queue or a container is made once, and what is put makes it where it is missing.
func TestStandInsAreMade(t *testing.T) {
	for _, b := range []target.Beside{{Verb: target.PutMessage, Store: "work"}, {Verb: target.PutBlob, Store: "notes", Name: "a"}} {
		made, put := queueblob.NewMemory(), queueblob.NewMemory()
		for i, step := range []struct {
			to   *queueblob.Memory
			ask  target.Beside
			want int
		}{{made, *b.Maker(), 201}, {made, *b.Maker(), 409}, {made, b, 201}, {put, b, 201}, {put, *b.Maker(), 409}} {
			assert.Equalf(t, step.want, send(step.to, step.ask).Status, "%v, step %d: status of %v", b.Verb, i, step.ask.Verb)
		}
	}
}

// A service of one's own works on so many requests at once, and the others wait in the
// order in which they came: as a queue that is written as plainly as can be does, of drawn
// requests.
func TestServicesWorkOnSoManyAtOnce(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 31))
		atOnce := rng.IntN(4)
		m, now := queueblob.NewMemory(), clock.Instant(0)
		var busy []clock.Instant // when each request so far is done
		for i := range 200 {
			now = now.Add(time.Duration(rng.IntN(5)) * time.Millisecond)
			takes := time.Duration(rng.IntN(12)) * time.Millisecond
			begins := now
			if atOnce > 0 && working(busy, now) >= atOnce {
				begins = nextFree(busy, now, atOnce)
			}
			want := begins.Add(takes)
			busy = append(busy, want)
			o, done := m.Submit(now, &target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: "broker", Takes: takes, AtOnce: atOnce}})
			if o.Status != 200 || done != want {
				t.Fatalf("seed %d, %d at once: request %d at %v that takes %v is answered %d at %v; want 200 at %v", seed, atOnce, i, now, takes, o.Status, done, want)
			}
		}
	}
}

// working returns how many requests are not done at an instant.
func working(busy []clock.Instant, at clock.Instant) (count int) {
	for _, done := range busy {
		if done > at {
			count++
		}
	}
	return count
}

// nextFree returns the first end of a request from an instant on after which fewer than so
// many are not done.
func nextFree(busy []clock.Instant, from clock.Instant, atOnce int) clock.Instant {
	first := clock.Never
	for _, done := range busy {
		if done >= from && working(busy, done) < atOnce {
			first = min(first, done)
		}
	}
	return first
}

// What no service could take is told, and each service has a desk of its own.
func TestQuestionsAreHeld(t *testing.T) {
	for _, row := range []struct {
		ask    target.Beside
		status int
	}{
		{target.Beside{Store: "broker", Takes: time.Second, AtOnce: 1}, 200},
		{target.Beside{Store: "broker", Takes: target.MaxTaken, AtOnce: target.MaxAtOnce}, 200},
		{target.Beside{Store: "broker", Takes: target.MaxTaken + 1}, 400},
		{target.Beside{Store: "broker", Takes: -1}, 400},
		{target.Beside{Store: "broker", AtOnce: target.MaxAtOnce + 1}, 400},
		{target.Beside{Store: "broker", AtOnce: -1}, 400},
		{target.Beside{Store: "a--b"}, 400},
	} {
		row.ask.Verb = target.Ask
		o := send(queueblob.NewMemory(), row.ask)
		assert.Truef(t, o.Status == row.status && (o.Detail == "") == (row.status == 200), "%+v is answered %d %q; want %d",
			row.ask, o.Status, o.Detail, row.status)
	}
	m := queueblob.NewMemory()
	for _, store := range []string{"one", "other"} {
		op := target.Operation{Beside: &target.Beside{Verb: target.Ask, Store: store, Takes: time.Second, AtOnce: 1}}
		if _, done := m.Submit(0, &op); done.Offset() != time.Second {
			t.Errorf("service %s answers at %v; want 1s, for nobody asked it before", store, done)
		}
	}
}
