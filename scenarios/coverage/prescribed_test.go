package coverage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/capture"
	"loadgen/scenarios/run"
	"loadgen/target/azure"
)

func procedure() []row {
	const group = "The stress test"
	return []row{
		{72, group, strategy, "Create a table, load it, run the peak against a single partition, and hold its throughput against the limit.",
			"`loadgen stress`", "entities a second that a partition bears", "entities a second at which it saturates", false,
			vary(func(target int) band { return about(float64(target), .01) }, func(t testing.TB, target int) float64 {
				return play(t, "stress", set("model.partition_target", target), "phases.load.load.entities=500", "phases.peak.rates=[200, 400, 800, 1200]").of(t, "saturation")
			}, 300, 700)},
		{73, group, strategy, "The application itself can be the peak load, while somebody else looks on.",
			"`loadgen serve --examine`", "inserts a second that an application sends to one partition, of which 30 are carried out", "share that is told to be throttled", quick,
			vary(func(rate int) band { return exactly(1 - 30/float64(rate)) }, throttledOfApplication, 40, 120)},
		{74, group, strategy, "Two designs of PartitionKey are compared under the same peak.",
			"`loadgen contest foot-race`", "design, under 300 registrations a second where a partition bears 200", "share throttled: what one hour's partition leaves; none in four buckets", false,
			vary(func(design string) band {
				if design == "hour" {
					return beyond(300, 200, 3)
				}
				return band{0, .01}
			}, func(t testing.TB, design string) float64 {
				return play(t, "foot-race", "use="+design, "model.partition_target=200", "phases.before.load.entities=1", "phases.rush.arrivals.constant=300", "phases.rush.for=3s",
					"phases.rush.operations=[{name: register, verb: insert}]").of(t, "throttled(register) %")
			}, "hour", "hour-buckets")},
		{75, group, strategy, "The same test runs against an account or an emulator.",
			"`loadgen run --target`, against `loadgen serve`", "operations that are sent over HTTP", "requests of the load that the server counts", false,
			vary(exactly[int], servedElsewhere, 20, 60)},
		{76, group, strategy, "The test is run again and again, and a change of the times is seen.",
			"`loadgen gate`", "milliseconds that the service works on a read, where it was 3", "1 where the run differs from the baseline", false,
			vary(func(ms int) band {
				if ms == 3 {
					return exactly(0)
				}
				return exactly(1)
			}, differsFromBaseline, 3, 4)},
	}
}

// throttledOfApplication shows an observer six seconds of an application's inserts.
func throttledOfApplication(t testing.TB, rate int) float64 {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Target: results.Embedded, Profile: "documented",
		Targets: results.Targets{Partition: 30, Account: 20_000}, Operations: capture.Kinds()})
	if err != nil {
		t.Fatal(err)
	}
	observer, err := capture.New(capture.Options{Recorder: recorder})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 * rate {
		arrived := clock.Instant(0).Add(time.Duration(i) * time.Second / time.Duration(rate))
		seen := rest.Seen{Arrived: arrived, Done: arrived.Add(4 * time.Millisecond), Verb: entity.Insert, Inserts: true,
			Table: "races", PartitionKey: "full", HasPartition: true, RowKey: fmt.Sprint(i), Status: 204, Counted: 1}
		if i%rate >= 30 {
			seen.Status, seen.Code, seen.Counted = 503, entity.ServerBusy, 0
		}
		observer.Saw(&seen)
	}
	if err := observer.End(); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(6*time.Second, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	hot := record.Capture.Partitions[0]
	return float64(hot.Throttled) / float64(hot.Entities+hot.Throttled)
}

// servedElsewhere runs a scenario in real time against a server on a socket of this machine.
func servedElsewhere(t testing.TB, n int) float64 {
	w := newWire(t, "round_trip=0s", "read_time=1ms", "write_time=1ms")
	var sent int
	real := clock.NewReal()
	secretKey, err := wire.NewSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	counts := make(chan *rest.Seen, 10_000)
	handler, err := rest.New(rest.Options{Engine: w.engine, Clock: real, Calendar: real, Accounts: []rest.Account{{Name: account, Secret: secretKey}},
		Observe: func(seen *rest.Seen) {
			one := *seen
			counts <- &one
		}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: handler})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close(context.Background())
	endpoint, err := azure.ParseURL(server.URL()+"/"+account, "", secretKey)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Parse("elsewhere.yaml", []byte(fmt.Sprintf(`
name: elsewhere
seed: 3
table: elsewhere
retry: none
workers: 4
model: {profile: documented}
attributes: {id: {sequence: 1}}
design: {partition_key: one, row_key: "{id}"}
phases:
  - name: load
    load: {entities: 10}
  - name: day
    traffic: {arrivals: {constant: %d}, for: 1s, operations: [{name: look, verb: get}]}
`, n)))
	if err != nil {
		t.Fatal(err)
	}
	record, err := run.Run(t.Context(), run.Plan{Scenario: s, On: run.Remote, Accounts: []azure.Endpoint{endpoint}, NoProbe: true,
		Consent: func(run.Ask) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	close(counts)
	for seen := range counts {
		if seen.Verb == entity.Get && seen.Status == 200 && seen.HasPartition && seen.PartitionKey == "one" {
			sent++
		}
	}
	if told := (&played{record, figure.Of(record)}).of(t, "operations(look)"); told != float64(sent) {
		t.Errorf("the record has %v operations; want %d, as the server counts", told, sent)
	}
	return float64(sent)
}

// differsFromBaseline holds a run, of a service whose reads take so long, to the baseline of
// the scenario as it is, and returns 1 where it is not the same.
func differsFromBaseline(t testing.TB, ms int) float64 {
	tree := func(settings ...string) string {
		p := play(t, "point-query", append(settings, "phases.load.load.entities=100", "phases.read.for=2s")...)
		tree, err := baseline.Of(p.Record)
		if err != nil {
			t.Fatal(err)
		}
		// The parameters of the model differ in any case: how long operations took is what counts.
		text, err := json.Marshal(tree.Phases)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if tree() == tree(set("model.read_time", fmt.Sprint(ms, "ms"))) {
		return 0
	}
	return 1
}
