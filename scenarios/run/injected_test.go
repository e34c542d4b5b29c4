package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// faulty is a scenario that offers 300 inserts a second for two seconds, over the
// partitions a, ab and b in turn, on a service without limits that takes no time.
func faulty(t *testing.T, retry, faults string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("faulty.yaml", []byte(`
name: faulty
retry: `+retry+`
model: {profile: off}
faults:
`+faults+`
attributes: {n: {sequence: 1}, key: {list: [a, ab, b]}}
entity: {filler: ""}
design: {partition_key: "{key}", row_key: "{n}"}
phases:
  - name: load
    load: {entities: 60}
  - name: write
    traffic: {partitions: [a, ab, b], arrivals: {constant: 300}, for: 2s, operations: [{verb: insert}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// told gathers what a run tells while it goes on: each attempt of its traffic, and each
// fault that was injected.
type told struct {
	unseen
	mu       sync.Mutex
	attempts []results.Attempt
	injected []Injection
}

func (o *told) Begins(Begun) []drive.Observer { return []drive.Observer{o} }

func (o *told) Attempt(a *results.Attempt) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := *a
	one.PartitionKey, one.Code = strings.Clone(a.PartitionKey), strings.Clone(a.Code)
	o.attempts = append(o.attempts, one)
}

func (o *told) Completed(*results.Completed) {}

// carried returns the record of a scenario that was carried out in a place, what was told
// meanwhile, and when its traffic began; nil where it did not come to its end, which is
// told.
func carried(t *testing.T, s *scenarios.Scenario, on Place) (*results.Record, *told, time.Duration) {
	t.Helper()
	o := new(told)
	record, err := Run(t.Context(), Plan{Scenario: s, On: on, Progress: o, NoProbe: true, Data: true,
		Injected: func(one Injection) { o.injected = append(o.injected, one) }})
	if err != nil || record.Validity != results.Valid {
		t.Errorf("the run came to %v, and its record is %+v; want it valid", err, record)
		return nil, o, 0
	}
	offered := slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })
	o.attempts = slices.DeleteFunc(o.attempts, func(a results.Attempt) bool { return a.Phase != offered })
	return record, o, record.Phases[offered].Begin
}

// entry is what a log of injected faults and a record can be held against each other by.
type entry struct {
	second    int64
	kind      string
	status    int
	code, key string
}

// logged counts the faults as the injector told of them, recorded as the record has them.
func logged(list []Injection) map[entry]int64 {
	counts := make(map[entry]int64)
	for _, one := range list {
		counts[entry{second: int64(one.At / time.Second), kind: one.Kind.String(), status: one.Status, code: one.Code, key: one.PartitionKey}]++
	}
	return counts
}

func recorded(record *results.Record) map[entry]int64 {
	counts := make(map[entry]int64)
	for i := range record.Intervals {
		for _, one := range record.Intervals[i].Injected {
			counts[entry{second: record.Intervals[i].Second, kind: one.Kind, status: one.Status, code: one.Code, key: one.Key}] += one.Attempts
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
	some := 0
	for seed := range uint64(tier(12, 200)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		faults, retry := drawnFaults(rng), []string{"none", "full-jitter"}[rng.IntN(2)]
		s := faulty(t, retry, faults)
		s.Seed = seed
		record, o, _ := carried(t, s, Simulated)
		if record == nil {
			continue
		}
		if log, has := logged(o.injected), recorded(record); !maps.Equal(log, has) {
			t.Errorf("seed %d, retry %s: the log of\n%s\nis %v, and the record says %v", seed, retry, faults, log, has)
		}
		some += len(o.injected)
	}
	if some < 500 {
		t.Errorf("%d faults were injected; want some hundreds, or nothing is shown", some)
	}
}

// within fails unless a number of cases is one that chance makes of so many at a share,
// within 4.5 standard deviations.
func within(t *testing.T, what string, got, of int, share float64) {
	t.Helper()
	mean := float64(of) * share
	if bound := 4.5 * math.Sqrt(mean*(1-share)); math.Abs(float64(got)-mean) > bound {
		t.Errorf("%s: %d of %d; want %.0f ± %.0f", what, got, of, mean, bound)
	}
}

const (
	ms = time.Millisecond
	s1 = time.Second
)

// mechanism is a fault, and what the documented rule makes of it.
type mechanism struct {
	says, faults string
	rule         engine.FaultRule
	// code is what the sender learns, with the status and the class; zero where all goes
	// well, and only the time differs.
	code   string
	status int
	class  results.Class
	// takes is how long an attempt takes that meets the fault.
	takes time.Duration
}

// mechanisms are two variations of each fault.
func mechanisms() []mechanism {
	share := func(percent float64) int { return int(percent * engine.WholeShare / 100) }
	return []mechanism{
		{"2 % are 503", "{kind: refuse, share: 2%}", engine.FaultRule{Share: share(2)}, "ServerBusy", 503, results.Throttled, 0},
		{"10 % are 503 after 30 ms", "{kind: refuse, share: 10%, by: 30ms}", engine.FaultRule{Share: share(10)}, "ServerBusy", 503, results.Throttled, 30 * ms},
		{"3 % time out", "{kind: refuse, code: OperationTimedOut, share: 3%}", engine.FaultRule{Share: share(3)}, "OperationTimedOut", 500, results.Throttled, 0},
		{"8 % are another 500", "{kind: refuse, code: InternalError, share: 8%}", engine.FaultRule{Share: share(8)}, "InternalError", 500, results.Failed, 0},
		{"all are 200 ms late in a window", "{kind: delay, by: 200ms, from: 500ms, to: 1s}", engine.FaultRule{Share: engine.WholeShare, From: 500 * ms, To: s1}, "", 204, results.Ok, 200 * ms},
		{"some are 50 ms late in another", "{kind: delay, by: 50ms, to: 1500ms, share: 30%}", engine.FaultRule{Share: share(30), To: 1500 * ms}, "", 204, results.Ok, 50 * ms},
		{"keys that begin with a", "{kind: refuse, share: 50%, key_prefix: a}", engine.FaultRule{Share: share(50), KeyPrefix: "a"}, "ServerBusy", 503, results.Throttled, 0},
		{"the key a alone", "{kind: refuse, key: a}", engine.FaultRule{Share: engine.WholeShare, Key: "a"}, "ServerBusy", 503, results.Throttled, 0},
		{"5 % are reset", "{kind: drop, moment: before, share: 5%}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: share(5)}, "ConnectionReset", 0, results.Failed, 0},
		{"20 % of b are reset", "{kind: drop, moment: before, share: 20%, key: b}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: share(20), Key: "b"}, "ConnectionReset", 0, results.Failed, 0},
		{"10 % come by half", "{kind: cut, share: 10%}", engine.FaultRule{Kind: engine.FaultCut, Share: share(10)}, "ReplyCutOff", 0, results.Failed, 0},
		{"40 % of ab come by half, in a window", "{kind: cut, share: 40%, key: ab, from: 1s}", engine.FaultRule{Kind: engine.FaultCut, Share: share(40), Key: "ab", From: s1}, "ReplyCutOff", 0, results.Failed, 0},
		{"5 % of the replies are lost at once", "{kind: drop, share: 5%}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: share(5)}, "ConnectionReset", 0, results.Failed, 0},
		{"15 % are lost, which is noticed late", "{kind: drop, share: 15%, by: 400ms}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: share(15)}, "ConnectionReset", 0, results.Failed, 400 * ms},
		{"all drip", "{kind: drip, by: 300ms}", engine.FaultRule{Share: engine.WholeShare}, "", 204, results.Ok, 300 * ms},
		{"10 % drip for longer", "{kind: drip, by: 700ms, share: 10%}", engine.FaultRule{Share: share(10)}, "", 204, results.Ok, 700 * ms},
		{"all freeze", "{kind: freeze, from: 500ms, to: 1s}", engine.FaultRule{Kind: engine.FaultFreeze, Share: engine.WholeShare, From: 500 * ms, To: s1}, "", 204, results.Ok, 0},
		{"the half of a and ab freezes", "{kind: freeze, from: 1s, to: 1500ms, key_prefix: a, share: 50%}",
			engine.FaultRule{Kind: engine.FaultFreeze, Share: share(50), KeyPrefix: "a", From: s1, To: 1500 * ms}, "", 204, results.Ok, 0},
	}
}

// foretold returns how many attempts of a run can meet the fault by their instant and key.
func (m *mechanism) foretold(attempts []results.Attempt, begin time.Duration) (can int) {
	for i := range attempts {
		if m.can(&attempts[i], begin) {
			can++
		}
	}
	return can
}

func (m *mechanism) can(a *results.Attempt, begin time.Duration) bool {
	at, to := a.Sent-begin, m.rule.To
	if to == 0 {
		to = math.MaxInt64
	}
	return at >= m.rule.From && at < to && strings.HasPrefix(a.PartitionKey, m.rule.KeyPrefix) && (m.rule.Key == "" || m.rule.Key == a.PartitionKey)
}

// Each kind of fault does to each attempt what its rule says, and to as many: two
// variations of each, on a clock that shows the very instants.
func TestEachFaultDoesWhatItsRuleSays(t *testing.T) {
	for _, m := range mechanisms() {
		t.Run(m.says, func(t *testing.T) {
			record, o, begin := carried(t, faulty(t, "none", "  - "+m.faults), Simulated)
			if record == nil || len(o.attempts) != 600 {
				t.Fatalf("%d attempts; want 600", len(o.attempts))
			}
			met := 0
			for i := range o.attempts {
				a := &o.attempts[i]
				takes, want := a.Done-a.Sent, results.Attempt{Class: results.Ok, Status: 204}
				if a.Injected != "" {
					met++
					want = results.Attempt{Class: m.class, Status: m.status, Code: m.code}
					if takes -= m.takes; m.rule.Kind == engine.FaultFreeze {
						takes = a.Done - begin - m.rule.To
					}
				}
				if takes != 0 || a.Class != want.Class || a.Status != want.Status || a.Code != want.Code || a.Injected != "" && !m.can(a, begin) {
					t.Fatalf("an attempt at %q sent %v after the begin, fault %q, came to %v %d %q, %v from what is foretold; want %v %d %q", a.PartitionKey, a.Sent-begin,
						a.Injected, a.Class, a.Status, a.Code, takes, want.Class, want.Status, want.Code)
				}
			}
			can := m.foretold(o.attempts, begin)
			within(t, "attempts that meet it", met, can, float64(m.rule.Share)/engine.WholeShare)
			// What was carried out was, whatever its sender learned.
			carriedOut := int64(600 - met)
			if m.class == results.Ok {
				carriedOut = 600
			}
			if all := record.Total(results.Reported); all.Counted != carriedOut || all.Ok != carriedOut {
				t.Errorf("%d of 600 were ok, with %d entities; want %d", all.Ok, all.Counted, carriedOut)
			}
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
		record, _, _ := carried(t, faulty(t, "full-jitter", "  - "+row.faults), Simulated)
		if record == nil {
			continue
		}
		all := record.Total(results.Reported)
		within(t, row.faults, int(all.Attempts-all.Ok), int(all.Attempts), 0.1)
		operations := int64(0)
		for _, one := range results.InjectedIn(record.Intervals) {
			operations += one.Attempts
		}
		// Each fault but the last of an operation is followed by one more.
		want := int64(0)
		if row.leaves {
			want = all.Handled
			if want == 0 || want > operations {
				t.Errorf("%s: %d retries met what was there; want some, and at most the %d faults", row.faults, want, operations)
			}
		}
		if all.Handled != want || all.Succeeded != all.Operations {
			t.Errorf("%s: %d of %d operations succeeded, %d by what was there; want all, and %d", row.faults, all.Succeeded, all.Operations, all.Handled, want)
		}
	}
}

// Windows count from the beginning of the first phase that offers operations, whenever that
// is; what prepares the table, and what reads it back, meets no fault.
func TestWindowsOfFaultsCountFromTheFirstOffer(t *testing.T) {
	s, err := scenarios.Parse("two.yaml", []byte(`
name: two
retry: full-jitter
verify: true
faults: [{kind: refuse, from: 1s, to: 3s}]
attributes: {n: {sequence: 1}}
design: {partition_key: all, row_key: "{n}"}
phases:
  - name: load
    load: {entities: 4000, lanes: 1}
  - name: first
    traffic: {partitions: 1, arrivals: {constant: 100}, for: 2s, operations: [{verb: insert}]}
  - name: second
    traffic: {partitions: 1, arrivals: {constant: 100}, for: 4s, operations: [{verb: insert}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	o := new(told)
	record, err := Run(t.Context(), Plan{Scenario: s, Progress: o})
	if err != nil {
		t.Fatal(err)
	}
	begin := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Name == "first" })].Begin
	met := 0
	for i := range o.attempts {
		a := &o.attempts[i]
		in := record.Phases[a.Phase].Reported && a.Sent >= begin+time.Second && a.Sent < begin+3*time.Second
		if in != (a.Injected != "") {
			t.Errorf("an attempt of %s sent at %v met %q; the first phase began at %v", record.Phases[a.Phase].Name, a.Sent, a.Injected, begin)
		}
		if in {
			met++
		}
	}
	if begin < time.Second || met < 200 || !record.Audit.Sound() || record.Audit.ReadBack == 0 {
		t.Errorf("the first phase began at %v, %d attempts were refused, and the audit is %+v; want a second at least, all that was due, and it sound", begin, met, record.Audit)
	}
}

// A run with faults says so: in its manifest, in what it cannot tell, and in its verdict,
// where what was injected is told from what the model throttled, which alone shows a limit.
func TestARunWithFaultsSaysSo(t *testing.T) {
	s, err := scenarios.Parse("both.yaml", []byte(`
name: both
retry: none
model: {profile: documented, partition_target: 200}
faults: [{kind: refuse, share: 10%}, {kind: delay, by: 100ms, from: 30s}]
attributes: {n: {sequence: 1}}
design: {partition_key: all, row_key: "{n}"}
phases:
  - name: peak
    traffic: {partitions: 1, arrivals: {steps: {rates: [100, 300], each: 8s}}, operations: [{verb: insert}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	record, err := Run(t.Context(), Plan{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	all := record.Total(results.Reported)
	own := all.Throttled - all.Causes.Injected(results.Throttled)
	// Of 300 a second a tenth never arrives; of the others 200 are served, and the burst.
	if want := int64(8 * (270 - 200)); own < want*8/10 || own > want*12/10 {
		t.Errorf("%d attempts were throttled by the model; want about %d", own, want)
	}
	within(t, "attempts that were refused", int(all.Causes.Injected(results.Throttled)), int(all.Attempts), 0.1)
	if limit := record.Summary.Saturation; limit == nil || *limit < 190 || *limit > 215 {
		t.Errorf("the load saturates at %v; want about 200, whatever was injected", limit)
	}
	if len(record.Manifest.Faults) != 2 || record.Manifest.Faults[0] != "refuse (503 ServerBusy) of 10%" {
		t.Errorf("the manifest has the faults %q", record.Manifest.Faults)
	}
	if !strings.Contains(record.Summary.Verdict, fmt.Sprintf("injected (%d 503 ServerBusy)", all.Causes.Injected(results.Throttled))) {
		t.Errorf("the verdict is %q; want the faults in it", record.Summary.Verdict)
	}
	if limits := strings.Join(verdict.Limits(record), " "); !strings.Contains(limits, "Faults were injected on purpose (refuse (503 ServerBusy) of 10%; delay by 100ms of 100%, from 30s on)") {
		t.Errorf("what the run cannot tell is %q; want the faults in it", limits)
	}
}

// Of operations that are tried n times each of which meets a fault with the chance p, the
// share p^n is lost: what the library's example rests on.
func TestSporadicFaultsAreLostByAllTries(t *testing.T) {
	for _, row := range []struct {
		retry, share string
		tries        float64
		p            float64
	}{
		{"none", "5%", 1, 1 - .95*.97},
		{"none", "20%", 1, 1 - .8*.97},
		{"botocore-standard", "20%", 3, 1 - .8*.97},
		{"short", "20%", 4, 1 - .8*.97},
		{"full-jitter", "5%", 6, 1 - .95*.97},
		{"full-jitter", "60%", 6, 1 - .4*.97},
	} {
		s, err := scenarios.Builtin("sporadic-faults")
		if err != nil {
			t.Fatal(err)
		}
		for path, value := range map[string]string{"retry": row.retry, "faults.0.share": row.share, "expect": "[]"} {
			if err := s.Set(path, value); err != nil {
				t.Fatal(err)
			}
		}
		record, err := Run(t.Context(), Plan{Scenario: s})
		if err != nil {
			t.Fatal(err)
		}
		all := record.Total(results.Reported)
		name := row.retry + " at " + row.share
		if all.Cut > 0 || all.Causes.Injected(results.Throttled) != all.Throttled {
			t.Errorf("%s: %d operations were cut, and %d of %d throttled attempts injected; want none, and all", name, all.Cut, all.Causes.Injected(results.Throttled), all.Throttled)
		}
		within(t, name+": attempts that met a fault", int(all.Throttled), int(all.Attempts), row.p)
		within(t, name+": operations lost", int(all.Operations-all.Succeeded), int(all.Operations), math.Pow(row.p, row.tries))
	}
}

// What a fault kept from the service is no transaction of its: of 600 inserts, 200 to each
// partition and none of them sent twice, it bills those that it met and did not throttle.
func TestWhatAFaultKeepsFromTheServiceIsNotBilled(t *testing.T) {
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
		record, _, _ := carried(t, faulty(t, "none", "  - "+row.faults), Simulated)
		if record == nil {
			continue
		}
		all := record.Total(results.Reported)
		if all.Kept != row.kept || all.Billed() != row.billed {
			t.Errorf("%s: of %d attempts %d were kept from the service and %d billed; want %d and %d", row.faults, all.Attempts, all.Kept, all.Billed(), row.kept, row.billed)
		}
		told, err := json.Marshal(report.Document(record, record.Summary))
		if err != nil {
			t.Fatal(err)
		}
		if says := fmt.Sprintf(" failed, %d billed", row.billed); !strings.Contains(string(told), says) {
			t.Errorf("%s: the report says\n%s\nwant %q", row.faults, told, says)
		}
	}
}
