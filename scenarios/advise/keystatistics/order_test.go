package keystatistics_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/advise/keystatistics"
)

func reportOf(t testing.TB, o keystatistics.Options, rows ...*keystatistics.Row) keystatistics.Report {
	t.Helper()
	s := keystatistics.New(o)
	for _, r := range rows {
		s.Add(r)
	}
	return s.Report()
}

func checkOrder(t testing.TB, d *Design, seed uint64, rows int) {
	t.Helper()
	o := reportOf(t, keystatistics.Options{Seed: seed}, d.rows(seed, rows)...).Order
	assert.Truef(t, o.Verdict == d.Verdict && o.Hot == d.Hot && (o.Verdict != keystatistics.Spread || o.Tails <= 0),
		"%s, %d rows: verdict = %s, hot %t; want %s, hot %t\n%+v", d.Name, rows, o.Verdict, o.Hot, d.Verdict, d.Hot, o)
	sentence := o.Sentence()
	assert.Truef(t, strings.HasSuffix(sentence, "."), "%s: Sentence() = %q; want a sentence", d.Name, sentence)
}

// The verdict on each design, and on the same design with time running backwards.
func TestNoDesignIsMisjudged(t *testing.T) {
	for i, d := range Designs() {
		checkOrder(t, &d, uint64(i), 2_000)
		checkOrder(t, &d, uint64(i), resultstest.Cases(5_000, 17_000))
		back := d.Reverse()
		checkOrder(t, &back, uint64(i), 12_000)
	}
}

func TestAShuffledStreamGetsTheSameVerdict(t *testing.T) {
	// Fewer samples than rows, so that another sample is judged.
	options := keystatistics.Options{Seed: 5, Samples: 2_500}
	rng := rand.New(rand.NewPCG(3, 4))
	for i, d := range Designs() {
		rows := d.rows(uint64(i), 4_000)
		inOrder := reportOf(t, options, rows...)
		rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		shuffled := reportOf(t, options, rows...)
		if a, b := inOrder.Order, shuffled.Order; a.Verdict != b.Verdict || a.Hot != b.Hot {
			t.Errorf("%s: verdict = %s, and shuffled %s; want the same", d.Name, a.Verdict, b.Verdict)
		}
		assert.Truef(t, inOrder.Effective == shuffled.Effective && inOrder.Partitions == shuffled.Partitions,
			"%s: Effective = %+v, and shuffled %+v; want the same", d.Name, inOrder.Effective, shuffled.Effective)
	}
}

// rowsAt are inserts of one key each, at instants in nanoseconds.
func rowsAt(n int, key func(i int) string, at func(i int) int64) []*keystatistics.Row {
	rows := make([]*keystatistics.Row, n)
	for i := range rows {
		rows[i] = &keystatistics.Row{PartitionKey: key(i), Entities: 1, HasInstant: true, Instant: clock.Instant(at(i))}
	}
	return rows
}

func TestOrderIsUnknownRatherThanGuessed(t *testing.T) {
	ascending := func(i int) string { return fmt.Sprintf("%06d", i) }
	inTurn := func(i int) int64 { return int64(i) }
	untimed, reads := rowsAt(1000, ascending, inTurn), rowsAt(1000, ascending, inTurn)
	for i := range untimed {
		untimed[i].HasInstant = false
		reads[i].Kind = keystatistics.Other
	}
	for _, tt := range []struct {
		name    string
		rows    []*keystatistics.Row
		verdict keystatistics.Verdict
		reason  string
	}{
		{"no instants", untimed, keystatistics.Unknown, "no insert has"},
		{"reads alone", reads, keystatistics.Unknown, "no inserts"},
		{"too few", rowsAt(127, ascending, inTurn), keystatistics.Unknown, "127 inserts"},
		{"just enough", rowsAt(128, ascending, inTurn), keystatistics.AppendOnly, ""},
		{"all at one instant", rowsAt(1000, ascending, func(int) int64 { return 42 }), keystatistics.Unknown, "same instant"},
		{"a few instants", rowsAt(1000, ascending, func(i int) int64 { return int64(i / 200) }), keystatistics.Unknown, "5 windows"},
		{"a few inserts into one partition beside reads of another", append(rowsAt(5, func(int) string { return "p" }, inTurn),
			&keystatistics.Row{PartitionKey: "q", Kind: keystatistics.Other}), keystatistics.Unknown,
			"5 inserts"},
		{"many inserts into one partition beside reads of another", append(rowsAt(500, func(int) string { return "p" }, inTurn),
			&keystatistics.Row{PartitionKey: "q", Kind: keystatistics.Other}), keystatistics.OnePartition, ""},
		{"one partition needs no instant", []*keystatistics.Row{{PartitionKey: "p"}, {PartitionKey: "p"}}, keystatistics.OnePartition, ""},
		{"one day after another, two in all", rowsAt(1000, func(i int) string { return ascending(i / 500) }, inTurn), keystatistics.MovingPoint, ""},
		{"instants before 1970", rowsAt(1000, ascending, func(i int) int64 { return int64(i) - 1<<60 }), keystatistics.AppendOnly, ""},
		{"users of a day whose instants are days", rowsAt(20_000, func(i int) string { return fmt.Sprintf("u%05d", i*7919%10_007) },
			func(i int) int64 { return int64(i / 1000) }), keystatistics.Spread, ""},
	} {
		o := reportOf(t, keystatistics.Options{}, tt.rows...).Order
		assert.Truef(t, o.Verdict == tt.verdict && strings.Contains(o.Reason, tt.reason) && (o.Reason == "") == (tt.reason == ""),
			"%s: verdict = %s (%s); want %s (%s)\n%+v", tt.name, o.Verdict, o.Reason, tt.verdict, tt.reason, o)
		if sentence := o.Sentence(); !strings.HasSuffix(sentence, ".") || !strings.Contains(sentence, tt.reason) {
			t.Errorf("%s: Sentence() = %q; want a sentence with the reason", tt.name, sentence)
		}
	}
}

// TestAnImportIsSeenAmongSpreadTraffic has a third of all rows come in one hour of
// a month, in alphabetical order.
func TestAnImportIsSeenAmongSpreadTraffic(t *testing.T) {
	const month, hour = int64(30 * 24 * time.Hour), int64(time.Hour)
	rows := rowsAt(30_000, func(i int) string {
		if i%3 == 0 {
			return fmt.Sprintf("%05d", i)
		}
		return fmt.Sprintf("%05d", i*7919%30_011)
	}, func(i int) int64 {
		if i%3 == 0 {
			return month/2 + hour*int64(i)/30_000
		}
		return month * int64(i) / 30_000
	})
	o := reportOf(t, keystatistics.Options{}, rows...).Order
	if share := float64(o.HotWindows) / float64(o.Windows); o.Verdict != keystatistics.Spread || share < .25 || share > .45 {
		t.Errorf("%d of %d windows are hot, verdict %s; want a third of them, and spread", o.HotWindows, o.Windows, o.Verdict)
	}
}

// TestChanceAloneIsNotHot bounds what many seeds make of keys that are spread.
func TestChanceAloneIsNotHot(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		for _, partitions := range []int{2, 3, 10, 1_000_000} {
			rows := rowsAt(200, func(int) string { return fmt.Sprintf("p%d", rng.IntN(partitions)) }, func(i int) int64 { return int64(i) })
			assert.Equalf(t, keystatistics.Spread, reportOf(t, keystatistics.Options{Samples: 200}, rows...).Order.Verdict,
				"seed %d, %d partitions: verdict", seed, partitions)
		}
	}
}

// Design forms the PartitionKeys of a stream of inserts.
type Design struct {
	// Name says how, in a few words.
	Name string
	// Span is the time from the first insert to the last.
	Span time.Duration
	// Key returns the PartitionKey of an insert.
	Key func(*Event) string
	// Verdict and Hot are the judgement that the stream must get, and Reversed
	// the verdict of the same keys with time running backwards.
	Verdict, Reversed keystatistics.Verdict
	Hot               bool
}

// Event is one insert as a design sees it.
type Event struct {
	// Number counts from 0 to Count - 1, in the order of the instants.
	Number, Count int
	// At is when, by the calendar.
	At time.Time
	// Draw is the event's own chance.
	Draw clock.Draw
}

// start is the instant of the calendar at which each stream begins.
var start = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)

// rows returns so many inserts in the order of their instants, which fill the
// design's span evenly but for some jitter.
func (d *Design) rows(seed uint64, count int) []*keystatistics.Row {
	chance := clock.NewStream(seed, "surveytest/"+d.Name)
	rows := make([]*keystatistics.Row, count)
	for i := range rows {
		event := Event{Number: i, Count: count, Draw: chance.Draw(uint64(i))}
		share := (float64(i) + event.Draw.Float64()) / float64(count)
		event.At = start.Add(time.Duration(share * float64(d.Span)))
		rows[i] = &keystatistics.Row{PartitionKey: d.Key(&event), Instant: clock.Instant(event.At.UnixNano()), HasInstant: true,
			Entities: 1, Line: int64(i + 1)}
	}
	return rows
}

// Reverse returns the design with time running backwards: the last insert comes
// first.
func (d *Design) Reverse() Design {
	back := *d
	back.Name, back.Verdict, back.Reversed = d.Name+", backwards", d.Reversed, d.Verdict
	back.Key = func(e *Event) string {
		mirrored := *e
		mirrored.Number = e.Count - 1 - e.Number
		mirrored.At = start.Add(d.Span - e.At.Sub(start))
		return d.Key(&mirrored)
	}
	return back
}

// digest mixes a number, as a hash of it would.
func digest(number uint64) uint64 {
	draw := clock.NewStream(0, "surveytest/digest").Draw(number)
	return draw.Uint64()
}

// The share at the hot place is one of all entities, those that are not inserted among them.
func TestPlaceShare(t *testing.T) {
	hot := keystatistics.Order{Hot: true, AtOnce: 1}
	for want, r := range map[float64]keystatistics.Report{
		0: {}, 1: {Counts: keystatistics.Counts{Entities: 10, Inserted: 10}, Order: hot}, .25: {Counts: keystatistics.Counts{Entities: 400, Inserted: 100}, Order: hot},
		.1: {Counts: keystatistics.Counts{Entities: 40, Inserted: 8}, Order: keystatistics.Order{Verdict: keystatistics.SeveralTails, Tails: 2, HottestTail: .6}},
	} {
		assert.InDelta(t, want, r.PlaceShare(), 1e-12)
	}
}

// TestAStreamAgreesWithTheInstants takes the new keys of every design as they come:
// what the instants call one way is never told the other way, nor what they call spread
// any way, and what goes one way without outliers is told so from twenty keys on.
func TestAStreamAgreesWithTheInstants(t *testing.T) {
	told := 0
	for i, d := range Designs() {
		for _, d := range []Design{d, d.Reverse()} {
			var stream keystatistics.Stream
			var order results.Order
			seen := make(map[string]bool)
			for _, row := range d.rows(uint64(i), 3000) {
				if !seen[row.PartitionKey] {
					seen[row.PartitionKey] = true
					order.Add(stream.Next(row.PartitionKey, 64))
				}
			}
			way := order.Way()
			oneWay := d.Verdict == keystatistics.AppendOnly || d.Verdict == keystatistics.PrependOnly
			switch {
			case oneWay && way != "" && way != d.Verdict.String(), !d.Hot && way != "":
				t.Errorf("%s, which is %s, is told %q by %+v", d.Name, d.Verdict, way, order)
			case oneWay && way == "" && order.Keys >= 20 && !seen["settings"]:
				t.Errorf("%s, which is %s, is not told by %+v", d.Name, d.Verdict, order)
			case oneWay && way != "":
				told++
			}
		}
	}
	assert.Truef(t, told >= 25, "%d streams are told to go one way; want more, or this test cannot fail", told)
}
