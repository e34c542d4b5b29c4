package results_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// What many goroutines tell at the same time comes to the very record of one that tells it all,
// to the byte: whenever it is taken down.
func TestManyTellWhatOneTells(t *testing.T) {
	for seed := range uint64(resultstest.Cases(1, 3)) {
		ops := spread{counterPhases(), 6, 1, false}.operations(rand.New(rand.NewPCG(seed, 1)), 2000)
		one := recordOf(t, func(r *results.Recorder) error {
			r.Alone()
			return play(r, ops)
		})
		for _, goroutines := range []int{2, 8} {
			many := recordOf(t, func(r *results.Recorder) error { return playTogether(r, ops, goroutines) })
			for _, name := range []string{results.RunFile, results.IntervalsFile} {
				assert.Truef(t, bytes.Equal(one.Bytes(name), many.Bytes(name)),
					"seed %d: %s of %d goroutines differs from that of one", seed, name, goroutines)
			}
		}
	}
}

// recordOf returns what a recorder has written that was told of the phases of counterPhases
// and of what happened in them.
func recordOf(t *testing.T, tell func(*results.Recorder) error) *results.Memory {
	t.Helper()
	folder := new(results.Memory)
	recorder := begin(t, folder)
	for _, p := range counterPhases() {
		recorder.Phase(p)
	}
	require.NoError(t, tell(recorder), "Advance")
	resultstest.Finish(t, recorder, 80*time.Second)
	return folder
}

// playTogether records the operations by so many goroutines, which wait for each other at the
// end of each second.
func playTogether(r *results.Recorder, ops []operation, goroutines int) error {
	moments := momentsOf(ops)
	for len(moments) > 0 {
		end := moments[0].at.Truncate(time.Second) + time.Second
		n := 0
		for n < len(moments) && moments[n].at < end {
			n++
		}
		var running sync.WaitGroup
		for g := range goroutines {
			running.Go(func() {
				for i := g; i < n; i += goroutines {
					moments[i].call(r)
				}
			})
		}
		running.Wait()
		moments = moments[n:]
		if err := r.Advance(end - longestAttempt); err != nil {
			return err
		}
	}
	return nil
}

// Nobody who tells of operations waits for a second that is being written, and what is told
// meanwhile is in the record.
func TestSendersDoNotWaitForTheDisk(t *testing.T) {
	writes, let := make(chan struct{}, 10), make(chan struct{})
	folder := &faulty{write: func(name string, text []byte) (int, error) {
		if name == results.IntervalsFile {
			writes <- struct{}{}
			<-let
		}
		return len(text), nil
	}}
	recorder := begin(t, folder)
	step := recorder.Phase(results.Phase{Name: "500/s", End: 10 * time.Second, Rate: 500, Reported: true})
	succeed(recorder, step, 1, 0, time.Millisecond)
	var writing sync.WaitGroup
	writing.Go(func() { assert.NoError(t, recorder.Advance(2*time.Second), "Advance") })
	<-writes
	const n = 2000
	told := make(chan struct{})
	go func() {
		defer close(told)
		for i := range n {
			succeed(recorder, step, 1+i%2, 2*time.Second+time.Duration(i)*time.Millisecond, time.Millisecond)
			recorder.Waited(step, time.Millisecond)
			recorder.Again(2 * time.Second)
			recorder.Held(step, 1, 2*time.Second, time.Millisecond)
		}
	}()
	select {
	case <-told:
	case <-time.After(30 * time.Second):
		t.Fatal("those who tell of operations wait for a write that does not end")
	}
	close(let)
	writing.Wait()
	resultstest.Finish(t, recorder, 10*time.Second)
	record := resultstest.Read(t, &folder.Memory)
	all := record.Total(results.Everything)
	assert.Equal(t, [5]int64{n + 1, n + 1, n, n, 0}, [5]int64{all.Attempts, all.Succeeded, record.RetryWaits.Count(), record.LimitWaits.Count(),
		record.Misplaced}, "attempts, successes, waits to retry and for a limit, misplaced")
}

func TestEventsOfManyGoroutinesAreAllWritten(t *testing.T) {
	record := playRecord(t, time.Second, func(r *results.Recorder) {
		var running sync.WaitGroup
		for range 4 {
			running.Go(func() {
				for range 100 {
					r.Event(results.Event{What: results.PhaseBegins})
				}
			})
		}
		running.Wait()
	})
	assert.Len(t, record.Events, 400)
}

// The last seconds have the same counts before and after they are written, and the totals are those of the record. Other
// goroutines may read them although one alone records.
func TestRecentSeconds(t *testing.T) {
	chance := rand.New(rand.NewPCG(47, 2))
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, results.Manifest{Operations: []results.Kind{{Name: "get"}, {Name: "put"}}})
	recorder.KeepRecent()
	recorder.Share()
	recorder.Alone()
	recorder.Phase(results.Phase{Name: "first", End: 10 * time.Second, Reported: true})
	recorder.Phase(results.Phase{Name: "second", Begin: 10 * time.Second, End: 40 * time.Second})
	var reading sync.WaitGroup
	seen := make(map[int64]results.Counts)
	for second := range int64(40) {
		reading.Go(func() { recorder.Totals() })
		for range chance.IntN(50) {
			at := time.Duration(second)*time.Second + time.Duration(chance.Int64N(int64(time.Second)))
			resultstest.Single(recorder, results.Attempt{Phase: int(second / 10 % 2), Kind: chance.IntN(2), Intended: at, Sent: at, Done: at,
				Class: results.Class(1 + chance.IntN(3))})
		}
		seen[second] = recorder.WindowCounts(second, second+1)
		require.NoError(t, recorder.Advance(time.Duration(second-3)*time.Second))
		for back := range min(second, 10) {
			again := recorder.Window(second-back, second-back+1)
			assert.Truef(t, again.Equal(new(seen[second-back])), "second %d, %d s later", second-back, back)
			assert.Equal(t, again.Succeeded, again.Response.Count())
		}
	}
	assert.Zero(t, recorder.WindowCounts(0, 20).Attempts, "long ago")
	recorder.Again(39 * time.Second)
	reading.Wait()
	totals := recorder.Totals()
	assert.EqualValues(t, 1, totals.InFlight)
	assert.Equal(t, int64(39), int64(recorder.Latest()/time.Second))
	resultstest.Finish(t, recorder, 40*time.Second)
	record := resultstest.Read(t, folder)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		counts := seen[row.Second]
		assert.Equal(t, []int64{counts.Scheduled, counts.Attempts, counts.Ok, counts.Throttled, counts.Failed, counts.Served - row.Served},
			[]int64{row.Scheduled, row.Attempts, row.Ok, row.Throttled, row.Failed, 0}, "second %d", row.Second)
	}
	var sum results.Counts
	for p := range totals.Phases {
		for k, got := range totals.Phases[p] {
			assert.Truef(t, got.Equal(&record.Phases[p].Kinds[k].Counts), "phase %d, kind %d", p, k)
			sum.Add(&got)
		}
	}
	assert.True(t, totals.Equal(&sum))
}
