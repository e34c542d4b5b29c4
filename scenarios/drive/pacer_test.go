package drive_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
)

// attack is the loop of vegeta's attacker where nothing takes any time: it asks
// for a wait, waits exactly so long, and sends. Vegeta looks at the length of an
// attack before the wait, and so may send one hit after the end; that one is
// left out here. Without a length the pacer has to say when to stop.
func attack(t *testing.T, p vegeta.Pacer, length time.Duration) []time.Duration {
	t.Helper()
	var sent []time.Duration
	var now time.Duration
	for len(sent) < 1_000_000 {
		wait, stop := p.Pace(now, uint64(len(sent)))
		now += max(0, wait)
		if stop || length > 0 && now > length {
			return sent
		}
		sent = append(sent, now)
	}
	t.Fatalf("%v does not stop", p)
	return nil
}

func instants(s arrival.Schedule) []time.Duration {
	var all []time.Duration
	for n := range s.Len() {
		all = append(all, s.At(n))
	}
	return all
}

func fromPacer(t testing.TB, p vegeta.Pacer, length time.Duration) arrival.Schedule {
	t.Helper()
	s, err := drive.FromPacer(p, length)
	if err != nil {
		t.Fatalf("FromPacer(%v, %v) = %v; want no error", p, length, err)
	}
	return s
}

// perSecond returns a rate of vegeta's.
func perSecond(hits int) vegeta.Rate { return vegeta.Rate{Freq: hits, Per: time.Second} }

func sine(offset float64) vegeta.SinePacer {
	return vegeta.SinePacer{Period: 4 * time.Second, Mean: perSecond(200), Amp: perSecond(150), StartAt: offset}
}

func TestVegetaSendsAtOurInstants(t *testing.T) {
	tests := []struct {
		name     string
		schedule arrival.Schedule
	}{
		{"a rate below one a second", steps(t, arrival.Step{Rate: 0.125, Length: time.Minute})},
		{"a rate that is no whole number of nanoseconds", steps(t, arrival.Step{Rate: 333.333, Length: 3 * time.Second})},
		{"steps up and down", steps(t, arrival.Step{Rate: 500, Length: time.Second},
			arrival.Step{Rate: 1.5, Length: 10 * time.Second}, arrival.Step{Rate: 2000, Length: time.Second})},
		{"a schedule that was a pacer of vegeta's before", fromPacer(t, sine(vegeta.Trough), 5*time.Second)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pacer := drive.Pacer(test.schedule)
			if got, want := attack(t, pacer, 0), instants(test.schedule); !slices.Equal(got, want) {
				t.Errorf("vegeta sends at %v; want %v", got, want)
			}
			if wait, stop := pacer.Pace(0, test.schedule.Len()); !stop {
				t.Errorf("Pace(0, %d) = %v, %v; want a stop after the last operation", test.schedule.Len(), wait, stop)
			}
			last := test.schedule.Len() - 1
			if wait, stop := pacer.Pace(test.schedule.Length()+time.Hour, last); wait != 0 || stop {
				t.Errorf("Pace(too late, %d) = %v, %v; want no wait and no stop", last, wait, stop)
			}
			for _, at := range []time.Duration{0, test.schedule.Length() / 3, test.schedule.Length()} {
				if got, want := pacer.Rate(at), test.schedule.Rate(at); got != want {
					t.Errorf("Rate(%v) = %v; want the schedule's %v", at, got, want)
				}
			}
		})
	}
}

// between integrates a pacer's rate: the hits due from a to b, negative where b
// comes first. Simpson's rule is exact for the rates that are straight lines,
// and over a few hits as good as exact for a sine.
func between(p vegeta.Pacer, a, b time.Duration) float64 {
	return (b - a).Seconds() / 6 * (p.Rate(a) + 4*p.Rate(a+(b-a)/2) + p.Rate(b))
}

// Vegeta's own pacers in vegeta's own loop keep to our schedules within vegeta's
// approximations, which are told apart by the tolerance in hits:
//
//   - constant: its interval is cut to whole nanoseconds and multiplied, so that
//     hit n comes up to n+1 nanoseconds early;
//   - linear: it waits as if the rate stayed what it is, so that after a wait of
//     w seconds it is off by slope·w²/2 hits; and hit 0 it sends at once;
//   - sine: it solves for the instant to a thousandth of a hit.
//
// The lengths end between two hits, so that no such error decides the total.
func TestSchedulesOfVegetasPacers(t *testing.T) {
	// Instants are rounded to the nanosecond; in hits, that is:
	rounding := func(rate float64) float64 { return 1e-9*rate + 1e-7 }
	interval := func(p vegeta.Rate) func(n int, wait time.Duration) float64 {
		return func(n int, _ time.Duration) float64 { return float64(n+1) * p.Rate(0) * 1e-9 }
	}
	straight := func(slope float64) func(n int, wait time.Duration) float64 {
		return func(_ int, wait time.Duration) float64 {
			return math.Abs(slope) * wait.Seconds() * wait.Seconds() / 2
		}
	}
	solved := func(int, time.Duration) float64 { return 1e-3 }
	seven := vegeta.Rate{Freq: 7, Per: time.Minute}
	tests := []struct {
		name      string
		pacer     vegeta.Pacer
		length    time.Duration
		count     uint64
		atOnce    bool
		tolerance func(n int, wait time.Duration) float64
	}{
		{"a constant rate begins after one interval", perSecond(1000), 2*time.Second + time.Millisecond/2, 2000, false, interval(perSecond(1000))},
		{"a constant rate of three a second", perSecond(3), 10100 * time.Millisecond, 30, false, interval(perSecond(3))},
		{"a constant rate with an interval of 33,333⅓ ns", perSecond(30_000), time.Second + 16*time.Microsecond, 30_000, false, interval(perSecond(30_000))},
		{"a constant rate by the minute", seven, 10*time.Minute + 4*time.Second, 70, false, interval(seven)},
		{"a linear rate that rises", vegeta.LinearPacer{StartAt: perSecond(100), Slope: 50}, 9999 * time.Millisecond, 3499, true, straight(50)},
		{"a linear rate that rises by nothing", vegeta.LinearPacer{StartAt: perSecond(100)}, 2005 * time.Millisecond, 200, true, straight(0)},
		{"a linear rate that falls", vegeta.LinearPacer{StartAt: perSecond(100), Slope: -5}, 9990 * time.Millisecond, 749, true, straight(5)},
		{"a linear rate that falls to zero sends until it is there", vegeta.LinearPacer{StartAt: perSecond(101), Slope: -10}, 15 * time.Second, 510, true, straight(10)},
		{"a sine that starts at its mean and rises", sine(vegeta.MeanUp), 9900 * time.Millisecond, 2169, false, solved},
		{"a sine that starts at its peak", sine(vegeta.Peak), 9900 * time.Millisecond, 1994, false, solved},
		{"a sine that starts at its mean and falls", sine(vegeta.MeanDown), 9900 * time.Millisecond, 1790, false, solved},
		{"a sine that starts at its trough", sine(vegeta.Trough), 9900 * time.Millisecond, 1965, false, solved},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := fromPacer(t, test.pacer, test.length)
			theirs := attack(t, test.pacer, s.Length())
			if got := s.Len(); got != test.count || got != uint64(len(theirs)) {
				t.Fatalf("FromPacer(%v, %v).Len() = %d; want %d, and vegeta sends %d", test.pacer, test.length, got, test.count, len(theirs))
			}
			var hits float64
			var last, sent time.Duration
			for n, at := range instants(s) {
				hits += between(test.pacer, last, at)
				if at < last || math.Abs(hits-float64(n+1)) > rounding(test.pacer.Rate(at)) {
					t.Fatalf("At(%d) = %v, where the rate's integral is %v; want %d, and no instant before %v", n, at, hits, n+1, last)
				}
				if off := between(test.pacer, at, theirs[n]); n == 0 && test.atOnce {
					if theirs[n] != 0 {
						t.Fatalf("vegeta sends hit 0 at %v; want at once", theirs[n])
					}
				} else if most := test.tolerance(n, theirs[n]-sent) + 2*rounding(test.pacer.Rate(at)); math.Abs(off) > most {
					t.Fatalf("At(%d) = %v; vegeta sends at %v, which is %v hits off; want at most %v", n, at, theirs[n], off, most)
				}
				last, sent = at, theirs[n]
			}
			if last > s.Length() {
				t.Errorf("the last operation is due at %v; want at most %v", last, s.Length())
			}
		})
	}
}

func TestRateOfAScheduleFromAPacer(t *testing.T) {
	falling := vegeta.LinearPacer{StartAt: perSecond(100), Slope: -10}
	for _, test := range []struct {
		name   string
		pacer  vegeta.Pacer
		length time.Duration
		at     time.Duration
		want   float64
	}{
		{"a constant rate stays", perSecond(30), 10 * time.Second, 9 * time.Second, 30},
		{"a constant rate ends with its schedule", perSecond(30), 10 * time.Second, 10 * time.Second, 0},
		{"nothing is due before the start", perSecond(30), 10 * time.Second, -1, 0},
		{"a falling rate falls", falling, 20 * time.Second, 4 * time.Second, 60},
		{"a falling rate never falls below zero", falling, 20 * time.Second, 11 * time.Second, 0},
		{"a sine has its peak a quarter of a period after its mean", sine(vegeta.MeanUp), 10 * time.Second, time.Second, 350},
	} {
		s := fromPacer(t, test.pacer, test.length)
		if got := s.Rate(test.at); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: FromPacer(%v, %v).Rate(%v) = %v; want %v", test.name, test.pacer, test.length, test.at, got, test.want)
		}
	}
	if got := fromPacer(t, falling, 20*time.Second).Length(); got != 10*time.Second {
		t.Errorf("Length of a rate that falls to zero = %v; want the 10 s after which it is there", got)
	}
}

// Parameters at the edge of what a number can hold neither overflow nor lose
// the schedule.
func TestExtremePacers(t *testing.T) {
	for _, test := range []struct {
		name   string
		pacer  vegeta.Pacer
		length time.Duration
		count  uint64
		last   time.Duration
	}{
		{"the highest rate over the longest time", perSecond(10_000_000), 30 * day, 25_920_000_000_000, 30 * day},
		{"a rate of one in 292 years has nothing to send", vegeta.Rate{Freq: 1, Per: math.MaxInt64}, 30 * day, 0, 0},
		{"a rate that falls by next to nothing is constant", vegeta.LinearPacer{StartAt: perSecond(10), Slope: -1e-12}, 10050 * time.Millisecond, 100, 10 * time.Second},
		{"a rate that falls like a stone has nothing to send", vegeta.LinearPacer{StartAt: perSecond(10), Slope: -math.MaxFloat64}, time.Minute, 0, 0},
	} {
		s := fromPacer(t, test.pacer, test.length)
		if got := s.Len(); got != test.count {
			t.Errorf("%s: FromPacer(%v, %v).Len() = %d; want %d", test.name, test.pacer, test.length, got, test.count)
			continue
		}
		if test.count == 0 {
			continue
		}
		if got := s.At(test.count - 1); (got - test.last).Abs() > time.Microsecond {
			t.Errorf("%s: FromPacer(%v, %v).At(%d) = %v; want %v", test.name, test.pacer, test.length, test.count-1, got, test.last)
		}
	}
	// Where the offset is so great that adding to it does nothing or too much,
	// the hits of the sine go up and down; its instants still do not.
	for _, offset := range []float64{1e15, 1e16, 1e17, math.MaxFloat64} {
		if at := instants(fromPacer(t, sine(offset), 3*time.Second)); !slices.IsSorted(at) || len(at) == 0 {
			t.Errorf("instants of a sine with the offset %v = %v; want some, and none that falls", offset, at)
		}
	}
}

func TestPacersThatAreNoSchedule(t *testing.T) {
	steady, nan := perSecond(10), math.NaN()
	tests := []struct {
		name   string
		pacer  vegeta.Pacer
		length time.Duration
	}{
		{"no length", steady, 0},
		{"a negative length", steady, -time.Second},
		{"a length beyond the longest", steady, 30*day + 1},
		{"no pacer", nil, time.Second},
		{"a pacer of a type that is not vegeta's", drive.Pacer(steps(t, arrival.Step{Rate: 1, Length: time.Second})), time.Second},
		{"a constant rate without limit", vegeta.Rate{}, time.Second},
		{"a constant rate without a unit", vegeta.Rate{Freq: 1}, time.Second},
		{"a negative constant rate", perSecond(-1), time.Second},
		{"a negative unit", vegeta.Rate{Freq: 1, Per: -time.Second}, time.Second},
		{"a constant rate beyond the highest", vegeta.Rate{Freq: math.MaxInt64, Per: 1}, 30 * day},
		{"a linear rate without limit", vegeta.LinearPacer{Slope: 1}, time.Second},
		{"a linear rate that starts below zero", vegeta.LinearPacer{StartAt: perSecond(-1), Slope: 1}, time.Second},
		{"a slope that is no number", vegeta.LinearPacer{StartAt: steady, Slope: nan}, time.Second},
		{"an infinite slope", vegeta.LinearPacer{StartAt: steady, Slope: math.Inf(-1)}, time.Second},
		{"a linear rate that starts beyond the highest", vegeta.LinearPacer{StartAt: perSecond(10_000_001), Slope: -1}, time.Second},
		{"a linear rate that rises beyond the highest", vegeta.LinearPacer{StartAt: steady, Slope: 1e9}, time.Second},
		{"a sine without a period", vegeta.SinePacer{Mean: steady, Amp: perSecond(5)}, time.Second},
		{"a sine without a mean", vegeta.SinePacer{Period: time.Second, Amp: perSecond(5)}, time.Second},
		{"a sine that reaches zero", vegeta.SinePacer{Period: time.Second, Mean: steady, Amp: steady}, time.Second},
		{"a negative amplitude", vegeta.SinePacer{Period: time.Second, Mean: steady, Amp: perSecond(-5)}, time.Second},
		{"an offset that is no number", vegeta.SinePacer{Period: time.Second, Mean: steady, Amp: perSecond(5), StartAt: nan}, time.Second},
		{"a sine with a peak beyond the highest rate", vegeta.SinePacer{Period: time.Second, Mean: perSecond(6_000_000), Amp: perSecond(5_000_000)}, time.Second},
	}
	for _, test := range tests {
		if s, err := drive.FromPacer(test.pacer, test.length); !errors.Is(err, arrival.ErrSchedule) || s != nil {
			t.Errorf("%s: FromPacer(%v, %v) = %v, %v; want nil and %v", test.name, test.pacer, test.length, s, err, arrival.ErrSchedule)
		}
	}
}

// answer is a transport that answers by itself.
type answer struct{}

func (answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 204, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
}

// Vegeta's own attacker, on a clock that is perfect, sends all of a schedule and
// each at its instant.
func TestVegetasAttackerRunsOurSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := steps(t, arrival.Step{Rate: 12.5, Length: 2 * time.Second}, arrival.Step{Rate: 100, Length: time.Second})
		attacker := vegeta.NewAttacker(vegeta.Client(&http.Client{Transport: answer{}}))
		targets := vegeta.NewStaticTargeter(vegeta.Target{Method: "GET", URL: "http://table.invalid/T"})
		began := time.Now()
		var sent []time.Duration
		for r := range attacker.Attack(targets, drive.Pacer(s), 0, "ours") {
			if r.Code != 204 || r.Error != "" {
				t.Errorf("hit %d = %d %s; want 204", r.Seq, r.Code, r.Error)
			}
			sent = append(sent, r.Timestamp.Sub(began))
		}
		slices.Sort(sent)
		if want := instants(s); !slices.Equal(sent, want) {
			t.Errorf("vegeta's attacker sent %d hits at %v; want %d at %v", len(sent), sent, len(want), want)
		}
	})
}
