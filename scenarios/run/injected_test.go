package run_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// faulty is a scenario that offers 300 inserts a second for two seconds, over the
// partitions a, ab and b in turn, on a service without limits that takes no time.
func faulty(t *testing.T, retry, faults string) *scenarios.Scenario {
	t.Helper()
	return runtest.Parse(t, `
name: faulty
retry: `+retry+`
model: {profile: off}
faults:
`+faults+`
attributes: {n: {sequence: 1}, key: {list: [a, ab, b]}}
entity: {filler: ""}
design: {partition_key: "{key}", row_key: "{n}"}
phases:
  - {name: load, load: {entities: 60}}
  - {name: write, traffic: {partitions: [a, ab, b], arrivals: {constant: 300}, for: 2s, operations: [{verb: insert}]}}
`)
}

// seen gathers what a run tells while it goes on: each attempt, and each fault that was
// injected.
type seen struct {
	mu       sync.Mutex
	attempts []results.Attempt
	injected []run.Injection
}

func (o *seen) Begins(run.Begun) []drive.Observer { return []drive.Observer{o} }
func (o *seen) Enters(campaign.Progress)          {}
func (o *seen) Ends(error)                        {}
func (o *seen) Completed(*results.Completed)      {}

func (o *seen) Attempt(a *results.Attempt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := *a
	one.PartitionKey, one.Code = strings.Clone(a.PartitionKey), strings.Clone(a.Code)
	o.attempts = append(o.attempts, one)
}

// carried returns the record of a scenario that was carried out in a place, what was told
// of its traffic meanwhile, and when that began.
func carried(t *testing.T, s *scenarios.Scenario, on run.Place) (*results.Record, *seen, time.Duration) {
	t.Helper()
	o := new(seen)
	record := runtest.Run(t, run.Plan{Scenario: s, On: on, Progress: o, NoProbe: true, Data: true,
		Injected: func(one run.Injection) { o.injected = append(o.injected, one) }}).Record
	require.Truef(t, record.Validity == results.Valid, "the run is %s, %v", record.Validity, record.Reasons)
	offered := slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })
	o.attempts = slices.DeleteFunc(o.attempts, func(a results.Attempt) bool { return a.Phase != offered })
	return record, o, record.Phases[offered].Begin
}

// entry is what a log of injected faults and a record are compared by.
type entry struct {
	second    int64
	kind      string
	status    int
	code, key string
}

// logged counts the faults as the injector told of them, recorded as the record has them.
func logged(list []run.Injection) map[entry]int64 {
	counts := make(map[entry]int64)
	for _, one := range list {
		counts[entry{int64(one.At / time.Second), one.Kind.String(), one.Status, one.Code, one.PartitionKey}]++
	}
	return counts
}

func recorded(record *results.Record) map[entry]int64 {
	counts := make(map[entry]int64)
	for i := range record.Intervals {
		for _, one := range record.Intervals[i].Injected {
			counts[entry{record.Intervals[i].Second, one.Kind, one.Status, one.Code, one.Key}] += one.Attempts
		}
	}
	return counts
}

// drawnFaults returns some rules by chance, one on each line.
func drawnFaults(rng *rand.Rand) string {
	keys := []string{"", ", key: ab", ", key_prefix: a", ", key: b"}
	windows := []string{"", ", from: 500ms", ", from: 300ms, to: 1500ms", ", to: 1s"}
	kinds := []string{"refuse", "refuse, code: OperationTimedOut, by: 20ms", "refuse, code: InternalError", "drop, moment: before", "drop, by: 300ms",
		"cut", "delay, by: 150ms", "drip, by: 400ms", "freeze, from: 700ms, to: 900ms"}
	var lines []string
	for _, at := range rng.Perm(len(kinds))[:1+rng.IntN(6)] {
		kind := kinds[at]
		window := windows[rng.IntN(len(windows))]
		if strings.HasPrefix(kind, "freeze") {
			window = ""
		}
		lines = append(lines, fmt.Sprintf("  - {kind: %s, share: %d%%%s%s}", kind, 1+rng.IntN(40), keys[rng.IntN(len(keys))], window))
	}
	return strings.Join(lines, "\n")
}

// The log of what was injected is what the record says, by second, kind, code and key.
func TestTheLogOfFaultsIsWhatTheRecordSays(t *testing.T) {
	t.Parallel()
	some, seeds := 0, run.Tier(3, 200)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 8))
		faults, retry := drawnFaults(rng), []string{"none", "full-jitter"}[rng.IntN(2)]
		s := faulty(t, retry, faults)
		s.Seed = seed
		record, o, _ := carried(t, s, run.Simulated)
		assert.Equalf(t, logged(o.injected), recorded(record), "seed %d, retry %s, faults\n%s", seed, retry, faults)
		some += len(o.injected)
	}
	assert.Truef(t, some >= 40*seeds, "%d faults were injected; want more, or nothing is shown", some)
}

// within fails unless a number of cases is one that chance makes of so many at a share,
// within 4.5 standard deviations.
func within(t *testing.T, what string, got, of int64, share float64) {
	t.Helper()
	mean := float64(of) * share
	bound := 4.5 * math.Sqrt(mean*(1-share))
	assert.Truef(t, math.Abs(float64(got)-mean) <= bound, "%s: %d of %d; want %.0f ± %.0f", what, got, of, mean, bound)
}

// mechanism is a fault, and what the documented rule makes of it.
type mechanism struct {
	says, faults string
	// code is what the sender learns, with the status and the class; zero where all goes
	// well, and only the time differs.
	code   string
	status int
	class  results.Class
	// takes is how long an attempt takes that meets the fault, in milliseconds.
	takes int
}

// mechanisms are two variations of each fault.
func mechanisms() []mechanism {
	const throttled, failed, ok = results.Throttled, results.Failed, results.Ok
	const busy, late, reset, cut = "ServerBusy", "OperationTimedOut", "ConnectionReset", "ReplyCutOff"
	return []mechanism{
		{"2% are 503", "{kind: refuse, share: 2%}", busy, 503, throttled, 0},
		{"10% are 503 after 30 ms", "{kind: refuse, share: 10%, by: 30ms}", busy, 503, throttled, 30},
		{"3% time out", "{kind: refuse, code: OperationTimedOut, share: 3%}", late, 500, throttled, 0},
		{"8% are another 500", "{kind: refuse, code: InternalError, share: 8%}", "InternalError", 500, failed, 0},
		{"all are 200 ms late in a window", "{kind: delay, by: 200ms, from: 500ms, to: 1s}", "", 204, ok, 200},
		{"some are 50 ms late in another", "{kind: delay, by: 50ms, to: 1500ms, share: 30%}", "", 204, ok, 50},
		{"keys that begin with a", "{kind: refuse, share: 50%, key_prefix: a}", busy, 503, throttled, 0},
		{"the key a alone", "{kind: refuse, key: a}", busy, 503, throttled, 0},
		{"5% are reset", "{kind: drop, moment: before, share: 5%}", reset, 0, failed, 0},
		{"20% of b are reset", "{kind: drop, moment: before, share: 20%, key: b}", reset, 0, failed, 0},
		{"10% come by half", "{kind: cut, share: 10%}", cut, 0, failed, 0},
		{"40% of ab come by half, in a window", "{kind: cut, share: 40%, key: ab, from: 1s}", cut, 0, failed, 0},
		{"5% of the replies are lost at once", "{kind: drop, share: 5%}", reset, 0, failed, 0},
		{"15% are lost, which is noticed late", "{kind: drop, share: 15%, by: 400ms}", reset, 0, failed, 400},
		{"all drip", "{kind: drip, by: 300ms}", "", 204, ok, 300},
		{"10% drip for longer", "{kind: drip, by: 700ms, share: 10%}", "", 204, ok, 700},
		{"all freeze", "{kind: freeze, from: 500ms, to: 1s}", "", 204, ok, 0},
		{"half of a and ab freezes", "{kind: freeze, from: 1s, to: 1500ms, key_prefix: a, share: 50%}", "", 204, ok, 0},
	}
}

// meets reports whether an attempt can meet the fault by its instant and key.
func meets(rule *engine.FaultRule, a *results.Attempt, begin time.Duration) bool {
	at, to := a.Sent-begin, rule.To
	if to == 0 {
		to = math.MaxInt64
	}
	return at >= rule.From && at < to && strings.HasPrefix(a.PartitionKey, rule.KeyPrefix) && (rule.Key == "" || rule.Key == a.PartitionKey)
}

// Each kind of fault does to each attempt what its rule says, and to as many: two
// variations of each, on a clock that shows the very instants.
func TestEachFaultDoesWhatItsRuleSays(t *testing.T) {
	t.Parallel()
	for i, m := range mechanisms() {
		if i%run.Tier(2, 1) > 0 {
			continue
		}
		t.Run(m.says, func(t *testing.T) {
			s := faulty(t, "none", "  - "+m.faults)
			rule := &s.Faults[0]
			record, o, begin := carried(t, s, run.Simulated)
			require.Len(t, o.attempts, 600, "attempts")
			met, can := int64(0), int64(0)
			for i := range o.attempts {
				a := &o.attempts[i]
				could := meets(rule, a, begin)
				if could {
					can++
				}
				takes, want := a.Done-a.Sent, results.Attempt{Class: results.Ok, Status: 204}
				if a.Injected != "" {
					met++
					want = results.Attempt{Class: m.class, Status: m.status, Code: m.code}
					if takes -= time.Duration(m.takes) * time.Millisecond; rule.Kind == engine.FaultFreeze {
						takes = a.Done - begin - rule.To
					}
				}
				if takes != 0 || a.Class != want.Class || a.Status != want.Status || a.Code != want.Code || a.Injected != "" && !could {
					t.Fatalf("an attempt at %q sent at %v, fault %q, came to %v %d %q, %v too late; want %v %d %q", a.PartitionKey,
						a.Sent-begin, a.Injected, a.Class, a.Status, a.Code, takes, want.Class, want.Status, want.Code)
				}
			}
			within(t, "attempts that meet it", met, can, float64(rule.Share)/engine.WholeShare)
			// What was carried out was, whatever its sender learned.
			carriedOut := 600 - met
			if m.class == results.Ok {
				carriedOut = 600
			}
			all := record.Total(results.Reported)
			assert.Equal(t, [2]int64{carriedOut, carriedOut}, [2]int64{all.Ok, all.Counted}, "attempts that are ok, and their entities")
		})
	}
}

// A reply that is lost after the fact leaves the entity there: a retry meets it. One that
// is lost before leaves nothing.
func TestARetryMeetsWhatALostReplyLeft(t *testing.T) {
	for _, row := range []struct {
		faults string
		leaves bool
	}{
		{"{kind: drop, share: 10%}", true},
		{"{kind: cut, share: 10%}", true},
		{"{kind: drop, moment: before, share: 10%}", false},
		{"{kind: refuse, code: OperationTimedOut, share: 10%}", false},
	} {
		record, o, _ := carried(t, faulty(t, "full-jitter", "  - "+row.faults), run.Simulated)
		all := record.Total(results.Reported)
		within(t, row.faults, all.Attempts-all.Ok, all.Attempts, 0.1)
		assert.Equal(t, all.Operations, all.Succeeded, row.faults)
		assert.Truef(t, (all.Handled > 0) == row.leaves && all.Handled <= int64(len(o.injected)), "%s: %d handled", row.faults, all.Handled)
	}
}

// Windows count from the beginning of the first phase that offers operations, whenever that
// is; what prepares the table, and what reads it back, meets no fault.
func TestWindowsOfFaultsCountFromTheFirstOffer(t *testing.T) {
	o := new(seen)
	record := runtest.Run(t, run.Plan{Progress: o, Scenario: runtest.Parse(t, `
name: two
retry: full-jitter
verify: true
faults: [{kind: refuse, from: 1s, to: 3s}]
attributes: {n: {sequence: 1}}
design: {partition_key: all, row_key: "{n}"}
phases:
  - {name: load, load: {entities: 4000, lanes: 1}}
  - {name: first, traffic: {partitions: 1, arrivals: {constant: 100}, for: 2s, operations: [{verb: insert}]}}
  - {name: second, traffic: {partitions: 1, arrivals: {constant: 100}, for: 4s, operations: [{verb: insert}]}}
`)})
	begin := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Name == "first" })].Begin
	met := 0
	for i := range o.attempts {
		a := &o.attempts[i]
		in := record.Phases[a.Phase].Reported && a.Sent >= begin+time.Second && a.Sent < begin+3*time.Second
		assert.Truef(t, in == (a.Injected != ""), "an attempt of %s sent at %v met %q; the first phase began at %v",
			record.Phases[a.Phase].Name, a.Sent, a.Injected, begin)
		if in {
			met++
		}
	}
	assert.Truef(t, begin >= time.Second && met >= 200 && record.Audit.Sound() && record.Audit.ReadBack != 0,
		"the first phase began at %v, %d were refused, the audit is %+v; want 1 s, all that was due, and it sound", begin, met, record.Audit)
}

// What was injected is told from what the model throttled, which alone shows a limit.
func TestARunWithFaultsSaysSo(t *testing.T) {
	record := runtest.Simulate(t, runtest.Parse(t, `
name: both
retry: none
model: {profile: documented, partition_target: 200}
faults: [{kind: refuse, share: 10%}, {kind: delay, by: 100ms, from: 30s}]
attributes: {n: {sequence: 1}}
design: {partition_key: all, row_key: "{n}"}
phases:
  - {name: peak, traffic: {partitions: 1, arrivals: {steps: {rates: [100, 300], each: 8s}}, operations: [{verb: insert}]}}
`))
	all := record.Total(results.Reported)
	injected := all.Causes.Injected(results.Throttled)
	// Of 300 a second a tenth never arrives; of the others 200 are served, and the burst.
	own, want := all.Throttled-injected, int64(8*(270-200))
	assert.Truef(t, own >= want*8/10 && own <= want*12/10, "%d attempts were throttled by the model", own)
	within(t, "attempts that were refused", injected, all.Attempts, 0.1)
	limit := record.Summary.Saturation
	assert.Truef(t, limit != nil && *limit >= 190 && *limit <= 215, "the load saturates at %v", limit)
	assert.Len(t, record.Manifest.Faults, 2)
	assert.Contains(t, record.Summary.Verdict, fmt.Sprintf("(%d 503 ServerBusy)", injected))
}

// Each attempt draws its faults anew: of operations with n attempts, each of which meets a fault with the probability p,
// the share p^n is lost.
func TestRetriesDrawFaultsAnew(t *testing.T) {
	t.Parallel()
	s := runtest.Builtin(t, "sporadic-faults", "retry=short", "faults.0.share=60%")
	s.Expect = nil
	all := runtest.Simulate(t, s).Total(results.Reported)
	const p, attempts = 1 - .4*.97, 4
	assert.Zero(t, all.Cut, "operations cut")
	within(t, "attempts that met a fault", all.Throttled, all.Attempts, p)
	within(t, "operations lost", all.Operations-all.Succeeded, all.Operations, math.Pow(p, attempts))
}

// What a fault kept from the service is no transaction of its: of 600 inserts, 200 to each
// partition and none of them sent twice, it bills those that it met and did not throttle.
func TestWhatAFaultKeepsFromTheServiceIsNotBilled(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		faults       string
		kept, billed int64
	}{
		{"{kind: delay, by: 5ms}", 0, 600},
		{"{kind: drop, moment: before, key: b}", 200, 400},
		{"{kind: drop, moment: after, key: b}", 0, 600},
		{"{kind: cut, key: b}", 0, 600},
		{"{kind: refuse, code: InternalError, key_prefix: a}", 400, 200},
		// Throttled ones are not billed whoever throttles them.
		{"{kind: refuse, code: ServerBusy, key: b}", 0, 400},
		{"{kind: refuse, code: OperationTimedOut, key: b}", 0, 400},
	} {
		record, _, _ := carried(t, faulty(t, "none", "  - "+row.faults), run.Simulated)
		all := record.Total(results.Reported)
		assert.Equalf(t, [2]int64{row.kept, row.billed}, [2]int64{all.Kept, all.Billed()}, "%s: kept and billed", row.faults)
	}
}
