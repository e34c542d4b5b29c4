package compare_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/compare"
	look "loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
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
	factor, seconds, perSecond := cmp.Or(p.slower, 1), cmp.Or(p.seconds, 4), cmp.Or(p.perSecond, 600)
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, p.manifest())
	rng := rand.New(rand.NewPCG(p.seed, 1))
	length := time.Duration(seconds) * time.Second
	number, end := uint64(0), time.Duration(0)
	phases := []string{"load", "peak 1", "peak 2"}
	if p.one {
		phases = phases[:2]
	}
	for i, name := range phases {
		phase := recorder.Phase(results.Phase{Name: name, Stage: name[:4], Begin: end, End: end + length,
			Rate: float64(perSecond), Reported: i > 0})
		for n := range seconds * perSecond {
			a := results.Attempt{Phase: phase, Kind: min(i, 1) * (1 + n%2), Number: number,
				Intended: end + time.Duration(n)*length/time.Duration(seconds*perSecond)}
			a.Sent = a.Intended
			if phase == 2 {
				a.Sent += p.late
			}
			a.Done = a.Sent + time.Duration(factor*(2e6*float64(1+a.Kind)+1e6*rng.ExpFloat64()))
			if p.throttled > 0 && number%uint64(p.throttled) == 0 {
				a.Class = results.Throttled
			} else {
				a.Returned = 1
			}
			resultstest.Single(recorder, a)
			number++
		}
		end += length
	}
	if !p.killed {
		resultstest.Finish(t, recorder, end)
	} else if err := recorder.Advance(end - time.Second); err != nil {
		t.Fatal(err)
	}
	return resultstest.Read(t, folder)
}

// Records and sides that several tests compare are made once.
var (
	sharedRecords = make(map[string]*results.Record)
	sharedSides   = make(map[string]*compare.Set)
)

// side makes a side of runs, of which some may alter their manifest.
func side(t testing.TB, name string, found ...played) *compare.Set {
	t.Helper()
	key, altered := fmt.Sprintf("%s %+v", name, found), slices.ContainsFunc(found, func(p played) bool { return p.alter != nil })
	if s := sharedSides[key]; s != nil && !altered {
		return s
	}
	s := &compare.Set{Name: name}
	for i, p := range found {
		require.NoError(t, s.Add(fmt.Sprintf("%s/%02d", name, i), p.shared(t), nil))
	}
	sharedSides[key] = s
	return s
}

// shared returns the record of a run with a manifest of its own.
func (p played) shared(t testing.TB) *results.Record {
	t.Helper()
	plain := p
	plain.alter, plain.started, plain.virtual = nil, time.Time{}, false
	key := fmt.Sprintf("%+v", plain)
	if sharedRecords[key] == nil {
		sharedRecords[key] = plain.record(t)
	}
	record, own := *sharedRecords[key], p.manifest()
	record.Manifest.Started, record.Manifest.Time = own.Started, own.Time
	if p.alter != nil {
		record.Manifest.Operations = slices.Clone(record.Manifest.Operations)
		p.alter(&record.Manifest)
	}
	return &record
}

// sets returns the runs of two sides, taken in turn, that differ by an effect; a run varies
// by 2%.
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
func held(t testing.TB, a, b *compare.Set) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(a, b, nil)
	require.NoError(t, err)
	return c
}

// find returns a metric.
func find(t testing.TB, c *compare.Comparison, phase, operation, name string) compare.Finding {
	t.Helper()
	for _, m := range c.Metrics {
		if m.Phase == phase && m.Operation == operation && m.Metric == name {
			return m
		}
	}
	t.Fatalf("there is no %s of %q, %q", name, phase, operation)
	return compare.Finding{}
}

// text returns all that is printed.
func text(t testing.TB, c *compare.Comparison) string { return shown(t, c, report.FormText, true) }

func shown(t testing.TB, c *compare.Comparison, form string, verbose bool) string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, report.Print(&out, c.Document(), form, look.Look{Verbose: verbose}))
	return out.String()
}
