package document

import (
	"slices"
	"strings"
)

// Answer is what a reader has to know first: a state, a claim with its number, and what
// follows from it.
type Answer struct {
	// State is holds, does not hold, saturates or cannot tell, as results names them, and
	// empty where nothing is answered: a list, a table of formulas.
	State string
	// Mark is the tone of the mark, see [MarkOf]; nil for the tone of the state.
	Mark *Tone
	// Claim begins with the state, Number is the figure in it that counts, with its unit;
	// both may be empty. "SATURATES at 1,999 entities/s" has "1,999" and "entities/s".
	Claim, Number, Unit string
	// Beside is what the number is held against and how sure it is, in a few words.
	Beside string
	// Says is what follows from it: three lines at most, of which the first names what the
	// answer is about.
	Says []string
}

// Claimed begins an answer: its state in capitals, then a number with its unit, and words
// around them. Each may be empty.
func Claimed(state, before, number, unit, after string) Answer {
	return Answer{State: state, Claim: Join(" ", strings.ToUpper(state)+before, number, unit, after), Number: number, Unit: unit}
}

// The states, as results names them.
const (
	Holds       = "holds"
	DoesNotHold = "does not hold"
	Saturates   = "saturates"
	CannotTell  = "cannot tell"
	Sound       = "sound"
	NotSound    = "not sound"
)

// Tone returns the tone of the mark: Mark, or that of the state if Mark is nil.
func (a *Answer) Tone() Tone {
	if a.Mark != nil {
		return *a.Mark
	}
	return ToneOf(a.State)
}

// MarkOf returns the mark of an answer whose state is that of the load. Ok is the answer to what
// was asked, nil if it cannot be given. A load that is not sustained is marked bad only if that
// was asked: otherwise the mark is neutral.
func MarkOf(state string, asked bool, ok *bool) *Tone {
	tone := ToneOf(state)
	switch {
	case asked && ok == nil:
		tone = Doubtful
	case asked && !*ok:
		tone = Bad
	case tone == Bad:
		tone = Neutral
	case asked:
		tone = Good
	}
	return &tone
}

// ToneOf is what a state amounts to.
func ToneOf(state string) Tone {
	return map[string]Tone{Holds: Good, DoesNotHold: Bad, Saturates: Bad, CannotTell: Doubtful, Sound: Good, NotSound: Bad}[state]
}

// Sign is the mark of a tone, by which it is told without a colour; empty for none.
func (t Tone) Sign() string {
	return map[Tone]string{Good: "✓", Bad: "✗", Doubtful: "?", Neutral: "•"}[t]
}

// Whole is the answer in sentences, as a verdict that scripts read has it.
func (a *Answer) Whole() string {
	line := a.Claim
	if a.Beside != "" {
		line += " (" + a.Beside + ")"
	}
	return strings.Join(append([]string{line + "."}, a.Says...), " ")
}

// Around returns a table with at most limit rows: the first ones of a ranked table; else the first and the last, and
// those around the row that was asked about, or the first that is bad or doubtful. A note has the number of the others.
func (t Table) Around(limit int) Table {
	// A note would take the line of a single row.
	if len(t.Rows) <= limit+1 {
		return t
	}
	last, at := len(t.Rows)-1, t.Asked-1
	if at < 0 {
		at = max(1, slices.IndexFunc(t.Rows, func(row []Cell) bool {
			return len(row) > 0 && (row[0].Tone == Bad || row[0].Tone == Doubtful)
		}))
	}
	t.Notes = append(slices.Clone(t.Notes), moreNote(len(t.Rows)-limit))
	if t.Ranked || limit < 3 {
		t.Rows = t.Rows[:limit]
		return t
	}
	first := max(1, min(at-(limit-2)/2, last-(limit-2)))
	t.Rows = append(append([][]Cell{t.Rows[0]}, t.Rows[first:first+limit-2]...), t.Rows[last])
	return t
}

// LimitLines returns at most limit lines, then a line that counts the others.
func LimitLines(lines []string, limit int) []string {
	if more := len(lines) - limit; more > 0 {
		return append(slices.Clone(lines[:limit]), moreNote(more))
	}
	return lines
}

func moreNote(more int) string { return Count(int64(more)) + " more: --verbose shows all" }

// WithoutBars returns a table without its columns of bars, which are for one screen.
func (t Table) WithoutBars() Table {
	return t.dropColumns(func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return i < len(row) && row[i].Bar != nil })
	})
}

// Whole returns the sections, or where there are none what the screen shows as one.
func (d *Document) Whole() []Section {
	if len(d.Sections) > 0 || len(d.Screen) == 0 {
		return d.Sections
	}
	return []Section{{ID: "screen", Title: "What was found", Blocks: d.Screen}}
}
