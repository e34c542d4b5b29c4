package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
)

// crew are members that take part in one run after another.
type crew struct {
	s      *leadership
	shares []*share
	ended  []error
	all    sync.WaitGroup
	// seen is told of what happens; it may be nil.
	seen func(protocol.Event)
}

// newCrew has so many members look for a leader.
func newCrew(ctx context.Context, carry Carry, shares ...*share) *crew {
	w := newWires()
	c := &crew{s: &leadership{hub: w, clock: clock.NewReal()}, shares: shares, ended: make([]error, len(shares))}
	for i, s := range shares {
		do := carry
		if do == nil {
			do = s.carry
		}
		c.all.Go(func() {
			id := fmt.Sprintf("m%d", i)
			c.ended[i] = playMember(ctx, &JoinOptions{Name: fmt.Sprintf("member%d", i), Version: "v1", Deadline: 10 * time.Second, Carry: do, Clock: clock.NewReal()}, id, w.join(id))
		})
	}
	return c
}

// lead leads a run whose scenario has a name.
func (c *crew) lead(ctx context.Context, name string, follows bool, search protocol.Search) (Outcome, error) {
	return c.s.lead(ctx, &LeadOptions{Members: len(c.shares), Version: "v1", Deadline: 10 * time.Second, Search: search, Seen: c.seen,
		Charge: protocol.Charge{Scenario: []byte("name: " + name + "\n"), Follows: follows}})
}

// Members take part in one run after another: each is charged with what that run is, in the same
// place, however long the leader is busy between two.
func TestASeriesOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t.Context(), nil, &share{rate: 30, seconds: 2}, &share{rate: 20, seconds: 2})
		var places [2]int
		for n := range 3 {
			name := fmt.Sprint("run", n)
			came, err := c.lead(t.Context(), name, n < 2, nil)
			require.Truef(t, err == nil && len(came.Faults) <= 0 && len(came.Members) == 2,
				"run %d: %v, faults %q of %d members; want none, of two", n, err, came.Faults, len(came.Members))
			for i, s := range c.shares {
				assert.Truef(t, n <= 0 || s.charge.Index == places[i], "run %d: member %d has place %d", n, i, s.charge.Index)
				places[i] = s.charge.Index
				if got := came.Members[s.charge.Index].Record.Total(results.Everything).Scheduled; got != 2*s.rate || string(s.charge.Scenario) != "name: "+name+"\n" {
					t.Errorf("run %d: member %d had %d operations of %q; want %d of its own", n, i, got, s.charge.Scenario, 2*s.rate)
				}
			}
			time.Sleep(time.Minute) // it makes another table, and fills it
		}
		c.all.Wait()
		assert.NoError(t, errors.Join(c.ended...))
	})
}

// Where no other run follows after all, members that wait for one are told so.
func TestASeriesThatEndsBeforeItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t.Context(), nil, &share{rate: 30, seconds: 1}, &share{rate: 20, seconds: 1})
		if _, err := c.lead(t.Context(), "first", true, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		began := time.Now()
		c.s.end()
		c.all.Wait()
		if err := errors.Join(c.ended...); err != nil || time.Since(began) > 3*time.Second {
			t.Errorf("the members end with %v after %v; want no fault, within 3s", err, time.Since(began))
		}
	})
}

// A member that is lost breaks the series: no run follows, and the others end without a fault.
func TestASeriesThatBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t.Context(), nil, &share{rate: 30, seconds: 9}, &share{rate: 20, seconds: 9, breaks: errors.New("the account is gone"), after: 3})
		came, err := c.lead(t.Context(), "first", true, nil)
		c.all.Wait()
		assert.Truef(t, err == nil && len(came.Faults) != 0 && c.s.rested == nil,
			"%v, faults %q, a run follows: %v; want a fault, and none", err, came.Faults, c.s.rested != nil)
		assert.Truef(t, c.ended[0] == nil && c.ended[1] != nil, "the members end with %v", c.ended)
	})
}

// The leader goes between two runs: each member ends by itself.
func TestALeaderThatGoesBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t.Context(), nil, &share{rate: 30, seconds: 1}, &share{rate: 20, seconds: 1})
		if _, err := c.lead(t.Context(), "first", true, nil); err != nil {
			t.Fatal(err)
		}
		c.s.rested()
		began := time.Now()
		c.all.Wait()
		for i, err := range c.ended {
			assert.Truef(t, errors.Is(err, protocol.ErrLeaderLost) && time.Since(began) <= 10*time.Second,
				"member %d ends with %v after %v; want %v within 10s", i, err, time.Since(began), protocol.ErrLeaderLost)
		}
	})
}

// rates is a search of rates that says what came of each.
type rates struct {
	list []float64
	came [][]campaign.Measured
}

func (r *rates) Next(came []json.RawMessage) (json.RawMessage, error) {
	var all []campaign.Measured
	for _, text := range came {
		var one campaign.Measured
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if r.came = append(r.came, all); len(r.came) > len(r.list) {
		return nil, nil
	}
	return json.Marshal(campaign.Try{Number: len(r.came), Rate: r.list[len(r.came)-1]})
}

// The steps of a search are tried by all from one instant on, and each follows from what all have
// measured of the last.
func TestTurnsOfASearch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		begins := map[int][]time.Time{}
		carry := func(ctx context.Context, c protocol.Charge, l Leading) (*results.Record, error) {
			record, err := (&share{rate: 5, seconds: 1}).carry(ctx, c, l)
			for err == nil {
				one, at, more, failed := tries{l}.Next(ctx)
				if err = failed; err != nil || !more {
					break
				}
				mu.Lock()
				begins[one.Number] = append(begins[one.Number], at)
				mu.Unlock()
				time.Sleep(time.Until(at) + 2*time.Second)
				m := &campaign.Measured{Scheduled: int64(one.Rate) + int64(c.Index)}
				m.Response.Record(time.Duration(1+c.Index) * time.Millisecond)
				tries{l}.Came(one, m)
			}
			return record, err
		}
		c := newCrew(t.Context(), carry, &share{}, &share{}, &share{})
		search := &rates{list: []float64{100, 200, 150}}
		came, err := c.lead(t.Context(), "search", false, search)
		c.all.Wait()
		err = errors.Join(append(c.ended, err)...)
		require.Truef(t, err == nil && len(came.Faults) == 0, "%v, faults %q; want none", err, came.Faults)
		for n, rate := range search.list {
			at := begins[n+1]
			assert.Truef(t, len(at) == 3 && at[0].Equal(at[1]) && at[0].Equal(at[2]) && at[0].Sub(came.Began)%time.Second == 0,
				"turn %d begins at %v; want one instant of three, whole seconds after %v", n+1, at, came.Began)
			all := new(campaign.Measured)
			for i := range search.came[n+1] {
				all.Add(&search.came[n+1][i])
			}
			assert.Truef(t, all.Scheduled == 3*int64(rate)+0+1+2 && all.Response.Count() == 3,
				"of turn %d came %d operations and %d times; want %d and 3", n+1, all.Scheduled, all.Response.Count(), 3*int64(rate)+3)
		}
		assert.Truef(t, slices.IsSortedFunc([]int{1, 2, 3}, func(a, b int) int { return begins[a][0].Compare(begins[b][0]) }),
			"the turns begin at %v; want one after another", begins)
	})
}
