package logs_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/logs"
)

var begins = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// request is an entry of a log: an operation on a key at so long after the log begins.
func request(at time.Duration, operation, partition, row string, status int) accesslog.Entry {
	e := accesslog.Entry{Observed: accesslog.Observed{At: entity.TicksOf(begins.Add(at)), Operation: operation, Status: status, EndToEnd: 12 * time.Millisecond,
		Server: 5 * time.Millisecond, RequestID: fmt.Sprintf("%d-%s-%s", at, partition, row), RequestBytes: 900, ResponseBytes: 1000,
		ClientRequestID: fmt.Sprintf("c-%d-%s-%s", at, partition, row)}, Account: "races", Index: 0, RequestHeader: -1, ResponseHeader: -1, ContentLength: 900}
	e.StatusText = map[int]string{503: "ThrottlingError", 500: "ServerTimeoutError"}[status]
	key := fmt.Sprintf("(PartitionKey='%s',RowKey='%s')", partition, row)
	e.URL, e.ObjectKey = "https://races.table.core.windows.net/Runners"+key, "/races/Runners"+key
	switch operation {
	case "InsertEntity":
		e.URL = "https://races.table.core.windows.net/Runners"
	case "QueryEntities":
		e.URL = "https://races.table.core.windows.net/Runners()?$filter=PartitionKey%20eq%20'" + partition + "'"
	case "EntityGroupTransaction":
		e.URL, e.ObjectKey = "https://races.table.core.windows.net/$batch", "/races/$batch"
	}
	return e
}

// write writes entries as a log, packed if its name says so, and returns its name.
func write(t *testing.T, name string, entries ...accesslog.Entry) string {
	t.Helper()
	var lines []byte
	for i := range entries {
		lines = accesslog.AppendAnalytics(lines, &entries[i])
	}
	if strings.HasSuffix(name, ".gz") {
		lines = packed(lines)
	}
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, lines, 0o644)))
	return name
}

func tell(t *testing.T, o logs.Options, paths ...string) *logs.Told {
	t.Helper()
	return tellPlan(t, logs.Plan{Reading: o}, paths...)
}

func tellPlan(t *testing.T, p logs.Plan, paths ...string) *logs.Told {
	t.Helper()
	var err error
	p.Files, err = logs.Open(paths, nil)
	require.NoError(t, err)
	told, err := logs.Examine(p)
	require.NoError(t, err)
	return told
}

// read returns the requests of a log as they are read, and what was read.
func read(t *testing.T, o logs.Options, path string) (requests []accesslog.Observed, r logs.Reading) {
	t.Helper()
	files, err := logs.Open([]string{path}, nil)
	if err == nil {
		err = logs.Read(files, o, &r, func(one *accesslog.Observed) error {
			requests = append(requests, *one)
			return nil
		})
	}
	require.NoError(t, err)
	return requests, r
}

// A log of two hours in folders, in files of which two are of the same time, lines in
// disorder, some twice: what it says is what was counted when it was made.
func TestALogSaysWhatWas(t *testing.T) {
	t.Chdir(t.TempDir())
	chance := rand.New(rand.NewPCG(1, 2))
	type count struct{ requests, throttled, entities int64 }
	counts, seconds := map[string]*count{}, map[string]map[int64]int64{}
	files := map[string][]accesslog.Entry{}
	doubled := 0
	for i := range 6000 {
		at := time.Duration(i)*2*time.Millisecond + time.Duration(i/3000)*time.Hour
		partition := fmt.Sprintf("p%d", min(chance.IntN(12), chance.IntN(12)))
		status := 201
		if chance.IntN(10) == 0 {
			status = 503
		}
		e := request(at, "InsertEntity", partition, fmt.Sprint(i), status)
		name := fmt.Sprintf("table/2026/11/22/1%d00/00000%d.log", i/3000, chance.IntN(2))
		if chance.IntN(2) == 0 {
			name += ".gz"
		}
		files[name] = append(files[name], e)
		if chance.IntN(50) == 0 {
			files[name] = append(files[name], e)
			doubled++
		}
		c := counts[partition]
		if c == nil {
			c, seconds[partition] = &count{}, map[int64]int64{}
			counts[partition] = c
		}
		if c.requests++; status == 503 {
			c.throttled++
			continue
		}
		c.entities++
		seconds[partition][int64((at+12*time.Millisecond)/time.Second)]++
	}
	for name, entries := range files {
		for i := range entries { // within a minute of their place
			j := min(len(entries)-1, i+chance.IntN(20))
			entries[i], entries[j] = entries[j], entries[i]
		}
		write(t, name, entries...)
	}
	told := tell(t, logs.Options{}, "table")
	r := told.Reading
	if r.Lines != int64(6000+doubled) || r.Doubled != int64(doubled) || r.Late != 0 || len(r.Gaps) != 1 || !r.Genuine || r.Files != int64(len(files)) {
		t.Errorf("read %+v; want %d lines, %d of them twice, one gap", r, 6000+doubled, doubled)
	}
	seen := told.Record.Capture
	require.Truef(t, len(seen.Partitions) == len(counts) && seen.Requests == 6000,
		"%d partitions, %d requests; want %d, 6000", len(seen.Partitions), seen.Requests, len(counts))
	for _, one := range seen.Partitions {
		c, busiest := counts[one.PartitionKey], int64(0)
		for _, n := range seconds[one.PartitionKey] {
			busiest = max(busiest, n)
		}
		if one.Requests != c.requests || one.Throttled != c.throttled || one.Entities != c.entities || one.Busiest != busiest || one.Table != "Runners" {
			t.Errorf("%s: %+v; want %+v, the busiest second %d", one.PartitionKey, one, *c, busiest)
		}
	}
	throttled := told.Latency["InsertEntity"].Throttled
	assert.Truef(t, seen.Billed == 6000-throttled, "%d billed of 6000, of which %d throttled", seen.Billed, throttled)
	p50, _ := told.Latency["InsertEntity"].Server.Quantile(.5)
	assert.InDelta(t, 5000, p50, 500, "the server's median in µs")
}

// Of drawn logs latencies are those of the lines that have a duration, unknown if none has, and 0 only where a line
// says so. All requests are counted.
func TestDurationsThatAreUnknown(t *testing.T) {
	for n := range resultstest.Cases(6, 30) {
		chance := rand.New(rand.NewPCG(uint64(n), 83))
		missing, counts := []float64{0, 1, chance.Float64()}[n%3], map[string]int64{}
		text := "time,operation,PartitionKey,RowKey,status,duration_ms\n"
		for i := range 200 {
			status, duration := []int{201, 503}[chance.IntN(2)], ""
			kind := []string{"service of ok", "service of throttled"}[status/503]
			if chance.Float64() >= missing {
				duration = fmt.Sprint(chance.IntN(3))
				counts[kind]++
			}
			if status == 201 {
				counts["succeeded"]++
				if duration != "" {
					counts["response"]++
				}
			}
			text += fmt.Sprintf("%s,insert,k%d,%d,%d,%s\n", begins.Add(time.Duration(i)*50*time.Millisecond).Format(time.RFC3339Nano), i%3, i, status, duration)
		}
		name := filepath.Join(t.TempDir(), "own.csv")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		told := tell(t, logs.Options{}, name)
		sum := told.Record.Total(results.Reported)
		got := map[string]int64{"service of ok": sum.Service[results.Ok].Count(), "service of throttled": sum.Service[results.Throttled].Count(),
			"succeeded": sum.Succeeded, "response": sum.Response.Count()}
		for kind, count := range got {
			assert.Equalf(t, counts[kind], count, "case %d: %s", n, kind)
		}
		assert.EqualValues(t, 200, sum.Attempts)
		assert.Equal(t, results.Valid, told.Record.Validity, told.Record.Reasons)
		switch missing {
		case 0:
			assert.NotNilf(t, told.Record.Summary.Response.P50, "case %d: the median", n)
		case 1:
			assert.Nilf(t, told.Record.Summary.Response.P50, "case %d: the median", n)
			assert.NotRegexpf(t, `"p[0-9]+": [0-9]`, printed(t, told, "json"), "case %d", n)
		}
	}
}

func TestLinesThatComeTooLate(t *testing.T) {
	t.Chdir(t.TempDir())
	var entries []accesslog.Entry
	for i := range 40 {
		entries = append(entries, request(time.Duration(i+1)*time.Second, "DeleteEntity", "p", fmt.Sprint(i), 204))
	}
	entries = append(entries, request(0, "DeleteEntity", "p", "late", 204))
	told := tell(t, logs.Options{Held: 8}, write(t, "a.log", entries...))
	assert.Truef(t, told.Reading.Late == 1 && told.Record.Capture.Requests == 41,
		"%d late of %d; want 1 of 41", told.Reading.Late, told.Record.Capture.Requests)
	whole := tell(t, logs.Options{}, "a.log").Reading
	assert.Truef(t, whole.Late == 0 && whole.First == entity.TicksOf(begins), "a log that is held whole: %+v", whole)
}

// The rules are those of [logs.Estimate]; the sums are made by hand.
// Two lines of other years are left out, counted and named; what is told is of the others.
func TestStrayLinesAreNamed(t *testing.T) {
	const year = 365 * 24 * time.Hour
	entries := []accesslog.Entry{request(-year, "GetEntity", "a", "1", 200)}
	for n := range 20 {
		entries = append(entries, request(time.Duration(n)*time.Second, "GetEntity", "a", fmt.Sprint(n), 200))
	}
	entries = append(entries, request(10*year, "GetEntity", "a", "1", 200))
	told := tell(t, logs.Options{}, write(t, filepath.Join(t.TempDir(), "a.log"), entries...))
	assert.EqualValues(t, 2, told.Reading.Strays)
	assert.Equal(t, []entity.Ticks{entries[0].At, entries[21].At}, told.Reading.StrayTimes)
	assert.EqualValues(t, 20, told.Record.Capture.Billed)
	assert.Len(t, told.Record.Intervals, 20)
	assert.Contains(t, printed(t, told, "text"), "2 lines dropped")
	assert.Contains(t, printed(t, told, "json"), `"lines_stray": 2`)
	// Of four only three are named.
	entries = append(entries, request(11*year, "GetEntity", "a", "1", 200), request(12*year, "GetEntity", "a", "1", 200))
	told = tell(t, logs.Options{}, write(t, filepath.Join(t.TempDir(), "a.log"), entries...))
	assert.EqualValues(t, 4, told.Reading.Strays)
	assert.Contains(t, printed(t, told, "text"), stray(told.Reading.StrayTimes[2])+", …")
}

func stray(at entity.Ticks) string { return at.Time().Format(time.DateTime) }

// A day between two lines takes no memory: its seconds are not in the record.
func TestIdleTimeIsLeftOut(t *testing.T) {
	const day = 24 * time.Hour
	told := tell(t, logs.Options{}, write(t, filepath.Join(t.TempDir(), "a.log"),
		request(0, "GetEntity", "a", "1", 200), request(day, "GetEntity", "a", "2", 200)))
	assert.Len(t, told.Record.Intervals, 2) // the first is of a minute
	assert.Greater(t, told.Record.IdleSeconds(), int64(day/time.Second)-61)
	assert.Equal(t, results.Valid, told.Record.Validity)
}

func TestWhatIsEstimated(t *testing.T) {
	t.Chdir(t.TempDir())
	insert := request(0, "InsertEntity", "p", "1", 201) // a body of 900 bytes
	get := request(1, "QueryEntity", "p", "1", 200)     // a reply of 1,000
	batch := request(2, "EntityGroupTransaction", "", "", 202)
	batch.RequestBytes = 200 + 7*(900+400)
	scan := request(3, "QueryEntities", "p", "", 200)
	scan.ResponseBytes = 25_300
	for _, row := range []struct {
		sentence string
		estimate logs.Estimate
		want     int64
	}{
		{"an insert, a get, seven of a transaction and 25 of a query", logs.Estimate{}, 1 + 1 + 7 + 25},
		{"what is said goes before", logs.Estimate{Transaction: 20, Entity: 5060}, 1 + 1 + 20 + 5},
	} {
		told := tell(t, logs.Options{Estimate: row.estimate}, write(t, "a.log", insert, get, batch, scan))
		assert.Equal(t, row.want, told.Record.Capture.Entities, row.sentence)
		assert.Containsf(t, printed(t, told, report.FormText), "1 transaction without a partition", "%s: a transaction has no key", row.sentence)
	}
}

func printed(t *testing.T, told *logs.Told, form string) string {
	t.Helper()
	var into bytes.Buffer
	require.NoError(t, told.Print(&into, form, text.Look{Verbose: true, Columns: 160}))
	return into.String()
}

// With a hash in its place no key of the log is left anywhere, and the hottest is as hot.
func TestHashedKeysLeaveNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	var entries []accesslog.Entry
	for i := range 100 {
		entries = append(entries, request(time.Duration(i)*time.Millisecond, "InsertEntity", fmt.Sprint("patient-", i%3/2), fmt.Sprint("row-", i), 201))
	}
	name := write(t, "a.log", entries...)
	told := tellPlan(t, logs.Plan{Reading: logs.Options{Hash: logs.Hashing([]byte("salt"))}, Out: "kept"}, name)
	require.NoError(t, report.Illustrate(told.Folder, told.Record))
	plain := tell(t, logs.Options{}, name)
	assert.Equal(t, plain.Record.Capture.Partitions[0].Requests, told.Record.Capture.Partitions[0].Requests, "the hottest")
	for _, form := range report.PrintForms() {
		said := printed(t, told, form)
		assert.Truef(t, !strings.Contains(said, "patient") && !strings.Contains(said, "row-"), "%s: a key is in it", form)
		assert.Containsf(t, printed(t, plain, form), "patient-0", "%s: the hottest partition is not in it", form)
	}
	kept, err := os.ReadDir("kept")
	require.Truef(t, err == nil && len(kept) >= 3, "kept %v, %v", kept, err)
	for _, one := range kept {
		held, err := os.ReadFile(filepath.Join("kept", one.Name()))
		assert.Falsef(t, err != nil || bytes.Contains(held, []byte("patient")), "%s holds a key of the log, %v", one.Name(), err)
	}
	assert.True(t, logs.IsRecord("kept") && !logs.IsRecord("a.log"), "a record is one, and a log is none")
}

// A record that is kept is one like any other, and else nothing of a log is left behind that
// nobody asked for.
func TestAKeptRecordIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	told := tellPlan(t, logs.Plan{Out: "kept"}, write(t, "a.log", request(0, "InsertEntity", "p", "1", 201)))
	again, err := report.Read(results.Dir("kept"))
	assert.Truef(t, err == nil && again.Summary.Verdict == told.Record.Summary.Verdict, "read again: %v", err)
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	assert.Truef(t, err == nil && len(left) == 0, "left %v, %v", left, err)
}

// A stream is a kind of request on a partition: asked times a second, of which so many are served.
type stream struct {
	operation, partition string
	asked, served        int
}

// What is limited: a partition, one group of its operations, or several partitions together.
func TestLimitsOfALog(t *testing.T) {
	for _, row := range []struct {
		name          string
		streams       []stream
		saturation    float64
		limited, free string
		together      int
	}{
		{"writes alone are limited", []stream{{"QueryEntity", "p", 483, 483}, {"UpdateEntity", "p", 150, 75}}, 75, "PUT", "GET", 0},
		{"writes alone, among many reads", []stream{{"QueryEntity", "p", 1500, 1500}, {"UpdateEntity", "p", 40, 30}}, 30, "PUT", "GET", 0},
		{"reads alone are limited", []stream{{"QueryEntity", "p", 300, 100}, {"UpdateEntity", "p", 200, 200}}, 100, "GET", "PUT", 0},
		{"one limit for both", []stream{{"QueryEntity", "p", 400, 200}, {"UpdateEntity", "p", 200, 100}}, 300, "", "", 0},
		{"writes, and too few reads to tell", []stream{{"QueryEntity", "p", 1, 1}, {"UpdateEntity", "p", 150, 75}}, 76, "", "", 0},
		{"writes, and no reads", []stream{{"UpdateEntity", "p", 150, 75}}, 75, "", "", 0},
		{"two keys share a limit", []stream{{"UpdateEntity", "p", 400, 210}, {"UpdateEntity", "q", 380, 190}}, 210, "", "", 1},
		{"the neighbour is not throttled", []stream{{"UpdateEntity", "p", 400, 210}, {"UpdateEntity", "q", 380, 380}}, 210, "", "", 0},
	} {
		var entries []accesslog.Entry
		for second := range 6 {
			for _, s := range row.streams {
				for i := range s.asked {
					status := 204
					if (i+1)*s.served/s.asked == i*s.served/s.asked {
						status = 503
					}
					at := time.Duration(second)*time.Second + time.Duration(i)*900*time.Millisecond/time.Duration(s.asked)
					entries = append(entries, request(at, s.operation, s.partition, fmt.Sprint(s.operation, i), status))
				}
			}
		}
		slices.SortStableFunc(entries, func(a, b accesslog.Entry) int { return int(a.At - b.At) })
		told := tell(t, logs.Options{}, write(t, filepath.Join(t.TempDir(), "table.log"), entries...))
		hot := told.Record.Capture.Partitions[slices.IndexFunc(told.Record.Capture.Partitions, func(p results.ObservedPartition) bool { return p.PartitionKey == "p" })]
		assert.Truef(t, hot.Saturation != nil && math.Abs(*hot.Saturation-row.saturation) <= .03*row.saturation,
			"%s: saturation %v (%s); want %v", row.name, hot.SaturationInterval, hot.SaturationWhy, row.saturation)
		assert.Truef(t, hot.Limited == row.limited && hot.Free == row.free && hot.Together == row.together,
			"%s: limited %q, free %q, %d together; want %q, %q, %d", row.name, hot.Limited, hot.Free, hot.Together, row.limited, row.free, row.together)
		answer := told.Document().Answer
		if row.limited != "" {
			assert.Regexp(t, fmt.Sprintf("%s .*at %v .*%s is not", row.limited, row.saturation, row.free), answer.Sentences(), row.name)
		}
		advises := strings.Contains(told.Record.Summary.Verdict, "at least 2 partitions")
		assert.Equalf(t, row.limited == "" && row.together == 0, advises, "%s: more partitions are advised", row.name)
	}
}

func packed(text []byte) []byte {
	var into bytes.Buffer
	w := gzip.NewWriter(&into)
	_, _ = w.Write(text)
	_ = w.Close()
	return into.Bytes()
}

// A third of all attempts throttled, at any rate, shows no limit: the answer names what cannot
// be told, and says why. Of too few seconds docs/your-log.md shows it.
func TestNoLimitToTell(t *testing.T) {
	var entries []accesslog.Entry
	for i := range 3000 {
		status := 201
		if i >= 1000 && i%3 == 0 {
			status = 503
		}
		entries = append(entries, request(time.Duration(i)*time.Millisecond, "InsertEntity", "2026", fmt.Sprint(i), status))
	}
	a := tell(t, logs.Options{}, write(t, t.TempDir()+"/table.log", entries...)).Document().Answer
	assert.Equal(t, results.CannotTell, a.State)
	assert.Contains(t, strings.Join(a.Says, "\n"), `PartitionKey, "2026"`)
	assert.Contains(t, strings.Join(a.Says, "\n"), "sporadic")
}

func TestLinesOfAWholeSecondOrMinuteAreSpreadOverIt(t *testing.T) {
	const s, ms, m = time.Second, time.Millisecond, time.Minute
	for _, row := range []struct {
		name     string
		held     int
		at, want []time.Duration
		over     time.Duration
	}{
		{"seconds", 0, []time.Duration{s, s, 2 * s, 2 * s, 2 * s, 2 * s}, []time.Duration{s, 1500 * ms, 2 * s, 2250 * ms, 2500 * ms, 2750 * ms}, s},
		{"more of a second than wait at a time", 2, []time.Duration{s, s, s, s, s, 2 * s, 2 * s, 3 * s},
			[]time.Duration{s, 1200 * ms, 1400 * ms, 1600 * ms, 1800 * ms, 2 * s, 2500 * ms, 3 * s}, s},
		{"minutes", 0, []time.Duration{0, 0, m, m, m}, []time.Duration{0, 30 * s, m, m + 20*s, m + 40*s}, m},
		{"a fraction in the last line", 0, []time.Duration{0, 0, s, s, s + ms}, []time.Duration{0, 0, s, s, s + ms}, 0},
		{"none twice", 0, []time.Duration{0, s, 3 * s}, []time.Duration{0, s, 3 * s}, 0},
	} {
		t.Chdir(t.TempDir())
		var entries []accesslog.Entry
		for n, at := range row.at {
			entries = append(entries, request(at, "InsertEntity", "k", fmt.Sprint(n), 201))
			entries[n].RequestID = fmt.Sprint(n)
		}
		kept, reading := read(t, logs.Options{Held: row.held}, write(t, "log", entries...))
		var got []time.Duration
		for i := range kept {
			got = append(got, kept[i].At.Time().Sub(begins))
		}
		assert.Equal(t, row.want, got, row.name)
		assert.Truef(t, reading.SpreadOver == row.over && reading.Late == 0,
			"%s: spread over %v, %d late", row.name, reading.SpreadOver, reading.Late)
	}
}
