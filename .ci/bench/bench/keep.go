package bench

import (
	"encoding/json"
	"fmt"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/results"
)

// File is the name of the JSON of a report that is kept.
const File = "bench.json"

// Keep writes the report into a folder: its JSON, and its ratios as one chart, as PNG and SVG.
// The error wraps results.ErrWrite.
func (r *Report) Keep(folder results.Folder) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = folder.Replace(File, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", results.ErrWrite, File, err)
	}
	return chart.DrawRatios(folder, "bench", r.chart())
}

// chart is the report's ratios: a panel for each two that are compared, with the aims.
func (r *Report) chart() *chart.Ratios {
	c := &chart.Ratios{Title: "loadgen beside others: " + r.answer().Claim, Subtitle: "relative CPU per operation, logarithmic  ·  " + r.subtitle(),
		Below: "relative CPU"}
	aims := map[string]*Judged{}
	for i := range r.Aims {
		aims[r.Aims[i].Of] = &r.Aims[i]
	}
	at := map[string]int{}
	for i := range r.Ratios {
		q := &r.Ratios[i]
		if f := r.figure(q.Cell.Name()); f == nil || f.Unit != cpuUnit {
			continue
		}
		row := chart.RatioRow{Name: q.What + ", " + q.At, Value: q.Median, Low: q.Median, High: q.Median}
		heading := q.Of + " to " + q.To
		if !compared(q.Of, q.To) {
			heading, row.To = "other loads and sizes", "to "+q.To
		}
		if q.Interval != nil {
			row.Low, row.High = q.Interval[0], q.Interval[1]
		}
		if a, held := aims[q.Name]; held {
			row.Aim = a.Bound
			row.Missed = a.tone() == document.Bad
		}
		place, known := at[heading]
		if !known {
			place = len(c.Groups)
			at[heading] = place
			c.Groups = append(c.Groups, chart.RatioGroup{Name: heading})
		}
		c.Groups[place].Rows = append(c.Groups[place].Rows, row)
	}
	return c
}
