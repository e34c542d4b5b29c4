package document_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
)

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
