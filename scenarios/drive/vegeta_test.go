package drive_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// overWire makes HTTP of a target: what an outcome says is in the headers of the
// reply.
type overWire struct{ target.Target }

func (w overWire) RoundTrip(ctx context.Context, op *target.Operation) (*http.Response, error) {
	outcome := w.Do(ctx, op)
	if outcome.Status == 0 {
		return nil, &target.Unanswered{Fault: outcome.Fault, Detail: outcome.Detail}
	}
	header := http.Header{"Code": {string(outcome.Code)}, "Counted": {fmt.Sprint(outcome.Counted)}, "Returned": {fmt.Sprint(outcome.Returned)},
		"Location": {"http://elsewhere.invalid/"}}
	if outcome.Next.Present {
		header.Set("Next", "yes")
	}
	var body io.Reader = strings.NewReader("read")
	if outcome.Fault == target.ReplyCutOff {
		body = io.MultiReader(strings.NewReader("re"), cutOff{})
	}
	return &http.Response{StatusCode: outcome.Status, Header: header, Body: io.NopCloser(body)}, nil
}

// cutOff is where a body breaks off.
type cutOff struct{}

func (cutOff) Read([]byte) (int, error) {
	return 0, &target.Unanswered{Fault: target.ReplyCutOff, Detail: "it broke off"}
}

func (overWire) Outcome(_ *target.Operation, status int, header http.Header, body []byte) target.Outcome {
	if string(body) != "read" {
		return target.Outcome{Detail: "the body was not read"}
	}
	outcome := target.Outcome{Status: status, Code: entity.Code(header.Get("Code")), Next: target.Token{Present: header.Get("Next") != ""}}
	fmt.Sscan(header.Get("Counted")+" "+header.Get("Returned"), &outcome.Counted, &outcome.Returned)
	return outcome
}

// byVegeta returns the runner that sends over a target by vegeta.
func byVegeta(clk clock.Real, t target.Target, workers int) *drive.Vegeta {
	return &drive.Vegeta{Live: &drive.Live{Clock: clk, Target: t, Workers: workers}, Wire: overWire{t}, Epoch: clk.Started()}
}

// attempts keeps what it is told of attempts.
type attempts struct {
	mu   sync.Mutex
	list []results.Attempt
}

func (a *attempts) Attempt(one *results.Attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, *one)
}

func (*attempts) Completed(*results.Completed) {}

// ordered holds the attempts of one stage, each its operation's only one, to the
// order of their instants and numbers.
func (a *attempts) ordered(t *testing.T, first uint64) {
	t.Helper()
	slices.SortFunc(a.list, func(a, b results.Attempt) int { return cmp.Compare(a.Sequence, b.Sequence) })
	before := time.Duration(0)
	for k, one := range a.list {
		if one.Sequence != uint64(k) || one.Number != first+uint64(k) || one.Sent < one.Intended || one.Sent < before {
			t.Fatalf("attempt %d is number %d, of operation %d, due at %v and sent at %v, after one of %v; want them in order",
				k, one.Sequence, one.Number, one.Intended, one.Sent, before)
		}
		before = one.Sent
	}
}

// Both drivers come to the same record, to the nanosecond, of a load that nothing
// holds up: a closed loop, steps, and a load at random instants.
func TestVegetaRecordsWhatLiveDoes(t *testing.T) {
	stages := func() []*drive.Stage {
		jittered := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 300, Length: time.Second})
		jittered.First = 5000
		jittered.Schedule = arrival.NewJittered(steps(t, arrival.Step{Rate: 300, Length: time.Second}), clock.NewStream(1, "arrivals"))
		return []*drive.Stage{
			closedStage(short, 8, 500, time.Minute),
			openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 500, Length: time.Second}, arrival.Step{Rate: 1500, Length: time.Second}),
			jittered,
		}
	}
	var records [2]*results.Record
	var folders [2]*results.Memory
	var seen [2]attempts
	for i := range records {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			f := &fake{clock: clk, refuse: 300, took: time.Millisecond}
			var runner drive.Runner = &drive.Live{Clock: clk, Target: f, Workers: 64}
			if i == 1 {
				runner = byVegeta(clk, f, 64)
			}
			var err error
			records[i], folders[i], err = outing(t, t.Context(), runner, []drive.Observer{&seen[i]}, stages()...)
			if sum := records[i].Total(results.Everything); err != nil || sum.Attempts != int64(len(f.ops)) || sum.Throttled == 0 ||
				sum.Attempts != sum.Ok+sum.Throttled+sum.Failed || sum.Scheduled != 500+2000+300 {
				t.Errorf("runner %d: %+v, %v; want all 2800 operations and the %d attempts that the target saw", i, sum, err, len(f.ops))
			}
		})
	}
	if !reflect.DeepEqual(records[1], records[0]) {
		t.Errorf("vegeta's record is of %+v; want Live's %+v", records[1].Total(results.Everything), records[0].Total(results.Everything))
	}
	for _, file := range []string{results.IntervalsFile, results.EventsFile} {
		if got, want := folders[1].Bytes(file), folders[0].Bytes(file); !slices.Equal(got, want) {
			t.Errorf("vegeta's %s =\n%s\nwant Live's\n%s", file, got, want)
		}
	}
	for i := range seen {
		slices.SortFunc(seen[i].list, func(a, b results.Attempt) int { return cmp.Compare(a.Sequence, b.Sequence) })
	}
	if !reflect.DeepEqual(seen[1].list, seen[0].list) {
		t.Errorf("the attempts of both drivers differ, of which there are %d and %d", len(seen[0].list), len(seen[1].list))
	}
}

// standstill answers in a millisecond, save for the last part of every period.
type standstill struct {
	clock clock.Clock
	stall
	begin clock.Instant
}

func (s *standstill) Do(ctx context.Context, op *target.Operation) target.Outcome {
	now := s.clock.Now()
	done := now.Add(time.Millisecond)
	if into := now.Sub(s.begin) % s.every; into >= s.every-s.lasts {
		done = now.Add(s.every - into)
	}
	s.clock.Sleep(ctx, done)
	return target.Outcome{Status: 204, Counted: op.Entities()}
}

// A service stands still for a second of every five. Of that, what vegeta calls
// latency knows only by the few requests that were under way; the response times
// are as computed.
func TestVegetaStallOracle(t *testing.T) {
	const rate, workers, periods = 1000, 64, 2
	five := stall{time.Second, 5 * time.Second}
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		s := &standstill{clock: clk, stall: five, begin: clk.Now().NextSecond()}
		stage := openStage(t, backoff.Policy{}, 5*time.Second, arrival.Step{Rate: rate, Length: periods * five.every})
		var seen attempts
		record, _, err := outing(t, t.Context(), byVegeta(clk, s, workers), []drive.Observer{&seen}, stage)
		seen.ordered(t, stage.First)
		sum := record.Total(results.Everything)
		if err != nil || sum.Succeeded != rate*int64(periods*five.every/time.Second) {
			t.Fatalf("%d operations succeeded, %v; want all", sum.Succeeded, err)
		}
		capacity := workers / time.Millisecond.Seconds()
		for _, q := range []float64{.5, .9, .99} {
			micros, _ := sum.Response.Quantile(q)
			got, want := time.Duration(micros)*time.Microsecond, five.waited(q, rate, capacity)+time.Millisecond
			if slack := 3*time.Millisecond + want/200; (got - want).Abs() > slack {
				t.Errorf("response p%g = %v; want %v ± %v", 100*q, got, want, slack)
			}
		}
		service := sum.Service[results.Ok]
		if hidden, _ := service.Quantile(.98); time.Duration(hidden)*time.Microsecond > 2*time.Millisecond {
			t.Errorf("service p98 = %d µs; want what an attempt takes, 1 ms", hidden)
		}
		if longest, _ := service.Quantile(.99); time.Duration(longest)*time.Microsecond < 900*time.Millisecond {
			t.Errorf("service p99 = %d µs; want the stall that %d workers met", longest, workers)
		}
	})
}

// What cannot be sent in time is dropped, and the books close.
func TestVegetaDropsWhatItCannotSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, took: 500 * time.Millisecond}
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: 2 * time.Second})
		runner := byVegeta(clk, f, 4)
		record, _, err := outing(t, t.Context(), runner, nil, stage)
		if least, left := runner.Load().Free, runner.Load().Free; least != 0 || left != 4 {
			t.Errorf("at the least %d workers were free, and %d after the end; want none, and all 4", least, left)
		}
		sum := record.Total(results.Everything)
		if err != nil || sum.Scheduled != 200 || sum.Scheduled != sum.Sent+sum.Dropped || sum.Dropped < 170 || sum.Sent < 20 ||
			sum.Operations != sum.Sent || sum.Attempts != sum.Ok || sum.Attempts != int64(len(f.ops)) {
			t.Errorf("%+v, %v, %d seen; want 200 scheduled, of which 4 workers send about 24, and books that close", sum, err, len(f.ops))
		}
	})
}

// A stop ends an attack at once, though vegeta were asleep for minutes, and waits
// for what is under way.
func TestVegetaStops(t *testing.T) {
	for _, row := range []struct {
		name string
		rate float64
		took time.Duration
		// within is how long the end may take.
		within time.Duration
	}{
		{"a hit in a hundred seconds", .01, time.Millisecond, 60 * time.Millisecond},
		{"many hits", 1000, time.Millisecond, 60 * time.Millisecond},
		{"a target that takes half a second", 100, 500 * time.Millisecond, 600 * time.Millisecond},
		{"a target that takes a minute, all workers busy", 100, time.Minute, 2*time.Second + 60*time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			f := &fake{clock: clk, took: row.took}
			ctx, cancel := context.WithCancel(t.Context())
			defer time.AfterFunc(3500*time.Millisecond, cancel).Stop()
			stage := openStage(t, backoff.Policy{}, time.Minute, arrival.Step{Rate: row.rate, Length: time.Hour})
			record, _, err := outing(t, ctx, byVegeta(clk, f, 16), nil, stage)
			sum := record.Total(results.Everything)
			if !errors.Is(err, context.Canceled) || record.Duration > 3500*time.Millisecond+row.within {
				t.Errorf("%s: %v after %v; want that it was stopped within %v of 3.5 s", row.name, err, record.Duration, row.within)
			}
			if sum.Scheduled != sum.Sent+sum.Dropped || sum.Attempts != int64(len(f.ops)) || sum.Operations != sum.Sent {
				t.Errorf("%s: %+v, %d seen; want books that close", row.name, sum, len(f.ops))
			}
		})
	}
}

// hanging never answers.
type hanging struct{}

func (hanging) Do(ctx context.Context, _ *target.Operation) target.Outcome {
	<-ctx.Done()
	return target.Outcome{Detail: "no reply"}
}

func TestVegetaMeetsADeadTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 10, Length: 2 * time.Second})
		record, _, err := outing(t, t.Context(), byVegeta(clk, hanging{}, 32), nil, stage)
		sum := record.Total(results.Everything)
		if !errors.Is(err, drive.ErrSilent) || sum.Failed != 20 || sum.Attempts != 20 {
			t.Errorf("%v, %+v; want ErrSilent, and 20 attempts that failed", err, sum)
		}
	})
}

// always answers everything at once, and alike.
type always target.Outcome

func (a always) Do(context.Context, *target.Operation) target.Outcome { return target.Outcome(a) }

// Why a request has no reply is told of both drivers, wherever it broke off.
func TestVegetaTellsWhyThereIsNoReply(t *testing.T) {
	for _, row := range []struct {
		name    string
		outcome target.Outcome
		want    results.Cause
	}{
		{"nobody listens", target.Outcome{Fault: target.ConnectionRefused, Detail: "x"}, results.Cause{Code: "ConnectionRefused"}},
		{"the reply broke off", target.Outcome{Status: 200, Fault: target.ReplyCutOff}, results.Cause{Code: "ReplyCutOff"}},
		{"an answer", target.Outcome{Status: 400, Code: entity.InvalidInput}, results.Cause{Status: 400, Code: "InvalidInput"}},
		{"a redirection", target.Outcome{Status: 302}, results.Cause{Status: 302}},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 20, Length: time.Second})
			record, _, err := outing(t, t.Context(), byVegeta(clk, always(row.outcome), 32), nil, stage)
			row.want.Class, row.want.Attempts = results.Failed, 20
			if sum := record.Total(results.Everything); err != nil || !slices.Equal(sum.Causes, results.Causes{row.want}) {
				t.Errorf("%s: %v, causes %+v; want %+v", row.name, err, sum.Causes, row.want)
			}
		})
	}
}

// What would take a second request is cut after the first, and no policy has one
// sent again.
func TestVegetaSendsAnOperationOnce(t *testing.T) {
	for _, row := range []struct {
		name   string
		target func(clock.Clock) target.Target
		status int
		cut    int64
		class  results.Class
	}{
		{"a query with a second page", func(clock.Clock) target.Target {
			return always{Status: 200, Next: target.Token{Present: true, NextRowKey: "b"}}
		}, 200, 50, results.Ok},
		{"a redirection", func(clock.Clock) target.Target { return always{Status: 307} }, 307, 0, results.Failed},
		{"refusals, with a policy that retries", func(c clock.Clock) target.Target { return &fake{clock: c, refuse: 1000} }, 503, 0, results.Throttled},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			stage := openStage(t, short, time.Second, arrival.Step{Rate: 50, Length: time.Second})
			stage.Build = func(_ uint64, w *drive.Work) { w.Pages, w.Operation.Verb = true, entity.Query }
			var seen attempts
			record, _, err := outing(t, t.Context(), byVegeta(clk, row.target(clk), 8), []drive.Observer{&seen}, stage)
			sum := record.Total(results.Everything)
			for _, a := range seen.list {
				if a.Status != row.status {
					t.Fatalf("%s: status %d; want %d", row.name, a.Status, row.status)
				}
			}
			if err != nil || sum.Attempts != 50 || sum.Operations != 50 || sum.Cut != row.cut || sum.Succeeded != 0 || sum.Service[row.class].Count() != 50 {
				t.Errorf("%s: %v, %+v; want 50 attempts, %d operations cut and none that succeeded", row.name, err, sum, row.cut)
			}
		})
	}
}

// slowRead takes its time over what a reply means.
type slowRead struct {
	overWire
	clock clock.Clock
}

func (s slowRead) Outcome(op *target.Operation, status int, header http.Header, body []byte) target.Outcome {
	s.clock.Sleep(context.Background(), s.clock.Now().Add(9*time.Millisecond))
	return s.overWire.Outcome(op, status, header, body)
}

// What becomes of a reply is no part of the time that it took.
func TestVegetaTimesTheWireAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		f := &fake{clock: clk, took: 4 * time.Millisecond}
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: 2 * time.Second})
		runner := byVegeta(clk, f, 8)
		runner.Wire = slowRead{overWire{f}, clk}
		var seen attempts
		if _, _, err := outing(t, t.Context(), runner, []drive.Observer{&seen}, stage); err != nil {
			t.Fatal(err)
		}
		for _, a := range seen.list {
			if service := a.Done - a.Sent; service < 4*time.Millisecond || service > 6*time.Millisecond || a.Sent != a.Intended {
				t.Fatalf("operation %d was due at %v, sent at %v and took %v; want at once, and from 4 to 6 ms", a.Number, a.Intended, a.Sent, service)
			}
		}
	})
}

// A schedule that has come to rest, or a budget that is exceeded, ends an attack as
// it ends any stage.
func TestVegetaEndsWhenItIsEnough(t *testing.T) {
	enough := errors.New("enough")
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		stage := openStage(t, backoff.Policy{}, time.Second, arrival.Step{Rate: 100, Length: time.Hour})
		stage.Enough = func(start, now clock.Instant, overdue func() uint64) error {
			if now.Sub(start) < 3*time.Second || overdue() > 0 {
				return nil
			}
			return enough
		}
		f := &fake{clock: clk, took: time.Millisecond}
		record, _, err := outing(t, t.Context(), byVegeta(clk, f, 8), nil, stage)
		sum := record.Total(results.Everything)
		if !errors.Is(err, enough) || record.Duration > 4*time.Second+200*time.Millisecond || sum.Sent != int64(len(f.ops)) || sum.Sent < 290 {
			t.Errorf("%v after %v, %+v; want an end after three seconds", err, record.Duration, sum)
		}
	})
}
