package report_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// manifest is that of a run against a partition that serves 200 entities in a second.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) {
		m.Command = append(m.Command, "--partition-key", resultstest.Partition)
		m.Targets = results.Targets{Partition: 200, Account: 20_000}
		m.Model = []results.Parameter{
			{Name: "partition_target", Value: "200", Unit: "entities/s", Provenance: "assumption",
				About: "entities per second that one PartitionKey is held to; 0 is no limit"},
			{Name: "account_target", Value: "20000", Unit: "entities/s", Provenance: "documented"},
			{Name: "round_trip", Value: "1ms", Unit: "duration", Provenance: "assumption",
				About: "network time of an attempt"},
		}
	})
}

// stress is the run that most tests look at.
func stress() *resultstest.Run { return steps(4, 100, 200, 400) }

// stressRecord reads the record of stress, which is played once.
var stressRecord = stress().RecordOnce()

var (
	stressOnce sync.Once
	stressMade *document.Document
)

// stressDocument returns the document of stress, which nobody alters.
func stressDocument(t testing.TB) *document.Document {
	stressOnce.Do(func() { stressMade = documentOf(stressRecord(t)) })
	return stressMade
}

// steps is a load of 500 entities, and steps of so many seconds on a partition that serves
// 200 entities in a second.
func steps(seconds int, rates ...int) *resultstest.Run {
	load := resultstest.Phase{Phase: results.Phase{Name: "load", Stage: "load"}, Operations: 5, Takes: 250 * time.Millisecond}
	peak := resultstest.Steps(time.Second, time.Duration(seconds)*time.Second, 0, rates...)
	return &resultstest.Run{Manifest: manifest(), Phases: append([]resultstest.Phase{load}, peak...),
		Serves: 200, Retries: 1, Wait: 500 * time.Millisecond, Tail: 3 * time.Second,
		Operation: func(op *resultstest.Operation) {
			if op.Kind == 0 {
				op.Entities = 100
				return
			}
			op.Kind = 1 + int(op.Number)%5/3 + int(op.Number)%5/4
			op.Sent += time.Duration(op.Rand.IntN(300)) * time.Microsecond
		},
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			a.Entities, a.Returned, a.Done = 0, 0, a.Sent+20*time.Millisecond
			if op.Kind > 0 {
				a.Done = a.Sent + 3*time.Millisecond + time.Duration(op.Rand.IntN(4000))*time.Microsecond
			}
		}}
}

// spoil drops one of so many operations of the steps, and fails another; 0 is none.
func spoil(r *resultstest.Run, dropped, failed int) *resultstest.Run {
	due, answer := r.Operation, r.Attempt
	r.Operation = func(op *resultstest.Operation) {
		due(op)
		op.Dropped = op.Kind > 0 && op.IsLastOf(dropped)
	}
	r.Attempt = func(op *resultstest.Operation, a *results.Attempt) {
		answer(op, a)
		if op.Kind > 0 && op.IsLastOf(failed) {
			a.Class = results.Failed
		}
	}
	return r
}

// embeddedRun is the run over HTTP, in real time.
func embeddedRun() *resultstest.Run {
	r := stress()
	r.Manifest.Target, r.Manifest.Time = results.Embedded, "real"
	return r
}

// cut is the run interrupted at an instant.
func cut(r *resultstest.Run, end time.Duration) *resultstest.Run {
	r.Validity, r.Reasons, r.End, r.NoCounts = results.Partial, []string{"interrupted by the user"}, end, true
	return r
}

// remote is a run against a service that somebody else runs: the real one, or an
// emulator that keeps no limits.
func remote(emulator bool) *resultstest.Run {
	r := stress()
	r.NoCounts = true
	m := &r.Manifest
	m.Target, m.Service, m.Time, m.Genuine = "https://races.table.core.windows.net", "Windows-Azure-Table/1.0", "real", true
	m.Profile, m.Start, m.Model, m.Budget = "", "", nil, 5000
	m.Targets = results.Targets{Partition: 2000, Account: 20_000, Documented: true}
	if emulator {
		m.Target, m.Service, m.Emulator = "http://127.0.0.1:10002/devstoreaccount1", "Azurite-Table/3.0", true
		m.Genuine, m.LimitsKnown = false, true
		m.Targets = results.Targets{}
	}
	return r
}

func withConnections(r *results.Record) {
	r.Connections = &results.Connections{Opened: 16, Reused: 3000,
		Lookups:    results.Spell{Count: 1, Total: 3 * time.Millisecond, Max: 3 * time.Millisecond},
		Connects:   results.Spell{Count: 16, Total: 32 * time.Millisecond, Max: 5 * time.Millisecond},
		Handshakes: results.Spell{Count: 16, Total: 160 * time.Millisecond, Max: 31 * time.Millisecond},
		FirstByte:  results.Spell{Count: 3016, Total: 12 * time.Second, Max: 80 * time.Millisecond}}
}

// withWorkflows has the workflows of a run count two things and leave three rules
// behind, of which one is broken and one has nothing to hold of.
func withWorkflows(record *results.Record) {
	record.Counters = results.NewCounters(map[results.CounterName]int64{
		{Operation: "transfer", Name: "killed"}:            1_219,
		{Operation: "look-up", Name: "neither " + hostile}: 0,
	})
	record.Invariants = []results.Invariant{
		{Name: "the legs of each transfer sum to zero", Looked: 40_000, Faults: 12,
			Examples: []string{"the legs of transfer 100007 sum to -5", "the legs of transfer " + hostile + " sum to 7"}},
		{Name: "each entity is in the list of its name", Looked: 1_000},
		{Name: "no message is left"},
	}
}

// tablesOf returns all tables of a document by their ID.
func tablesOf(d *document.Document) map[string]document.Table {
	found := make(map[string]document.Table)
	for _, section := range append([]document.Section{{Blocks: d.Screen}}, d.Sections...) {
		for _, block := range section.Blocks {
			if t, is := block.(document.Table); is {
				found[t.ID] = t
			}
		}
	}
	return found
}

// rowsOf returns the rows of a table, the texts of whose cells are parted by a bar.
func rowsOf(t document.Table) (rows []string) {
	for _, cells := range t.Rows {
		var texts []string
		for _, cell := range cells {
			texts = append(texts, cell.Text)
		}
		rows = append(rows, strings.Join(texts, "|"))
	}
	return rows
}

// documentOf returns the document of a record.
func documentOf(record *results.Record) *document.Document {
	return report.Document(record, verdict.Judge(record))
}
