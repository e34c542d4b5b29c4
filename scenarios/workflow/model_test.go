package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

const counter = "Laps"

var runner = entity.Key{Partition: "2011 New York City Marathon__Full", Row: "1234__John__M__55"}

// race has many errands raise one counter, in an order, with losses and with
// requests that arrive late, all of which chance decides.
func race(t *testing.T, seed uint64, verb entity.Verb, there bool) (unknown, owns int) {
	t.Helper()
	w := newWorld(t)
	if there {
		w.put("Test", runner)
	}
	// raised counts, for each write id, how often it raised the counter.
	raised := map[workflow.WriteID]int{}
	w.late = true
	w.seen = func(op *target.Operation, o target.Outcome) {
		if id, has := workflow.IDOf(entity.Pack(nil, 1, op.Change.Properties)); has && o.Status < 300 {
			raised[id]++
		}
	}
	all := several(40, func(k int) workflow.Workflow {
		return workflow.NewReadModifyWrite(workflow.Modification{Verb: verb, Table: "Test", Key: runner, Counter: counter,
			ID: workflow.WriteID{Run: "r", Number: uint64(k)}})
	})
	rng := rand.New(rand.NewPCG(seed, 6))
	acknowledged := int64(0)
	for k, ok := range w.race(seed, 1+rng.IntN(6), rng.IntN(40), all) {
		r := all[k].(*workflow.ReadModifyWrite).Report()
		times, known := raised[r.ID], r.Written == workflow.Acknowledged
		if ok != known || times > 1 || known && times == 0 || r.Written == workflow.Absent && times > 0 {
			t.Fatalf("seed %d: %v ended well %v, was carried out %d times, and reports %d", seed, r.ID, ok, times, r.Written)
		}
		if known {
			acknowledged++
		} else if r.Written == workflow.Unknown {
			unknown++
		}
		if r.Own409 || r.Own412 {
			owns++
		}
	}
	stored, _ := w.get("Test", runner)
	laps := value(stored, counter).Int()
	require.Truef(t, laps >= acknowledged && laps <= acknowledged+int64(unknown),
		"seed %d: the counter is at %d, %d were acknowledged and of %d nobody knows", seed, laps, acknowledged, unknown)
	return unknown, owns
}

// However attempts interleave, get lost or come late, the counter is what was
// acknowledged.
func TestCountersAreWhatWasAcknowledged(t *testing.T) {
	for _, row := range []struct {
		verb  entity.Verb
		there bool
	}{{entity.Merge, true}, {entity.Replace, true}, {entity.InsertOrMerge, false}, {entity.InsertOrReplace, false}} {
		t.Run(fmt.Sprintf("%v, there: %v", row.verb, row.there), func(t *testing.T) {
			exact, owns := 0, 0
			const runs = 400
			for seed := range uint64(runs) {
				unknown, own := race(t, seed, row.verb, row.there)
				owns += own
				if unknown == 0 {
					exact++
				}
			}
			assert.Truef(t, exact >= runs/4 && owns >= runs,
				"%d of %d runs left nothing unknown, %d writes met their own success; want %d and %d at least, or this shows little", exact, runs, owns, runs/4, runs)
		})
	}
}
