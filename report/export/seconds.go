package export

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/results"
)

// SecondsTable writes a table in CSV while a run goes on: a row a second, a column for each
// count of intervals.ndjson under its name there, then those of each kind of operation, as in
// throttled(get). Counts are of the second, so that they are rates too; entities count by the
// documented rule; times are in microseconds, and empty where too few operations ended to
// tell. Rows are written whole: a run that is killed leaves a table that ends earlier. It
// belongs to one goroutine.
type SecondsTable struct {
	rows
	begun time.Time
	kinds int
	// heard says that there are columns for what a record alone does not have, sums that there is one for the number of
	// seconds of a row.
	heard, sums bool
}

// NewSecondsTable writes the headings of a run's table.
func NewSecondsTable(w io.Writer, m *results.Manifest) *SecondsTable {
	return secondsTable(w, m, true, false)
}

func secondsTable(w io.Writer, m *results.Manifest, heard, sums bool) *SecondsTable {
	t := &SecondsTable{rows: rows{to: w}, begun: m.Started.UTC(), kinds: len(m.Operations), heard: heard, sums: sums}
	head := []string{"second", "time", "phase", "scheduled", "sent", "late", "dropped", "in_flight", "operations", "succeeded",
		"attempts", "ok", "throttled", "failed"}
	if heard {
		head = append(head, "retries")
	}
	head = append(head, "offered_entities", "served_entities", "returned_entities", "response_p50_us", "response_p90_us",
		"response_p99_us", "response_max_us", "service_p50_us", "service_p99_us", "lag_p99_us")
	for _, name := range namesOf(m.Operations, Word) {
		for _, column := range []string{"attempts", "ok", "throttled", "failed", "served_entities"} {
			head = append(head, column+"("+name+")")
		}
		if heard {
			for _, column := range []string{"retries", "succeeded", "response_p50_us", "response_p99_us", "response_max_us"} {
				head = append(head, column+"("+name+")")
			}
		}
	}
	if sums {
		head = append(head, "seconds")
	}
	t.fields(head)
	return t
}

// Second writes the row of a second. Response has the times of each kind of operation, nil for a run that is kept.
func (t *SecondsTable) Second(i *results.Interval, response []*results.Histogram) {
	count := func(list ...int64) (row []string) {
		for _, n := range list {
			row = append(row, strconv.FormatInt(n, 10))
		}
		return row
	}
	begins := t.begun.Add(time.Duration(i.Second) * time.Second)
	phase := short(i.Phase)
	if phase != "" && strings.ContainsRune("=+-@", rune(phase[0])) {
		// No spreadsheet takes this for a formula.
		phase = "'" + phase
	}
	row := []string{strconv.FormatInt(i.Second, 10), begins.Format("2006-01-02T15:04:05.000Z07:00"), phase}
	row = append(row, count(i.Scheduled, i.Sent, i.Late, i.Dropped, i.InFlight, i.Operations, i.Succeeded, i.Attempts, i.Ok, i.Throttled, i.Failed)...)
	if t.heard {
		row = append(row, count(i.Retries)...)
	}
	row = append(row, count(i.Offered, i.Served, i.Returned)...)
	row = append(row, numberCells(i.Response.P50, i.Response.P90, i.Response.P99, i.Response.Max, i.Service.P50, i.Service.P99, i.Lag.P99)...)
	for k := range i.Kinds {
		of := &i.Kinds[k]
		row = append(row, count(of.Attempts, of.Ok, of.Throttled, of.Failed, of.Served)...)
		if t.heard {
			times := results.QuantilesOf(response[k])
			row = append(row, count(of.Retries, response[k].Count())...)
			row = append(row, numberCells(times.P50, times.P99, times.Max)...)
		}
	}
	if t.sums {
		row = append(row, count(i.Seconds())...)
	}
	t.fields(row)
}

// numberCells returns numbers as text, empty for an unknown one.
func numberCells(list ...*int64) (row []string) {
	for _, n := range list {
		text := ""
		if n != nil {
			text = strconv.FormatInt(*n, 10)
		}
		row = append(row, text)
	}
	return row
}

// Seconds writes the table of [SecondsTable] of a run that is kept, with what the record has
// of each second: neither retries nor times of each kind of operation. The summary is not
// looked at. A row of a long record is of several seconds, whose number is in a last column. Its error is the writer's,
// wrapped.
func Seconds(w io.Writer, record *results.Record, _ *results.Summary) error {
	var text bytes.Buffer
	sums := slices.ContainsFunc(record.Intervals, func(i results.Interval) bool { return i.Sum != nil })
	t := secondsTable(&text, &record.Manifest, false, sums)
	for i := range record.Intervals {
		t.Second(&record.Intervals[i], nil)
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return fmt.Errorf("exchange: writing the seconds: %w", err)
	}
	return nil
}

// rows are written whole, until one cannot be: the error is kept.
type rows struct {
	to      io.Writer
	failure error
}

// Err returns the first error of a write, nil where there was none.
func (r *rows) Err() error { return r.failure }

func (r *rows) write(text []byte) {
	if r.failure == nil && len(text) > 0 {
		_, r.failure = r.to.Write(text)
	}
}

func (r *rows) fields(list []string) {
	var text bytes.Buffer
	line := csv.NewWriter(&text)
	// Neither fails on a buffer.
	_ = line.Write(list)
	line.Flush()
	r.write(text.Bytes())
}
