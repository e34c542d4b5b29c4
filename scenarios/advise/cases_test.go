package advise

import (
	"context"
	"strings"
	"testing"

	"loadgen/results"
	"loadgen/scenarios/run"
)

// scaled are limits of a twentieth of the documents', by which load balancing takes seconds.
const scaled = "{profile: documented, partition_target: 100, range_target: 100, server_target: 200, account_target: 1000, tick: 1s, " +
	"detection: 5s, load_memory: 2s, detection_gap: 2s, offline_least: 200ms, offline_most: 200ms}"

// known are designs of which the answer is known: each was once told wrongly.
var known = []struct {
	name, text string
	state      string
	// says has to be in the answer, never must not be.
	says, never string
	// limit is what throttles most, where anything does.
	limit string
}{
	{"bytes that go out of an account (eg)", `name: egress
start: cold
model: {profile: documented, account_egress: 400000}
attributes: {place: {uniform: [1, 900]}, id: {sequence: 1}}
entity: {size: 8000}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: fill, load: {entities: 400}}
  - {name: read, traffic: {partitions: all, arrivals: {constant: 250}, for: 12s, operations: [{name: open, verb: get}]}}
`, results.DoesNotHold, "bytes that go out", "times the peak", "egress busy"},
	{"two tails (tails)", `name: tails
start: cold
model: ` + scaled + `
attributes: {number: {sequence: 10000000}, region: {uniform: [1, 2]}}
design: {partition_key: "{region}_{number}", row_key: order}
phases:
  - {name: orders, traffic: {arrivals: {constant: 400}, for: 30s, operations: [{name: order, verb: insert}]}}
`, results.DoesNotHold, "2 × 100 = 200/s after load balancing", "", "range busy"},
	{"a tail on a warm table, which the model does not try", `name: warm
model: ` + scaled + `
attributes: {number: {sequence: 10000000}}
design: {partition_key: "{number}", row_key: order}
phases:
  - {name: orders, traffic: {arrivals: {constant: 300}, for: 20s, operations: [{name: order, verb: insert}]}}
`, results.CannotTell, "start=cold", "", ""},
	{"a filter on the RowKey of small partitions (pad)", `name: padded
model: {profile: documented}
attributes: {shop: {partitions: 4, rows: 800}, n: {sequence: 1}}
design: {partition_key: "{shop}", row_key: "{n:08d}"}
phases:
  - {name: load, load: {entities: 3200}}
  - name: read
    traffic: {arrivals: {constant: 4}, for: 20s, operations: [{name: low, verb: query, by: [shop], where: "RowKey lt '00000101'"}]}
`, results.Holds, "none is throttled", "", ""},
	{"the account that ten partitions fill (acct)", `name: account
model: {profile: documented, partition_target: 100, account_target: 1000}
attributes: {place: {uniform: [100, 999]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: go, spread: {partitions: 12, rate: 95, for: 6s, operations: [{name: save, verb: insert}]}}
`, results.DoesNotHold, "the account's target", "", "account busy"},
	{"a percentile of too few samples (exp)", `name: few
model: {profile: documented}
attributes: {user: {uniform: [1, 1000]}, id: {sequence: 1}}
design: {partition_key: "{user}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 300}}
  - {name: work, traffic: {arrivals: {constant: 50}, for: 2s, operations: [{name: open, verb: get}]}}
expect: [p99(open) < 20s]
`, results.Holds, "too little to rest on", "", ""},
	{"one partition of a quiet node, and a busy one (node)", `name: node
model: {profile: headroom, partition_target: 200}
attributes: {place: {list: [a, b, c, d]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 400}}
  - {name: peak, traffic: {partitions: [a], arrivals: {constant: 500}, for: 20s, operations: [{name: get, verb: get}]}}
`, results.DoesNotHold, "500 of 200/s a partition", "", "partition busy"},
	{"clients that wait for what takes long", `name: closed
model: {profile: documented, read_time: 60ms}
attributes: {place: {list: [a, b, c, d]}, id: {sequence: 1}}
design: {partition_key: "{place}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 400}}
  - {name: ask, traffic: {partitions: all, clients: 20, think: 1ms, for: 5s, operations: [{name: get, verb: get}]}}
`, results.Holds, "HOLDS 3", "", ""},
	{"a rare query that reads all", `name: rare
model: {profile: documented, partition_target: 400, account_target: 2000}
attributes: {user: {uniform: [1, 400]}, city: {uniform: [1, 5]}, id: {sequence: 1}}
entity: {properties: [{name: City, type: Int64, value: "{city}"}]}
design: {partition_key: "{user:03d}", row_key: "{id:09d}"}
phases:
  - {name: load, load: {entities: 3000}}
  - name: work
    traffic:
      arrivals: {constant: 300}
      for: 15s
      operations: [{name: save, verb: insert, weight: 995}, {name: all, verb: query, by: [city], weight: 5}]
`, results.DoesNotHold, "the account's target", "", "account busy"},
}

// Each design whose answer was wrong once has the one that is known, and that of its
// simulation.
func TestKnownDesigns(t *testing.T) {
	for _, one := range known {
		s := parsed(t, "seed: 3\nretry: none\ntable: known\n"+one.text)
		targets, times, err := TargetsOf(s)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(context.Background(), Options{Scenario: s, Targets: targets, Times: times, Seeds: 2})
		if err != nil {
			t.Fatalf("%s: %v", one.name, err)
		}
		r := e.Used().Rehearsal
		if e.State != one.state || !strings.Contains(e.Verdict, one.says) || one.never != "" && strings.Contains(e.Verdict, one.never) ||
			one.limit != "" && r.most() != one.limit {
			t.Errorf("%s: %s by %q: %q; want %s by %q, with %q", one.name, e.State, r.most(), e.Verdict, one.state, one.limit, one.says)
		}
		record, err := run.Run(context.Background(), run.Plan{Scenario: s})
		if err != nil {
			t.Fatal(err)
		}
		all, measured := record.Total(results.Everything), record.Total(results.Reported)
		if e.Cost.Requests != all.Attempts || e.Cost.Entities != all.Counted || (measured.Throttled > measured.Attempts/50) != (e.State == results.DoesNotHold) {
			t.Errorf("%s: %d requests and %d entities, %s; its simulation has %d and %d, of which %d are throttled", one.name, e.Cost.Requests,
				e.Cost.Entities, e.State, all.Attempts, all.Counted, measured.Throttled)
		}
	}
}
