package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
)

// drawn returns a scenario by chance: a design of one to four attributes, a load of one to
// eight tails or of none, warm or cold, within scaled limits, open or closed.
func drawn(chance *rand.Rand) string {
	pick := func(list ...string) string { return list[chance.IntN(len(list))] }
	tails := 1 + chance.IntN(8)
	attributes := fmt.Sprintf("  region: {uniform: [1, %d]}\n  user: {zipf: {of: %d, exponent: %.2f}}\n  device: {uniform: [1, %d]}\n"+
		"  id: {sequence: 1000000}\n  at: {time: 2026-11-01T00:00:00Z, every: 10ms}\n", tails, 20+chance.IntN(500), 0.5+0.9*chance.Float64(), 50+chance.IntN(2000))
	partition := pick("{region}_{id}", "{id}", "{user}", "{region}_{user}", "{device}_{user}", "{hash(user,16):02d}", "{at:hour}", "{region}_{at:minute}",
		"{device}", "{region}_{device}_{user}", "{hash(device,8):01d}_{id}")
	unique := pick("{id}", "{at:inverted}_{id}", "{user}_{id}", "{id}_{user}_{device}")
	arrivals := pick("constant", "poisson")
	rate := math.Exp(math.Log(20) + chance.Float64()*math.Log(40)) // 20 to 800
	seconds := 5 + chance.IntN(8)
	load := fmt.Sprintf("arrivals: {%s: %.0f}\n      for: %ds", arrivals, rate, seconds)
	switch chance.IntN(6) {
	case 0:
		load = fmt.Sprintf("arrivals: {ramp: {from: 10, to: %.0f}}\n      for: %ds", rate, seconds)
	case 1:
		load = fmt.Sprintf("clients: %d\n      think: %dms\n      for: %ds", 1+chance.IntN(30), 5+chance.IntN(100), seconds)
	}
	operations := []string{
		fmt.Sprintf("{name: save, verb: insert, weight: %d}", 1+chance.IntN(80)),
		fmt.Sprintf("{name: open, verb: get, weight: %d}", chance.IntN(40)),
	}
	if chance.IntN(2) == 0 {
		by := pick("[user]", "[device]", "[user, device]", "[region]", "[id]")
		operations = append(operations, fmt.Sprintf("{name: ask, verb: query, by: %s, weight: %d}", by, 1+chance.IntN(3)))
	}
	limits := "profile: documented, partition_target: 100, range_target: 100, server_target: 200, account_target: 1000, tick: 1s, " +
		"detection: 3s, load_memory: 2s, detection_gap: 2s, offline_least: 200ms, offline_most: 200ms"
	if chance.IntN(8) == 0 {
		limits += ", account_egress: 400000"
	}
	return fmt.Sprintf("name: drawn\nseed: %d\nstart: %s\nretry: %s\nmodel: {%s}\nattributes:\n%sentity: {size: %d, filler: Notes, properties: ["+
		"{name: User, type: Int64, value: \"{user}\"}, {name: Device, type: Int64, value: \"{device}\"}, {name: Region, type: Int64, value: \"{region}\"}, "+
		"{name: Id, type: Int64, value: \"{id}\"}]}\ndesign: {partition_key: %q, row_key: %q}\nphases:\n  - name: load\n    load: {entities: %d, transaction: %s}\n"+
		"  - name: work\n    traffic:\n      %s\n      operations:\n        - %s\n",
		1+chance.IntN(1<<20), pick("warm", "cold"), pick("none", "short"), limits, attributes, 256<<chance.IntN(5), partition, unique,
		100+chance.IntN(400), pick("1", "10"), load, strings.Join(operations, "\n        - "))
}

// What is said of a design before it runs is what its run comes to, by a seed that nobody
// looked at.
func TestExplanationAgreesWithSimulation(t *testing.T) {
	t.Parallel()
	cases := resultstest.Cases(3, 300)
	var wrongFails, untold, far atomic.Int64
	t.Run("drawn", func(t *testing.T) {
		for n := range cases {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				text := drawn(rand.New(rand.NewPCG(uint64(n), 23)))
				s, err := scenarios.Parse("drawn.yaml", []byte(text))
				require.NoErrorf(t, err, "%s", text)
				targets, times, err := TargetsOf(s)
				require.NoError(t, err)
				e, err := Explain(t.Context(), Options{Scenario: s, Targets: targets, Times: times})
				require.NoErrorf(t, err, "%s", text)
				other := *s
				other.Seed += 7
				was := simulated(t, &other)
				switch {
				case e.State == results.Holds && was.throttled > 0.02:
					t.Errorf("%q, and %.1f %% of the attempts were throttled:\n%s", e.Verdict, 100*was.throttled, text)
				case e.State == results.DoesNotHold && was.throttled == 0:
					wrongFails.Add(1)
				case e.State == results.CannotTell:
					untold.Add(1)
				}
				if off := func(a, b float64) bool { return math.Abs(a-b) > 0.05*b+4*math.Sqrt(b) }; e.State == results.Holds &&
					(off(float64(e.Cost.Requests), was.requests) || off(float64(e.Cost.Entities), was.entities)) {
					far.Add(1)
				}
				hottest, _ := e.Used().peaks()
				if h := hottest.Hottest.Value; math.Abs(h-was.hottest) > 0.1*was.hottest+4*math.Sqrt(was.hottest) {
					far.Add(1)
				}
			})
		}
	})
	assert.Falsef(t, int(wrongFails.Load())*100 > cases || int(untold.Load())*10 > cases || int(far.Load())*20 > cases,
		"of %d cases %d are refused with nothing throttled, %d not told, %d figures are off; want at most 1, 10 and 5 %%",
		cases, wrongFails.Load(), untold.Load(), far.Load())
}
