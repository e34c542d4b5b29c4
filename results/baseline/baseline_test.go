package baseline_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/baseline"
	"loadgen/results/resultstest"
)

// recorded returns the record of a small run in virtual time, which alter may change
// before it is closed.
func recorded(t testing.TB, alter func(r *results.Recorder)) *results.Record {
	t.Helper()
	m := resultstest.Manifest(func(m *results.Manifest) {
		m.Scenario = results.Scenario{Name: "small", Text: "name: small\nseed: 7\n"}
		m.Seed, m.Model, m.Operations = 7, []results.Parameter{{Name: "partition_target", Value: "2000"}}, m.Operations[1:2]
	})
	record := resultstest.Play(t, m, time.Second, func(r *results.Recorder) {
		phase := r.Phase(results.Phase{Name: "peak", End: time.Second, Reported: true})
		for i := range uint64(20) {
			at := time.Duration(i) * 50 * time.Millisecond
			resultstest.Single(r, results.Attempt{Phase: phase, Number: i, PartitionKey: "p", HasPartition: true,
				Intended: at, Sent: at, Done: at + 5*time.Millisecond, Status: 200, Returned: 1})
		}
		r.Event(results.Event{At: 1, What: results.StageBegins, Text: "peak"})
		if alter != nil {
			alter(r)
		}
	})
	record.Summary = &results.Summary{Validity: results.Valid}
	return record
}

var night = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

func made(t testing.TB) *baseline.Baseline {
	t.Helper()
	b, err := baseline.New(recorded(t, nil), night, "the first")
	require.NoError(t, err)
	return b
}

// What was written is read again, and is the same text for the same run.
func TestFileAndBack(t *testing.T) {
	b := made(t)
	again, err := baseline.Read(b.File())
	require.NoError(t, err)
	assert.Truef(t, b.Same(again) && again.Reason == "the first" && bytes.Equal(b.File(), again.File()) && b.Named() == again.Named(),
		"read again it is %+v; want what was written", again)
	assert.Truef(t, strings.HasPrefix(b.Line(), "2026-03-01 ") && strings.HasSuffix(b.Line(), " the first") && strings.Contains(b.Named(), b.Digest()[:12]),
		"it is written down as %q and called %q; want the day, the digest and the reason", b.Line(), b.Named())
}

// Whatever is recorded of a run that repeats is in its tree.
func TestTreeTellsRunsApart(t *testing.T) {
	same, err := baseline.NewTree(recorded(t, nil))
	require.NoError(t, err)
	attempt := results.Attempt{Number: 99, Class: results.Throttled, Status: 503, Done: time.Millisecond}
	for _, row := range []struct {
		name  string
		alter func(r *results.Recorder)
	}{
		{"one refusal more", func(r *results.Recorder) { r.Attempt(&attempt) }},
		{"a wait more", func(r *results.Recorder) { r.Waited(0, time.Second) }},
		{"an event more", func(r *results.Recorder) { r.Event(results.Event{At: 2, What: results.RangeSplit}) }},
		{"another event of the same kind", func(r *results.Recorder) { r.Event(results.Event{At: 3, What: results.StageBegins}) }},
		{"a counter", func(r *results.Recorder) {
			r.Counters([]results.Counter{{CounterName: results.CounterName{Operation: "get", Name: "both"}, Count: 1}})
		}},
		{"what must hold and does not", func(r *results.Recorder) {
			r.UpdateRecord(func(of *results.Record) { of.Invariants = []results.Invariant{{Name: "sums", Faults: 1}} })
		}},
		{"an audit", func(r *results.Recorder) {
			r.UpdateRecord(func(of *results.Record) { of.Audit = &results.Audit{Writes: 1} })
		}},
		{"a phase", func(r *results.Recorder) { r.Phase(results.Phase{Name: "drop", End: time.Second}) }},
		{"bytes that were written", func(r *results.Recorder) { r.Attempt(&results.Attempt{Class: results.Ok, Stored: 1}) }},
		{"where a refusal was met", func(r *results.Recorder) {
			r.Attempt(&results.Attempt{Class: results.Throttled, PartitionKey: "q", HasPartition: true, Try: 1, Due: 1})
		}},
		{"in which table", func(r *results.Recorder) {
			r.Attempt(&results.Attempt{Class: results.Throttled, Table: "Copies", PartitionKey: "q", HasPartition: true, Try: 1, Due: 1})
		}},
	} {
		other, err := baseline.NewTree(recorded(t, row.alter))
		require.NoError(t, err)
		assert.Falsef(t, bytes.Equal(same.JSON(), other.JSON()), "%s: the trees are the same; want another", row.name)
	}
	// A verdict's words are no behaviour.
	for name, alter := range map[string]func(*results.Recorder){
		"the same run": nil, "a verdict": func(r *results.Recorder) { r.Event(results.Event{What: results.VerdictTold, Text: "all is well"}) },
	} {
		again, err := baseline.NewTree(recorded(t, alter))
		assert.Truef(t, err == nil && bytes.Equal(same.JSON(), again.JSON()), "%s: another tree, %v; want the same", name, err)
	}
}

// The heat map is in the tree as its sums, however large it is, and as a digest in which
// any cell shows.
func TestTreeHoldsNoCells(t *testing.T) {
	record := recorded(t, nil)
	n, exact := int64(100), int64(4242)
	record.Heat = &results.Heat{SecondsPerColumn: 16, Columns: 240, Partitions: &exact, MostMissed: 3}
	for range n {
		cells := make([]int64, 240)
		for i := range cells {
			cells[i] = 1_000_000 + int64(i)
		}
		record.Heat.Rows = append(record.Heat.Rows, results.HeatRow{Key: "p", HeatCells: results.HeatCells{Served: cells, Throttled: []int64{1, 2}, Failed: []int64{0, 5}, Demanded: cells}})
	}
	record.Heat.Rest, record.Heat.Nowhere = results.HeatCells{Throttled: []int64{7}}, results.HeatCells{Failed: []int64{8, 1}}
	tree, err := baseline.NewTree(record)
	require.NoError(t, err)
	rows := n * (240*1_000_000 + 239*240/2)
	want := fmt.Sprintf(`"where": {"seconds_per_column": 16, "columns": 240, "rows": 100, "partitions": 4242, "most_missed": 3,
		"told": {"served_entities": %[1]d, "throttled": 300, "failed": 500, "demanded_entities": %[1]d},
		"rest": {"served_entities": 0, "throttled": 7, "failed": 0, "demanded_entities": 0},
		"nowhere": {"served_entities": 0, "throttled": 0, "failed": 9, "demanded_entities": 0}, "digest": `, rows)
	assert.Contains(t, strings.Join(strings.Fields(string(tree)), ""), strings.Join(strings.Fields(want), ""))
	assert.LessOrEqual(t, len(tree), 10_000, "bytes of a tree without cells")
	record.Heat.Rows[99].Served[239]++
	record.Heat.Rows[99].Served[238]--
	other, err := baseline.NewTree(record)
	require.NoError(t, err)
	assert.NotEqual(t, string(tree), string(other), "the tree after one entity moved to another cell")
}

// A baseline that is older than heat maps is read, and is not edited for that.
func TestOlderBaselinesAreRead(t *testing.T) {
	record := recorded(t, nil)
	record.Heat = nil
	for p := range record.Phases {
		record.Phases[p].Shares = nil
	}
	b, err := baseline.New(record, night, "an older one")
	require.NoError(t, err)
	for _, word := range []string{"where", "shares", "stored"} {
		assert.NotContainsf(t, string(b.File()), word,
			"a baseline without heat speaks of %q; want nothing of it, so that its digest stays what it was", word)
	}
	_, err = baseline.Read(b.File())
	assert.NoError(t, err, "Read")
}

func TestRunsThatDoNotRepeat(t *testing.T) {
	for _, row := range []struct {
		name  string
		alter func(r *results.Record)
	}{
		{"a run in real time", func(r *results.Record) { r.Manifest.Time = "real" }},
		{"a record that is cut off", func(r *results.Record) { r.Cut = true }},
		{"a record that nobody judged", func(r *results.Record) { r.Summary = nil }},
		{"an invalid run", func(r *results.Record) { r.Summary.Validity = results.Invalid }},
	} {
		record := recorded(t, nil)
		row.alter(record)
		_, err := baseline.New(record, night, "why")
		assert.ErrorIsf(t, err, baseline.ErrRecord, "%s: New()", row.name)
	}
	for _, reason := range []string{"", "  ", "two\nlines", strings.Repeat("x", 501)} {
		_, err := baseline.New(recorded(t, nil), night, reason)
		assert.Truef(t, err != nil, "the reason %q is taken; want an error", reason)
	}
}

// A baseline that somebody has touched is none.
func TestReadRefuses(t *testing.T) {
	text := string(made(t).File())
	for _, row := range []struct {
		name, text string
		want       error
	}{
		{"a count that was changed", strings.Replace(text, `"attempts": 20`, `"attempts": 21`, 1), baseline.ErrEdited},
		{"a reason that was changed", strings.Replace(text, "the first", "the last", 1), baseline.ErrEdited},
		{"a scenario that was changed", strings.Replace(text, "seed: 7", "seed: 8", 1), baseline.ErrEdited},
		{"a day that was changed", strings.Replace(text, "2026-03-01", "2026-03-02", 1), baseline.ErrEdited},
		{"a day that is none", strings.Replace(text, "2026-03-01", "yesterday", 1), baseline.ErrEdited},
		{"a field of its own", strings.Replace(text, `"reason"`, `"because": "x", "reason"`, 1), baseline.ErrEdited},
		{"more after its end", text + "{}", baseline.ErrCorrupt},
		{"no JSON", "baseline", baseline.ErrCorrupt},
		{"half of it", text[:len(text)/2], baseline.ErrCorrupt},
		{"another document", `{"schema_version": 2}`, baseline.ErrCorrupt},
		{"nothing", "", baseline.ErrCorrupt},
		{"a newer one", strings.Replace(text, `"baseline": 2`, `"baseline": 3`, 1), baseline.ErrVersion},
	} {
		require.Truef(t, row.text != text, "%s: nothing was changed", row.name)
		b, err := baseline.Read([]byte(row.text))
		assert.Truef(t, errors.Is(err, row.want), "%s: Read() = %v, %v; want %v", row.name, b, err, row.want)
	}
}

func TestFits(t *testing.T) {
	b := made(t)
	for _, row := range []struct{ name, scenario, text, says string }{
		{"the same scenario", "small", "name: small\nseed: 7\n", ""},
		{"another name", "large", "name: small\nseed: 7\n", "small, and this is large"},
		{"another value", "small", "name: small\nseed: 8\n", `line 2 was "seed: 7" and is "seed: 8"`},
		{"a line more", "small", "name: small\nseed: 7\nretry: none\n", `line 3`},
		{"a line less", "small", "name: small\n", `line 2`},
	} {
		err := b.Fits(row.scenario, row.text)
		assert.Truef(t, (row.says != "" || err == nil) && (row.says == "" || errors.Is(err, baseline.ErrForeign) && strings.Contains(err.Error(), row.says)),
			"%s: Fits() = %v; want %q", row.name, err, row.says)
	}
}

// No text makes a reader panic, and what is read is written as it was.
func FuzzRead(f *testing.F) {
	f.Add(made(f).File())
	f.Add([]byte(`{"baseline": 1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := baseline.Read(text)
		if err != nil {
			return
		}
		again, err := baseline.Read(b.File())
		assert.Truef(t, err == nil && b.Same(again), "what was read is %v when it is read again; want the same", err)
	})
}
