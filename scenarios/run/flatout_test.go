package run_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// flatOut is a drawn load of clients that never pause, each of whose operations takes as long,
// and how many operations that comes to: each client begins one at the start, and the next as
// the one before has ended, until the time is over.
type flatOut struct {
	clients, seconds int
	trip, write      time.Duration
}

func drawnFlatOut(chance *rand.Rand) flatOut {
	micro := func(least, most int64) time.Duration {
		return time.Duration(least+chance.Int64N(most-least)) * time.Microsecond
	}
	return flatOut{clients: 1 + chance.IntN(40), seconds: 1 + chance.IntN(4), trip: micro(200, 20_000), write: micro(500, 30_000)}
}

func (f flatOut) scenario(t *testing.T) *scenarios.Scenario {
	return networked(t, fmt.Sprintf("round_trip: %s, write_time: %s", f.trip, f.write), 500, "insert-or-replace",
		fmt.Sprintf("clients: %d, think: 0, for: %ds", f.clients, f.seconds))
}

func (f flatOut) operations() int64 {
	length, each := time.Duration(f.seconds)*time.Second, f.trip+f.write
	return int64(f.clients) * int64((length+each-1)/each)
}

// Clients that never pause do one operation after another: how many, their answers decide.
func TestClientsFlatOut(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(32, 4))
	for range run.Tier(4, 12) {
		f := drawnFlatOut(chance)
		r, sum, _ := day(t, f.scenario(t))
		assert.Truef(t, sum.Operations == f.operations() && sum.Succeeded == f.operations() && r.Validity == results.Valid,
			"%+v: %d operations, %d of them served, %s", f, sum.Operations, sum.Succeeded, r.Validity)
	}
}

// In real time they do as many, on a clock that stands still while they work.
func TestClientsFlatOutInRealTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := flatOut{clients: 7, seconds: 3, trip: 1300 * time.Microsecond, write: 4100 * time.Microsecond}
		record := runtest.Run(t, run.Plan{Scenario: f.scenario(t), On: run.InProcess, NoProbe: true})
		assert.Equal(t, f.operations(), record.Total(results.Reported).Operations)
	})
}

// Where a simulation answers at once they would never come to the end of an instant.
func TestClientsFlatOutOfTime(t *testing.T) {
	off := flatOut{clients: 2, seconds: 1, trip: time.Millisecond, write: time.Millisecond}.scenario(t)
	off.Model = scenarios.Model{Profile: "off"}
	for name, s := range map[string]*scenarios.Scenario{"the profile off": off, "no times": flatOut{clients: 2, seconds: 1}.scenario(t)} {
		_, err := run.Run(t.Context(), run.Plan{Scenario: s})
		assert.Truef(t, err != nil && strings.Contains(err.Error(), "the phase day") && !errors.Is(err, run.ErrTarget),
			"%s: error %v; want one that says that virtual time would not pass", name, err)
	}
}
