package campaign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// orders is a small table of orders whose designs and operations the tests fill in.
const orders = `name: orders
seed: 5
workers: 200
retry: short
model: {profile: documented, partition_target: 150}
attributes:
  at: {time: 2026-03-01T00:00:00Z, every: 20s, speed: 600}
  customer: {zipf: {of: 200, exponent: 1}}
  hour: {text: "{at:hour}"}
  id: {sequence: 1}
  state: {list: [open, paid, sent], weights: [5, 3, 2]}
entity:
  size: 400
  properties:
    - {name: Customer, type: Int64, value: "{customer}"}
    - {name: State, value: "{state}"}
    - {name: Hour, value: "{hour}"}
    - {name: Placed, type: DateTime, value: "{at}"}
use: %s
designs:
  - {name: hour, partition_key: "{at:hour}", row_key: "{at:ticks}_{id}"}
  - {name: customer, partition_key: "{customer}", row_key: "{at:inverted}_{id}"}
  - {name: buckets, partition_key: "{hash(id,8):02d}_{hour}", row_key: "{state}_{id}"}
  - name: copied
    partition_key: "{customer}"
    row_key: "{at:inverted}_{id}"
    copies:
      - {name: state, table: ByState, partition_key: "{state}_{hash(id,8)}", row_key: "{id}", properties: [State, Customer]}
      - {name: number, partition_key: "id_{hash(id,16)}", row_key: "{id}"}
  - name: beside
    partition_key: "{customer}"
    row_key: "{at:inverted}_{id}"
    copies:
      - {name: number, partition_key: "{customer}", row_key: "id_{id}"}
      - {name: state, partition_key: "{customer}", row_key: "state_{state}_{id}", properties: [State]}
phases:
  - name: load
    load: {entities: 400, transaction: 100, lanes: 1}
  - name: measure
    traffic: {%s}
`

// everything is every verb of event traffic.
const everything = `operations: [{verb: insert, weight: 4}, {verb: get, weight: 4}, {name: newest, verb: get, of: latest}, ` +
	`{name: hot, verb: get, of: {zipf: 1.2}}, {verb: replace, of: {hot: 10%, share: 90%}}, {verb: delete}, ` +
	`{name: pay, verb: insert-or-merge, properties: [{name: State, value: paid}]}, ` +
	`{name: mine, verb: query, by: [customer], top: 20, pages: 1}, {name: recent, verb: query, by: [customer], span: 2h, of: {latest: 50}}, ` +
	`{name: open, verb: query, by: [state], select: [State], pages: 2}, {name: cancel, verb: merge, by: [id], properties: [{name: State, value: void}]}, ` +
	`{verb: batch, entities: 5, together: [customer], weight: 2}, {name: scan, verb: query, class: partition-scan, where: "State eq '{state}'"}]`

// bucketed is what asks each of several buckets, beside others.
const bucketed = `operations: [{verb: insert, weight: 4}, {name: hour, verb: query, by: [hour]}, {name: state, verb: query, by: [hour, state], select: [State]}, ` +
	`{name: first, verb: query, by: [hour], top: 2, pages: 2}, {name: recent, verb: query, by: [state], span: 2h, of: {latest: 50}}, {name: some, verb: query, by: [hour], rows: 5}, ` +
	`{name: mine, verb: query, by: [hour, state, customer]}]`

func ordered(t testing.TB, design, traffic string) *scenarios.Scenario {
	t.Helper()
	return parsed(t, fmt.Sprintf(orders, design, traffic))
}

// unloaded is that table with nothing in it.
func unloaded(t testing.TB, design, traffic string) *scenarios.Scenario {
	t.Helper()
	s := ordered(t, design, traffic)
	s.Phases = s.Phases[1:]
	return s
}

// unlimited has nothing be throttled.
func unlimited(t testing.TB, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	return set(t, s, "model.partition_target=0", "model.account_target=0")
}

// Event traffic keeps its books under every design and in both loops, and both
// runners keep the same record.
func TestBooksOfEventTraffic(t *testing.T) {
	rows := []struct{ name, design, traffic string }{
		{"one partition at a time", "hour", "arrivals: {poisson: 150}, for: 2s, " + everything},
		{"a partition for each customer", "customer", "arrivals: {poisson: 150}, for: 2s, " + everything},
		{"each of several buckets", "buckets", "arrivals: {poisson: 150}, for: 2s, " + bucketed},
		{"copies in the same table and in another", "copied", "arrivals: {poisson: 120}, for: 2s, " + everything},
		{"copies in the entity's own partition", "beside", "arrivals: {poisson: 120}, for: 2s, " + everything},
		{"a closed loop of so many operations", "customer", "clients: 6, count: 200, " + everything},
		{"a closed loop", "copied", "clients: 6, think: 90ms, for: 2s, " + everything},
	}
	for _, test := range spread(rows, tier(2, len(rows))) {
		if testing.Short() && test.design != "copied" {
			continue // the race detector finds in one what it finds in all
		}
		t.Run(test.name, func(t *testing.T) {
			s := ordered(t, test.design, test.traffic)
			live, virtual := bothWays(t, campaign.Options{Scenario: s, Table: "races"})
			// Of two lanes that are free at the same instant, the one goes first that the
			// scheduler picks, which now and then is not the one of the lower number.
			if strings.HasPrefix(test.traffic, "clients") {
				sameCounts(t, live, virtual)
			} else {
				sameFiles(t, live, virtual)
			}
		})
	}
}

// What an operation is said to be due to count is what it counts where nothing is
// throttled: the entities that a query has to read are known without a store.
func TestEventTrafficOffersWhatItCounts(t *testing.T) {
	leftOutWhenShort(t)
	designs := []string{"hour", "customer", "copied", "beside", "buckets"}
	for _, design := range spread(designs, tier(2, len(designs))) {
		t.Run(design, func(t *testing.T) {
			operations := `operations: [{verb: insert, weight: 3}, {verb: get}, ` +
				`{name: mine, verb: query, by: [customer]}, {name: recent, verb: query, by: [customer], span: 6h, of: {latest: 10}}, ` +
				`{name: open, verb: query, by: [state]}, {verb: batch, entities: 5, together: [customer]}, {name: all, verb: query, class: table-scan}, {name: one, verb: query, class: point}, {name: some, verb: query, rows: 7}, ` +
				`{name: pay, verb: replace, by: [state, id]}, {name: void, verb: merge, by: [customer], properties: [{name: State, value: "{state}"}]}]`
			kinds := 11
			if design == "buckets" {
				operations, kinds = bucketed, 7
			}
			record := simulated(t, unlimited(t, ordered(t, design, `arrivals: {constant: 40}, for: 20s, `+operations)))
			phase := reported(t, record)
			looked := 0
			for i, kind := range record.Manifest.Operations {
				k := &phase.Kinds[i]
				if k.Operations == 0 {
					continue
				}
				looked++
				require.Truef(t, k.Throttled+k.Failed <= 0,
					"%s: %d throttled, %d failed; want none", kind.Name, k.Throttled, k.Failed)
				// Operations under way at one instant may or may not see one another.
				if off := float64(k.Offered-k.Served) / float64(k.Served); off < -0.02 || off > 0.02 {
					t.Errorf("%s was due to count %d entities and counted %d; want the same within 2 %%", kind.Name, k.Offered, k.Served)
				}
			}
			assert.Equal(t, kinds, looked, "kinds of operation were looked at")
		})
	}
}
