package keystatistics_test

import (
	"time"

	"loadgen/engine/clock"
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
