package coverage_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/backoff/trial"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
)

func retries() []row {
	const group = "Retries"
	// The documents' example: z = 30 s, zmin = 3 s, zmax = 90 s.
	wait := func(x int, factor float64) float64 { return min(3+30*factor*(math.Pow(2, float64(x))-1), 90) }
	return []row{
		{77, group, strategy, "Without retries, or with N retries too close together, data is lost; with long enough waits none is.", "`loadgen backoff contest`",
			"seconds of an outage, with three retries a second apart", "share of its operations lost: those due three seconds or more before its end", false,
			vary(func(seconds int) band { return band{1 - 3/float64(seconds), .02} }, lostToOutage, 6, 15)},
		{78, group, strategy, "Wait min(zmin + Rand(0.8 z, 1.2 z) (2^x - 1), zmax) before retry x = 1, 2, …", "`loadgen backoff show documented`",
			"retry", "mean wait in s, by the formula with z = 30, zmin = 3, zmax = 90", quick,
			vary(func(x int) band {
				const steps = 100_000
				sum := 0.
				for i := range steps {
					sum += wait(x, .8+.4*(float64(i)+.5)/steps)
				}
				return band{sum / steps, .001}
			}, meanWait, 1, 2)},
		{79, group, checklist, "Retry 5xx except 501 and 505; do not retry 4xx; retry a failed connection at once.", "`loadgen simulate retry-by-status`",
			"class of statuses, from 00 to 11", "statuses of twelve that are retried", quick,
			vary(either(5, exactly(12-2), exactly(0)), triedAgain, 5, 4)},
	}
}

func lostToOutage(t testing.TB, seconds int) float64 {
	contest := trial.Contest{Length: time.Duration(seconds) * time.Second, Clients: 50, Each: 20, Seed: 7,
		Contestants: []trial.Contestant{{Name: "three", Policy: backoff.Policy{Name: "three", Retries: 3, Delay: backoff.Ladder{time.Second}}}}}
	result, err := contest.Run(t.Context())
	require.NoError(t, err)
	one := result.Policies[0]
	return float64(one.Lost) / float64(one.Caught)
}

// meanWait returns the mean of what the documented policy waits before a retry.
func meanWait(t testing.TB, x int) float64 {
	policy, err := backoff.ByName("documented")
	require.NoError(t, err)
	const draws = 10_000
	sum := 0.
	for i := range draws {
		wait, again := policy.Wait(x, (float64(i)+.5)/draws)
		require.True(t, again, "it gives up; want a wait")
		sum += wait.Seconds()
	}
	return sum / draws
}

func triedAgain(t testing.TB, class int) float64 {
	policy, err := backoff.ByName("documented")
	require.NoError(t, err)
	assert.True(t, policy.RetriesAtOnce(0, "", 1) && policy.Retryable(0, ""), "a connection that failed is not tried again at once")
	again := 0
	for status := 100 * class; status < 100*class+12; status++ {
		if policy.Retryable(status, fmt.Sprint("Code", status)) {
			again++
		}
	}
	return float64(again)
}

// table is a table of the embedded engine, asked without a wire.
type table struct {
	testing.TB
	*engine.Engine
	number uint64
}

// newTable returns a table of one range after a cold start, under the documented profile.
func newTable(t testing.TB, settings ...string) *table { return newTables(t, 1, true, settings) }

// newTables returns Races, and as many more as it takes to be n: Races2, Races3, ....
func newTables(t testing.TB, n int, cold bool, settings []string) *table {
	t.Helper()
	e := resttest.New(t, resttest.Options{Profile: model.Documented, Settings: settings,
		Engine: engine.Options{Seed: 1, Cold: cold}}).Engine
	for i := range n {
		if code, detail := e.LoadTable(0, account, nameOf(i)); code != entity.OK {
			t.Fatal(code, detail)
		}
	}
	return &table{TB: t, Engine: e}
}

// nameOf returns the name of a table by its number, from 0.
func nameOf(i int) string {
	if i == 0 {
		return "Races"
	}
	return fmt.Sprint("Races", i+1)
}

// load puts an entity in without asking for admission.
func (e *table) load(partition, row string) {
	e.Helper()
	change := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: row}}
	if code, detail := e.Load(0, account, "Races", &change); code != entity.OK {
		e.Fatal(code, detail)
	}
}

// ask sends a request at an instant.
func (e *table) ask(now clock.Instant, r engine.Request) engine.Reply {
	e.number++
	r.Account, r.Number = account, e.number
	r.Table = cmp.Or(r.Table, "Races")
	return e.Submit(now, &r)
}

// insert is a request for an insert.
func insert(partition, row string) engine.Request {
	return engine.Request{Verb: entity.Insert, Change: &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: partition, Row: row}}}
}

// read reads a range from an instant on, page by page, and returns its entities and how many
// requests that took.
func (e *table) read(now clock.Instant, over filter.Range) (entities, requests int) {
	e.Helper()
	for {
		reply := e.ask(now, engine.Request{Verb: entity.Query, Query: engine.Query{Range: over}})
		if reply.Code != entity.OK {
			e.Fatal(reply.Code, reply.Detail)
		}
		entities, requests, now = entities+len(reply.Rows), requests+1, reply.Done
		if !reply.More {
			return entities, requests
		}
		over = over.StartingAt(reply.Next)
	}
}
