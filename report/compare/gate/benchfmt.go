package gate

import (
	"io"
	"strconv"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/export"
	"loadgen/results/figure"
)

// benchfmt prints results in the format of Go's benchmarks, with the setting build=A or B,
// for `benchstat -col build`. Each live run is a line with its metrics or, without
// [Result.Trials], each side with its medians. In virtual time each differing number is a
// line per side.
func benchfmt(w io.Writer, list []Result) error {
	var b export.BenchmarkText
	for i := range list {
		r := &list[i]
		addLive(&b, r)
		if r.Difference == nil {
			continue
		}
		for _, side := range []compare.Side{compare.A, compare.B} {
			for _, e := range r.Difference.Entries {
				text := e.Was
				if side == compare.B {
					text = e.Is
				}
				if value, err := strconv.ParseFloat(text, 64); err == nil && e.Change != nil {
					b.Set("build", side.String())
					b.Add("scenario="+export.Word(r.Scenario)+"/value="+export.Word(e.Path), export.Measured{Value: value, Unit: "value"})
				}
			}
		}
	}
	return b.Write(w)
}

// addLive adds the judged runs in their order, or the medians of both sides.
func addLive(b *export.BenchmarkText, r *Result) {
	if r.Judgement == nil {
		return
	}
	trials, medians := r.Trials, len(r.Trials) == 0
	for i := 0; medians && i < len(r.Judgement.Findings); i++ {
		f := &r.Judgement.Findings[i]
		trials = append(trials, compare.Trial{Metric: compare.Metric{Name: f.Metric}, Pairs: []compare.Pair{{A: f.A, B: f.B}}})
	}
	if len(trials) == 0 {
		return
	}
	for i := range trials {
		// Findings have no direction; that of times is known.
		if unit, _, time := unitOf(trials[i].Metric.Name); !medians || time {
			b.Better(unit, trials[i].Metric.Higher)
		}
	}
	for _, slot := range compare.Order(len(trials[0].Pairs)) {
		// A line per operation or phase: p99(get) and p99(put) are two benchmarks in one unit.
		var names []string
		lines := make(map[string][]export.Measured)
		for i := range trials {
			if slot.Pair >= len(trials[i].Pairs) {
				continue
			}
			value := trials[i].Pairs[slot.Pair].A
			if slot.Side == compare.B {
				value = trials[i].Pairs[slot.Pair].B
			}
			unit, argument, _ := unitOf(trials[i].Metric.Name)
			name := "scenario=" + export.Word(r.Scenario)
			if argument != "" {
				name += "/of=" + export.Word(argument)
			}
			if lines[name] == nil {
				names = append(names, name)
			}
			lines[name] = append(lines[name], export.Measured{Value: value, Unit: unit})
		}
		b.Set("build", slot.Side.String())
		for _, name := range names {
			b.Add(name, lines[name]...)
		}
	}
}

// unitOf returns the unit and the argument of a metric such as p99(get), and whether it is a
// time, in nanoseconds.
func unitOf(metric string) (unit, argument string, time bool) {
	name, argument, _ := strings.Cut(strings.TrimSuffix(metric, ")"), "(")
	unit = export.Word(name)
	if d, _ := figure.Find(strings.TrimSpace(name)); d.Times != "" {
		time = true
		unit += "-ns"
	}
	return unit, argument, time
}
