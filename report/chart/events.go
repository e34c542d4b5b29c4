package chart

import (
	"fmt"
	"strings"
	"time"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/results"
)

// Turn is one moment of load balancing, or several that would stand in one place.
type Turn struct {
	// At is when the first of them was, in seconds since the start of the run.
	At                    float64
	Splits, Moves, Merges int
}

// String names what was done.
func (t Turn) String() string {
	var parts []string
	for _, part := range []struct {
		count int
		thing string
	}{{t.Splits, "split"}, {t.Moves, "move"}, {t.Merges, "merge"}} {
		switch {
		case part.count == 1:
			parts = append(parts, part.thing)
		case part.count > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", part.count, part.thing))
		}
	}
	return strings.Join(parts, ", ")
}

// Turns returns what load balancing did from one second to another, in order;
// what lies closer together than apart seconds is one.
func Turns(record *results.Record, from, to, apart float64) []Turn {
	var turns []Turn
	for i := range record.Events {
		e := &record.Events[i]
		at := time.Duration(e.At).Seconds()
		if !e.Balanced() || at < from || at > to {
			continue
		}
		if last := len(turns) - 1; last < 0 || at-turns[last].At >= apart || at < turns[last].At {
			turns = append(turns, Turn{At: at})
		}
		turn := &turns[len(turns)-1]
		switch e.What {
		case results.RangeMoved:
			turn.Moves++
		case results.RangesMerged:
			turn.Merges++
		default:
			turn.Splits++
		}
	}
	return turns
}

// addTurns marks what load balancing did in a panel over seconds: a line at each
// moment, and beside it what was done, in rows below one another so that
// neighbours stay readable.
func (p *panel) addTurns(record *results.Record, first, last float64) {
	// wide is the share of the axis that a note takes.
	const rows, fewestApart, rowHeight, wide = 3, 1. / 60, 11, .14
	turns := Turns(record, first, last, (last-first)*fewestApart)
	if len(turns) == 0 {
		return
	}
	style := stroke(1, eventInk, 4, 2)
	words := notes{style: write(tickSize, eventInk)}
	row := 0
	for i, turn := range turns {
		p.plot.Add(line{style, []point{{turn.At, 0}, {turn.At, p.plot.Y.Max}}})
		if i > 0 && turn.At-turns[i-1].At < (last-first)*wide {
			row = (row + 1) % rows
		} else {
			row = 0
		}
		words.list = append(words.list, note{point{turn.At, p.plot.Y.Max}, vg.Point{X: 4, Y: -2 - vg.Length(row+1)*rowHeight},
			draw.XLeft, draw.YTop, turn.String()})
	}
	p.plot.Add(words)
	p.legend = append(p.legend, entry{"load balancing", line{style: style}})
}
