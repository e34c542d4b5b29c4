package report

import (
	"maps"
	"slices"
	"strings"

	"loadgen/report/document"
)

// documented is the provenance of parameters that need not be shown.
const documented = "documented"

// surroundings lists the parameters of the model that are not documented, with their provenance, and shows the build
// and the machine.
func (a *author) surroundings() {
	m := &a.Manifest
	t := a.newTable("assumptions")
	for _, parameter := range m.Model {
		if parameter.Provenance == documented {
			continue
		}
		value := parameter.Value
		// A duration has its unit in its value.
		if parameter.Unit != "" && parameter.Unit != "duration" {
			value += " " + parameter.Unit
		}
		t.Add(parameter.Name, value, parameter.Provenance, parameter.About)
	}
	if rest := len(m.Model) - len(t.Rows); rest > 0 {
		t.Notes = []string{"not shown: " + document.Counted(rest, "documented parameter") + "; run.json lists them"}
	}
	a.table(t)
	t = a.newTable("environment")
	add := func(name, value string, source document.Pointer) {
		if value != "" {
			t.Add(name, document.Sourced{Value: value, At: source})
		}
	}
	number := func(name string, n int, member string) {
		if n != 0 {
			add(name, document.Count(int64(n)), document.PointerTo("manifest", "environment", member))
		}
	}
	add("loadgen", strings.TrimSpace(m.Tool.Version+" "+m.Tool.Commit), "")
	add("built with", strings.TrimSpace(m.Tool.Go+" "+m.Tool.System), "")
	number("CPUs", m.Environment.CPUs, "cpus")
	number("GOMAXPROCS", m.Environment.GOMAXPROCS, "gomaxprocs")
	number("workers", m.Environment.Workers, "workers")
	add("scenario's SHA-256", m.Scenario.SHA256, "")
	a.table(t)
}

// fleet shows the processes that offered the load together, each with its counts, and the sums of those with a label.
func (a *author) fleet() {
	of := a.Manifest.Fleet
	if of == nil {
		return
	}
	t := a.newTable("fleet")
	for i := range of.Members {
		m := &of.Members[i]
		var labels []string
		for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
			labels = append(labels, key+"="+m.Labels[key])
		}
		ended := "whole"
		if m.Lost != "" {
			ended = "lost: " + m.Lost
		}
		t.Add(document.PointerTo("manifest", "fleet", "members", i), m.Name, strings.Join(labels, " "), m.Planned, m.Scheduled, m.Attempts, m.Throttled, m.Failed,
			m.LagP99, m.BeganLate, m.ClockBound, m.Stall, m.CPU, ended)
	}
	a.table(t)
	a.Append(document.List{Items: append([]string{"maximum difference between start times, ms: " + document.Millis(of.Skew.Microseconds())}, of.Notes...)})
	if len(of.Labels) == 0 {
		return
	}
	t = a.newTable("labels")
	for i, one := range of.Labels {
		t.Add(document.PointerTo("manifest", "fleet", "labels", i), one.Label+" "+one.Value, one.Members, one.Throughput, one.Throttled, one.ShareLost, one.P50, one.P99)
	}
	a.table(t)
}
