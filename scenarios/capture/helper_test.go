package capture_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// ms is a millisecond, of a time as of an instant.
const ms = 1_000_000

// scene is an observed run whose traffic is counted a second time, as a server
// does.
type scene struct {
	t        testing.TB
	folder   *results.Memory
	recorder *results.Recorder
	observer *capture.Capture
	counts   results.TargetCounts
	last     time.Duration
}

// manifest is that of an embedded server under observation.
func manifest() results.Manifest {
	return results.Manifest{Command: []string{"loadgen", "serve", "--examine"}, Scenario: results.Scenario{Name: "observed"},
		Target: results.Embedded, Start: "warm", Profile: "documented", Time: "real",
		Started:    time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC),
		Targets:    results.Targets{Partition: 2000, Account: 20_000, Documented: true},
		Operations: capture.Kinds()}
}

func open(t testing.TB, o capture.Options) *scene {
	t.Helper()
	s := &scene{t: t, folder: new(results.Memory)}
	s.recorder = must(results.NewRecorder(s.folder, manifest()))
	o.Recorder = s.recorder
	s.observer = capture.New(o)
	return s
}

// observe returns the record of a run of these requests alone.
func observe(t testing.TB, o capture.Options, requests ...accesslog.Observed) *results.Record {
	t.Helper()
	s := open(t, o)
	for _, r := range requests {
		s.saw(r)
	}
	return s.end()
}

// loads offers partition p of table t in each second so many requests that are served, and after
// them so many that refused refuses.
func (s *scene) loads(seconds [][2]int, refused func(accesslog.Observed) accesslog.Observed) {
	for second, load := range seconds {
		for i := range load[0] + load[1] {
			r := get(time.Duration(second)*time.Second+time.Duration(i)*5*ms, "t", "p")
			if i >= load[0] {
				r = refused(r)
			}
			s.saw(r)
		}
	}
}

// saw has the observer see a request, and counts it by its code alone.
func (s *scene) saw(r accesslog.Observed) {
	s.count(&r)
	s.last = max(s.last, r.EndTime().Offset())
	s.observer.Saw(&r)
}

func (s *scene) count(r *accesslog.Observed) {
	s.counts.Requests++
	s.counts.Entities += r.Counted
	switch {
	case r.Status == 0, r.Crowded:
		s.counts.Failed++
	case r.Code == entity.OK:
		s.counts.Ok++
	case r.Code == entity.ServerBusy, r.Code == entity.OperationTimedOut:
		s.counts.Throttled++
	default:
		s.counts.Failed++
	}
}

// end closes the run, reads it back and holds its books to be closed.
func (s *scene) end() *results.Record {
	s.t.Helper()
	require.NoError(s.t, s.observer.End(), "End")
	require.NoError(s.t, s.recorder.Finish(s.last+time.Second, results.Valid, nil, &s.counts), "Finish")
	record, err := results.Read(s.folder)
	require.NoError(s.t, err, "Read")
	faults := verdict.Books(record)
	assert.Empty(s.t, faults, "Books")
	require.NotNil(s.t, record.Capture, "the record holds no observation")
	assert.Nil(s.t, record.Heat, "the observation names its partitions, without a heat map")
	if n := len(record.Intervals); n > 0 {
		assert.Zero(s.t, record.Intervals[n-1].InFlight, "requests under way at the end")
	}
	assert.Equal(s.t, s.counts.Requests, record.Capture.Requests, "requests were observed")
	assert.Equal(s.t, s.counts.Entities, record.Capture.Entities, "entities were observed")
	return record
}

// insert is the insert of an entity that succeeds.
func insert(at time.Duration, table, pk, rk string) accesslog.Observed {
	return accesslog.Observed{Arrived: clock.Instant(at), EndToEnd: 4 * ms, Verb: entity.Insert, Inserts: true, Table: table,
		PartitionKey: pk, HasPartition: true, RowKey: rk, Status: 204, Counted: 1}
}

// get is a point read that succeeds.
func get(at time.Duration, table, pk string) accesslog.Observed {
	return accesslog.Observed{Arrived: clock.Instant(at), EndToEnd: 3 * ms, Verb: entity.Get, Table: table,
		PartitionKey: pk, HasPartition: true, RowKey: "r", Status: 200, Counted: 1, Returned: 1}
}

// throttled is the same request, throttled by the partition.
func throttled(r accesslog.Observed) accesslog.Observed {
	r.EndToEnd, r.Status, r.Code, r.Counted, r.Returned = 2*ms, 503, entity.ServerBusy, 0, 0
	return r
}

// answered is the same request with another answer.
func answered(r accesslog.Observed, code entity.Code) accesslog.Observed {
	r.Status, r.Code, r.Returned = code.Status(), code, 0
	return r
}

// throttledByAccount is the same request, throttled by the account.
func throttledByAccount(r accesslog.Observed) accesslog.Observed {
	r = throttled(r)
	r.AccountBusy = true
	return r
}

// named is the same request under a client's id.
func named(r accesslog.Observed, id string) accesslog.Observed {
	r.ClientRequestID = id
	return r
}

// must returns a value, and panics where there is an error: the test cannot go on.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
