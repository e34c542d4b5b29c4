package report

import (
	"fmt"
	"slices"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/results"
)

// pictures are the charts of the record, beside those that belong to a table: none of
// what the record does not hold.
func (a *author) pictures() {
	all := a.record.Total(results.Everything)
	picture := func(id, title, says string) {
		a.section("chart-"+id, title)
		a.chart(id, title, says)
		if last := len(a.sections) - 1; len(a.sections[last].Blocks) == 0 {
			a.sections = a.sections[:last]
		}
	}
	picture("response", "Response times over the run", "How many operations took how long, by the second in which they ended.")
	picture("heat", "Partitions over the run", heatSays(a.record))
	if all.Response.Count() > 0 {
		picture("latency", "Response times", "How many operations took how long, and the share that takes longer.")
	}
	if all.Throttled > 0 || a.record.RetryWaits.Count() > 0 {
		picture("throttle", "Throttling and retries", "Served and throttled second by second, and the waits before retries.")
	}
}

// chart adds a chart to the last section if the record has something to show by it.
func (a *author) chart(id, title, says string) {
	if slices.Contains(a.shown, id) {
		a.add(document.Chart{ID: id, Title: title, Says: says})
	}
}

// heatSays tells what a picture of where the load went shows, and what it cannot.
func heatSays(record *results.Record) string {
	heat := record.Heat
	if heat == nil {
		return ""
	}
	rows := len(chart.HeatGrid(record).Rows)
	if rows == 0 {
		return "What was served and throttled over the run at all partitions together: the load lay on so many that none of them stands out."
	}
	says := fmt.Sprintf("What was served and throttled over the run at the %s partitions with the most demand, in the order of their keys",
		document.Count(int64(rows)))
	if heat.Partitions != nil {
		says += fmt.Sprintf(", of %s in all", document.Count(*heat.Partitions))
	}
	if heat.MostMissed > 0 {
		says += fmt.Sprintf("; a row lacks %s entities at most", document.Count(heat.MostMissed))
	}
	return says + "."
}
