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
	"loadgen/scenarios/run/runtest"
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
				e, err := Explain(t.Context(), Options{Scenario: s})
				require.NoErrorf(t, err, "%s", text)
				other := *s
				other.Seed += 7
				was := simulated(t, &other)
				switch {
				case e.State == results.Holds && was.throttled > 0.02:
					t.Errorf("%q, and %.1f%% of the attempts were throttled:\n%s", e.Verdict, 100*was.throttled, text)
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
		"of %d cases %d are refused with nothing throttled, %d not told, %d figures are off; want at most 1, 10 and 5%%",
		cases, wrongFails.Load(), untold.Load(), far.Load())
}

func TestDesignOfTwoTails(t *testing.T) {
	for _, row := range []struct {
		sentence, start string
		rate            int
		order           Verdict
		state           string
	}{
		{"within the target of one range", "cold", 1500, Good, results.Holds},
		{"within those of two", "cold", 3000, Note, results.DoesNotHold},
		{"near those of two", "cold", 3600, Warning, results.DoesNotHold},
		{"beyond those of two", "cold", 8000, Error, results.DoesNotHold},
		{"beyond those of two, where a warm start tries no range", "warm", 8000, Error, results.CannotTell},
		{"within those of two, on a warm start", "warm", 3000, Note, results.Holds},
	} {
		e := explained(t, runtest.Parse(t, file(t, "two-tails"), "start="+row.start, fmt.Sprintf("phases.orders.arrivals.constant=%d", row.rate), "phases.orders.for=1s"))
		f := findingOf(e.Findings, "insert-order")
		assert.Truef(t, f.Verdict == row.order && strings.Contains(f.Evidence, "2 × 2,000 = 4,000/s"),
			"%s: %s, %s; want %s, and 4,000/s", row.sentence, f.Verdict, f.Evidence, row.order)
		assert.Equalf(t, row.rate > 4000, e.Used().untried(2000, true) != "", "%s: a warm table tries no range", row.sentence)
		assert.Emptyf(t, e.Used().untried(2000, false), "%s: a cold table tries its ranges", row.sentence)
		if order := e.Used().Loads[0].Keys.Order; order != "2 tails" || e.State != row.state {
			t.Errorf("%s: %s, inserts come %s; want %s, 2 tails", row.sentence, e.State, order, row.state)
		}
	}
}

// Clients wait for answers as long as the model takes, and for retries of what it throttles.
func TestClientsWaitForTheirAnswers(t *testing.T) {
	for operations, answer := range map[string]float64{"[{verb: get}]": .004, "[{verb: insert}]": .009, "[{verb: get}, {verb: insert}]": .0065} {
		text := strings.Replace(file(t, "loop"), "[{verb: get}]", operations, 1)
		load := rehearsed(t, runtest.Parse(t, text)).Loads[0]
		assert.InDeltaf(t, answer, load.Answer, .0006, "%s: %d clients wait", operations, load.Clients)
	}
	text := strings.Replace(file(t, "loop"), "[{verb: get}]", "[{verb: batch, entities: 100}]", 1)
	assert.Greater(t, rehearsed(t, runtest.Parse(t, text)).Loads[0].Answer, 0.1)
}

// A workflow is told as such, with the requests and entities that it sends, and not as
// the verb that stands for it.
func TestWorkflowsAreToldByWhatTheySend(t *testing.T) {
	s := runtest.Builtin(t, "bank-transfer")
	opposed, err := s.Opposed()
	require.NoError(t, err)
	for _, row := range []struct {
		sentence   string
		s          *scenarios.Scenario
		requests   float64
		partitions []string
	}{
		{"both legs together", s, 1, []string{"100000", "100000"}},
		{"each with its account", opposed, 2, []string{"account 10461", "account 10378"}},
	} {
		e := explained(t, row.s)
		one := e.Used().Loads[0].Approaches[0]
		assert.Truef(t, one.Workflow == "transfer" && math.Abs(one.Requests-row.requests) <= .02 && math.Abs(one.Entities-2) <= .02 && one.Class == "" && !one.AtLeast && one.Beside == 0,
			"%s: the operation is %+v; want the workflow transfer, %v requests and 2 entities, of no class", row.sentence, one, row.requests)
		samples := e.Used().Samples
		if len(samples) != 2 || samples[0].PartitionKey != row.partitions[0] || samples[1].PartitionKey != row.partitions[1] ||
			samples[0].Of != "transfer" || samples[0].Bytes > 200 {
			t.Errorf("%s: the samples are %+v; want the two legs, in %v", row.sentence, samples, row.partitions)
		}
		checkDocument(t, row.sentence, e.Document(), e.State, 20, "workflow ")
		for _, id := range []string{"batches", "point-queries"} {
			if f := findingOf(e.Findings, id); f.Verdict != NotApplicable {
				t.Errorf("%s: %s is %s: %s; want it not to apply", row.sentence, f.ID, f.Verdict, f.Evidence)
			}
		}
	}
}
