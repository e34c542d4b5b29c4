package document

import (
	"slices"
	"strings"
)

// Answer is the result in short: a state, a claim with its number, and the conclusions.
type Answer struct {
	// State is one of the states below, empty for a document without a question, such as a list.
	State string
	// Mark is the tone of the mark, see [MarkOf]. If it is nil, the state's tone applies.
	Mark *Tone
	// Claim begins with the state. Number and Unit are its most important figure: "1,999" and
	// "entities/s" in "SATURATES at 1,999 entities/s". All may be empty.
	Claim, Number, Unit string
	// Beside is the target of the number and its uncertainty, in a few words.
	Beside string
	// Says are the conclusions, at most three lines. The first names the subject.
	Says []string
}

// Claimed returns an answer whose claim is the state in capitals, then a number with its unit, with
// text before and after. Each may be empty.
func Claimed(state, before, number, unit, after string) Answer {
	return Answer{State: state, Claim: Join(" ", strings.ToUpper(state)+before, number, unit, after), Number: number, Unit: unit}
}

// The states, with the names that package results uses.
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

// MarkOf returns the mark of an answer with the state of a load. Asked reports whether there was a
// question, ok is its answer, nil if unknown. An unsustained load is bad only if the question was
// whether it is sustained: otherwise the mark is neutral.
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

// ToneOf returns the tone of a state.
func ToneOf(state string) Tone {
	return map[string]Tone{Holds: Good, DoesNotHold: Bad, Saturates: Bad, CannotTell: Doubtful, Sound: Good, NotSound: Bad}[state]
}

// Sign returns a symbol for the tone, so that readers do not depend on colour. It is empty for Plain.
func (t Tone) Sign() string {
	return map[Tone]string{Good: "✓", Bad: "✗", Doubtful: "?", Neutral: "•"}[t]
}

// Sentences returns the answer in sentences, for the verdict in JSON.
func (a *Answer) Sentences() string {
	line := a.Claim
	if a.Beside != "" {
		line += " (" + a.Beside + ")"
	}
	return strings.Join(append([]string{line + "."}, a.Says...), " ")
}

// Around returns a table with at most limit rows and a note that counts the others. It keeps the first rows of a ranked
// table. Of other tables it keeps the first row, the last, and those around the asked row or the first bad or doubtful one.
func (t Table) Around(limit int) Table {
	// A note would need as much space as a single row.
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

// LimitLines returns at most limit lines, and one more that counts the others.
func LimitLines(lines []string, limit int) []string {
	if more := len(lines) - limit; more > 0 {
		return append(slices.Clone(lines[:limit]), moreNote(more))
	}
	return lines
}

func moreNote(more int) string { return Count(int64(more)) + " more: --verbose shows all" }

// WithoutBars returns the table without columns of bars.
func (t Table) WithoutBars() Table {
	return t.dropColumns(func(i int) bool {
		return slices.ContainsFunc(t.Rows, func(row []Cell) bool { return i < len(row) && row[i].Bar != nil })
	})
}

// AllSections returns the sections, or one section of the screen's blocks if there are none.
func (d *Document) AllSections() []Section {
	if len(d.Sections) > 0 || len(d.Screen) == 0 {
		return d.Sections
	}
	return []Section{{ID: "screen", Title: "What was found", Blocks: d.Screen}}
}
