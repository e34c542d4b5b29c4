package verdict_test

import (
	"testing"
	"time"

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

// record plays the run and reads its record.
func (r *run) record(t testing.TB) *results.Record {
	t.Helper()
	pause := time.Duration(r.pause) * time.Second
	played := resultstest.Run{Manifest: r.manifest, Serves: r.serves, Retries: r.retries, Wait: time.Second,
		Phases: resultstest.Steps(time.Second, time.Duration(r.seconds)*time.Second, pause, r.rates...),
		Tail:   pause + 5*time.Second, Validity: r.validity, Reasons: r.reasons, Operation: r.operation, Attempt: r.attempt}
	return played.Record(t)
}

func (r *run) operation(op *resultstest.Operation) {
	if op.Every(4) {
		op.Kind = 2
	}
	if op.Every(r.late) {
		op.Sent += 120 * time.Millisecond
	}
	op.Dropped = op.Every(r.dropped)
}

func (r *run) attempt(op *resultstest.Operation, a *results.Attempt) {
	a.Entities = 0
	switch {
	case op.Every(r.failed):
		a.Class = results.Failed
	case r.serves == 0:
		a.Class = results.Throttled
	}
}

// stress is a run that saturates its partition at 2,000 entities/s.
func stress() *run {
	return &run{manifest: manifest(), serves: 2000, rates: []int{1000, 4000}, seconds: 4, pause: 1}
}
