package results_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
)

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
		for k := range totals.Phases[p].Kinds {
			got := totals.Phases[p].Kinds[k]
			assert.Truef(t, got.Equal(&record.Phases[p].Kinds[k].Counts), "phase %d, kind %d", p, k)
			sum.Add(&got)
		}
	}
	assert.True(t, totals.Equal(&sum))
}
