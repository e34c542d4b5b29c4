package runs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"loadgen/report"
	"loadgen/report/compare/runs"
	look "loadgen/report/text"
	"loadgen/results"
)

// played is a run to be recorded: a phase before the reported ones, and two that are, of
// reads and writes.
type played struct {
	// slower is how much longer than the others its operations take, as a factor; 0 is 1.
	slower  float64
	seed    uint64
	started time.Time
	// seconds is the length of each phase, perSecond its rate. 0 is 4 and 600.
	seconds, perSecond int
	// throttled is after how many operations one is throttled, 0 for none.
	throttled int
	// late is by how much the last phase is sent too late.
	late    time.Duration
	virtual bool
	alter   func(*results.Manifest)
	// one leaves the second reported phase out.
	one bool
	// killed ends the record without its totals.
	killed bool
}

// night is when the first runs begin.
var night = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

const scenarioText = "name: small\nseed: 7\nretry: none\n"

func (p played) manifest() results.Manifest {
	m := results.Manifest{Time: "real", Target: results.Embedded, Profile: "documented", Start: "warm", Seed: p.seed, Retry: "none",
		Started: p.started, Tool: results.Tool{Version: "v1", Commit: "abc", Go: "go1.26", System: "linux/amd64"},
		Environment: results.Environment{CPUs: 2, GOMAXPROCS: 2, Workers: 8},
		Scenario:    results.Scenario{Name: "small", Text: scenarioText},
		Operations:  []results.Kind{{Name: "load"}, {Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}}}
	if p.virtual {
		m.Time = "virtual"
	}
	if m.Started.IsZero() {
		m.Started = night
	}
	if p.alter != nil {
		p.alter(&m)
	}
	return m
}

// record plays a run and returns its record.
func (p played) record(t testing.TB) *results.Record {
	t.Helper()
	if p.slower == 0 {
		p.slower = 1
	}
	if p.seconds == 0 {
		p.seconds = 4
	}
	if p.perSecond == 0 {
		p.perSecond = 600
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, p.manifest())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(p.seed, 1))
	length := time.Duration(p.seconds) * time.Second
	number := uint64(0)
	end := time.Duration(0)
	phases := []string{"load", "peak 1", "peak 2"}
	if p.one {
		phases = phases[:2]
	}
	for i, name := range phases {
		phase := recorder.Phase(results.Phase{Name: name, Stage: name[:4], Begin: end, End: end + length,
			Rate: float64(p.perSecond), Reported: i > 0})
		for n := range p.seconds * p.perSecond {
			at := end + time.Duration(n)*length/time.Duration(p.seconds*p.perSecond)
			kind := min(i, 1) * (1 + n%2)
			p.operation(recorder, phase, kind, number, at, time.Duration(p.slower*(2e6*float64(1+kind)+1e6*rng.ExpFloat64())))
			number++
		}
		end += length
	}
	if p.killed {
		if err := recorder.Advance(end - time.Second); err != nil {
			t.Fatal(err)
		}
	} else if err := recorder.Finish(end, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// operation records one operation of a single attempt.
func (p played) operation(r *results.Recorder, phase, kind int, number uint64, at, took time.Duration) {
	class, served := results.Ok, int64(1)
	if p.throttled > 0 && number%uint64(p.throttled) == 0 {
		class, served = results.Throttled, 0
	}
	sent := at
	if phase == 2 {
		sent += p.late
	}
	r.Scheduled(&results.Scheduled{Phase: phase, Kind: kind, Intended: at, Sent: sent, Entities: 1})
	r.Attempt(&results.Attempt{Phase: phase, Kind: kind, Number: number, Intended: at, Sent: sent, Done: sent + took, Class: class,
		Counted: served, Returned: served, Entities: 1})
	r.Completed(&results.Completed{Phase: phase, Kind: kind, Number: number, Intended: at, Done: sent + took, Class: class,
		Attempts: 1, Entities: 1, Served: served})
}

// side makes a side of runs.
func side(t testing.TB, name string, runs ...played) *runs.Side {
	t.Helper()
	return make(runIndex).side(t, name, runs...)
}

// run index keeps the records of runs that several sides share.
type runIndex map[string]*results.Record

func (k runIndex) side(t testing.TB, name string, found ...played) *runs.Side {
	t.Helper()
	s := &runs.Side{Name: name}
	for i, p := range found {
		record := k[fmt.Sprintf("%+v", p)]
		if record == nil || p.alter != nil {
			record = p.record(t)
			k[fmt.Sprintf("%+v", p)] = record
		}
		if err := s.Add(fmt.Sprintf("%s/%02d", name, i), record); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// sets returns the runs of two sides, taken in turn, that differ by an effect; a run varies
// by 2 %.
func sets(pairs int, effect float64) (a, b []played) {
	rng := rand.New(rand.NewPCG(11, 8))
	vary := func() float64 { return math.Exp(0.02 * rng.NormFloat64()) }
	for i := range pairs {
		// A B, B A, A B, …
		first, second := time.Duration(2*i), time.Duration(2*i+1)
		if i%2 == 1 {
			first, second = second, first
		}
		a = append(a, played{slower: vary(), seed: uint64(i), started: night.Add(first * time.Minute), one: true})
		b = append(b, played{slower: vary() * (1 + effect), seed: uint64(i), started: night.Add(second * time.Minute), one: true})
	}
	return a, b
}

// held holds two sides against each other.
func held(t testing.TB, a, b *runs.Side) *runs.Comparison {
	t.Helper()
	c, err := runs.Of(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// find returns a metric.
func find(t testing.TB, c *runs.Comparison, phase, operation, name string) runs.Metric {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Phase == phase && m.Operation == operation && m.Metric == name {
			return m
		}
	}
	t.Fatalf("there is no %s of %q, %q", name, phase, operation)
	return runs.Metric{}
}

// text returns all that is printed.
func text(t testing.TB, c *runs.Comparison) string { return printed(t, c, report.FormText, true) }

func printed(t testing.TB, c *runs.Comparison, form string, verbose bool) string {
	t.Helper()
	var out strings.Builder
	if err := report.Print(&out, c.Document(), form, look.Look{Verbose: verbose}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
