package telemetry

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
func scraped(t *testing.T, e *Metrics) string {
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

// measured is a run with its metrics at an instant.
type measured struct {
	*live.Stats
	*Metrics
	recorder *results.Recorder
	now      time.Duration
}

func measure(t *testing.T, kinds []results.Kind, keys bool) *measured {
	t.Helper()
	m := &measured{Stats: live.New(), recorder: resultstest.Open(t, new(results.Memory), results.Manifest{Operations: kinds})}
	m.Read(m.recorder)
	var err error
	m.Metrics, err = NewMetrics(Run{Kinds: kinds, Stats: m.Stats, Now: func() time.Duration { return m.now }, Keys: keys,
		Tool: results.Tool{Version: "1.2.3", Commit: "abc", Go: "go1.26"}})
	require.NoError(t, err)
	return m
}

// phase begins a phase.
func (m *measured) phase(of results.Phase) int {
	index := m.recorder.Phase(of)
	m.Enter(of.Name, 10, 10*time.Second)
	m.Stats.Phase(index, &of)
	m.Metrics.Phase(index, &of)
	return index
}

// attempt ends an operation with an attempt.
func (m *measured) attempt(a results.Attempt) {
	m.recorder.Scheduled(&results.Scheduled{Phase: a.Phase, Kind: a.Kind, Intended: a.Intended, Sent: a.Sent, Entities: a.Counted})
	m.recorder.Attempt(&a)
	m.recorder.Completed(&results.Completed{Phase: a.Phase, Kind: a.Kind, Intended: a.Intended, Done: a.Done, Class: a.Class, Served: a.Counted})
	m.Metrics.Attempt(&a)
}

func TestMetrics(t *testing.T) {
	m := measure(t, []results.Kind{{Name: "get"}, {Name: "in\xffsert"}}, false)
	m.now = 2 * time.Second
	m.phase(results.Phase{Name: "peak 10/s", Rate: 10, Reported: true})
	attempt := func(kind, status int, class results.Class, key string, entities int64, took time.Duration) {
		m.attempt(results.Attempt{Kind: kind, Number: uint64(kind), Intended: time.Second, Sent: time.Second + 6*time.Millisecond,
			Done: time.Second + 6*time.Millisecond + took, Class: class, Status: status, HasPartition: true, PartitionKey: key, Counted: entities})
	}
	attempt(0, 200, results.Ok, "secret", 6, 3*time.Millisecond)
	attempt(0, 200, results.Ok, "Paris", 2, 20*time.Millisecond)
	attempt(1, 503, results.Throttled, "secret", 0, 40*time.Second)
	attempt(1, 0, results.Failed, "secret", 0, time.Millisecond)
	m.Metrics.Attempt(&results.Attempt{Kind: 7, Status: 999, Sent: time.Second, Done: time.Second + time.Millisecond})
	m.recorder.Scheduled(&results.Scheduled{Dropped: true})
	m.recorder.FurtherRequest(0)
	e := m.Metrics
	got := scraped(t, e)
	resultstest.CheckGolden(t, "testdata/metrics.golden", got)
	assert.Truef(t, !strings.Contains(got, "secret") && !strings.Contains(got, "Paris") && !strings.Contains(got, `rank="3"`),
		"a scrape tells a key, or a rank that nobody has:\n%s", got)
}

// Gauges are of phases that are reported: of what loads a table, and of what reads it back,
// there are none, nor is anything of it in those that follow.
func TestGaugesHaveNothingOfTheLoading(t *testing.T) {
	m := measure(t, []results.Kind{{Name: "get"}}, true)
	served := func(stage string, reported bool, at time.Duration, key string, entities int64) string {
		index := m.phase(results.Phase{Name: stage, Begin: at.Truncate(time.Second), Rate: 10, Reported: reported})
		m.attempt(results.Attempt{Phase: index, Class: results.Ok, Intended: at, Sent: at, Done: at, HasPartition: true, PartitionKey: key, Counted: entities})
		m.now = at + time.Second
		return scraped(t, m.Metrics)
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
			"loadgen_in_flight_attempts 0", "loadgen_target_operations_per_second 10", "loadgen_served_entities_per_second 8",
			`loadgen_partition_heat_entities_per_second{partition="ho?t",rank="1"} 8`}},
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

// What is told apart is bounded, whatever a run comes to.
func TestSeriesAreBounded(t *testing.T) {
	var kinds []results.Kind
	for i := range maxKinds + 20 {
		kinds = append(kinds, results.Kind{Name: fmt.Sprint("op ", i)})
	}
	e := measure(t, kinds, false).Metrics
	for i := range maxPhases + 50 {
		e.Phase(i, &results.Phase{Name: fmt.Sprint("phase ", i)})
		e.Attempt(&results.Attempt{Class: results.Ok, Phase: i, Kind: i % len(kinds), Status: 200})
	}
	e.Attempt(&results.Attempt{Class: results.Ok, Phase: -1, Kind: -1, Status: -500})
	got := scraped(t, e)
	for _, tt := range []struct {
		label string
		want  bool
	}{
		{fmt.Sprintf(`phase="phase %d"`, maxPhases-1), true}, {fmt.Sprintf(`phase="phase %d"`, maxPhases), false},
		{fmt.Sprintf(`op="op %d"`, maxKinds-1), true}, {fmt.Sprintf(`op="op %d"`, maxKinds), false},
		{`op="other",phase="phase 119"`, true}, {`phase="other"`, true},
	} {
		assert.Equalf(t, tt.want, strings.Contains(got, tt.label), "a scrape has %s: %t", tt.label, !tt.want)
	}
}

// What an operation and a scrape cost, in allocations: an operation none, a scrape about twice those of the text.
func TestCostOfMetrics(t *testing.T) {
	m := measure(t, []results.Kind{{Name: "get"}, {Name: "put"}}, false)
	m.phase(results.Phase{Name: "peak", Rate: 10, Reported: true})
	a := results.Attempt{Class: results.Ok, Status: 200, Done: time.Millisecond, HasPartition: true, PartitionKey: "key", Counted: 1}
	m.attempt(a)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { m.Metrics.Attempt(&a) }))
	assert.LessOrEqual(t, testing.AllocsPerRun(20, func() { scraped(t, m.Metrics) }), 1100.)
}
