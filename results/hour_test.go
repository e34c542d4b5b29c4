package results_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/results/resultstest"

	"github.com/stretchr/testify/assert"
)

// A record of an hour of 12 operations over 1,000 partitions stays a file that a browser
// and an editor take: below 6 MB.
func TestAnHourIsBelowSixMegabytes(t *testing.T) {
	phases := resultstest.Cases(1, 6)
	m := manifest()
	m.Operations = nil
	for i := range 12 {
		m.Operations = append(m.Operations, results.Kind{Name: fmt.Sprintf("operation %d", i), Group: "GET"})
	}
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, m)
	const each, perSecond = 10 * time.Minute, 40
	rng := rand.New(rand.NewPCG(6, 6))
	for p := range phases {
		phase := recorder.Phase(results.Phase{Name: fmt.Sprint("step ", p), Begin: time.Duration(p) * each, End: time.Duration(p+1) * each, Reported: true})
		for i := range int(each/time.Second) * perSecond {
			due := time.Duration(p)*each + time.Duration(i)*time.Second/perSecond
			a := results.Attempt{Phase: phase, Kind: rng.IntN(12), Intended: due, Sent: due, Done: due + time.Duration(math.Exp(rng.NormFloat64())*float64(20*time.Millisecond)),
				Class: []results.Class{results.Ok, results.Ok, results.Ok, results.Throttled}[rng.IntN(4)], Status: 503, Code: "ServerBusy",
				PartitionKey: fmt.Sprintf("2011 New York City Marathon__%04d", int(math.Pow(rng.Float64(), 3)*1000)), HasPartition: true,
				Entities: 1 + rng.Int64N(1000), Stored: 1000}
			if a.Due = a.Entities; a.Class == results.Ok {
				a.Counted = a.Entities
			}
			resultstest.Single(recorder, a)
			advance(t, recorder, due)
		}
	}
	resultstest.Finish(t, recorder, time.Duration(phases)*each)
	record := resultstest.Read(t, folder)
	// The last attempts end after the last phase.
	columns := map[int]int{1: 151, 6: 226}[phases]
	if h := record.Heat; len(h.Rows) != results.KeptRows || h.Columns != columns || *h.Partitions != 1000 || h.MostMissed != 0 {
		t.Errorf("%d rows of %d columns, %v partitions, %d missed; want 100 of %d, 1,000 and none", len(h.Rows), h.Columns, *h.Partitions, h.MostMissed, columns)
	}
	booksClose(t, record)
	whole := len(folder.Bytes(results.RunFile))
	assert.Truef(t, whole <= phases<<20, "run.json has %d bytes after %d of 6 phases", whole, phases)
}
