package drive_test

import (
	"context"
	"testing"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
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

// BenchmarkVirtualAttempts is one attempt of a run in virtual time from the
// schedule to the record, at twice a partition's target.
func BenchmarkVirtualAttempts(b *testing.B) {
	m, err := model.New(model.Documented)
	if err != nil {
		b.Fatal(err)
	}
	to := target.NewInProcess(engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Seed: 1}), "a", nil)
	to.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: benchTable})
	var insert drive.Work
	benchGet(0, &insert)
	insert.Operation.Verb, insert.Operation.Change.Verb = entity.Insert, entity.Insert
	to.Submit(0, &insert.Operation)
	policy, err := backoff.ByName("short")
	if err != nil {
		b.Fatal(err)
	}
	stage := openStage(b, policy, 5*time.Second, arrival.Step{Rate: benchRate, Length: time.Duration(b.N) * time.Second / benchRate})
	stage.Build = benchGet
	b.ReportAllocs()
	b.ResetTimer()
	record, _, err := outing(b, context.Background(), &drive.Virtual{Target: to}, nil, stage)
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
