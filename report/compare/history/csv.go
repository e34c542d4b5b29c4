package history

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/report/text"
)

// CSV prints a row for each night, for spreadsheets and Apache Otava's importer: the column
// time, and a column for each metric. The importer separates rows by the column branch, here
// the series, and requires a number in every column. So CSV omits metrics without any value,
// then nights with a missing value. It returns sentences about what it omitted, scenarios
// without history and unreadable runs.
func CSV(w io.Writer, d *Document) (left []string, err error) {
	columns := make([]int, 0, len(d.Metrics))
	for m, metric := range d.Metrics {
		known := slices.ContainsFunc(d.Scenarios, func(s Scenario) bool {
			return slices.ContainsFunc(s.Series, func(one Series) bool { return one.Trends[m].Nights > 0 })
		})
		if known {
			columns = append(columns, m)
		} else {
			left = append(left, fmt.Sprintf("the column of %s, which no night has", metric))
		}
	}
	out := csv.NewWriter(w)
	header := []string{"time", "branch", "scenario", "runs", "commit"}
	for _, m := range columns {
		header = append(header, d.Metrics[m].Column())
	}
	// out.Error returns the first error.
	_ = out.Write(header)
	incomplete := 0
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		for number := range s.Series {
			branch := text.Inert(fmt.Sprintf("%s/%d", s.Name, number+1))
			for _, night := range s.Series[number].Nights {
				if slices.ContainsFunc(columns, func(m int) bool { return math.IsNaN(night.Values[m]) }) {
					incomplete++
					continue
				}
				row := []string{night.Begun.Format(time.RFC3339), branch, text.Inert(s.Name), strconv.Itoa(night.Runs), text.Inert(strings.Join(night.Commits, " "))}
				for _, m := range columns {
					row = append(row, document.Plainly(night.Values[m]))
				}
				_ = out.Write(row)
			}
		}
	}
	if incomplete > 0 {
		left = append(left, fmt.Sprintf("%s without a value for every metric", nightsIn(incomplete)))
	}
	for i := range d.Scenarios {
		if s := &d.Scenarios[i]; s.Outcome() == compare.Inconclusive {
			left = append(left, s.Sentence())
		}
	}
	for _, u := range d.Unread {
		left = append(left, fmt.Sprintf("%s: %s", u.Name, u.Reason))
	}
	out.Flush()
	return left, out.Error()
}
