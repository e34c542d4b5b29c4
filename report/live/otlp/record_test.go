package otlp_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/report/live/otlp"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// units are those of the metrics that a run has at its end, gauges those of what is told of
// its last seconds.
var units = map[string]string{
	"loadgen.operations.scheduled": "{operation}", "loadgen.operations.dropped": "{operation}", "loadgen.operations.late": "{operation}",
	"loadgen.operations.completed": "{operation}", "loadgen.attempts": "{attempt}", "loadgen.retries": "{attempt}",
	"loadgen.entities.offered": "{entity}", "loadgen.entities.served": "{entity}", "loadgen.network.io": "By",
	"loadgen.operation.duration": "s", "loadgen.attempt.duration": "s", "loadgen.operation.lag": "s",
	"loadgen.traces.sampled": "{trace}", "loadgen.traces.lost": "{trace}", "loadgen.exports.failed": "{export}",
}

var gauges = map[string]string{
	"loadgen.attempts.in_flight": "{attempt}", "loadgen.operations.target_rate": "{operation}/s",
	"loadgen.entities.offered_rate": "{entity}/s", "loadgen.entities.served_rate": "{entity}/s", "loadgen.partition.heat": "{entity}/s",
}

// short is what has the stress scenario end soon.
var short = []string{"phases.load.entities=500", "phases.peak.each=2s", "phases.peak.rates=[500, 2600]"}

// ran is the stress scenario, carried out and sent.
func ran(t *testing.T, c *otlp.Client, on run.Place, keys bool, set ...string) *results.Record {
	t.Helper()
	s := runtest.Builtin(t, "stress", set...)
	return runtest.Run(t, run.Plan{Scenario: s, On: on, NoProbe: true,
		Progress: &exports{Stats: live.New(), t: t, client: c, keys: keys}}).Record
}

// exports is the progress of a run that is only exported.
type exports struct {
	*live.Stats
	t        *testing.T
	client   *otlp.Client
	keys     bool
	exporter *otlp.Exporter
}

func (p *exports) Begins(b run.Begun) []drive.Observer {
	now := b.Now
	if now == nil {
		now = p.Latest
	}
	var err error
	p.exporter, err = p.client.Start(p.t.Context(), otlp.Run{Scenario: b.Scenario, Version: b.Tool.Version, Started: b.Started, Now: now, Kinds: b.Operations,
		Stats: p.Stats, Keys: p.keys, Clock: clock.NewReal(), Say: func(line string) { p.t.Errorf("it said %q", line) }})
	require.NoError(p.t, err)
	return []drive.Observer{p, p.exporter}
}

func (p *exports) Enters(stage campaign.Progress) {
	p.Enter(stage.Stage, stage.Operations, stage.Length)
}

func (p *exports) Ends(error) { p.exporter.Stop() }

// sameCounts holds what was received to what the record has, by operation and phase.
func sameCounts(t *testing.T, r *receiver, record *results.Record) {
	t.Helper()
	var attempts int64
	for p := range record.Phases {
		phase := &record.Phases[p]
		for k := range phase.Kinds {
			has, name := &phase.Kinds[k], record.Manifest.Operations[k].Name
			with := []string{"loadgen.operation=" + name, "loadgen.phase=" + phase.Name}
			same := func(metric string, want int64, more ...string) {
				t.Helper()
				assert.Equalf(t, want, r.sum(metric, append(with, more...)...),
					"%s of %s in %s %v", metric, name, phase.Name, more)
			}
			attempts += has.Attempts
			same("loadgen.operations.scheduled", has.Scheduled)
			same("loadgen.operations.dropped", has.Dropped)
			same("loadgen.operations.late", has.Late)
			same("loadgen.operations.completed", has.Operations)
			same("loadgen.operations.completed", has.Succeeded, "loadgen.outcome=ok")
			same("loadgen.attempts", has.Attempts)
			same("loadgen.retries", has.Retries)
			same("loadgen.entities.offered", has.Offered)
			same("loadgen.entities.served", has.Served)
			same("loadgen.network.io", has.BytesOut, "network.io.direction=transmit")
			same("loadgen.network.io", has.BytesIn, "network.io.direction=receive")
			same("loadgen.operation.duration", has.Response.Count(), "loadgen.outcome=ok")
			same("loadgen.operation.duration", has.Response.Count()+has.Lost.Count())
			same("loadgen.operation.lag", has.Sent)
			for class, count := range map[results.Class]int64{results.Ok: has.Ok, results.Throttled: has.Throttled, results.Failed: has.Failed} {
				same("loadgen.attempts", count, "loadgen.outcome="+class.String())
				same("loadgen.attempt.duration", has.Service[class].Count(), "loadgen.outcome="+class.String())
			}
		}
	}
	got := r.sum("loadgen.attempts")
	assert.Truef(t, got == attempts && attempts != 0, "%d attempts arrived of all; the record has %d", got, attempts)
}

// What arrives of a run is what its record has, to the count; with the units of every
// metric, and none without its word.
func TestCountsEqualTheRecord(t *testing.T) {
	r, c := received(t, map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "x-token=abc%20def"})
	record := ran(t, c, run.Simulated, false, short...)
	sameCounts(t, r, record)
	assert.True(t, r.sum("loadgen.attempts", "loadgen.outcome=throttled") != 0 && r.sum("loadgen.retries") != 0,
		"nothing was throttled, or nothing tried again: that part is not tested")
	checkUnits(t, r)
	got := r.headers.Get("X-Token")
	assert.Truef(t, got == "abc def", "the header of the environment is %q", got)
	assert.Emptyf(t, r.faults, "the receiver met %v", r.faults)
	for name, want := range map[string]string{"service.name": "loadgen", "service.version": record.Manifest.Tool.Version, "loadgen.scenario": "stress"} {
		assert.Equal(t, want, r.resource[name], name)
	}
	checkSpans(t, r, record)
}

// checkUnits holds every metric to its unit.
func checkUnits(t *testing.T, r *receiver) {
	t.Helper()
	for name, metric := range r.metrics {
		if unit, known := units[name]; (!known && gauges[name] != metric.GetUnit()) || known && metric.GetUnit() != unit || metric.GetDescription() == "" {
			t.Errorf("%s has the unit %q and says %q; want the unit %q and a word", name, metric.GetUnit(), metric.GetDescription(), unit)
		}
		if s := metric.GetSum(); s != nil && (!s.GetIsMonotonic() || s.GetAggregationTemporality() != metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE) {
			t.Errorf("%s is no cumulative sum that only rises", name)
		}
	}
	for name := range units {
		assert.NotNilf(t, r.metrics[name], "%s did not arrive", name)
	}
}

// checkSpans holds traces to what they are: at most three of each second, the slowest, each
// with the instants of its attempts.
func checkSpans(t *testing.T, r *receiver, record *results.Record) {
	t.Helper()
	roots, children := map[string]*tracepb.Span{}, map[string][]*tracepb.Span{}
	second := map[int64]int{}
	for _, s := range r.spans {
		if len(s.GetParentSpanId()) == 0 {
			roots[string(s.GetTraceId())] = s
			second[(int64(s.GetEndTimeUnixNano())-record.Manifest.Started.UnixNano())/int64(time.Second)]++
		} else {
			children[string(s.GetTraceId())] = append(children[string(s.GetTraceId())], s)
		}
	}
	assert.Truef(t, int64(len(roots)) == r.sum("loadgen.traces.sampled")-r.sum("loadgen.traces.lost") && len(roots) != 0,
		"%d traces arrived; %d were sampled and %d lost", len(roots), r.sum("loadgen.traces.sampled"), r.sum("loadgen.traces.lost"))
	most := slices.Max(slices.Collect(maps.Values(second)))
	assert.Truef(t, most <= 3, "%d traces are of one second", most)
	waits := 0
	for id, root := range roots {
		about := attributesOf(root.GetAttributes())
		assert.Truef(t, !strings.HasPrefix(about["loadgen.phase"], "load") && about["loadgen.partition.key"] == "",
			"a trace is of %v", about)
		for _, child := range children[id] {
			if child.GetStartTimeUnixNano() < root.GetStartTimeUnixNano() || child.GetEndTimeUnixNano() > root.GetEndTimeUnixNano() {
				t.Errorf("%s is not within its operation", child.GetName())
			}
			if child.GetName() == "back-off" {
				waits++
			}
		}
		assert.NotEmpty(t, children[id], "a trace has no attempt")
	}
	assert.True(t, waits != 0, "no trace shows a back-off")
}

// Exponential histograms, over gzip, count the same, with the resource that was asked for.
func TestWhatTheEnvironmentAsksFor(t *testing.T) {
	r, c := received(t, map[string]string{
		"OTEL_EXPORTER_OTLP_COMPRESSION":                           "gzip",
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": "base2_exponential_bucket_histogram",
		"OTEL_TRACES_EXPORTER":                                     "none",
		"OTEL_RESOURCE_ATTRIBUTES":                                 "service.name=mine,team=tables",
	})
	record := ran(t, c, run.Simulated, true, short...)
	sameCounts(t, r, record)
	assert.Truef(t, r.metrics["loadgen.attempt.duration"].GetExponentialHistogram() != nil && len(r.spans) <= 0,
		"it sent no exponential histogram, or %d spans", len(r.spans))
	assert.Truef(t, r.resource["service.name"] == "mine" && r.resource["team"] == "tables" && r.headers.Get("Content-Encoding") == "gzip",
		"the resource is %v, the encoding %q", r.resource, r.headers.Get("Content-Encoding"))
}

// What is told of the last seconds is of a phase that is reported alone, and names a key
// where that is asked for.
func TestGaugesOfAReportedPhase(t *testing.T) {
	for _, tt := range []struct {
		name           string
		reported, keys bool
	}{{"while a table is loaded", false, true}, {"by rank", true, false}, {"with keys", true, true}} {
		r, c := received(t, nil)
		stats := live.New()
		e, err := c.Start(t.Context(), otlp.Run{Scenario: "drawn", Now: func() time.Duration { return 2 * time.Second }, Kinds: []results.Kind{{Name: "get"}},
			Stats: stats, Keys: tt.keys, Clock: clock.NewReal(), Say: func(line string) { t.Error(line) }})
		require.NoError(t, err)
		phase := results.Phase{Name: "steady", Rate: 10, Reported: tt.reported}
		stats.Enter("steady", 10, 10*time.Second)
		stats.Phase(0, &phase)
		e.Phase(0, &phase)
		due := results.Scheduled{Intended: time.Second, Sent: time.Second, Entities: 4}
		attempt := results.Attempt{Class: results.Ok, Sent: time.Second, Done: 1100 * time.Millisecond, HasPartition: true, PartitionKey: "Par\xffis", Counted: 4}
		stats.Due(&due)
		e.Due(&due)
		stats.Attempt(&attempt)
		e.Attempt(&attempt)
		e.Stop()
		for name, unit := range gauges {
			if got := r.metrics[name]; (got != nil) != tt.reported || got != nil && got.GetUnit() != unit {
				t.Errorf("%s: %s is %v; want it: %v, in %s", tt.name, name, got, tt.reported, unit)
			}
		}
		for _, point := range r.metrics["loadgen.partition.heat"].GetGauge().GetDataPoints() {
			about := attributesOf(point.GetAttributes())
			if key, told := about["loadgen.partition.key"]; told != tt.keys || told && key != "Par?is" || about["loadgen.partition.rank"] != "1" || point.GetAsDouble() != 2 {
				t.Errorf("%s: the hottest is %v with %v; want rank 1 with 2/s", tt.name, about, point.GetAsDouble())
			}
		}
	}
}
