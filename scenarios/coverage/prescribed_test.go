package coverage_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/figure"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
	"loadgen/target/azure"
)

func procedure() []row {
	const group = "The stress test"
	return []row{
		{72, group, strategy, "Create a table, load it, run the peak load against a single partition, and compare its throughput with the limit.",
			"`loadgen stress --duration 1s`", "limit of the partition, entities/s", "entities/s at which it saturates", false,
			vary(func(target int) band { return about(float64(target), .01) }, playing[int]("saturation", "stress", "model.partition_target=%v",
				"phases.load.load.entities=500", "phases.peak.rates=[200, 400, 800, 1200]"), 300, 700)},
		{73, group, strategy, "The application itself can be the peak load.",
			"`loadgen serve --examine > account.txt & sleep 2; loadgen run upsert --target file:account.txt --yes; kill $!; wait`",
			"inserts/s of an application to one partition, of which 30 succeed", "share throttled in the report", quick,
			vary(func(rate int) band { return exactly(1 - 30/float64(rate)) }, throttledOfApplication, 40, 120)},
		{74, group, strategy, "The test compares two designs of PartitionKey under the same peak.", "`loadgen contest foot-race`",
			"design, under 300 registrations/s at 200/s for each partition", "share throttled: the excess over one partition; none in four buckets", false,
			vary(either("hour", beyond(300, 200, 3), band{0, .01}), playing[string]("throttled(register) %", "foot-race", "use=%v",
				"model.partition_target=200", "phases.before.load.entities=1",
				"phases.rush.arrivals.constant=300", "phases.rush.for=3s",
				"phases.rush.operations=[{name: register, verb: insert}]"), "hour", "hour-buckets")},
		{75, group, strategy, "The same test runs against an account or an emulator.",
			"`loadgen serve > account.txt & sleep 2; loadgen run point-query --target file:account.txt --yes; kill $!`",
			"operations sent over HTTP", "requests that the server counts", false,
			vary(exactly[int], servedElsewhere, 20, 60)},
		{76, group, strategy, "Repeated tests show a change of the times.",
			"`loadgen gate point-query --virtual --accept 'first run'; loadgen gate point-query --virtual`",
			"read time of the service in ms; the baseline has 3", "1 if the run differs from the baseline", false,
			vary(either(3, exactly(0), exactly(1)), differsFromBaseline, 3, 4)},
	}
}

// throttledOfApplication shows an observer six seconds of an application's inserts.
func throttledOfApplication(t testing.TB, rate int) float64 {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Target: results.Embedded, Profile: "documented",
		Targets: results.Targets{Partition: 30, Account: 20_000}, Operations: capture.Kinds()})
	require.NoError(t, err)
	observer := capture.New(capture.Options{Recorder: recorder})
	for i := range 6 * rate {
		arrived := clock.Instant(0).Add(time.Duration(i) * time.Second / time.Duration(rate))
		seen := accesslog.Observed{Arrived: arrived, EndToEnd: 4 * time.Millisecond, Verb: entity.Insert, Inserts: true,
			Table: "races", PartitionKey: "full", HasPartition: true, RowKey: fmt.Sprint(i), Status: 204, Counted: 1}
		if i%rate >= 30 {
			seen.Status, seen.Code, seen.Counted = 503, entity.ServerBusy, 0
		}
		observer.Saw(&seen)
	}
	require.NoError(t, observer.End())
	require.NoError(t, recorder.Finish(6*time.Second, results.Valid, nil, nil))
	record, err := results.Read(folder)
	require.NoError(t, err)
	hot := record.Capture.Partitions[0]
	return float64(hot.Throttled) / float64(hot.Entities+hot.Throttled)
}

// servedElsewhere runs a scenario in real time against a server on a socket of this machine.
func servedElsewhere(t testing.TB, n int) float64 {
	counts := make(chan *accesslog.Observed, 10_000)
	w := resttest.Listen(t, resttest.Options{Profile: model.Documented, Settings: []string{"round_trip=0s", "read_time=1ms", "write_time=1ms"},
		Rest: rest.Options{Observe: func(seen *accesslog.Observed) {
			one := *seen
			counts <- &one
		}}})
	sent := 0
	s := fromFile(t, "elsewhere.yaml", set("phases.day.arrivals.constant", n))
	record := runtest.Run(t, run.Plan{Scenario: s, On: run.Remote, Accounts: []azure.Endpoint{w.Endpoint(t)}, NoProbe: true,
		Consent: func(run.Ask) error { return nil }})
	close(counts)
	for seen := range counts {
		if seen.Verb == entity.Get && seen.Status == 200 && seen.HasPartition && seen.PartitionKey == "one" {
			sent++
		}
	}
	assert.Equal(t, float64(sent), (&played{record.Record, figure.NewFigures(record.Record)}).of(t, "operations(look)"),
		"the record has")
	return float64(sent)
}

// differsFromBaseline holds a run, of a service whose reads take so long, to the baseline of
// the scenario as it is, and returns 1 where it is not the same.
func differsFromBaseline(t testing.TB, ms int) float64 {
	tree := func(settings ...string) string {
		p := play(t, "point-query", append(settings, "phases.load.load.entities=100", "phases.read.for=2s")...)
		tree, err := baseline.NewTree(p.Record)
		require.NoError(t, err)
		// The parameters of the model differ in any case: how long operations took is what counts.
		var repeated struct{ Phases json.RawMessage }
		require.NoError(t, json.Unmarshal(tree.JSON(), &repeated))
		return string(repeated.Phases)
	}
	if tree() == tree(set("model.read_time", fmt.Sprint(ms, "ms"))) {
		return 0
	}
	return 1
}
