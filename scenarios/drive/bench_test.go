package drive_test

import (
	"context"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/partition"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// benchRate is the offered load of the benchmarks, in operations per second of
// virtual time.
const benchRate = 4000

const benchTable = "Registrations"

// benchGet is the get that every operation of the benchmarks is.
func benchGet(_ uint64, w *drive.Work) {
	w.Operation.Verb, w.Operation.Table = entity.Get, benchTable
	w.Operation.Change = entity.Change{Verb: entity.Get, Key: entity.Key{
		Partition: "2011 New York City Marathon__Full", Row: "1234__John__M__55"}}
}

// agreeable answers everything within 4 ms.
type agreeable struct{}

func (agreeable) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	return target.Outcome{Status: 200, Counted: 1}, now.Add(4 * time.Millisecond)
}

// guarded is agreeable behind the partition layer: admission alone, no store.
type guarded struct{ layer *partition.Layer }

func (g guarded) Submit(now clock.Instant, op *target.Operation) (target.Outcome, clock.Instant) {
	place := partition.Place{PartitionKey: op.Change.Key.Partition}
	if g.layer.Admit(now, place, partition.Demand{Entities: 1}, 0).Kind != partition.Admitted {
		return target.Outcome{Status: 503, Code: entity.ServerBusy}, now.Add(2 * time.Millisecond)
	}
	return agreeable{}.Submit(now, op)
}

// BenchmarkVirtualAttempts is one attempt of a run in virtual time from the
// schedule to the record, at twice a partition's target where there is one.
func BenchmarkVirtualAttempts(b *testing.B) {
	m, err := model.New(model.Documented)
	if err != nil {
		b.Fatal(err)
	}
	embedded := func() target.Immediate {
		e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Seed: 1})
		t := target.NewInProcess(e, "a", nil)
		t.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: benchTable})
		var insert drive.Work
		benchGet(0, &insert)
		insert.Operation.Verb, insert.Operation.Change.Verb = entity.Insert, entity.Insert
		t.Submit(0, &insert.Operation)
		return t
	}
	for _, bench := range []struct {
		name   string
		target func() target.Immediate
	}{
		{"target=trivial", func() target.Immediate { return agreeable{} }},
		{"target=admission", func() target.Immediate { return guarded{partition.New(partition.Options{Model: m})} }},
		{"target=engine", embedded},
	} {
		b.Run(bench.name, func(b *testing.B) { benchVirtual(b, bench.target()) })
	}
}

func benchVirtual(b *testing.B, t target.Immediate) {
	policy, err := backoff.ByName("short")
	if err != nil {
		b.Fatal(err)
	}
	schedule, err := arrival.NewSteps(arrival.Step{Rate: benchRate, Length: time.Duration(b.N) * time.Second / benchRate})
	if err != nil {
		b.Fatal(err)
	}
	stage := &drive.Stage{
		Name: "peak", Schedule: schedule, Retry: policy, Chance: clock.NewStream(1, "retry"), Grace: 5 * time.Second,
		Phases: []results.Phase{{Name: "peak", End: schedule.Length(), Rate: benchRate, Reported: true}},
		Build:  benchGet,
	}
	b.ReportAllocs()
	b.ResetTimer()
	record, _, err := outing(b, context.Background(), &drive.Virtual{Target: t}, nil, stage)
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	sum := record.Total(results.Everything)
	if sum.Scheduled != int64(b.N) || sum.Scheduled != sum.Sent {
		b.Fatalf("scheduled %d, sent %d; want %d", sum.Scheduled, sum.Sent, b.N)
	}
	b.ReportMetric(float64(sum.Attempts)/b.Elapsed().Seconds(), "attempts/s")
	b.ReportMetric(float64(sum.Attempts)/float64(b.N), "attempts/op")
}
