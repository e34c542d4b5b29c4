package report

import (
	"fmt"
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/results"
)

// pictures are the charts of the record, beside those that belong to a table: none of
// what the record does not hold. What the run was like second by second is drawn from the
// seconds themselves.
func (a *author) pictures() {
	for _, one := range []struct{ id, heading, says string }{
		{"response", "Response times over the run", "How many operations took how long, by the second in which they ended."},
		{"heat", "Partitions over the run", heatSays(a.record)},
		{"latency", "Response times", "How many operations took how long, and the share that takes longer."},
		{"waits", "Waits before retries", "How long operations waited before they were tried again."},
	} {
		if slices.Contains(a.shown, one.id) {
			a.section("chart-"+one.id, one.heading)
			a.chart(one.id, one.says)
		}
	}
}

// chart adds a chart to the last section if the record has something to show by it.
func (a *author) chart(id, says string) {
	if slices.Contains(a.shown, id) {
		a.add(document.Chart{ID: id, Title: chart.Title(id, a.record), Says: says})
	}
}

// heatSays tells what a picture of where the load went shows, and what it cannot.
func heatSays(record *results.Record) string {
	heat := record.Heat
	if heat == nil {
		return ""
	}
	rows := chart.HeatRows(record)
	if rows == 0 {
		return "What was served and throttled over the run at all partitions together: the load lay on so many that none of them stands out."
	}
	says := fmt.Sprintf("What was served and throttled over the run at the %s with the most demand, in the order of keys",
		document.Counted(rows, "partition"))
	if heat.Partitions != nil {
		says += fmt.Sprintf(", of %s in all", document.Count(*heat.Partitions))
	}
	if heat.MostMissed > 0 {
		says += fmt.Sprintf("; a row lacks %s entities at most", document.Count(heat.MostMissed))
	}
	return says + "."
}
