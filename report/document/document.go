// Package document describes the content of a report independently of its format: a title,
// warnings, an answer, and sections of paragraphs, lists, tables, charts and series.
//
// [loadgen/report] builds a [Document] from a judged record. The renderers (text, HTML,
// Markdown, CSV) turn it into bytes; they show nothing that is not in the document, so that
// all formats agree. Identifiers must be unique within a document. Text is unescaped Unicode
// of untrusted origin: each renderer escapes it.
//
// Only this package formats numbers, units, shares and durations. Tables hold typed values:
// [NewTable] declares columns by specifications, [Table.Add] adds a row, and [TableOf] builds a
// table from tagged structs. The package computes no results and imports no record types.
package document

import "slices"

// Document is one report. It is a plain value.
type Document struct {
	// Title names the report. Subtitle is one line with the subject of the run and its time.
	Title, Subtitle string
	// Warnings are defects of the record, one line each, such as an invalid run. Renderers
	// show them first.
	Warnings []string
	// Screen are the blocks below the answer on the first screen, about twenty lines. A page
	// shows a chart of the screen next to the answer; text omits it.
	Answer Answer
	Screen []Block
	// Sections are the full report in reading order. They include what the screen shows.
	Sections []Section
	// Data is encoded as the document's JSON.
	Data any
}

// Section is a heading with blocks below.
type Section struct {
	// ID is unique in the document: lower-case letters and hyphens.
	ID, Title string
	Blocks    []Block
}

// Block is one of [Paragraph], [Facts], [List], [Table], [Chart] and [Series].
type Block interface{ block() }

// Tone is the rating of a text or number. Renderers do not express it by colour alone.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	// Good is a claim that holds, Bad one that does not, Doubtful one without enough evidence.
	Good
	Bad
	Doubtful
	// Neutral is a claim without a question.
	Neutral
)

// If returns the tone if the condition is true, Plain otherwise.
func (t Tone) If(is bool) Tone {
	if is {
		return t
	}
	return Plain
}

// Paragraph is one or more sentences. Lead marks the verdict, which renderers emphasise.
type Paragraph struct {
	Text string
	Lead bool
	Tone Tone
	// Verbatim marks text to copy, such as a command. Renderers do not wrap it.
	Verbatim bool
}

// Facts are short lines such as counts and paths, the most important first. The first screen shows at most Max of them,
// all if Max is 0, and truncates long lines.
type Facts struct {
	Lines []string
	Max   int
}

// List is a list of sentences.
type List struct{ Items []string }

// Table is a grid of cells below one row of headings.
type Table struct {
	// ID is unique in the document. Caption names the rows, Notes below the table explain
	// the columns.
	ID, Caption string
	Columns     []Column
	Rows        [][]Cell
	Notes       []string
	// Asked is the number of the row that answers the question, from 1; 0 for none. The first
	// screen always includes it.
	Asked int
	// Ranked reports that rows are in order of importance. MinRows is the minimum of rows on the first screen.
	Ranked  bool
	MinRows int
}

// Column describes a column. Adjacent columns with the same Group share it as a heading.
type Column struct {
	Group, Title string
	// Unit is the unit of all numbers in the column, empty if they have none or include their own.
	Unit string
	// Words reports that the cells are text, which is left-aligned, not numbers.
	Words bool
	// Spare is the priority for removal on a narrow screen: the highest is removed first, 0 never.
	Spare int
	// Format names the format of numbers in [Table.Add]. If it is empty, integers are counts and others are rates.
	Format string
	// Member is the path of the number in run.json, relative to the row's pointer.
	Member string
	// Cut is the maximum length of text on the first screen, in characters; 0 for no maximum.
	Cut int
	// Optional columns are omitted if no row has a value. In NonZero columns 0 counts as no value.
	Optional, NonZero bool
}

// Cell is one cell of a table.
type Cell struct {
	// Text is the formatted value, an en dash for a number with too few samples.
	Text string
	// Source is the JSON pointer (RFC 6901) of the number in run.json, such as
	// /summary/attempts. That number times Scale, rounded, is the one in Text; 0 means 1.
	// Source is empty for text and for numbers that run.json does not contain.
	Source string
	Scale  float64
	Tone   Tone
	// Bar replaces the text, nil for none.
	Bar *Bar
	// Strip is the row of a heat map and replaces the text, nil for none.
	Strip []Shade
}

// Strip is the row of a heat map as a value of a table. Renderers without drawings show Text.
type Strip struct {
	Text   string
	Shades []Shade
}

// Shade is one interval in a row of a heat map. Heat is the offered load from 0 to 1, relative
// to the maximum of the map. Throttled is the throttled share of it, from 0 to 1.
type Shade struct{ Heat, Throttled float64 }

// Bar is a horizontal bar: a solid part, a lighter part behind it up to Hollow, and a mark at
// Mark, 0 for none. Full is the longest bar of the column. All have the same unit.
type Bar struct{ Solid, Hollow, Mark, Full float64 }

// Chart is a picture that package chart draws from the record.
type Chart struct {
	// ID is unique in the document and names the picture's files, such as "latency".
	ID, Title string
	// Says is the alternative text of the picture.
	Says string
	// Shows are the IDs of series in the picture. Renderers that draw both omit those series.
	Shows []string
}

// Series are numbers over the time of the run with a common axis.
type Series struct {
	ID, Title string
	// Unit is the unit of the vertical axis, Log reports whether that axis is logarithmic.
	Unit string
	Log  bool
	// Seconds are ascending times since the start of the run. Pictures show those within
	// Shown, all if it is empty.
	Seconds []float64
	Shown   Stretch
	Lines   []Line
	// Level is a horizontal reference line such as a target, nil for none.
	Level *Level
	Marks []Mark
	// Says describes the series in words.
	Says string
}

// Stretch is an interval of time that excludes To, in seconds.
type Stretch struct{ From, To float64 }

// Contains reports whether the stretch contains a time. The empty stretch contains all.
func (s Stretch) Contains(second float64) bool {
	return s == Stretch{} || second >= s.From && second < s.To
}

// Meaning is the quantity of a line, which has the same colour throughout a report.
type Meaning string

// The meanings.
const (
	Served    Meaning = "served"
	Throttled Meaning = "throttled"
	Failed    Meaning = "failed"
	Offered   Meaning = "offered"
	Returned  Meaning = "returned"
	// First, Second and Third are other quantities, such as percentiles.
	First  Meaning = "first"
	Second Meaning = "second"
	Third  Meaning = "third"
)

// Line is one line of [Series].
type Line struct {
	Name    string
	Meaning Meaning
	// Values has one element for each of the series' Seconds, nil for a gap.
	Values []*float64
}

// Level is a reference value for a series.
type Level struct {
	Name  string
	Value float64
}

// Mark is an event in the run, such as the start of a phase or the move of a range.
type Mark struct {
	Second float64
	Text   string
	// Balance marks events of load balancing.
	Balance bool
}

func (Paragraph) block() {}
func (Facts) block()     {}
func (List) block()      {}
func (Table) block()     {}
func (Chart) block()     {}
func (Series) block()    {}

// Add adds a section of the blocks that are not empty, no section if all are empty.
func (d *Document) Add(id, title string, blocks ...Block) {
	if shown := nonEmpty(blocks); len(shown) > 0 {
		d.Sections = append(d.Sections, Section{ID: id, Title: title, Blocks: shown})
	}
}

// Append adds the blocks that are not empty to the last section.
func (d *Document) Append(blocks ...Block) {
	last := &d.Sections[len(d.Sections)-1]
	last.Blocks = append(last.Blocks, nonEmpty(blocks)...)
}

// Show adds the blocks that are not empty to the first screen.
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
