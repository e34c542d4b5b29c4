package export_test

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/export"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// listened plays a run of which an interval log and a table are written meanwhile.
func listened(t *testing.T, r run) (record *results.Record, log, table string) {
	t.Helper()
	var lines, rows strings.Builder
	var ofLog *export.IntervalLog
	var ofTable *export.SecondsTable
	r.listens = func(m *results.Manifest) results.Listener {
		ofLog, ofTable = export.NewIntervalLog(&lines, m), export.NewSecondsTable(&rows, m)
		return func(second *results.Interval, response []*results.Histogram) {
			ofLog.Second(second, response)
			ofTable.Second(second, response)
		}
	}
	record = r.record(t)
	require.Truef(t, ofLog.Err() == nil && ofTable.Err() == nil,
		"writing the log: %v, the table: %v", ofLog.Err(), ofTable.Err())
	return record, lines.String(), rows.String()
}

// What the public reader finds of a tag in all seconds together is the record's histogram of
// that operation in all phases, bar by bar, and each line is of the second that it says.
func TestIntervalLogSumsToTheRecord(t *testing.T) {
	slow := race()
	slow.tail, slow.each = 90*time.Second, 400
	hostile := race()
	hostile.names = [3]string{"a,b", "a b", "#[BaseTime: 7 (seconds"}
	for name, r := range map[string]run{"a race": race(), "operations that take a minute and a half": slow, "names of anything": hostile} {
		record, log, _ := listened(t, r)
		begun := record.Manifest.Started.UnixMilli()
		whole, order := map[string]*hdrhistogram.Histogram{}, []string{}
		bySecond := map[int64]int64{}
		for i, h := range readLog(t, log) {
			from := h.StartTimeMs() - begun
			assert.Truef(t, from%1000 <= 1 && h.EndTimeMs()-h.StartTimeMs() == 1000,
				"%s: line %d is of %d to %d ms; want a whole second", name, i, from, h.EndTimeMs()-begun)
			bySecond[(from+1)/1000] += h.TotalCount()
			if whole[h.Tag()] == nil {
				whole[h.Tag()] = hdrhistogram.New(1, int64(time.Hour/time.Microsecond), 3)
				order = append(order, h.Tag())
			}
			whole[h.Tag()].Merge(h)
		}
		require.Lenf(t, order, 3, "%s: the tags are %q", name, order)
		for k, tag := range order {
			sum := record.Total(func(_ *results.Phase, kind results.Kind) bool { return kind == record.Manifest.Operations[k] })
			var bars []results.Bar
			for _, b := range whole[tag].Distribution() {
				if b.Count > 0 {
					bars = append(bars, results.Bar{From: b.From, To: b.To, Count: b.Count})
				}
			}
			assert.Truef(t, slices.Equal(bars, sum.Response.Bars()),
				"%s: the lines of %s hold %d; the record %d, or in other buckets", name, tag, whole[tag].TotalCount(), sum.Response.Count())
		}
		for _, row := range record.Intervals {
			assert.Truef(t, bySecond[row.Second] == row.Succeeded,
				"%s: the lines of second %d hold %d; the record has %d successes", name, row.Second, bySecond[row.Second], row.Succeeded)
		}
	}
}

// cells are a table by the names of its columns.
func cells(t *testing.T, text string) (list []map[string]string) {
	t.Helper()
	rows := csv.NewReader(strings.NewReader(text))
	head, err := rows.Read()
	require.NoError(t, err)
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return list
		}
		require.NoError(t, err, "the table cannot be read")
		cell := map[string]string{}
		for i, name := range head {
			_, twice := cell[name]
			require.Falsef(t, twice, "two columns are called %q", name)
			cell[name] = row[i]
		}
		list = append(list, cell)
	}
}

// sumOf is the sum of a column.
func sumOf(t *testing.T, list []map[string]string, column string) (sum int64) {
	t.Helper()
	for _, row := range list {
		n, err := strconv.ParseInt(row[column], 10, 64)
		require.NoErrorf(t, err, "%s of second %s is %q; want a count", column, row["second"], row[column])
		sum += n
	}
	return sum
}

// The columns of the table sum to the record, operation by operation, and it has a row for
// each second.
func TestSecondsTableSumsToTheRecord(t *testing.T) {
	record, _, table := listened(t, race())
	rows := cells(t, table)
	require.Truef(t, len(rows) == len(record.Intervals),
		"the table has %d rows; the record %d seconds", len(rows), len(record.Intervals))
	all := record.Total(results.Everything)
	for column, want := range map[string]int64{"scheduled": all.Scheduled, "sent": all.Sent, "dropped": all.Dropped, "late": all.Late, "attempts": all.Attempts,
		"ok": all.Ok, "throttled": all.Throttled, "failed": all.Failed, "retries": all.Retries, "succeeded": all.Succeeded, "offered_entities": all.Offered,
		"served_entities": all.Served} {
		got := sumOf(t, rows, column)
		assert.Truef(t, got == want, "%s sums to %d; the record has %d", column, got, want)
	}
	for k, name := range []string{"load", "get", "insert_(full)"} {
		sum := record.Total(func(_ *results.Phase, kind results.Kind) bool { return kind == record.Manifest.Operations[k] })
		for column, want := range map[string]int64{"attempts": sum.Attempts, "ok": sum.Ok, "throttled": sum.Throttled, "failed": sum.Failed,
			"retries": sum.Retries, "succeeded": sum.Succeeded, "served_entities": sum.Served} {
			got := sumOf(t, rows, column+"("+name+")")
			assert.Truef(t, got == want, "%s(%s) sums to %d; the record has %d", column, name, got, want)
		}
	}
	busy := rows[3]
	assert.Truef(t, busy["time"] == "2011-11-06T09:40:03.250Z" && busy["phase"] == "peak 500/s" && busy["response_p50_us(get)"] != "" && rows[0]["response_p99_us(get)"] == "",
		"the fourth second is %v; want its time, its phase and its p50, and none where nothing ended", busy)
}

// Of a record alone the table has the same cells, without what a record does not have.
func TestSecondsOfARecord(t *testing.T) {
	r := race()
	r.phases[1] = "=cmd|' /C calc'!A0"
	record, _, table := listened(t, r)
	var kept strings.Builder
	require.NoError(t, export.Seconds(&kept, record, nil))
	live, later := cells(t, table), cells(t, kept.String())
	require.Len(t, live, len(later), "rows")
	for i := range later {
		assert.Falsef(t, strings.HasPrefix(later[i]["phase"], "="),
			"a phase is %q, which a spreadsheet computes", later[i]["phase"])
		for column, value := range later[i] {
			assert.Equalf(t, value, live[i][column], "second %d, %s", i, column)
		}
	}
	_, some := later[0]["retries"]
	assert.False(t, some, "the table of a record has retries, which no record has by the second")
	assert.Error(t, export.Seconds(resultstest.FullWriter{}, record, nil), "to a full disk: no error")
	record.Intervals[0].Sum = &results.SecondsSum{Length: 60}
	kept.Reset()
	require.NoError(t, export.Seconds(&kept, record, nil))
	assert.Regexp(t, `^second,.*,seconds\n0,.*,60\n1,.*,1\n`, kept.String(), "a row of several seconds")
}
