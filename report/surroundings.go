package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"loadgen/report/document"
)

// documented is the provenance of what needs no telling.
const documented = "documented"

// surroundings lists the parameters of the model that the documents do not give, with where they
// are from, and shows which build ran, and on what.
func (a *author) surroundings() {
	m := &a.record.Manifest
	t := document.Table{ID: "assumptions", Caption: "Parameters of the model that the documents do not give",
		Columns: []document.Column{{Title: "parameter", Words: true}, {Title: "value", Words: true}, {Title: "provenance", Words: true},
			{Title: "what it is", Words: true}}}
	for _, parameter := range m.Model {
		if parameter.Provenance == documented {
			continue
		}
		value := parameter.Value
		// A duration has its unit in its value.
		if parameter.Unit != "" && parameter.Unit != "duration" {
			value += " " + parameter.Unit
		}
		t.Rows = append(t.Rows, []document.Cell{wordsCell(parameter.Name), wordsCell(value),
			wordsCell(parameter.Provenance), wordsCell(parameter.About)})
	}
	if rest := len(m.Model) - len(t.Rows); rest > 0 {
		t.Notes = []string{fmt.Sprintf("the documents give the other %s, as run.json has them", document.Count(int64(rest)))}
	}
	a.table("Assumptions of the model", t)
	t = document.Table{ID: "environment", Caption: "What ran, and on what",
		Columns: []document.Column{{Title: "of", Words: true}, {Title: "value", Words: true}}}
	add := func(name, value, source string) {
		if value != "" {
			t.Rows = append(t.Rows, []document.Cell{wordsCell(name), sourced(value, source, 0)})
		}
	}
	number := func(name string, n int, member string) {
		if n != 0 {
			add(name, document.Count(int64(n)), pointer("manifest", "environment", member))
		}
	}
	add("loadgen", strings.TrimSpace(m.Tool.Version+" "+m.Tool.Commit), "")
	add("built with", strings.TrimSpace(m.Tool.Go+" "+m.Tool.System), "")
	number("CPUs", m.Environment.CPUs, "cpus")
	number("GOMAXPROCS", m.Environment.GOMAXPROCS, "gomaxprocs")
	number("workers", m.Environment.Workers, "workers")
	add("scenario's SHA-256", m.Scenario.SHA256, "")
	a.table("Environment", t)
}

// fleet shows which processes offered the load together, how each fared, and what those of a
// label came to.
func (a *author) fleet() {
	of := a.record.Manifest.Fleet
	if of == nil {
		return
	}
	t := document.Table{ID: "fleet", Caption: "The processes that offered the load together, each its share", Columns: []document.Column{{Title: "process", Words: true},
		{Title: "labels", Words: true}, {Title: "planned"}, {Title: "due"}, {Title: "attempts"}, {Title: "throttled"}, {Title: "failed"}, {Title: "lag p99, ms"},
		{Title: "began late, ms"}, {Title: "clock to, ms"}, {Title: "stood still, ms"}, {Title: "CPU"}, {Title: "ended", Words: true}}}
	for i := range of.Members {
		m := &of.Members[i]
		at := func(member string) string { return pointer("manifest", "fleet", "members", i, member) }
		var labels []string
		for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
			labels = append(labels, key+"="+m.Labels[key])
		}
		ended := "whole"
		if m.Lost != "" {
			ended = "lost: " + m.Lost
		}
		t.Rows = append(t.Rows, []document.Cell{wordsCell(m.Name), wordsCell(strings.Join(labels, " ")),
			sourced(document.Told(m.Planned, document.Count), at("planned_operations"), 0), countCell(m.Scheduled, at("scheduled")),
			countCell(m.Attempts, at("attempts")), countCell(m.Throttled, at("throttled")), countCell(m.Failed, at("failed")),
			nanosCell(m.LagP99, at("lag_p99_ns")), nanosCell(m.BeganLate, at("began_late_ns")), nanosCell(&m.ClockBound, at("clock_bound_ns")),
			nanosCell(&m.Stall, at("stall_ns")), shareCell(m.CPU, at("cpu_share")), wordsCell(ended)})
	}
	a.table("Processes", t)
	a.add(document.List{Items: append([]string{"greatest difference between the instants at which they began, ms: " + document.Millis(of.Skew.Microseconds())}, of.Notes...)})
	if len(of.Labels) == 0 {
		return
	}
	t = document.Table{ID: "labels", Caption: "What the processes of each label came to together", Columns: []document.Column{{Title: "label", Words: true}, {Title: "processes"},
		{Title: "served/s"}, {Title: "throttled"}, {Title: "lost"}, {Title: "p50, ms"}, {Title: "p99, ms"}}}
	for i, one := range of.Labels {
		at := func(member string) string { return pointer("manifest", "fleet", "labels", i, member) }
		t.Rows = append(t.Rows, []document.Cell{wordsCell(one.Label + " " + one.Value), sourced(document.Count(int64(one.Members)), at("members"), 0),
			sourced(document.Told(one.Throughput, document.Rate), at("throughput"), 0),
			shareCell(one.Throttled, at("share_throttled")), shareCell(one.ShareLost, at("share_lost")),
			nanosCell(one.P50, at("p50_ns")), nanosCell(one.P99, at("p99_ns"))})
	}
	a.table("By label", t)
}

// nanosCell is a duration in milliseconds, or in seconds where that is said, that run.json has
// in nanoseconds.
func nanosCell[T ~int64 | ~float64](nanos *T, source string) document.Cell {
	if nanos == nil {
		return sourced(untold, "", 0)
	}
	cell := millisCell(new(int64(*nanos)/1000), source)
	cell.Scale /= 1000
	return cell
}
