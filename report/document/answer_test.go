package document_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
)

func TestWithoutBarsKeepsTheOthers(t *testing.T) {
	bar := document.Cell{Bar: &document.Bar{Solid: 1, Full: 2}}
	table := document.Table{Columns: []document.Column{{Title: "a"}, {}, {Title: "b"}},
		Rows: [][]document.Cell{{{Text: "1"}, bar, {Text: "2"}}, {{Text: "cannot"}}}}
	want := document.Table{Columns: []document.Column{{Title: "a"}, {Title: "b"}}, Rows: [][]document.Cell{{{Text: "1"}, {Text: "2"}}, {{Text: "cannot"}}}}
	assert.Empty(t, cmp.Diff(want, table.WithoutBars()), "WithoutBars (-want +got)")
	assert.Truef(t, len(table.Columns) == 3 && len(table.Rows[0]) == 3, "the table itself has become %+v", table)
}

// The row that was asked about is shown wherever it stands, and with it the first and the last.
func TestAroundShowsTheRowThatWasAskedAbout(t *testing.T) {
	for _, most := range []int{3, 4, 5, 8} {
		for asked := range 10 {
			var table document.Table
			for i := range 10 {
				table.Rows = append(table.Rows, document.Cells(strconv.Itoa(i)))
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
