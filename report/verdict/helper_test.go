package verdict_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// fullKey is the partition that the tests' load is aimed at.
const fullKey = resultstest.Partition

// manifest is that of an embedded run against the documents' targets.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) {
		m.Time, m.Started = "real", time.Date(2011, 11, 6, 9, 40, 0, 123, time.FixedZone("EST", -5*3600))
	})
}

// run is a load in steps on a partition that serves so many entities in each second and
// refuses the rest; a quarter of the operations are inserts, the others reads.
type run struct {
	manifest results.Manifest
	serves   int
	rates    []int
	// seconds is the length of each step, pause of the hold after it.
	seconds, pause int
	// retries is how often a throttled operation tries again, each time a second
	// later. Of so many operations one is late, one dropped, one failed; 0 is none.
	retries, late, dropped, failed int
	validity                       string
	reasons                        []string
}

// plays are the runs that were played, by what they are.
var plays sync.Map

// record plays the run, unless an equal one was, and reads its record.
func (r *run) record(t testing.TB) *results.Record {
	t.Helper()
	manifest, err := json.Marshal(r.manifest)
	require.NoError(t, err)
	bare := *r
	bare.manifest = results.Manifest{}
	key := fmt.Sprintf("%s %+v", manifest, bare)
	folder, found := plays.Load(key)
	if !found {
		folder = new(results.Memory)
		r.into(t, folder.(*results.Memory))
		plays.Store(key, folder)
	}
	return resultstest.Read(t, folder.(*results.Memory))
}

func (r *run) into(t testing.TB, folder results.Folder) {
	t.Helper()
	pause := time.Duration(r.pause) * time.Second
	played := resultstest.Run{Manifest: r.manifest, Serves: r.serves, Retries: r.retries, Wait: time.Second,
		Phases: resultstest.Steps(time.Second, time.Duration(r.seconds)*time.Second, pause, r.rates...),
		Tail:   pause + 5*time.Second, Validity: r.validity, Reasons: r.reasons, Operation: r.operation, Attempt: r.attempt}
	played.Into(t, folder)
}

func (r *run) operation(op *resultstest.Operation) {
	if op.IsLastOf(4) {
		op.Kind = 2
	}
	if op.IsLastOf(r.late) {
		op.Sent += 120 * time.Millisecond
	}
	op.Dropped = op.IsLastOf(r.dropped)
}

func (r *run) attempt(op *resultstest.Operation, a *results.Attempt) {
	a.Entities = 0
	switch {
	case op.IsLastOf(r.failed):
		a.Class = results.Failed
	case r.serves == 0:
		a.Class = results.Throttled
	}
}

// stress is a run that saturates its partition at 2,000 entities/s.
func stress() *run {
	return &run{manifest: manifest(), serves: 2000, rates: []int{1000, 4000}, seconds: 4, pause: 1}
}

// small is a run that saturates a partition of 200 entities/s, whose target in
// the model is that.
func small(change func(*run)) *run {
	r := &run{manifest: manifest(), serves: 200, rates: []int{100, 400}, seconds: 4, pause: 1}
	r.manifest.Targets = results.Targets{Partition: 200, Account: 20_000}
	if change != nil {
		change(r)
	}
	return r
}

// quiet is a run of 200 operations in 2 s that all succeed, over 8 s.
func quiet() *run { return &run{manifest: manifest(), serves: 1000, rates: []int{100}, seconds: 2} }

// checkSentences checks the words of sentences, and that each is one.
func checkSentences(t *testing.T, name string, sentences []string, words string) {
	t.Helper()
	resultstest.CheckWords(t, name, strings.Join(sentences, "\n"), words)
	for _, sentence := range sentences {
		assert.Truef(t, !strings.ContainsFunc(sentence, unicode.IsControl),
			"%s: %q is no sentence", name, sentence)
	}
}

// answer returns the answer of a judged record, findings what else stands out of it, and story both in one text.
func answer(record *results.Record, summary *results.Summary) document.Answer {
	return verdict.Narrate(record, summary).Answer
}

func findings(record *results.Record) []string {
	told := verdict.Narrate(record, verdict.Judge(record))
	return append(told.Answer.Says, told.Findings...)
}

func story(record *results.Record) string {
	told := verdict.Narrate(record, verdict.Judge(record))
	return told.Answer.Sentences() + " " + strings.Join(told.Findings, " ")
}
