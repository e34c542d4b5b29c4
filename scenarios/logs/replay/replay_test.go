package replay_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/logs"
	"loadgen/scenarios/logs/replay"
)

// TestMain collects garbage less often, which saves a quarter of the CPU.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

var begins = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// line is a request of a log: at so many milliseconds, by a client's id.
func line(millis int, operation, partition, row string, status int, client string) accesslog.Entry {
	e := accesslog.Entry{Observed: accesslog.Observed{At: entity.TicksOf(begins.Add(time.Duration(millis) * time.Millisecond)), Operation: operation, Status: status,
		EndToEnd: 5 * time.Millisecond, Server: 3 * time.Millisecond, RequestID: fmt.Sprint(millis, client), RequestBytes: 500, ResponseBytes: 100, ClientRequestID: client},
		Account: "races", RequestHeader: -1, ResponseHeader: -1, ContentLength: 500}
	key := fmt.Sprintf("(PartitionKey='%s',RowKey='%s')", partition, row)
	e.URL, e.ObjectKey = "https://races.table.core.windows.net/Results"+key, "/races/Results"+key
	if operation == "QueryEntities" {
		e.URL = "https://races.table.core.windows.net/Results"
	}
	return e
}

func gather(t *testing.T, entries ...accesslog.Entry) *replay.Operations {
	t.Helper()
	return gatherBy(t, logs.Estimate{}, "", entries...)
}

func gatherBy(t *testing.T, estimate logs.Estimate, keyless string, entries ...accesslog.Entry) *replay.Operations {
	t.Helper()
	found, err := replay.Gather(sources(t, entries...), logs.Options{Estimate: estimate}, keyless)
	require.NoError(t, err)
	return found
}

// sources is a log of some entries.
func sources(t *testing.T, entries ...accesslog.Entry) []logs.Source {
	t.Helper()
	var lines []byte
	for i := range entries {
		lines = accesslog.AppendAnalytics(lines, &entries[i])
	}
	name := t.TempDir() + "/table.log"
	require.NoError(t, os.WriteFile(name, lines, 0o644))
	files, err := logs.Open([]string{name}, nil)
	require.NoError(t, err)
	return files
}

// The clients' retries are no operations: what comes again under the same id, for the same
// on the same key, after it was throttled and in time.
func TestRetriesAreTakenOut(t *testing.T) {
	found := gather(t,
		line(0, "InsertEntity", "p", "1", 503, "a"), line(10, "InsertEntity", "p", "2", 201, "b"),
		line(900, "InsertEntity", "p", "1", 503, "a"), line(2000, "InsertEntity", "p", "1", 201, "a"),
		line(2100, "QueryEntity", "p", "1", 200, "a"),                                                  // the id once more, for something else
		line(2200, "DeleteEntity", "p", "2", 503, "c"), line(2300, "DeleteEntity", "p", "3", 204, "c"), // the first is lost
		line(2400, "MergeEntity", "q", "9", 503, ""), line(2500, "QueryEntities", "", "", 200, "d"),
		line(2600, "UpdateEntity", "q", "7", 503, "e"), line(2600+120_000, "UpdateEntity", "q", "7", 204, "e"), // too late
	)
	var got []string
	for _, o := range found.List {
		got = append(got, fmt.Sprint(o.At.Milliseconds(), o.Verb, o.Key))
	}
	want := []string{"0 insert {p 1}", "10 insert {p 2}", "2100 get {p 1}", "2200 delete {p 2}", "2300 delete {p 3}", "2400 merge {q 9}", "2500 query { }", "2600 replace {q 7}", "122600 replace {q 7}"}
	assert.Equal(t, want, got, "operations")
	assert.Truef(t, found.Attempts == 11 && found.Throttled == 5 && found.Retries == 2 && found.Lost == 3 && found.Counts[entity.Query] == 1 && found.Bodies.Mean() == 500,
		"%+v; want 11 attempts, 5 throttled, 2 retries, 3 lost, 1 query, 500 bytes", found)
}

// Of drawn logs every request is an attempt or is counted as not replayed, by its operation; requests for tables and the
// service leave the state as it is.
func TestRequestsThatAreNotReplayedAreCounted(t *testing.T) {
	for n := range resultstest.Cases(10, 100) {
		chance := rand.New(rand.NewPCG(uint64(n), 82))
		unknown, unrelated, replayable := map[string]int64{}, map[string]int64{}, int64(0)
		var entries []accesslog.Entry
		for i := range 20 + chance.IntN(200) {
			name := "InsertEntity"
			switch replayable++; chance.IntN(5) {
			case 0:
				name = []string{"FooEntity", "", "PutEntity"}[chance.IntN(3)]
				unknown["unknown "+cmp.Or(name, "operation")]++
				replayable--
			case 1:
				name = []string{"QueryTables", "CreateTable", "GetTableAcl", "SetTableServiceProperties"}[chance.IntN(4)]
				unrelated[name]++
				replayable--
			}
			entries = append(entries, line(10*i, name, "p", fmt.Sprint(i), 201, fmt.Sprint("c", i)))
		}
		found := gather(t, entries...)
		assert.Equalf(t, []any{unknown, unrelated, replayable}, []any{found.Left, found.Unrelated, found.Attempts}, "case %d", n)
		told := replayed(t, replay.Plan{Operations: found})
		assert.Equalf(t, len(unknown) > 0, told.State == results.CannotTell, "case %d: %s", n, told.State)
		screen := told.Document().Screen[1].(document.Facts).Lines[0]
		for name, count := range unrelated {
			assert.Containsf(t, screen, fmt.Sprintf("%d %s", count, name), "case %d", n)
		}
		assert.NotContainsf(t, screen, "all else", "case %d", n)
	}
	_, err := replay.Gather(sources(t, line(0, "FooEntity", "p", "1", 201, "a"), line(1, "CreateTable", "p", "1", 201, "b")), logs.Options{}, "")
	assert.ErrorContains(t, err, "table.log can be replayed: not 1 unknown FooEntity, 1 CreateTable")
}

// hot is a log of so many inserts a second, for three seconds, on one partition of keys
// that hold two attributes.
func hot(t *testing.T, perSecond int) *replay.Operations {
	t.Helper()
	return gather(t, hotEntries(perSecond)...)
}

func hotEntries(perSecond int) (entries []accesslog.Entry) {
	for i := range 3 * perSecond {
		entries = append(entries, line(i*1000/perSecond, "InsertEntity", "2026", fmt.Sprintf("d%d_%05d", i%8, i), 201, fmt.Sprint(i)))
	}
	return entries
}

// With a target of 100 a second and no retries, two of three are throttled of a partition
// that is asked for 300, but for what its burst lets through; eight partitions bear it.
func TestOtherKeysHoldWhatTheLogsDoNot(t *testing.T) {
	told := replayed(t, replay.Plan{Operations: hot(t, 300), Pattern: replay.Pattern{PartitionKey: "{year}", RowKey: "{division}_{bib:05d}"}, Retry: "none",
		Designs: []replay.Design{{Name: "by-division", PartitionKey: "{year}_{division}", RowKey: "{bib:05d}"}}, Set: []string{"model.partition_target=100", "model.partition_burst=10ms"}})
	own, other := &told.Arms[0].Under[0], &told.Arms[1].Under[0]
	assert.Truef(t, own.Throttled >= .63 && own.Throttled <= .67 && own.Lost == own.Throttled && own.Partitions == 1,
		"as in the log: %+v; want two of three throttled", own)
	assert.Truef(t, other.Throttled == 0 && other.Partitions == 8 && told.State == results.Holds && told.Arms[1].Unmatched == 0,
		"by division: %+v of %+v; want nothing throttled", other, told)
	assert.Equal(t, []string{"by-division"}, told.Best)
	assert.Contains(t, told.Document().Answer.Sentences(), "by-division")
}

// A record counts 10,000 partitions; of more the number is a lower bound, and shown as one.
func TestPartitionsBeyondTheBoundAreAtLeast(t *testing.T) {
	var entries []accesslog.Entry
	for i := range 10_050 {
		entries = append(entries, line(i/10, "InsertEntity", fmt.Sprintf("p%05d", i), "r", 201, fmt.Sprint(i)))
	}
	told := replayed(t, replay.Plan{Operations: gather(t, entries...), Retry: "none"})
	one := &told.Arms[0].Under[0]
	assert.Truef(t, one.Partitions == 10_000 && one.PartitionsAtLeast, "%d partitions, at least: %v; want at least 10,000 of 10,050", one.Partitions, one.PartitionsAtLeast)
	assert.Contains(t, fmt.Sprint(told.Document().Screen), "≥10,000")
}

// Twice as fast is twice the rate.
func TestSpeed(t *testing.T) {
	for _, row := range []struct{ speed, least, most float64 }{{1, 0, 0}, {2, .2, .26}, {4, .6, .63}} {
		told := replayed(t, replay.Plan{Operations: hot(t, 200), Retry: "none", Speed: row.speed, Set: []string{"model.partition_target=300", "model.partition_burst=10ms"}})
		got := told.Arms[0].Under[0].Throttled
		assert.Truef(t, got >= row.least && got <= row.most,
			"at %v times the speed %v are throttled; want %v to %v", row.speed, got, row.least, row.most)
	}
}

func replayed(t *testing.T, p replay.Plan) *replay.Told {
	t.Helper()
	told, err := replay.Replay(context.Background(), p)
	require.NoError(t, err)
	return told
}

func TestKeysThatDoNotFit(t *testing.T) {
	operations := gather(t, line(0, "InsertEntity", "2026", "M_1", 201, "a"), line(1, "InsertEntity", "2026", "odd", 201, "b"), line(2, "InsertEntity", "2026", "F_2", 201, "c"))
	design := replay.Design{Name: "other", PartitionKey: "{division}", RowKey: "{bib}"}
	told := replayed(t, replay.Plan{Operations: operations, Pattern: replay.Pattern{PartitionKey: "{year}", RowKey: "{division}_{bib}"}, Designs: []replay.Design{design}})
	if told.Arms[1].Unmatched != 1 || told.Arms[1].Under[0].Partitions != 3 || !strings.Contains(told.Document().Answer.Sentences()+strings.Join(told.Document().Answer.Says, " "), "did not match") {
		t.Errorf("%+v; want one that keeps its key", told.Arms[1])
	}
	for _, row := range []struct {
		sentence string
		pattern  replay.Pattern
		design   replay.Design
		want     string
	}{
		{"nothing fits", replay.Pattern{PartitionKey: "{year}_{month}", RowKey: "{bib}"}, replay.Design{Name: "d", PartitionKey: "{month}", RowKey: "{bib}"}, "no key of the log fits the pattern"},
		{"an attribute of nobody", replay.Pattern{PartitionKey: "{year}", RowKey: "{division}_{bib}"}, replay.Design{Name: "d", PartitionKey: "{divsion}", RowKey: "{bib}"}, `did you mean "division"`},
		{"a template that is none", replay.Pattern{PartitionKey: "{year", RowKey: "{bib}"}, design, "--partition-key {year: "},
	} {
		_, err := replay.Replay(context.Background(), replay.Plan{Operations: operations, Pattern: row.pattern, Designs: []replay.Design{row.design}})
		if !errors.Is(err, replay.ErrKeys) || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", row.sentence, err, row.want)
		}
	}
}

// A likeness is a sound scenario with the shares, the mix and the rates of the log, counted
// here by hand, and holds no key of it.
func TestALikenessHoldsNoKey(t *testing.T) {
	var entries []accesslog.Entry
	for i := range 60 { // 30 in the first second, 10 in the second, none in the third, 20 in the fourth
		at := []int{i * 33, 1000 + (i-30)*99, 3000 + (i-40)*49}[min(2, i/30+i/40)]
		operation, partition := "InsertEntity", "secret-b"
		if i%3 == 0 {
			operation = "QueryEntity"
		}
		if i%4 > 0 {
			partition = "secret-a"
		}
		entries = append(entries, line(at, operation, partition, fmt.Sprint("row-", i), 200, fmt.Sprint(i)))
	}
	text := string(replay.Likeness(gather(t, entries...)))
	for _, want := range []string{"partition: {list: [p1, p2], weights: [45, 15]}", "rates: [30, 10, 0.001, 20], each: 1s", "{verb: insert, weight: 40}", "{verb: get, weight: 20}",
		"size: 949", "load: {entities: 1000}", "60 operations on 2 partitions"} {
		assert.Containsf(t, text, want, "the likeness lacks %q:\n%s", want, text)
	}
	assert.Truef(t, !strings.Contains(text, "secret") && !strings.Contains(text, "row-"),
		"the likeness holds a key of the log:\n%s", text)
	_, err := scenarios.Parse("like.yaml", []byte(text))
	assert.Truef(t, err == nil, "the likeness is no sound scenario: %v\n%s", err, text)
}

// A log of thousands of partitions and of hours has a likeness that is small.
func TestALikenessIsSmall(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	var entries []accesslog.Entry
	for i := range 5000 {
		entries = append(entries, line(i*2000, "InsertEntity", fmt.Sprint("k", chance.IntN(3000)), fmt.Sprint(i), 201, fmt.Sprint(i)))
	}
	text := string(replay.Likeness(gather(t, entries...)))
	_, err := scenarios.Parse("like.yaml", []byte(text))
	assert.Truef(t, err == nil && len(text) <= 32<<10 && strings.Contains(text, "each: 10s"),
		"%v, %d bytes; want a sound scenario of 32 KiB at most, with rates of 10 s", err, len(text))
}
