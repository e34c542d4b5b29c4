package telemetry_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"loadgen/engine/clock"
	"loadgen/report/live"
	"loadgen/report/live/telemetry"
	"loadgen/results"
	"loadgen/results/resultstest"
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

// ran is the stress scenario, carried out and sent. What Prometheus has of it at the end is held to the record.
func ran(t *testing.T, c *telemetry.Client, on run.Place, keys bool, set ...string) *results.Record {
	t.Helper()
	s, sent := runtest.Builtin(t, "stress", set...), &exports{Stats: live.New(), t: t, client: c, keys: keys}
	record := runtest.Run(t, run.Plan{Scenario: s, On: on, NoProbe: true, Progress: sent}).Record
	sent.sameScrape(record)
	return record
}

// sameScrape holds the counts of a scrape to those of the record.
func (p *exports) sameScrape(record *results.Record) {
	p.t.Helper()
	reply := httptest.NewRecorder()
	p.metrics.Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	scraped := make(map[string]float64)
	for line := range strings.Lines(reply.Body.String()) {
		sample := regexp.MustCompile(`^(\w+)(?:{.*})? (\S+)\n$`).FindStringSubmatch(line)
		if sample == nil {
			continue
		}
		value, err := strconv.ParseFloat(sample[2], 64)
		require.NoError(p.t, err)
		scraped[sample[1]] += value
	}
	all := record.Total(func(*results.Phase, results.Kind) bool { return true })
	for name, want := range map[string]int64{"scheduled_operations": all.Scheduled, "dropped_operations": all.Dropped, "late_operations": all.Late,
		"operations": all.Operations, "sent_attempts": all.Attempts, "attempts": all.Attempts, "ok_attempts": all.Ok,
		"throttled_attempts": all.Throttled, "failed_attempts": all.Failed, "served_entities": all.Served} {
		assert.EqualValues(p.t, want, scraped["loadgen_"+name+"_total"], name)
	}
	assert.EqualValues(p.t, all.Attempts, scraped["loadgen_request_duration_seconds_count"], "durations of attempts")
}

// documented returns the names of OpenTelemetry's metrics in the tables of the documentation.
func documented(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash("../../../docs/live-and-metrics.md"))
	require.NoError(t, err)
	last := ""
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(line[2:], "|")
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			if one := name[1]; strings.HasPrefix(one, ".") { // stands for the name before with another end
				last = last[:strings.LastIndex(last, ".")] + one
			} else {
				last = one
			}
			if strings.HasPrefix(last, "loadgen.") && !slices.Contains(names, last) {
				names = append(names, last)
			}
		}
	}
	return names
}

// exports is the progress of a run that is only exported.
type exports struct {
	*live.Stats
	t        *testing.T
	client   *telemetry.Client
	keys     bool
	exporter *telemetry.Exporter
	metrics  *telemetry.Metrics
}

func (p *exports) Begins(b run.Begun) []drive.Observer {
	now := b.Now
	if now == nil {
		now = p.Latest
	}
	p.Read(b.Recorder)
	var err error
	of := telemetry.Run{Scenario: b.Scenario, Tool: b.Tool, Started: b.Started, Now: now, Kinds: b.Operations,
		Recorder: b.Recorder, Stats: p.Stats, Keys: p.keys, Clock: clock.NewReal(), Say: func(line string) { p.t.Errorf("it said %q", line) }}
	p.metrics, err = telemetry.NewMetrics(of)
	require.NoError(p.t, err)
	p.exporter, err = p.client.Start(p.t.Context(), of)
	require.NoError(p.t, err)
	return []drive.Observer{p, p.exporter, p.metrics}
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
	exported := slices.AppendSeq(slices.Collect(maps.Keys(units)), maps.Keys(gauges))
	assert.ElementsMatch(t, exported, documented(t), "documented metrics")
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

// The gauges of a reported phase have their units, and name a key if that is asked for.
func TestGaugesOfAReportedPhase(t *testing.T) {
	r, c := received(t, nil)
	stats, kinds := live.New(), []results.Kind{{Name: "get"}}
	recorder := resultstest.Open(t, new(results.Memory), results.Manifest{Operations: kinds})
	stats.Read(recorder)
	e, err := c.Start(t.Context(), telemetry.Run{Scenario: "drawn", Now: func() time.Duration { return 2 * time.Second }, Kinds: kinds,
		Recorder: recorder, Stats: stats, Keys: true, Clock: clock.NewReal(), Say: func(line string) { t.Error(line) }})
	require.NoError(t, err)
	phase := results.Phase{Name: "steady", Rate: 10, Reported: true}
	stats.Enter("steady", 10, 10*time.Second)
	recorder.Phase(phase)
	stats.Phase(0, &phase)
	recorder.Attempt(&results.Attempt{Class: results.Ok, Sent: time.Second, Done: 1100 * time.Millisecond, HasPartition: true, PartitionKey: "Par\xffis", Counted: 4})
	e.Stop()
	for name, unit := range gauges {
		require.NotNil(t, r.metrics[name], name)
		assert.Equal(t, unit, r.metrics[name].GetUnit(), name)
	}
	points := r.metrics["loadgen.partition.heat"].GetGauge().GetDataPoints()
	require.Len(t, points, 1)
	assert.Equal(t, map[string]string{"loadgen.partition.key": "Par?is", "loadgen.partition.rank": "1"}, attributesOf(points[0].GetAttributes()))
	assert.Equal(t, 2., points[0].GetAsDouble())
}
