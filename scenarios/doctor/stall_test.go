package doctor

import (
	"context"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/scenarios/run/runtest"
)

// The formula against what it stands for: every operation by itself.
func TestWaitedAtLeast(t *testing.T) {
	for _, row := range []struct {
		sentence       string
		stands, within time.Duration
	}{
		{"a stall of 2 s within 20 s", 2 * time.Second, 20 * time.Second},
		{"a stall of 1 s in every 5 s", time.Second, 5 * time.Second},
		{"a stall that lasts all the time", 3 * time.Second, 3 * time.Second},
		{"a stall too short for a hundredth of the operations", 10 * time.Millisecond, 20 * time.Second},
		{"no stall", 0, 20 * time.Second},
	} {
		const operations = 20_000
		waits := make([]time.Duration, operations)
		for n := range waits {
			due := row.within * time.Duration(n) / operations
			waits[n] = max(0, row.stands-due)
		}
		slices.Sort(waits)
		for _, q := range []float64{.5, .9, .99, .999} {
			want := waits[int(math.Ceil(q*operations))-1]
			got := waitedAtLeast(q, row.stands, row.within)
			assert.Truef(t, (got-want).Abs() <= row.within/operations,
				"%s: waitedAtLeast(%v, %v, %v) = %v; want %v", row.sentence, q, row.stands, row.within, got, want)
		}
	}
}

// The stall itself, with all of the generator, in fake time: the figures are those
// of arithmetic, to what a histogram resolves.
func TestStallIsToldExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		figures := runtest.Must(trials{clock: clock.NewReal()}.measureStall(context.Background()))
		assert.Truef(t, figures.operations == 20_000 && figures.succeeded == 20_000 && figures.due == 2000 &&
			len(figures.books) == 0, "measureStall = %+v", figures)
		assert.InDelta(t, 1800*time.Millisecond, figures.responseP99, float64(2*time.Millisecond), "response p99")
		assert.InDelta(t, 2*time.Second, figures.longest, float64(2*time.Millisecond), "longest response")
		// Of the operations that are due each millisecond, those of the first 1,900
		// wait for more than 100 ms; 64 workers hold as many attempts.
		assert.Truef(t, figures.slow == 1900 && figures.slowAttempts == trialWorkers && figures.serviceP99 == 0,
			"measureStall = %d slow operations, %d slow attempts, service p99 %v; want 1,900, 64 and 0", figures.slow,
			figures.slowAttempts, figures.serviceP99)
		f := figures.finding()
		assert.Truef(t, f.Verdict == Pass && strings.Contains(f.Note, "coordinated omission") &&
			strings.Contains(f.Note, "64 of them slow"), "finding = %+v; want a pass that shows coordinated omission", f)
	})
}

func TestStallFinding(t *testing.T) {
	right := stallFigures{operations: 20_000, succeeded: 20_000, responseP99: 1800 * time.Millisecond,
		longest: 2 * time.Second, serviceP99: time.Millisecond, due: 2000, slow: 1900, slowAttempts: 64}
	const ms = time.Millisecond
	for _, row := range []struct {
		sentence string
		alter    func(f *stallFigures)
		want     string
		says     string
	}{
		{"all is as arithmetic has it", func(*stallFigures) {}, Pass, "2,000"},
		{"p99 at the lower bound", func(f *stallFigures) { f.responseP99 = 1710 * ms }, Pass, ""},
		{"p99 below it", func(f *stallFigures) { f.responseP99 = 1709 * ms }, Fail, ""},
		{"p99 at the upper bound", func(f *stallFigures) { f.responseP99 = 1890 * ms }, Pass, ""},
		{"p99 above it", func(f *stallFigures) { f.responseP99 = 1891 * ms }, Fail, ""},
		{"the longest at its bound", func(f *stallFigures) { f.longest = 2200 * ms }, Pass, ""},
		{"the longest above it", func(f *stallFigures) { f.longest = 2201 * ms }, Fail, ""},
		{"attempts that were slow themselves", func(f *stallFigures) { f.serviceP99 = 51 * ms }, Fail, ""},
		{"operations that failed", func(f *stallFigures) { f.succeeded-- }, Fail, "19,999 of 20,000"},
		{"operations that are missing", func(f *stallFigures) { f.operations, f.succeeded = 19_000, 19_000 }, Fail, "19,000 of 20,000"},
		{"operations that were not due", func(f *stallFigures) { f.due-- }, Fail, "1,999"},
		{"too few that were slow", func(f *stallFigures) { f.slow = 1804 }, Fail, "1,804"},
		{"books that do not close", func(f *stallFigures) { f.books = []string{"one is missing"} }, Fail, "one is missing"},
		{"a program that was held up, but not for long", func(f *stallFigures) { f.longest, f.heldUp = 3000*ms, stallHeldUp }, Fail, ""},
		{"one held up for long", func(f *stallFigures) { f.longest, f.heldUp = 3000*ms, stallHeldUp+1 }, CannotTell, ""},
		{"one held up whose books do not close", func(f *stallFigures) { f.books, f.heldUp = []string{"one"}, 1000*ms }, Fail, "one"},
	} {
		figures := right
		row.alter(&figures)
		wantFindings(t, []judgement{{row.sentence, figures.finding(), row.want, row.says}})
	}
}

// sluggish is a clock whose sleeper wakes late at some of its calls.
type sluggish struct {
	clock.Real
	asked int
	by    []time.Duration
}

func (s *sluggish) Sleep(ctx context.Context, until clock.Instant) error {
	late := time.Duration(0)
	if s.asked < len(s.by) {
		late = s.by[s.asked]
	}
	s.asked++
	return s.Real.Sleep(ctx, until.Add(late))
}

func TestWitness(t *testing.T) {
	for _, row := range []struct {
		sentence string
		by       []time.Duration
		want     time.Duration
	}{
		{"never held up", nil, 0},
		{"as late as timers are", []time.Duration{drowsy, drowsy}, 0},
		{"held up twice", []time.Duration{300 * time.Millisecond, 0, drowsy + 1}, 300*time.Millisecond + drowsy + 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			leave := watch(&sluggish{Real: clk, by: row.by})
			require.NoError(t, clk.Sleep(t.Context(), clock.Instant(time.Second)))
			assert.Equalf(t, row.want, leave(), "%s: leave", row.sentence)
		})
	}
}

// In fake time nothing is late.
func TestPacingInFakeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		figures, err := trials{clock: clock.NewReal()}.measurePacing(context.Background())
		assert.Truef(t, err == nil && figures == (pacingFigures{sent: 6000, due: 6000}),
			"measurePacing = %+v, %v; want 6,000 operations, none late", figures, err)
	})
}

func TestPacingFinding(t *testing.T) {
	wantFindings(t, []judgement{
		{"never late", pacingFigures{sent: 6000, due: 6000}.finding(), Pass, ""},
		{"later", pacingFigures{p50: 501 * time.Microsecond, sent: 6000, due: 6000}.finding(), Fail, ""},
		{"a long tail is told, and fails nothing", pacingFigures{p50: 50 * time.Microsecond, p99: time.Second,
			longest: time.Second, sent: 6000, due: 6000}.finding(), Pass, ""},
		{"not all sent", pacingFigures{sent: 5999, due: 6000}.finding(), Fail, ""},
	})
}

// An interrupted trial ends at once.
func TestTrialIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(9500*time.Millisecond, cancel)
		defer timer.Stop()
		d := diagnose(ctx, []check{{name: "stall", examine: measured(trials{clock: clk}.measureStall)}}, io.Discard)
		if took := clk.Now().Offset(); took > 12*time.Second || d.Checks[0].Verdict != NotTried {
			t.Errorf("a stall that was interrupted after 9.5 s = %+v after %v; want not tried, within the 2 s of what was under way", d.Checks[0], took)
		}
	})
}

// A profile has what the model takes, and says what else was measured.
func TestWhatTheModelDoesNotTakeIsLeftOut(t *testing.T) {
	c := calibration{profile: &Profile{Kind: UnknownProfile, At: "here", Base: model.Documented, Values: []ProfileValue{
		{Name: "time_spread", Value: "3096", Low: "2984", High: "3205", Samples: 2000, By: "x"},
		{Name: "partition_target", Value: "300", Low: "299", High: "301", Samples: 2000, By: "x"}}}}
	c.leaveOut()
	if len(c.profile.Values) != 1 || c.profile.Values[0].Name != "partition_target" || len(c.profile.Unlearnt) != 1 ||
		!strings.Contains(c.profile.Unlearnt[0].Why, "measured as 3096, from 2984 to 3205, which the model does not take") {
		t.Errorf("values %+v, not learnt %+v", c.profile.Values, c.profile.Unlearnt)
	}
}

// A spread beyond the model's is cut to its greatest, and the median stays what it was: what is
// simulated under it has that.
func TestASpreadBeyondTheModelKeepsTheMedian(t *testing.T) {
	s := calibratedService{way: estimate{0.001, 0.001, 0.001, 100}, spread: estimate{mostSpread, mostSpread, 3.2, 100}}
	assert.Truef(t, s.spread == (estimate{2, 2, 3.2, 100}), "the spread is %+v; want 2, from 2 to 3.2", s.spread)
	mean := s.mean(estimate{0.004, 0.003, 0.005, 100})
	median := 0.001 + mean.value/math.Sqrt(1+mostSpread*mostSpread)
	assert.Truef(t, math.Abs(median-0.004) <= 1e-12, "the median comes to %v; want 4 ms", median)
}
