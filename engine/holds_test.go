package engine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
)

// steady takes the chance out of how long requests take, and the limits away.
func steady(m *model.Model) {
	unlimited(m)
	m.TimeSpread = 0
}

// transaction is an upsert of some rows of a partition.
func transaction(number uint64, rows ...int) *engine.Request {
	r := &engine.Request{Account: "one", Table: "Races", Verb: entity.Batch, Number: number}
	for _, row := range rows {
		r.Changes = append(r.Changes, entity.Change{Verb: entity.InsertOrReplace,
			Key: entity.Key{Partition: "p", Row: fmt.Sprint(row)}})
	}
	return r
}

// Clients that each send one transaction after another: over the same entities each
// waits for all others, over entities of its own, in the same partition, for nobody.
func TestTransactionsOverCommonEntitiesDelayOneAnother(t *testing.T) {
	for _, clients := range []int{1, 2, 8} {
		for _, common := range []bool{true, false} {
			b := newCold(t, model.Documented, steady)
			alone := b.Submit(clock.Instant(time.Hour), transaction(1, 1, 2)).Done.Sub(clock.Instant(time.Hour))
			m := b.model(t)
			served := alone - m.RoundTrip
			at := make([]clock.Instant, clients)
			for i := range at {
				at[i] = clock.Instant(2 * time.Hour)
			}
			const rounds = 20
			number := uint64(10)
			var last []time.Duration
			for range rounds {
				last = last[:0]
				for c := range at {
					rows := []int{1, 2}
					if !common {
						rows = []int{10 * (c + 1), 10*(c+1) + 1}
					}
					number++
					done := b.Submit(at[c], transaction(number, rows...)).Done
					last = append(last, done.Sub(at[c]))
					at[c] = done
				}
			}
			want := alone
			if common {
				// Everybody's turn comes once while one is on the way, if that is longer.
				want = max(alone, time.Duration(clients)*served)
			}
			for c, took := range last {
				if took != want {
					t.Errorf("%d clients, common %v: client %d took %v; want %v", clients, common, c, took, want)
				}
			}
		}
	}
}

// Drawn transactions and writes, held to a plain queue for each entity.
func TestHoldsAgainstAQueueForEachEntity(t *testing.T) {
	for seed := range uint64(20) {
		chance := rand.New(rand.NewPCG(seed, 48))
		b := newCold(t, model.Documented, steady)
		m := b.model(t)
		free := make(map[int]clock.Instant)
		now := clock.Instant(time.Hour)
		for number := range uint64(200) {
			now = now.Add(time.Duration(chance.IntN(10)) * time.Millisecond)
			rows := chance.Perm(12)[:1+chance.IntN(4)]
			r := transaction(1000+number, rows...)
			work := m.WriteTime + time.Duration(len(rows)-1)*m.EntityTime
			single := len(rows) == 1 && chance.IntN(2) == 0
			if single {
				r = &engine.Request{Account: "one", Table: "Races", Verb: entity.InsertOrReplace, Number: r.Number, Change: &r.Changes[0]}
			}
			begins := now
			for _, row := range rows {
				begins = max(begins, free[row])
			}
			if !single {
				for _, row := range rows {
					free[row] = begins.Add(work)
				}
			}
			if got, want := b.Submit(now, r).Done, begins.Add(work+m.RoundTrip); got != want {
				t.Fatalf("seed %d: request %d over %v at %v is done at %v; want %v", seed, number, rows, now.Offset(), got.Offset(), want.Offset())
			}
		}
	}
}

// model returns the model of a documented bench as steady has made it.
func (b *bench) model(t *testing.T) *model.Model {
	t.Helper()
	m, err := model.New(model.Documented)
	if err != nil {
		t.Fatal(err)
	}
	steady(m)
	return m
}
