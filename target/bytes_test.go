package target_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/wire"
	"loadgen/target"
)

// An account that is held to some bytes a second serves, in the long run, so many requests as
// these bytes are for: of writes by what they bring, of reads by what they get, after a warm
// and after a cold start, whatever their size.
func TestAccountsAreHeldToTheirBytes(t *testing.T) {
	for _, row := range []struct {
		says, limit string
		size, rate  int
		verb        entity.Verb
	}{
		{"inserts of 300 bytes", "account_ingress", 300, 600, entity.Insert},
		{"inserts of 9,000 bytes", "account_ingress", 9000, 100, entity.Insert},
		{"transactions of ten", "account_ingress", 500, 100, entity.Batch},
		{"point reads of 300 bytes", "account_egress", 300, 600, entity.Get},
		{"point reads of 9,000 bytes", "account_egress", 9000, 100, entity.Get},
		{"pages of twenty rows", "account_egress", 500, 60, entity.Query},
	} {
		for _, start := range []string{model.Warm, model.Cold} {
			op, each := operation(row.verb, row.size)
			const bytes = 200_000
			m, err := model.New(model.Documented)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Set(row.limit, fmt.Sprint(bytes)); err != nil {
				t.Fatal(err)
			}
			m.PartitionTarget, m.AccountTarget, m.Stamp.RangeTarget, m.Stamp.ServerTarget = 0, 0, 0, 0
			to := target.NewInProcess(engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Cold: start == model.Cold}), "a", nil)
			fill(t, to, row.size)
			const seconds = 40
			ok := 0
			begin := clock.Instant(time.Hour)
			for n := range row.rate * seconds {
				op.Number = uint64(n)
				at := begin.Add(time.Duration(n) * time.Second / time.Duration(row.rate))
				if row.verb == entity.Insert || row.verb == entity.Batch {
					rename(op, n)
				}
				outcome, _ := to.Submit(at, op)
				switch {
				case outcome.Status < 300:
					ok++
				case !strings.Contains(outcome.Detail, "over the account limit"):
					t.Fatalf("%s: %+v", row.says, outcome)
				}
			}
			// The burst of a quarter of a second comes on top.
			want := bytes * (seconds + .25) / float64(each)
			if math.Abs(float64(ok)-want) > 1+.02*want {
				t.Errorf("%s, %s start: %d are served in %d s of %d bytes each; want %.0f", row.says, start, ok, seconds, each, want)
			}
		}
	}
}

func content(size int) []entity.Property {
	return []entity.Property{{Name: "Content", Value: entity.String(strings.Repeat("x", size))}}
}

// operation returns an operation, and how many bytes of it count.
func operation(verb entity.Verb, size int) (*target.Operation, int64) {
	op := &target.Operation{Table: "Races", Verb: verb}
	stored := func(row int) (entity.Key, entity.Packed) {
		return entity.Key{Partition: "p", Row: fmt.Sprintf("%02d", row)}, entity.Pack(nil, entity.Ticks(638_000_000_000_000_001), content(size))
	}
	switch verb {
	case entity.Get:
		op.Change.Key = entity.Key{Partition: "p", Row: "07"}
		_, packed := stored(7)
		return op, wire.ReplyWeight(verb, &op.Change, nil, packed)
	case entity.Query:
		op.Query = target.Query{Range: filter.RowsFrom("p", ""), Top: 20}
		return op, wire.PageWeight(20, stored)
	case entity.Batch:
		for range 10 {
			op.Changes = append(op.Changes, entity.Change{Verb: entity.Insert, Properties: content(size)})
		}
	default:
		op.Change = entity.Change{Verb: verb, Properties: content(size)}
	}
	rename(op, 0)
	return op, wire.RequestWeight(verb, &op.Change, op.Changes)
}

// rename gives the entities of a write keys of their own.
func rename(op *target.Operation, n int) {
	op.Change.Key = entity.Key{Partition: "p", Row: fmt.Sprintf("w%07d", n)}
	for i := range op.Changes {
		op.Changes[i].Key = entity.Key{Partition: "p", Row: fmt.Sprintf("b%07d-%d", n, i)}
	}
}

// fill makes the table, with twenty rows to read.
func fill(t *testing.T, to *target.InProcess, size int) {
	t.Helper()
	if outcome, _ := to.Submit(0, &target.Operation{Table: "Races", Verb: entity.CreateTable}); outcome.Status >= 300 {
		t.Fatal(outcome)
	}
	for i := range 20 {
		op := &target.Operation{Table: "Races", Verb: entity.Insert, Change: entity.Change{Verb: entity.Insert,
			Key: entity.Key{Partition: "p", Row: fmt.Sprintf("%02d", i)}, Properties: content(size)}}
		if outcome, _ := to.Submit(clock.Instant(i)*clock.Instant(time.Minute), op); outcome.Status >= 300 {
			t.Fatal(outcome)
		}
	}
}
