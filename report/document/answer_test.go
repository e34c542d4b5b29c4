package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/report/document"
)

func TestWithoutBarsKeepsTheOthers(t *testing.T) {
	bar := document.Cell{Bar: &document.Bar{Solid: 1, Full: 2}}
	table := document.Table{Columns: []document.Column{{Title: "a"}, {}, {Title: "b"}},
		Rows: [][]document.Cell{{{Text: "1"}, bar, {Text: "2"}}, {{Text: "cannot"}}}}
	want := document.Table{Columns: []document.Column{{Title: "a"}, {Title: "b"}}, Rows: [][]document.Cell{{{Text: "1"}, {Text: "2"}}, {{Text: "cannot"}}}}
	if diff := cmp.Diff(want, table.WithoutBars()); diff != "" {
		t.Errorf("WithoutBars (-want +got):\n%s", diff)
	}
	if len(table.Columns) != 3 || len(table.Rows[0]) != 3 {
		t.Errorf("the table itself has become %+v", table)
	}
}
