package target_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
			m := modelOf(t, model.Documented, fmt.Sprint(row.limit, "=", bytes))
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
			assert.Truef(t, math.Abs(float64(ok)-want) <= 1+.02*want,
				"%s, %s start: %d are served in %d s of %d bytes each; want %.0f", row.says, start, ok, seconds, each, want)
		}
	}
}

// The 4 MiB of a transaction are those of its JSON, of which a letter has one byte and a quote two.
func TestTransactionsAreHeldToTheirPayload(t *testing.T) {
	for _, row := range []struct {
		says, text string
		more       int
		status     int
	}{
		{"exactly 4 MiB of letters", "x", 0, 202},
		{"one byte more", "x", 1, 413},
		{"quotes", `"`, 0, 413},
	} {
		op := &target.Operation{Table: "Races", Verb: entity.Batch}
		for i := range 64 {
			c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: fmt.Sprintf("%02d", i)}}
			room := 64<<10 - len(wire.AppendEntityBody(nil, c.Key, append(content(0), entity.Property{Name: "More", Value: entity.String("")})))
			if i == 0 {
				room += row.more
			}
			c.Properties = append(content(0), entity.Property{Name: "More", Value: entity.String(strings.Repeat("y", room-32<<10))})
			c.Properties[0].Value = entity.String(strings.Repeat(row.text, 32<<10))
			op.Changes = append(op.Changes, c)
		}
		to := target.NewInProcess(newEngine(t, model.Off), names[0], nil)
		to.Submit(0, &target.Operation{Table: "Races", Verb: entity.CreateTable})
		outcome, _ := to.Submit(1, op)
		assert.Equal(t, row.status, outcome.Status, row.says)
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
		return op, wire.ReplyWeight(verb, &op.Change, nil, packed, 0)
	case entity.Query:
		op.Query = target.Query{Range: filter.RowsFrom("p", ""), Top: 20}
		return op, wire.PageWeight(20, stored, nil, 0)
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

// While a range is offline, the share that the model says is throttled, and who is held longer
// than the operation lets the service take is answered 500: those who came so early that the
// range was not back in that time. The rest is served once it is back.
func TestTimeoutsBesideThrottlingWhileARangeMoves(t *testing.T) {
	const every = time.Millisecond
	for _, row := range []struct {
		timeout, offline time.Duration
		throttled        float64
	}{
		{time.Second, 5 * time.Second, 0.7},
		{3 * time.Second, 5 * time.Second, 0.7},
		{4 * time.Second, 8 * time.Second, 0.25},
		{0, 5 * time.Second, 0.7},
		{9 * time.Second, 5 * time.Second, 0.5},
	} {
		m := modelOf(t, model.Documented, "offline_least="+row.offline.String(), "offline_most="+row.offline.String(),
			"map_stale=0s",
			fmt.Sprint("offline_throttled=", int(1000*row.throttled)), "partition_target=100000", "range_target=100000",
			"server_target=100000", "account_target=0")
		e := engine.New(engine.Options{Model: m, Accounts: []string{"one"}, Cold: true, Seed: 3})
		subject := target.NewInProcess(e, "one", nil)
		subject.Submit(0, &target.Operation{Verb: entity.CreateTable, Table: "Races"})
		begin := clock.Instant(10 * time.Second)
		e.Move(begin, "one", "Races", "p", 1)
		var all, throttled, timedOut, held int
		for n := range int(row.offline / every) {
			now := begin.Add(time.Duration(n)*every + 1)
			key := entity.Key{Partition: "p", Row: fmt.Sprint(n)}
			outcome, done := subject.Submit(now, &target.Operation{Verb: entity.Insert, Table: "Races", Number: uint64(n), Timeout: row.timeout,
				Change: entity.Change{Verb: entity.Insert, Key: key}})
			all++
			switch {
			case outcome.Status == 503:
				throttled++
			case outcome.Status == 500 && outcome.Code == entity.OperationTimedOut && done.Sub(now) >= row.timeout && done.Sub(now) < row.timeout+time.Second:
				timedOut++
			case outcome.Status < 300 && done.Sub(begin) >= row.offline:
				held++
			default:
				t.Fatalf("%+v: request %d: %d %s after %v", row, n, outcome.Status, outcome.Code, done.Sub(now))
			}
		}
		early := max(0, 1-row.timeout.Seconds()/row.offline.Seconds())
		if row.timeout == 0 {
			early = 0
		}
		near := func(got int, share float64) bool {
			return math.Abs(float64(got)-float64(all)*share) <= 4*math.Sqrt(float64(all)*share*(1-share))+1
		}
		assert.Truef(t, near(throttled, row.throttled) && near(timedOut, (1-row.throttled)*early) && near(held,
			(1-row.throttled)*(1-early)),
			"%+v: of %d requests %d were throttled, %d timed out, %d served late; want %.0f, %.0f and %.0f within four deviations", row, all, throttled, timedOut, held, float64(all)*row.throttled, float64(all)*(1-row.throttled)*early, float64(all)*(1-row.throttled)*(1-early))
	}
}
