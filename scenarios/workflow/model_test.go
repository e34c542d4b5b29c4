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
	rng := rand.New(rand.NewPCG(seed, 6))
	w := newWorld(t)
	if there {
		w.put("Test", runner)
	}
	// raised counts, for each write id, how often it raised the counter.
	raised := map[string]int{}
	do := func(op target.Operation) target.Outcome {
		o := w.do(&op)
		if id, has := workflow.IDOf(entity.Pack(nil, 1, op.Change.Properties)); has && o.Status < 300 {
			raised[id.String()]++
		}
		return o
	}
	const errands = 40
	lanes, lost := 1+rng.IntN(6), rng.IntN(40)
	var under []*course
	var late []target.Operation
	acknowledged, started := int64(0), uint64(0)
	for started < errands || len(under) > 0 {
		for len(under) < lanes && started < errands {
			p := workflow.NewReadModifyWrite(workflow.Modification{Verb: verb, Table: "Test", Key: runner, Counter: counter,
				ID: workflow.WriteID{Run: "r", Number: started}})
			c := begun(p)
			c.most = 6
			under = append(under, c)
			started++
		}
		if len(late) > 0 && rng.IntN(4) == 0 {
			do(late[0])
			late = late[1:]
		}
		i := rng.IntN(len(under))
		e := under[i]
		switch chance := rng.IntN(100); {
		case chance < lost/2:
			do(e.request)
			e.tell(w, target.Outcome{})
		case chance < lost:
			// It has not arrived yet, but may.
			late = append(late, e.request)
			e.tell(w, target.Outcome{})
		default:
			e.tell(w, do(e.request))
		}
		if !e.ended {
			continue
		}
		under = append(under[:i], under[i+1:]...)
		r := e.Workflow.(*workflow.ReadModifyWrite).Report()
		switch {
		case e.ok != (r.Written == workflow.Acknowledged):
			t.Fatalf("seed %d: an errand ended, ok %v, and reports %d; want acknowledged where it is ok", seed, e.ok, r.Written)
		case r.Written == workflow.Acknowledged:
			acknowledged++
		case r.Written == workflow.Unknown:
			unknown++
		case raised[r.ID.String()] > 0:
			t.Fatalf("seed %d: %v was carried out, and is reported as absent", seed, r.ID)
		}
		if r.Own409 || r.Own412 {
			owns++
			require.Equalf(t, 1, raised[r.ID.String()], "seed %d: %v met its own success, and was carried out times", seed, r.ID)
		}
	}
	for _, op := range late {
		do(op)
	}
	for id, times := range raised {
		require.Truef(t, times <= 1, "seed %d: %s was carried out %d times; want once", seed, id, times)
	}
	stored, _ := w.get("Test", runner)
	laps, _ := stored.Lookup(counter)
	if got := laps.Int(); got < acknowledged || got > acknowledged+int64(unknown) {
		t.Fatalf("seed %d: the counter is at %d, %d were acknowledged and of %d nobody knows; want no more and no fewer",
			seed, got, acknowledged, unknown)
	}
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
