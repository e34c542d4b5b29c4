package prometheus

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// scraped returns what a scrape is answered, without comments.
func scraped(t *testing.T, e *Exporter) string {
	t.Helper()
	reply := httptest.NewRecorder()
	e.Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Truef(t, reply.Code == http.StatusOK, "a scrape was answered %d: %s", reply.Code, reply.Body)
	var lines strings.Builder
	for line := range strings.Lines(reply.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// told is a run of two kinds and a phase, told to a stats and its metrics.
func toldOf(kinds []results.Kind, at time.Duration) (*live.Stats, *Exporter) {
	p := live.New()
	return p, New(Options{Kinds: kinds, Stats: p, Now: func() time.Duration { return at },
		Tool: results.Tool{Version: "1.2.3", Commit: "abc", Go: "go1.26"}})
}

func TestMetrics(t *testing.T) {
	p, e := toldOf([]results.Kind{{Name: "get"}, {Name: "in\xffsert"}}, 2*time.Second)
	p.Enter("peak", 10, 10*time.Second)
	first := results.Phase{Name: "peak 10/s", Rate: 10, Reported: true}
	p.Phase(0, &first)
	e.Phase(0, &first)
	attempt := func(kind, status int, class results.Class, key string, entities int64, took time.Duration) {
		a := results.Attempt{Kind: kind, Number: uint64(kind), Sent: time.Second, Done: time.Second + took, Class: class, Status: status,
			HasPartition: true, PartitionKey: key, Counted: entities}
		p.Due(&results.Scheduled{Intended: time.Second, Sent: time.Second + 6*time.Millisecond, Entities: entities})
		p.Attempt(&a)
		e.Attempt(&a)
		p.Completed(&results.Completed{Number: a.Number, Done: a.Done, Class: class, Served: entities})
	}
	attempt(0, 200, results.Ok, "secret", 6, 3*time.Millisecond)
	attempt(0, 200, results.Ok, "Paris", 2, 20*time.Millisecond)
	attempt(1, 503, results.Throttled, "secret", 0, 40*time.Second)
	attempt(1, 0, results.Failed, "secret", 0, time.Millisecond)
	attempt(7, 999, results.Failed, "secret", 0, time.Millisecond)
	p.Due(&results.Scheduled{Dropped: true})
	p.Again(0)
	got := scraped(t, e)
	resultstest.CheckGolden(t, "testdata/metrics.golden", got)
	assert.Truef(t, !strings.Contains(got, "secret") && !strings.Contains(got, "Paris") && !strings.Contains(got, `rank="3"`),
		"a scrape tells a key, or a rank that nobody has:\n%s", got)
}

// Gauges are of phases that are reported: of what loads a table, and of what reads it back,
// there are none, nor is anything of it in those that follow.
func TestGaugesHaveNothingOfTheLoading(t *testing.T) {
	now := 2 * time.Second
	p := live.New()
	e := New(Options{Kinds: []results.Kind{{Name: "get"}}, Stats: p, Now: func() time.Duration { return now }, Keys: true})
	served := func(stage string, reported bool, at time.Duration, key string, entities int64) string {
		phase := results.Phase{Name: stage, Begin: at - time.Second, Rate: 10, Reported: reported}
		p.Enter(stage, 10, 10*time.Second)
		p.Phase(0, &phase)
		e.Phase(0, &phase)
		p.Due(&results.Scheduled{Intended: at, Sent: at, Entities: entities})
		p.Attempt(&results.Attempt{Class: results.Ok, Sent: at, Done: at, HasPartition: true, PartitionKey: key, Counted: entities})
		p.Completed(&results.Completed{Class: results.Ok, Intended: at, Done: at, Served: entities})
		now = at + time.Second
		return scraped(t, e)
	}
	gauges := []string{"loadgen_in_flight_attempts", "loadgen_target_operations_per_second", "loadgen_offered_entities_per_second",
		"loadgen_served_entities_per_second", "loadgen_partition_heat_entities_per_second"}
	for _, tt := range []struct {
		name, got string
		// all is what was served so far, want what is told of the last seconds.
		all  string
		want []string
	}{
		{"while it loads", served("load", false, 1500*time.Millisecond, "loaded", 1000), "1000", nil},
		{"at the peak", served("peak", true, 2600*time.Millisecond, "ho\xfft", 8), "1008", []string{
			"loadgen_in_flight_attempts 0", "loadgen_target_operations_per_second 10", "loadgen_served_entities_per_second 5.714285714285714",
			`loadgen_partition_heat_entities_per_second{partition="ho?t",rank="1"} 5.714285714285714`}},
		{"as it reads back", served("verify", false, 4500*time.Millisecond, "read", 1000), "2008", nil},
	} {
		for _, gauge := range gauges {
			assert.Equalf(t, tt.want != nil, strings.Contains(tt.got, gauge),
				"%s: there is a gauge %s: %v", tt.name, gauge, tt.want == nil)
		}
		for _, line := range tt.want {
			assert.Containsf(t, tt.got, line+"\n", "%s: no line %s in\n%s", tt.name, line, tt.got)
		}
		assert.Truef(t, !strings.Contains(tt.got, "loaded") && strings.Contains(tt.got, "loadgen_served_entities_total "+tt.all+"\n"),
			"%s: it tells the key of the loading, or lacks its count:\n%s", tt.name, tt.got)
	}
}

// The same durations are in a native histogram, whose buckets grow by no more than a
// tenth (schema 3: by 2^(1/8), 9.05%).
func TestNativeHistogram(t *testing.T) {
	_, e := toldOf([]results.Kind{{Name: "get"}}, 0)
	e.Phase(0, &results.Phase{Name: "peak"})
	for range 3 {
		e.Attempt(&results.Attempt{Class: results.Ok, Status: 200, Done: 7 * time.Millisecond})
	}
	families, err := e.registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != "loadgen_request_duration_seconds" {
			continue
		}
		h := family.GetMetric()[0].GetHistogram()
		assert.Truef(t, h.GetSchema() == 3 && h.GetSampleCount() == 3 && len(h.GetPositiveDelta()) == 1 && h.GetPositiveDelta()[0] == 3 && len(h.GetBucket()) == len(live.Bounds()),
			"the histogram is %v; want schema 3 with one bucket of three, and %d classic buckets", h, len(live.Bounds()))
		return
	}
	t.Error("there is no histogram of request durations")
}

// What is told apart is bounded, whatever a run comes to.
func TestSeriesAreBounded(t *testing.T) {
	var kinds []results.Kind
	for i := range mostKinds + 20 {
		kinds = append(kinds, results.Kind{Name: fmt.Sprint("op ", i)})
	}
	_, e := toldOf(kinds, 0)
	for i := range mostPhases + 50 {
		e.Phase(i, &results.Phase{Name: fmt.Sprint("phase ", i)})
		e.Attempt(&results.Attempt{Class: results.Ok, Phase: i, Kind: i % len(kinds), Status: 200})
	}
	e.Attempt(&results.Attempt{Class: results.Ok, Phase: -1, Kind: -1, Status: -500})
	got := scraped(t, e)
	for _, tt := range []struct {
		label string
		want  bool
	}{
		{fmt.Sprintf(`phase="phase %d"`, mostPhases-1), true}, {fmt.Sprintf(`phase="phase %d"`, mostPhases), false},
		{fmt.Sprintf(`op="op %d"`, mostKinds-1), true}, {fmt.Sprintf(`op="op %d"`, mostKinds), false},
		{`op="other",phase="phase 119"`, true}, {`phase="other"`, true},
	} {
		assert.Equalf(t, tt.want, strings.Contains(got, tt.label), "a scrape has %s: %t", tt.label, !tt.want)
	}
}
