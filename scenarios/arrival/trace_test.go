package arrival_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios/arrival"
)

var traceNames = map[string]int{"get": 0, "pay": 1}

func traced(t testing.TB, text string) *arrival.Trace {
	t.Helper()
	trace, err := arrival.ReadTrace(strings.NewReader(text), arrival.TraceOptions{File: "t.csv", Operations: traceNames})
	require.NoErrorf(t, err, "ReadTrace(%q)", text)
	return trace
}

// drawTrace writes a trace and reads it.
func drawTrace(t *testing.T, rng *rand.Rand) (string, arrival.Schedule) {
	var text strings.Builder
	at := time.Duration(0)
	for range 1 + rng.IntN(50) {
		at += time.Duration(rng.Int64N(int64(time.Second)))
		fmt.Fprintf(&text, "%.9f\n", at.Seconds())
	}
	return "ReadTrace", traced(t, text.String())
}

func TestReadTrace(t *testing.T) {
	for _, test := range []struct {
		name, text string
		at         []time.Duration
		rows       []arrival.Row
	}{
		{"seconds, counted from the first", "10.5\n10.5\n12\n", []time.Duration{0, 0, 1500 * time.Millisecond}, nil},
		{"nine decimals are nanoseconds", "0\n0.000000001\n0.10\n", []time.Duration{0, 1, 100 * time.Millisecond}, nil},
		{"durations", "1ms\n1m\n", []time.Duration{0, 59999 * time.Millisecond}, nil},
		{"times, in any zone", "2026-01-02T15:04:05Z\n2026-01-02T16:04:05.25+01:00\n", []time.Duration{0, 250 * time.Millisecond}, nil},
		{"a header, a mark of order and carriage returns", "\uFEFFinstant\r\n1\r\n2\r\n", []time.Duration{0, time.Second}, nil},
		{"a last line without an end", "1\n2", []time.Duration{0, time.Second}, nil},
		{"empty lines are no rows", "0\n\n1\n\n", []time.Duration{0, time.Second}, nil},
		{"semicolons, and marks behind backslashes", "instant;operation;PartitionKey;RowKey\n0;get;\"a;\\\"b\\\" c\";d\n", []time.Duration{0},
			[]arrival.Row{{0, entity.Key{Partition: `a;"b" c`, Row: "d"}}}},
		{"operations and keys", "instant,operation,PartitionKey,RowKey\n0,get,NYC,1\n0.5,pay,,\n",
			[]time.Duration{0, 500 * time.Millisecond},
			[]arrival.Row{{0, entity.Key{Partition: "NYC", Row: "1"}}, {1, entity.Key{}}}},
		{"quoted fields", `"0",get,"New York, NY","a ""b"""` + "\n1,pay,Zoë,🏃\n", []time.Duration{0, time.Second},
			[]arrival.Row{{0, entity.Key{Partition: "New York, NY", Row: `a "b"`}}, {1, entity.Key{Partition: "Zoë", Row: "🏃"}}}},
	} {
		trace := traced(t, test.text)
		if trace.Len() != uint64(len(test.at)) || trace.Keyed() != (test.rows != nil) || trace.Length() != test.at[len(test.at)-1]+1 {
			t.Fatalf("%s: ReadTrace has %d rows, keyed %t, length %v; want %d, %t, and just over %v", test.name,
				trace.Len(), trace.Keyed(), trace.Length(), len(test.at), test.rows != nil, test.at[len(test.at)-1])
		}
		for n, want := range test.at {
			assert.Equalf(t, want, trace.DueTime(uint64(n)), "%s: At(%d)", test.name, n)
		}
		for n, want := range test.rows {
			assert.Equalf(t, want, trace.Row(uint64(n)), "%s: Row(%d)", test.name, n)
		}
	}
}

func TestRowsOfAWholeSecondOrMinuteAreSpreadOverIt(t *testing.T) {
	const s, ms, m = time.Second, time.Millisecond, time.Minute
	for _, row := range []struct {
		name, text string
		over       time.Duration
		at         []time.Duration
	}{
		{"seconds", "7\n7\n8\n8\n8\n8\n10\n", s, []time.Duration{0, 500 * ms, s, 1250 * ms, 1500 * ms, 1750 * ms, 3 * s}},
		{"times", "2026-01-02T15:04:05Z\n2026-01-02T15:04:05Z\n2026-01-02T15:04:06Z\n", s, []time.Duration{0, 500 * ms, s}},
		{"minutes", "2026-01-02T15:04:00Z\n2026-01-02T15:05:00Z\n2026-01-02T15:05:00Z\n", m, []time.Duration{0, m, m + 30*s}},
		{"minutes as durations", "2m\n2m\n2m\n2m\n3m\n", m, []time.Duration{0, 15 * s, 30 * s, 45 * s, m}},
		{"one timestamp alone may be a second", "2026-01-02T15:04:00Z\n2026-01-02T15:04:00Z\n", s, []time.Duration{0, 500 * ms}},
		{"a single fraction anywhere", "1\n1\n2\n2.001\n", 0, []time.Duration{0, 0, s, 1001 * ms}},
		{"the same fraction everywhere", "1.5\n1.5\n2.5\n", 0, []time.Duration{0, 0, s}},
		{"whole seconds, none twice", "1\n2\n3\n", 0, []time.Duration{0, s, 2 * s}},
	} {
		trace := traced(t, row.text)
		assert.Truef(t, trace.SpreadOver == row.over && trace.Length() == row.at[len(row.at)-1]+1,
			"%s: spread over %v, %v long; want %v, %v", row.name, trace.SpreadOver, trace.Length(), row.over, row.at[len(row.at)-1]+1)
		for n, want := range row.at {
			assert.Equalf(t, want, trace.DueTime(uint64(n)), "%s: row %d is due at", row.name, n)
		}
	}
}

func TestFaultsOfTraces(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"out of order", "1\n2\n1.5\n3\n", []string{`t.csv:3: the instant 1.5 lies before that of the row above; expected instants that do not fall`}},
		{"an unknown operation", "0,got,a,b\n", []string{`t.csv:1: unknown operation "got"; expected one of get, pay`}},
		{"a forbidden character", "0,get,a/b,c\n", []string{`t.csv:1: OutOfRangeInput: the PartitionKey holds the forbidden character U+002F`}},
		{"a key that is too long", "0,get,a," + strings.Repeat("x", 513) + "\n", []string{`t.csv:1: KeyValueTooLarge: the RowKey has 513 UTF-16 code units, more than 512`}},
		{"too few columns", "0,get\n", []string{`t.csv:1: the row has 2 columns; expected time, or time, operation, PartitionKey and RowKey`}},
		{"fewer columns than before", "0,get,a,b\n1\n", []string{`t.csv:2: the row has 1 columns; expected 4`}},
		{"more columns than the header", "instant\n0,get,a,b\n", []string{`t.csv:2: the row has 4 columns; expected 1`}},
		{"a header that names other columns", "time\n0\n", []string{`t.csv:1: the time is "time"`}},
		{"instants of two kinds", "1\n2s\n", []string{`t.csv:2: the time is "2s", a duration; expected seconds as in the other rows`}},
		{"a negative instant", "-1\n", []string{`t.csv:1: the time is "-1"`}},
		{"ten decimals", "1.0000000001\n", []string{`t.csv:1: the time is "1.0000000001"`}},
		{"an instant a month after the first", "0\n2592000\n", []string{`t.csv:2: the instant 2592000 lies 720h0m0s or more after the first; expected less`}},
		{"a key of two lines", "0,get,\"a\nb\",c\n", []string{`t.csv:1: OutOfRangeInput: the PartitionKey holds the forbidden character U+000A`}},
		{"no row", "instant\n", []string{`t.csv:1: the trace has no row; expected instants, one in a line`}},
		{"an empty file", "", []string{`t.csv:1: the trace has no row; expected instants, one in a line`}},
		{"a quotation mark that is never closed", "0,get,\"a,b\n", []string{`t.csv:1: field 3: unclosed quotation mark`}},
		{"a quotation mark in the middle", "0,get,a\"b,c\n", []string{`t.csv:1: field 3: unexpected quotation mark; expected a quoted field with doubled quotation marks`}},
		{"text after a quotation mark", "0,get,\"a\"b,c\n", []string{`t.csv:1: field 3: text follows a closing quotation mark; expected a comma, or two marks for one`}},
		{"bytes that are no text", "0\n\x81\n", []string{`t.csv:2: the text is neither UTF-8 nor Windows-1252`}},
		{"a line without end", "0\n" + strings.Repeat("1", 20<<10), []string{`t.csv:2: the row exceeds 16 KiB`}},
		{"several faults, of one row and of several", "0,got,a#,b\n5,get,a,b\n4,get,a,b\n", []string{
			`t.csv:1: unknown operation "got"; expected one of get, pay`,
			`t.csv:1: OutOfRangeInput: the PartitionKey holds the forbidden character U+0023`,
			`t.csv:3: the instant 4 lies before that of the row above; expected instants that do not fall`,
		}},
	} {
		trace, err := arrival.ReadTrace(strings.NewReader(test.text), arrival.TraceOptions{File: "t.csv", Operations: traceNames})
		require.Truef(t, trace == nil && errors.Is(err, arrival.ErrSchedule),
			"%s: ReadTrace = %v, %v; want nil and ErrSchedule", test.name, trace, err)
		same := func(line, want string) bool { return strings.HasPrefix(line, want) }
		if got := strings.Split(err.Error(), "\n"); !slices.EqualFunc(got, test.want, same) {
			t.Errorf("%s: ReadTrace =\n%s\nwant\n%s", test.name, err, strings.Join(test.want, "\n"))
		}
	}
	_, err := arrival.ReadTrace(strings.NewReader(strings.Repeat("x\n", 1000)), arrival.TraceOptions{File: "t.csv"})
	assert.Equal(t, 1, strings.Count(err.Error(), "\n")+1, "faults of 1,000 rows")
	broken := errors.New("broken disk")
	if _, err := arrival.ReadTrace(io.MultiReader(strings.NewReader("1\n"), iotest.ErrReader(broken)), arrival.TraceOptions{}); !errors.Is(err, broken) || errors.Is(err, arrival.ErrSchedule) {
		t.Errorf("ReadTrace from a broken disk = %v; want the error of the reader", err)
	}
}

func TestTraceUntil(t *testing.T) {
	trace := traced(t, "0,get,a,b\n1,pay,a,c\n1.5,get,a,d\n3,get,a,e\n")
	for _, test := range []struct {
		name   string
		length time.Duration
		want   uint64
	}{
		{"a row exactly at the end belongs to what follows", time.Second, 1},
		{"one just before it does not", time.Second + 1, 2},
		{"a length beyond the last row holds all", time.Minute, 4},
	} {
		short, err := trace.Truncate(test.length)
		if err != nil || short.Len() != test.want || short.Length() != test.length {
			t.Errorf("%s: Until(%v) has %d rows and lasts %v, %v; want %d", test.name, test.length, short.Len(), short.Length(), err, test.want)
			continue
		}
		assert.Equalf(t, trace.Row(test.want-1), short.Row(short.Len()-1), "%s: the last row", test.name)
	}
	_, err := trace.Truncate(0)
	assert.ErrorIs(t, err, arrival.ErrSchedule, "Until(0)")
	for second, want := range []float64{1, 2, 0, 1} {
		assert.Equalf(t, want, trace.Rate(time.Duration(second)*time.Second), "Rate(%d s)", second)
	}
}

// A trace at another speed and peak against arithmetic of its own: row n is operation n at its instant over the speed.
// Each second has its rows times the factor, within one, the busiest one exactly, and each row as often as the others.
func TestTraceAtAnotherSpeedAndPeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(49, 6))
	for _, row := range []struct {
		speed    float64
		over, by int64 // the speed as a fraction
		thinned  bool
	}{{2, 2, 1, false}, {.25, 1, 4, true}, {1.5, 3, 2, rng.IntN(2) == 0}} {
		var at []time.Duration
		var numbers []uint16
		next := time.Duration(0)
		for n := range uint16(3000) {
			at, numbers = append(at, next), append(numbers, n)
			next += time.Duration(rng.Int64N(int64(1+rng.IntN(30)) * int64(time.Millisecond)))
		}
		want, counts, busiest := make([]time.Duration, len(at)), map[time.Duration]int{}, 0
		for n := range at {
			want[n] = at[n] * time.Duration(row.by) / time.Duration(row.over)
			counts[want[n]/time.Second]++
			busiest = max(busiest, counts[want[n]/time.Second])
		}
		faster := arrival.NewTrace(at, numbers).Faster(row.speed)
		peak := 1 + rng.IntN(busiest)
		if !row.thinned {
			peak += busiest * (1 + rng.IntN(3))
		}
		scaled, err := faster.WithPeak(float64(peak), clock.NewStream(7, "arrivals"))
		require.NoError(t, err)
		again, err := faster.WithPeak(float64(peak), clock.NewStream(7, "arrivals"))
		require.NoError(t, err)
		other, err := faster.WithPeak(float64(peak), clock.NewStream(8, "arrivals"))
		require.NoError(t, err)
		assert.Equal(t, scaled, again, "the same seed")
		assert.NotEqual(t, scaled, other, "another seed")
		due, copies, highest, last := map[time.Duration]int{}, make([]int, len(at)), 0, time.Duration(0)
		for k := range scaled.Len() {
			n, instant := scaled.Row(k).Operation, scaled.DueTime(k)
			ends := want[n].Truncate(time.Second) + time.Second
			if n+1 < len(want) {
				ends = min(ends, want[n+1])
			}
			require.Truef(t, instant >= last && instant >= want[n] && (instant < ends || instant == want[n]),
				"operation %d of row %d is due at %v after %v; want it from %v to %v", k, n, instant, last, want[n], ends)
			due[instant/time.Second]++
			copies[n]++
			highest, last = max(highest, due[instant/time.Second]), instant
		}
		require.Less(t, last, scaled.Length())
		assert.Equal(t, peak, highest, "the busiest second")
		for second, count := range counts {
			assert.InDeltaf(t, float64(count*peak)/float64(busiest), due[second], 1, "operations of second %d", second)
		}
		for n, times := range copies {
			second := want[n] / time.Second
			assert.Containsf(t, []int{due[second] / counts[second], due[second]/counts[second] + 1}, times, "operations of row %d", n)
		}
	}
	_, err := traced(t, "0\n1\n").WithPeak(1e13, clock.NewStream(1, ""))
	assert.ErrorIs(t, err, arrival.ErrSchedule, "more operations than there can be")
}

func TestTraceIsBounded(t *testing.T) {
	o := arrival.TraceOptions{File: "t.csv", Most: 1000}
	if trace, err := arrival.ReadTrace(strings.NewReader(strings.Repeat("1\n", 1000)), o); err != nil || trace.Len() != 1000 {
		t.Errorf("ReadTrace of as many rows as there can be = %v; want no error", err)
	}
	_, err := arrival.ReadTrace(io.MultiReader(strings.NewReader(strings.Repeat("1\n", 5000)), iotest.ErrReader(errors.New("read on"))), o)
	assert.ErrorContains(t, err, "t.csv:1001:", "ReadTrace of more rows than there can be")
}

func FuzzReadTrace(f *testing.F) {
	for _, seed := range []string{"1\n2\n", "instant,operation,PartitionKey,RowKey\n0,get,a,b\n", "2026-01-02T15:04:05Z\n",
		"1ms\n2h\n", "\"0\",get,\"a,\"\"\",\n", "0,get,a\x00,b", "1.5\r\n1.4", "9223372036\n", "0.999999999\n", "\xff\xfe0", "\x1f\x8b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := arrival.ReadTrace(strings.NewReader(text), arrival.TraceOptions{File: "t.csv", Operations: traceNames})
		if err != nil {
			if trace != nil || !errors.Is(err, arrival.ErrSchedule) || !strings.HasPrefix(err.Error(), "t.csv:") {
				t.Fatalf("ReadTrace(%q) = %v, %v; want nil and a fault with its place", text, trace, err)
			}
			return
		}
		// Written in another way, it reads the same.
		var again strings.Builder
		last := time.Duration(0)
		for n := range trace.Len() {
			at := trace.DueTime(n)
			if at < last || at >= trace.Length() {
				t.Fatalf("ReadTrace(%q).At(%d) = %v after %v", text, n, at, last)
			}
			last = at
			fmt.Fprintf(&again, "%dns", at)
			if trace.Keyed() {
				row := trace.Row(n)
				if code, detail := entity.ValidateKey(row.Key); code != entity.OK {
					t.Fatalf("ReadTrace(%q).Row(%d) has the key %q: %s", text, n, row.Key, detail)
				}
				quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
				fmt.Fprintf(&again, ",%s,%s,%s", []string{"get", "pay"}[row.Operation], quote(row.Key.Partition), quote(row.Key.Row))
			}
			again.WriteByte('\n')
		}
		twice := traced(t, again.String())
		for n := range trace.Len() {
			if twice.DueTime(n) != trace.DueTime(n) || trace.Keyed() && twice.Row(n) != trace.Row(n) {
				t.Fatalf("ReadTrace(%q) row %d differs when written again as %q", text, n, again.String())
			}
		}
	})
}

// Of a file with a column for the time nothing else is read, and what is left of it
// begins at its first instant.
func TestTraceOfAColumn(t *testing.T) {
	for _, row := range []struct{ sentence, text, fault string }{
		{"a column among others", "year;finished;name\n2001;2.5;a\n2001;2.5;\"b;c\"\n2002;4;\n", ""},
		{"instants of the calendar", "finished\n2026-01-01T00:00:02.5Z\n2026-01-01T00:00:02.5Z\n2026-01-01T00:00:04Z\n", ""},
		{"no such column", "year,finish\n2001,1\n", `t.csv:1: unknown column "finished"; did you mean "finish"?`},
		{"the column twice", "finished,finished\n1,2\n", `t.csv:1: column "finished" occurs twice; expected once`},
		{"a time that falls", "finished\n2\n1\n", "t.csv:3: the instant 1 lies before that of the row above; expected the file sorted by finished"},
		{"names alone", "finished\n", "t.csv:1: the trace has no row; expected instants, one in a line"},
	} {
		trace, err := arrival.ReadTrace(strings.NewReader(row.text), arrival.TraceOptions{File: "t.csv", Time: "finished", InOrder: true})
		if row.fault != "" {
			assert.Truef(t, err != nil && err.Error() == row.fault, "%s: %v; want %s", row.sentence, err, row.fault)
			continue
		}
		require.Truef(t, err == nil && !trace.Keyed() && trace.Len() == 3 && trace.DueTime(1) == 0 && trace.DueTime(2) == 1500*time.Millisecond && trace.Length() == 1500*time.Millisecond+1,
			"%s: %v; want three instants, the last 1.5 s after the first", row.sentence, err)
		if later := trace.SkipRows(2); later.Len() != 1 || later.DueTime(0) != 0 || later.Length() != 1 || trace.Len() != 3 {
			t.Errorf("%s: from its third row on it has %d instants in %v; want one, at once", row.sentence, later.Len(), later.Length())
		}
	}
}
