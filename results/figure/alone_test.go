package figure_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/figure"
)

func TestParseFigureRefuses(t *testing.T) {
	for text, offset := range map[string]int{"": 0, "p99(get) < 20ms": 9, "p9": 0, "counter": 0} {
		_, err := figure.ParseFigure(text)
		var fault *figure.ClaimFault
		assert.Truef(t, errors.As(err, &fault) && errors.Is(err, figure.ErrClaimSyntax) && fault.Offset == offset,
			"ParseFigure(%q) = %v; want a fault at byte %d", text, err, offset)
	}
}

// Any text is refused in words or is a figure whose text is one again, and the same. So it is with
// metrics.
func FuzzParseFigure(f *testing.F) {
	for _, text := range append(figure.ClaimMetrics(), "p99(get)", `served("a""b", peak)`, "offered(account)", "counter(look, both)", "p99 (", "\xff", "\x00") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := figure.ParseClaimMetric(text); err == nil {
			again, err := figure.ParseClaimMetric(m.String())
			require.Truef(t, err == nil && again.String() == m.String() && again.Unit == m.Unit,
				"ParseMetric(%q) is %q, which parses to %q, %v", text, m, again, err)
		} else {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseMetric(%q)", text)
		}
		one, err := figure.ParseFigure(text)
		if err != nil {
			require.ErrorIsf(t, err, figure.ErrClaimSyntax, "ParseFigure(%q)", text)
			return
		}
		again, err := figure.ParseFigure(one.String())
		require.Truef(t, err == nil && again.String() == one.String(),
			"ParseFigure(%q) = %q, and that is %q, %v", text, one, again, err)
	})
}

// A name of before is a fault where it stands that has the name of now, and no alias.
func TestRenamedFigures(t *testing.T) {
	assert.Truef(t, len(figure.RenamedMetrics()) >= 8,
		"%d figures were called otherwise; want eight", len(figure.RenamedMetrics()))
	for _, one := range figure.RenamedMetrics() {
		was, is := one[0], one[1]
		assert.Truef(t, !slices.Contains(figure.Names(), was) && slices.Contains(figure.Names(), is),
			"%s and %s: want the second alone to be a figure", was, is)
		for text, offset := range map[string]int{was + " < 1": 0, "  " + was + "(get) < 1": 2, "p99 < " + was: 6} {
			_, err := figure.ParseClaim(text)
			var fault *figure.ClaimFault
			want := was + " is called " + is + " now; expected that name"
			assert.Truef(t, errors.As(err, &fault) && fault.Offset == offset && fault.What == want && fault.Name == "",
				"Parse(%q) = %v; want byte %d: %s", text, err, offset, want)
		}
	}
	if _, err := figure.ParseClaim("throttled < 20s"); err == nil || !strings.Contains(err.Error(), "byte 12: 20s is no limit for throttled") ||
		!strings.Contains(err.Error(), "or the time throttled_from") {
		t.Errorf("Parse of the time that was called throttled = %v; want a hint at throttled_from", err)
	}
	if _, err := figure.ParseClaim("retries < 20s"); err == nil || strings.Contains(err.Error(), "throttled_from") {
		t.Errorf("Parse of a time for a count = %v; want no hint at throttled_from", err)
	}
}

func TestInterruptedStepIsJudgedAsFarAsItWent(t *testing.T) {
	// The last half of the step begins at 6 s; the run ends at 8 s.
	phase := results.Phase{Name: "step", Begin: 2 * time.Second, End: 10 * time.Second, Rate: 100, Reported: true,
		Kinds: []results.KindStats{{Counts: results.Counts{Offered: 600, Served: 500, Throttled: 60, Attempts: 600, Operations: 300,
			Scheduled: 300, Succeeded: 240},
			LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 100, Succeeded: 90, Offered: 200, Served: 150}}}}}
	record := &results.Record{Validity: results.Partial, Duration: 8 * time.Second, Phases: []results.Phase{phase},
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "get"}}}}
	f := figure.Of(record).Step(figure.Steps(record)[0], nil)
	assert.Equal(t, [6]float64{100, 75, 10, .2, .1, 2}, [6]float64{f.Offered, f.Served, f.ThrottledPerSecond, *f.ShareLost, *f.ShareLostSettled,
		*f.AttemptsPerOperation}, "offered, served, throttled, lost, lost of the settled, attempts")
	record.Duration, record.Phases[0].Kinds[0].LastHalf = 5*time.Second, results.Cohort{}
	f = figure.Of(record).Step(figure.Steps(record)[0], nil)
	assert.Truef(t, f.Offered == 0 && f.ShareLostSettled == nil && f.ThrottledPerSecond == 20,
		"Figures before the last half = %+v; want no load of it, throttled 20", f)
	record.Duration = 2 * time.Second
	assert.Len(t, figure.Steps(record), 0, "Steps = of a run that ended before its step")
}

func TestClosedLoopIsSummarisedAsAWhole(t *testing.T) {
	record := &results.Record{Validity: results.Valid, Duration: 10 * time.Second,
		Manifest: results.Manifest{Operations: []results.Kind{{Name: "query"}}},
		Phases: []results.Phase{{Name: "scan", End: 10 * time.Second, Reported: true, Kinds: []results.KindStats{
			{Counts: results.Counts{Scheduled: 100, Succeeded: 100, Offered: 100, Served: 5000}, LastHalf: results.Cohort{Counts: results.Counts{Scheduled: 1, Offered: 1}}}}}}}
	got := figure.Of(record).Step(figure.Reported(record)[0], nil)
	assert.Truef(t, got.Offered == 10 && got.Served == 500 && got.ShareLost != nil && *got.ShareLost == 0,
		"the step is %+v; want offered 10, served 500, nothing lost", got)
	assert.Len(t, figure.Steps(record), 0, "Steps")
}

// A queue in front of the target shows where the target is behind; what the generator did not
// send for a reason of its own is none.
func TestQueuesAreTheTargets(t *testing.T) {
	for _, row := range []struct {
		name string
		// waiting more attempts are under way at the end of each second, unsent more operations
		// due; starved is the part of each second without a free worker, slower how many times
		// as long as in the first step the target takes, busy the part of the CPU that is taken.
		waiting, unsent       int64
		starved, slower, busy float64
		kind                  figure.Throttling
		rate                  float64
		holds                 string
	}{
		{"attempts pile up at the target", 100, 0, 0, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a slow target", 0, 100, 1, 5, .2, figure.Queued, 400, "fails"},
		{"all workers wait for a target that answers as it does", 0, 100, 1, 1, .2, figure.Unthrottled, 0, "untold"},
		{"nobody waits, and operations are late", 0, 100, 0, 5, .2, figure.Unthrottled, 0, "untold"},
		{"the process has no CPU to spare", 0, 100, 1, 5, .99, figure.Unthrottled, 0, "untold"},
		{"nothing piles up", 0, 0, 0, 1, .2, figure.Unthrottled, 0, "holds"},
	} {
		record := steps(same(10, 200, 200), same(10, 500, 500))
		record.Generator = &results.Generator{Cores: 2}
		var waiting, unsent int64
		for i := range record.Intervals {
			one := &record.Intervals[i]
			slower := 1.
			if i >= 10 {
				waiting, unsent, slower = waiting+row.waiting, unsent+row.unsent, row.slower
				less := row.waiting + row.unsent
				one.Operations, one.Succeeded, one.Served, one.Ok = one.Operations-less, one.Succeeded-less, one.Served-less, one.Ok-less
				if one.Sent -= row.unsent; row.unsent > 0 {
					one.Late, one.Lag.P99 = one.Sent, new(int64(time.Second/time.Microsecond))
				}
			}
			one.InFlight, one.Service.P50 = waiting, new(int64(10_000*slower))
			one.Generator = &results.Health{Lasted: time.Second, CPU: time.Duration(row.busy * 2e9), Starved: time.Duration(row.starved * float64(time.Second))}
		}
		figures := figure.Of(record)
		l := figures.Ladders()[0]
		assert.Truef(t, l.Throttling == row.kind && (l.Throttling != figure.Queued || l.Rate == row.rate),
			"%s: %s at %v; want %s at %v", row.name, l.Throttling, l.Rate, row.kind, row.rate)
		got, holding := "fails", figures.Holds(figure.Steps(record)[1], nobody)
		switch {
		case holding.Why != "":
			got = "untold"
		case holding.Holds:
			got = "holds"
		}
		if row.unsent > 0 && row.kind == figure.Queued {
			// Whose doing the lateness is, is told by the caller.
			holding = figures.Holds(figure.Steps(record)[1], func(int64) string { return "the target queues" })
			if got = "fails"; holding.Holds || holding.Why != "" {
				got = holding.Why
			}
		}
		assert.Equalf(t, row.holds, got, "%s: %+v", row.name, holding)
	}
}

// Every definition says what it is and of what, and can be asked for by its name, of what it
// says, in a claim and alone.
func TestEveryDefinitionIsWhole(t *testing.T) {
	figures := figure.Of(kept(t))
	seen := map[string]bool{}
	for _, name := range figure.Names() {
		d, known := figure.Find(name)
		if !known || seen[name] || d.Name != name || d.About == "" || strings.HasSuffix(d.About, ".") || d.Scopes() == "" {
			t.Errorf("Find(%q) = %+v; want one definition, with a sentence and a scope", name, d)
		}
		seen[name] = true
		text := d.Name
		if d.Scope == figure.OfCounter {
			text += "(look, both)"
		}
		ref, err := figure.ParseFigure(text)
		assert.Truef(t, err == nil && ref.String() == text && ref.Unit() == d.Unit,
			"ParseFigure(%q) = %v, %v; want it as it is", text, ref, err)
		v := figures.Take(ref)
		assert.Truef(t, v.Told != (v.Why != "") && (v.Provenance != "" || !v.Told), "%s = %+v", text, v)
		asked := false
		for _, limit := range []string{"2", "2ms"} {
			if claim, err := figure.ParseClaim(text + " < " + limit); err == nil {
				asked = claim.String() == text+" < "+limit && claim.Judge(fixed(1)).Pass
			}
		}
		assert.Truef(t, asked, "no claim of %q can be made", name)
		for what, of := range map[string]string{"a phase": "(*, peak)", "an operation": "(get, *)", "a partition": `("NYC")`} {
			if what == "a phase" && d.Scopes() == "of the run or a phase" {
				of = "(peak)"
			}
			if _, err := figure.ParseFigure(name + of); name != "counter" && (err == nil) != strings.Contains(d.Scopes(), what) {
				t.Errorf("%s is %q, and %s%s = %v; want that they agree", name, d.Scopes(), name, of, err)
			}
		}
	}
	_, known := figure.Find("refused")
	assert.False(t, known, "Find knows what is no figure")
}

// A partition of 1,000 entities/s under twice that load.
func Example() {
	record := steps(same(10, 500, 500), same(10, 2000, 1000))
	figures := figure.Of(record)
	for _, name := range []string{"saturation", "share_lost", "share_lost_settled", "lost_writes"} {
		if v := figures.Named(name); v.Told {
			fmt.Printf("%s: %.4g, of %d, %s\n", name, v.Value, v.Count, v.Provenance)
		} else {
			fmt.Printf("%s: not told, %s\n", name, v.Why)
		}
	}
	// Output:
	// saturation: 1000, of 9, modelled
	// share_lost: 0.4, of 25000, modelled
	// share_lost_settled: 0.4, of 12500, modelled
	// lost_writes: not told, writes not verified
}
