package page

import (
	"cmp"
	"fmt"

	"loadgen/report/document"
)

// mostQueries is how many queries are shown.
const mostQueries = 10

// longestFilter is how many characters of a filter are shown.
const longestFilter = 80

// costliest is the queries that scanned most since the service began.
func (s *story) costliest() document.Table {
	t := document.Table{ID: "shapes", Caption: "The queries that cost most, since the service began", Columns: []document.Column{
		{Title: "query", Words: true}, {Title: "table", Words: true, Spare: 1}, {Title: "pages"}, {Title: "scanned", Unit: "entities"}, {Title: "returned", Unit: "entities"}, {Title: "throttled"},
	}, Notes: []string{"Every entity that a query scans counts, returned or not. Literals of filters are left out."}}
	for _, q := range s.queries {
		t.Rows = append(t.Rows, document.Cells(filterOf(q.Shape, q.Class), q.Table, document.Count(q.Requests), document.Count(q.Scanned), document.Count(q.Returned), document.Count(q.Throttled)))
	}
	return t
}

// dearest says which query costs most.
func (s *story) dearest() string {
	if len(s.queries) == 0 || s.queries[0].Scanned == 0 {
		return "No query was asked yet."
	}
	q := s.queries[0]
	return fmt.Sprintf("The query that costs most: %s of %s, %s entities scanned for %s returned.",
		filterOf(q.Shape, q.Class), cmp.Or(q.Table, "a table"), document.Count(q.Scanned), document.Count(q.Returned))
}

// filterOf is a query in words.
func filterOf(shape, class string) string {
	if shape == "" {
		shape = "no filter"
	}
	return document.Cut(class+": "+shape, longestFilter)
}
