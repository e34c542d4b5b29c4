// Package document is what a report says, before anybody has decided how it looks: a
// title, what is wrong with the record, and sections of paragraphs, lists, tables,
// charts and series.
//
// [loadgen/report] makes a [Document] of a judged record; the renderers (text, HTML,
// Markdown, CSV) turn it into bytes. Whatever a renderer shows stands in the document,
// so that all of them say the same.
//
// The caller owes sections in the order of [loadgen/report], identifiers that are unique
// within a document, and words in plain Unicode: escaping is the renderers', each in its
// own way, and they trust nothing that stands here.
//
// Numbers, units, shares and durations are formatted here, and nowhere else. Tables are made
// of typed values: [NewTable] declares columns by a specification each, [Table.Add] adds a row,
// and [Of] makes a table of tagged structs. The package is a leaf: it computes nothing and
// knows no record.
package document

import "slices"

// Document is one report. It is a plain value.
type Document struct {
	// Title names the report; Subtitle says what was run, and when, on one line.
	Title, Subtitle string
	// Warnings say, each in one line, what is wrong with the record itself: that it was
	// cut off, or is of an invalid run. They stand above all.
	Warnings []string
	// Answer is what a reader has to know first. Screen is what the first screen shows
	// below it, an empty line before each block: about twenty lines of it. A chart among
	// it is the one that answers; a page sets it beside the answer, text leaves it out.
	Answer Answer
	Screen []Block
	// Sections are the whole of it, in the order in which a person reads: what stands on
	// the screen stands here again where it belongs, with all that goes with it.
	Sections []Section
	// Data is what scripts read: its JSON is the document's.
	Data any
}

// Section is a heading and what stands below it.
type Section struct {
	// ID is unique in the document: small letters and dashes.
	ID, Title string
	Blocks    []Block
}

// Block is one of [Paragraph], [Facts], [List], [Table], [Chart] and [Series].
type Block interface{ block() }

// Tone is what a word or number amounts to; no renderer tells it by colour alone.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	// Good is a claim that holds, Bad one that does not, Doubtful what cannot be relied on.
	Good
	Bad
	Doubtful
	// Neutral is a claim that answers no question.
	Neutral
)

// If returns the tone if something is so, else none.
func (t Tone) If(is bool) Tone {
	if is {
		return t
	}
	return Plain
}

// Paragraph is a sentence or several. Lead is the one that a reader has to see first:
// the verdict.
type Paragraph struct {
	Text string
	Lead bool
	Tone Tone
	// Verbatim is a text that is to be copied, such as a command: it is not wrapped.
	Verbatim bool
}

// Facts are short lines, the most important first: counts, where the page is. The first screen shows Max of them, 0 for
// all, and cuts lines that do not fit.
type Facts struct {
	Lines []string
	Max   int
}

// List is sentences of equal rank.
type List struct{ Items []string }

// Table is a grid of cells below one row of headings.
type Table struct {
	// ID is unique in the document. Caption says what the rows are, Notes below the table
	// what its headings mean.
	ID, Caption string
	Columns     []Column
	Rows        [][]Cell
	Notes       []string
	// Asked is the number of the row that answers what was asked, from 1; 0 for none. The first
	// screen always shows it.
	Asked int
	// Ranked reports that the first rows are the most important, MinRows is how many rows the first screen has at least.
	Ranked  bool
	MinRows int
}

// Column is the heading of a column. Columns that follow one another with the same Group
// stand under that as a common heading.
type Column struct {
	Group, Title string
	// Unit is that of the numbers below, empty where each says its own or has none.
	Unit string
	// Words says that the cells are text, set flush left, not numbers.
	Words bool
	// Spare says that the column goes where a narrow screen has no room: the greatest goes
	// first. One of 0 stays.
	Spare int
	// Format is how [Table.Add] writes numbers, empty for whole ones as counts and others as rates.
	Format string
	// Member is where run.json has the number below the place of the row.
	Member string
	// Cut is after how many characters text ends on the first screen, 0 for no bound.
	Cut int
	// Optional says that the column is left out if no row has a value, NonZero that 0 is none.
	Optional, NonZero bool
}

// Cell is what stands at one place of a table.
type Cell struct {
	// Text is what is shown, an en dash where a number rests on too little to be told.
	Text string
	// Source is where run.json has the number, as a JSON pointer (RFC 6901) such as
	// /summary/attempts, and Scale what that has to be multiplied by to be the one that is
	// shown, rounded as shown; 0 stands for 1. Source is empty for words, and for numbers
	// that run.json does not hold.
	Source string
	Scale  float64
	Tone   Tone
	// Bar is drawn in place of the text, nil for none.
	Bar *Bar
	// Strip is drawn in place of the text, nil for none: the row of a heat map.
	Strip []Shade
}

// Strip is the row of a heat map as a value of a table, with a text in place of the drawing.
type Strip struct {
	Text   string
	Shades []Shade
}

// Shade is one stretch of time in a row of a heat map: how much was asked for, from 0 for
// nothing to 1 for the most that any cell of the map has, and the share of that which was
// throttled, from 0 to 1.
type Shade struct{ Heat, Throttled float64 }

// Bar is a length beside others of its column: Solid of it drawn full, Hollow behind that
// drawn lightly, and a mark at Mark, 0 for none. All are in the same unit, and Full is the
// length of the longest bar of the column.
type Bar struct{ Solid, Hollow, Mark, Full float64 }

// Chart is a picture: one that package chart draws of the record.
type Chart struct {
	// ID is unique in the document and the name of the picture's files, such as
	// "latency".
	ID, Title string
	// Says tells in words what is to be seen, for who cannot see it.
	Says string
	// Shows are the IDs of series that the picture shows too: where both would be drawn,
	// the picture is.
	Shows []string
}

// Series are numbers over the time of the run that share an axis.
type Series struct {
	ID, Title string
	// Unit is that of the vertical axis. Log says that it is logarithmic.
	Unit string
	Log  bool
	// Seconds are the instants, since the start of the run, in order. Shown are those that
	// a picture has: all of them where it is empty.
	Seconds []float64
	Shown   Stretch
	Lines   []Line
	// Level is a line to hold the others against, such as a target; nil for none.
	Level *Level
	Marks []Mark
	// Says tells in words what is to be seen.
	Says string
}

// Stretch is from one instant to before another.
type Stretch struct{ From, To float64 }

// Holds says that an instant lies in it; all do in an empty one.
func (s Stretch) Holds(second float64) bool {
	return s == Stretch{} || second >= s.From && second < s.To
}

// Meaning is what a line shows, one colour throughout a report.
type Meaning string

// The meanings.
const (
	Served    Meaning = "served"
	Throttled Meaning = "throttled"
	Failed    Meaning = "failed"
	Offered   Meaning = "offered"
	Returned  Meaning = "returned"
	// First and Second are quantities that are neither, such as two percentiles.
	First  Meaning = "first"
	Second Meaning = "second"
	Third  Meaning = "third"
)

// Line is one of several numbers over time.
type Line struct {
	Name    string
	Meaning Meaning
	// Values has one for each of the series' Seconds; nil is a gap.
	Values []*float64
}

// Level is a height that others are held against.
type Level struct {
	Name  string
	Value float64
}

// Mark is something that happened at an instant: a phase that begins, a range that moves.
type Mark struct {
	Second float64
	Text   string
	// Balance says that load balancing did it.
	Balance bool
}

func (Paragraph) block() {}
func (Facts) block()     {}
func (List) block()      {}
func (Table) block()     {}
func (Chart) block()     {}
func (Series) block()    {}

// Add adds a section of those blocks that say something, none where none does: a table has
// rows, a list items, a paragraph a text.
func (d *Document) Add(id, title string, blocks ...Block) {
	if shown := nonEmpty(blocks); len(shown) > 0 {
		d.Sections = append(d.Sections, Section{ID: id, Title: title, Blocks: shown})
	}
}

// Append adds those blocks to the last section that say something.
func (d *Document) Append(blocks ...Block) {
	last := &d.Sections[len(d.Sections)-1]
	last.Blocks = append(last.Blocks, nonEmpty(blocks)...)
}

// Show adds those blocks to the first screen that say something.
func (d *Document) Show(blocks ...Block) { d.Screen = append(d.Screen, nonEmpty(blocks)...) }

func nonEmpty(blocks []Block) []Block {
	return slices.DeleteFunc(slices.Clone(blocks), func(block Block) bool {
		switch b := block.(type) {
		case Paragraph:
			return b.Text == ""
		case List:
			return len(b.Items) == 0
		case Facts:
			return len(b.Lines) == 0
		case Table:
			return len(b.Rows) == 0 || len(b.Columns) == 0
		}
		return false
	})
}
