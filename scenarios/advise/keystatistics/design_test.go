package keystatistics_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
)

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
		event := Event{Number: i, Count: count, Draw: chance.At(uint64(i))}
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
	draw := clock.NewStream(0, "surveytest/digest").At(number)
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
