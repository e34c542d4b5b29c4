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
	// The first row is that of the names of steps.
	p.addTurnsFrom(record, first, last, 1, 3)
}

// addTurnsFrom is addTurns with so many rows of words below so many that are taken.
func (p *panel) addTurnsFrom(record *results.Record, first, last float64, taken, rows int) {
	turns := p.addTurnLines(record, first, last)
	if len(turns) == 0 {
		return
	}
	const rowHeight = 11
	words := notes{style: write(tickSize, eventInk)}
	for i, row := range turnRows(turns, last-first, rows) {
		words.list = append(words.list, note{point{turns[i].At, p.plot.Y.Max}, vg.Point{X: 4, Y: -2 - vg.Length(row+taken)*rowHeight},
			draw.XLeft, draw.YTop, turns[i].String()})
	}
	p.plot.Add(words)
	p.legend = append(p.legend, entry{"load balancing", line{style: turnLine()}})
}

// turnRows returns in which of so many rows the words beside each moment stand: the first
// unless those of the one before reach as far.
func turnRows(turns []Turn, span float64, rows int) []int {
	const wide = .14 // is the share of the axis that words take
	of := make([]int, len(turns))
	for i := 1; i < len(turns); i++ {
		if turns[i].At-turns[i-1].At < span*wide {
			of[i] = (of[i-1] + 1) % rows
		}
	}
	return of
}

// turnsOn returns what load balancing did, as it is drawn on an axis.
func turnsOn(record *results.Record, first, last float64) []Turn {
	const fewestApart = 1. / 60
	return Turns(record, first, last, (last-first)*fewestApart)
}

// addTurnLines marks when load balancing did something, and returns what it did.
func (p *panel) addTurnLines(record *results.Record, first, last float64) []Turn {
	turns := turnsOn(record, first, last)
	for _, turn := range turns {
		at := []point{{turn.At, 0}, {turn.At, p.plot.Y.Max}}
		// Below the dashes there is paper, since bars and cells can be as dark as they are.
		p.plot.Add(line{stroke(1.6, paperInk), at}, line{turnLine(), at})
	}
	return turns
}

// turnLine is how the moments of load balancing are drawn.
func turnLine() draw.LineStyle { return stroke(1, eventInk, 4, 2) }
