package document_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
)

// A value is written as its column says; its place in run.json goes with it, and what the number there is
// multiplied by.
func TestValuesOfAColumn(t *testing.T) {
	at, none := document.Pointer("/at"), (*float64)(nil)
	for _, row := range []struct {
		name, column string
		value        any
		want         document.Cell
	}{
		{"a count", "n", int64(1234), document.Cell{Text: "1,234"}},
		{"a number without a format", "n", 2.345, document.Cell{Text: "2.35"}},
		{"none", "n|rate|at=n", none, document.Cell{Text: "–"}},
		{"nil", "n|at=n", nil, document.Cell{Text: "–"}},
		{"zero that is none", "n|nonzero", 0, document.Cell{Text: "–"}},
		{"a share", "n|share|at", new(.5), document.Cell{Text: "50.0%", Source: "/at/n", Scale: 100}},
		{"a time", "n|millis|at=a/b", int64(1500), document.Cell{Text: "1.50", Source: "/at/a/b", Scale: 1e-3}},
		{"a long time", "n|millis|at=n", int64(200e6), document.Cell{Text: "200 s", Source: "/at/n", Scale: 1e-6}},
		{"a duration", "n|millis", 1500 * time.Microsecond, document.Cell{Text: "1.50"}},
		{"an interval", "n|rate", &[2]float64{10, 20}, document.Cell{Text: "10 to 20"}},
		{"a ratio", "n|share", document.RatioOf(1, 4), document.Cell{Text: "25.0%"}},
		{"a ratio to nothing", "n|share", document.RatioOf(1, 0), document.Cell{Text: "–"}},
		{"from elsewhere", "n|part|at=n", document.Sourced{Value: document.Ratio{Part: 3, Whole: 2}, At: "/else", Scale: .5}, document.Cell{Text: "150.0%", Source: "/else", Scale: 25}},
		{"too many to tell", "n|tries|at=n", 1e6, document.Cell{Text: ">999"}},
		{"text", "n|words", "", document.Cell{}},
		{"no name", "n|named", "", document.Cell{Text: "–"}},
		{"a text in place of a number", "n|rate", "closed", document.Cell{Text: "closed"}},
		{"a long text", "n|cut=3", "abcd", document.Cell{Text: "abcd"}},
	} {
		table := document.NewTable("", "", row.column)
		table.Add(at, row.value)
		assert.Equal(t, [][]document.Cell{{row.want}}, table.Rows, row.name)
	}
}

func TestTableOfStructs(t *testing.T) {
	type part struct {
		Offered *float64 `col:"|rate|unit=entities/s" json:"offered_per_second,omitempty"`
	}
	type row struct {
		document.Pointer `col:""`
		Tone             document.Tone `col:""`
		Name             string        `col:""`
		part
		Price  float64 `col:"cost|money|optional"`
		hidden int
	}
	table := document.TableOf("id", "Caption", []row{{"/a", document.Bad, "x|y", part{new(12.)}, 0, 1}})
	assert.Equal(t, []document.Cell{{Text: "x|y", Tone: document.Bad}, {Text: "12", Source: "/a/offered_per_second"}, {Text: "0"}}, table.Rows[0])
	assert.Equal(t, document.Column{Title: "offered", Unit: "entities/s", Format: "rate", Member: "offered_per_second"}, table.Columns[1])
	// Whatever stands before options is the title, even what looks like one.
	assert.Equal(t, document.Column{Title: "phase a|b", Words: true, Format: "words", Spare: 2}, document.ParseColumn("phase a|b|words|spare=2"))
}

func TestWithoutBarsKeepsTheOthers(t *testing.T) {
	table, want := document.NewTable("", "", "a", "", "b"), document.NewTable("", "", "a", "b")
	table.Add("1", &document.Bar{Solid: 1, Full: 2}, "2")
	table.Add("cannot")
	want.Add("1", "2")
	want.Add("cannot")
	assert.Equal(t, want, table.WithoutBars())
	assert.Truef(t, len(table.Columns) == 3 && len(table.Rows[0]) == 3, "the table itself has become %+v", table)
}

// The row that was asked about is shown wherever it stands, and with it the first and the last.
func TestAroundShowsTheRowThatWasAskedAbout(t *testing.T) {
	for _, most := range []int{3, 4, 5, 8} {
		for asked := range 10 {
			table := document.NewTable("", "", "n")
			for i := range 10 {
				table.Add(i)
			}
			table.Rows[7][0].Tone, table.Asked = document.Bad, asked+1
			var shown []string
			for _, row := range table.Around(most).Rows {
				shown = append(shown, row[0].Text)
			}
			assert.Truef(t, len(shown) == most && slices.Contains(shown, strconv.Itoa(asked)) && shown[0] == "0" && shown[most-1] == "9",
				"%d rows about row %d: %v; want that row, the first and the last", most, asked, shown)
		}
	}
}
