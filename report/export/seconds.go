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

// SecondsTable writes a CSV table during a run: a row per second, the columns of
// intervals.ndjson under their names there, then those of each kind of operation, such as
// throttled(get). Entities count by the documented rule. Times are in microseconds, and
// empty if too few operations ended. A killed run leaves complete rows. It is not safe for
// concurrent use.
type SecondsTable struct {
	rows
	begun time.Time
	kinds int
	// live tables have columns that are not in a record; sums adds a column for the seconds per row.
	live, sums bool
}

// NewSecondsTable writes the head of a run's table.
func NewSecondsTable(w io.Writer, m *results.Manifest) *SecondsTable {
	return secondsTable(w, m, true, false)
}

func secondsTable(w io.Writer, m *results.Manifest, live, sums bool) *SecondsTable {
	t := &SecondsTable{rows: rows{to: w}, begun: m.Started.UTC(), kinds: len(m.Operations), live: live, sums: sums}
	head := []string{"second", "time", "phase", "scheduled", "sent", "late", "dropped", "in_flight", "operations", "succeeded",
		"attempts", "ok", "throttled", "failed"}
	if live {
		head = append(head, "retries")
	}
	head = append(head, "offered_entities", "served_entities", "returned_entities", "response_p50_us", "response_p90_us",
		"response_p99_us", "response_max_us", "service_p50_us", "service_p99_us", "lag_p99_us")
	for _, name := range namesOf(m.Operations, Word) {
		for _, column := range []string{"attempts", "ok", "throttled", "failed", "served_entities"} {
			head = append(head, column+"("+name+")")
		}
		if live {
			for _, column := range []string{"retries", "succeeded", "response_p50_us", "response_p99_us", "response_max_us"} {
				head = append(head, column+"("+name+")")
			}
		}
	}
	if sums {
		head = append(head, "seconds")
	}
	t.write(csvLine(head))
	return t
}

// Second writes the row of a second, with response times by kind of operation if the table is live.
func (t *SecondsTable) Second(i *results.Interval, response []*results.Histogram) {
	begins := t.begun.Add(time.Duration(i.Second) * time.Second)
	phase := short(i.Phase)
	if phase != "" && strings.ContainsRune("=+-@", rune(phase[0])) {
		// Spreadsheets would evaluate a formula.
		phase = "'" + phase
	}
	values := []any{i.Second, begins.Format("2006-01-02T15:04:05.000Z07:00"), phase, i.Scheduled, i.Sent, i.Late, i.Dropped, i.InFlight,
		i.Operations, i.Succeeded, i.Attempts, i.Ok, i.Throttled, i.Failed}
	if t.live {
		values = append(values, i.Retries)
	}
	values = append(values, i.Offered, i.Served, i.Returned, i.Response.P50, i.Response.P90, i.Response.P99, i.Response.Max,
		i.Service.P50, i.Service.P99, i.Lag.P99)
	for k := range i.Kinds {
		kind := &i.Kinds[k]
		values = append(values, kind.Attempts, kind.Ok, kind.Throttled, kind.Failed, kind.Served)
		if t.live {
			times := results.QuantilesOf(response[k])
			values = append(values, kind.Retries, response[k].Count(), times.P50, times.P99, times.Max)
		}
	}
	if t.sums {
		values = append(values, i.Seconds())
	}
	row := make([]string, len(values))
	for at, value := range values {
		if number, is := value.(*int64); !is {
			row[at] = fmt.Sprint(value)
		} else if number != nil {
			row[at] = strconv.FormatInt(*number, 10)
		}
	}
	t.write(csvLine(row))
}

// Seconds writes the [SecondsTable] of a stored run, without retries and times by kind of
// operation, which records do not have. Rows of long records cover several seconds; their
// number is the last column.
func Seconds(w io.Writer, record *results.Record, _ *results.Summary) error {
	var text bytes.Buffer
	sums := slices.ContainsFunc(record.Intervals, func(i results.Interval) bool { return i.Sum != nil })
	t := secondsTable(&text, &record.Manifest, false, sums)
	for i := range record.Intervals {
		t.Second(&record.Intervals[i], nil)
	}
	if _, err := w.Write(text.Bytes()); err != nil {
		return fmt.Errorf("export: writing the seconds: %w", err)
	}
	return nil
}

// rows writes complete rows until a write fails, and keeps the error.
type rows struct {
	to      io.Writer
	failure error
}

// Err returns the first error of a write.
func (r *rows) Err() error { return r.failure }

func (r *rows) write(text []byte) {
	if r.failure == nil && len(text) > 0 {
		_, r.failure = r.to.Write(text)
	}
}

// csvLine returns a line of CSV.
func csvLine(fields []string) []byte {
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	// Writing to a buffer cannot fail.
	_ = w.Write(fields)
	w.Flush()
	return text.Bytes()
}
