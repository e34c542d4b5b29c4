package verdict_test

import (
	"testing"

	"loadgen/report/verdict"
	"loadgen/results/expectation"
)

// The figure of a record is what a claim on it observes.
func TestFigure(t *testing.T) {
	record := kept()
	record.Summary = verdict.Judge(record)
	for _, row := range []struct {
		name, metric string
		low, high    float64
	}{
		{"a time", "p50(get)", 1e6, 1e10},
		{"a rate", "served", 1, 1000},
		{"a count, as its share", "refused", 0.0001, 1},
	} {
		m, err := expectation.ParseMetric(row.metric)
		if err != nil {
			t.Fatal(err)
		}
		if got, told := verdict.FigureOf(record, m.Figure, m.Unit); !told || got < row.low || got > row.high {
			t.Errorf("%s: Figure(%s) = %v, %t; want one from %v to %v", row.name, row.metric, got, told, row.low, row.high)
		}
	}
	for _, text := range []string{"p99.9", "p99(nobody)", "served(nowhere)"} {
		m, err := expectation.ParseMetric(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, told := verdict.FigureOf(record, m.Figure, m.Unit); told {
			t.Errorf("Figure(%s) = %v; want none, for the record cannot tell", text, got)
		}
	}
}

// A figure is what the summary says, in its own unit, and none that is not there.
func TestFigureInItsOwnUnit(t *testing.T) {
	record := stress().record(t)
	record.Summary = verdict.Judge(record)
	for _, row := range []struct {
		text string
		want float64
		told bool
	}{
		{"p50(get)", float64(*record.Summary.PerOperation["get"].Response.P50) * 1000, true},
		{"saturation", *record.Summary.Saturation, true},
		{"served", 1500, true},
		{"p50(nobody)", 0, false},
		{"doubled", 0, false},
	} {
		f, err := expectation.ParseFigure(row.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, told := verdict.FigureOf(record, f, f.Unit()); got != row.want || told != row.told {
			t.Errorf("Figure(%s) = %v, %v; want %v, %v", row.text, got, told, row.want, row.told)
		}
	}
}
