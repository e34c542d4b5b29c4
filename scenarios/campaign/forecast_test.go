package campaign_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

// What is forecast is what a run that is throttled nothing then does: requests and
// entities but for what chance decides. Of what is read is told what each kind comes to all
// along, not in the beginning.
func TestForecastMatchesRun(t *testing.T) {
	peak := func(settings ...string) *scenarios.Scenario {
		return small(t, append([]string{"model.profile=off"}, settings...)...)
	}
	events := func(design, traffic string) *scenarios.Scenario { return unlimited(t, ordered(t, design, traffic)) }
	of := func(traffic, trace string) *scenarios.Scenario {
		s := trafficked(t, traffic, trace)
		s.Model.Profile, s.Model.Overrides = "off", nil
		return s
	}
	const insertsAndDeletes = "arrivals: {constant: 100}, for: 10s, operations: [{verb: insert}, {verb: delete, of: {hot: 10%, share: 90%}}, {verb: batch, entities: 5, together: [customer]}"
	rows := []struct {
		name string
		s    *scenarios.Scenario
		off  float64
	}{
		{"the peak of gets, inserts and merges", peak(), .06},
		{"every kind of operation, queries of several pages among them", peak(everyKind), .06},
		{"a lone rate without a hold", peak("phases.peak.rates=[200]", "phases.peak.hold=false"), .06},
		{"an open loop", of("arrivals: {sine: {mean: 100, amplitude: 50, period: 2s}}, for: 6s, "+offers, ""), .12},
		{"a closed loop of clients", of("clients: 20, think: 200ms, for: 6s, "+offers, ""), .12},
		{"a trace", of("arrivals: {trace: t.csv}", keyedRows()), .12},
		{"copies", events("copied", insertsAndDeletes+"]"), .08},
		{"copies in the same transactions", events("beside", insertsAndDeletes+", {verb: batch, name: many, entities: 40, together: [customer]}]"), .08},
		{"each of several buckets", events("buckets", "arrivals: {constant: 40}, for: 20s, operations: ["+bucketed+"]"), .08},
		{"searches", events("copied", "arrivals: {constant: 50}, for: 10s, operations: [{verb: merge, by: [state], properties: [{name: State, value: void}]}, {verb: replace, by: [id]}, {verb: get}]"), .08},
		{"a table that grows while it is read", events("hour", "arrivals: {constant: 60}, for: 20s, operations: [{verb: insert, weight: 3}, {verb: query, by: [state], top: 100}, {name: all, verb: query, class: table-scan}]"), .08},
		{"so many operations, and what workflows read", events("customer", "clients: 6, count: 300, operations: [{verb: insert}, {verb: get}, {workflow: read-set, with: {sets: 20}}]"), .08},
		{"a closed loop", events("customer", "clients: 6, think: 200ms, for: 20s, operations: [{verb: insert}, {verb: query, by: [customer], top: 5}, {verb: merge, read_first: true, properties: [{name: State, value: void}]}]"), .08},
	}
	for _, row := range spread(rows, resultstest.Cases(4, len(rows))) {
		verified := []bool{true, false}[:resultstest.Cases(1, 2)]
		if row.off != .08 {
			verified = []bool{false}
		}
		for _, verify := range verified {
			o := campaign.Options{Scenario: row.s, Table: "races", Verify: verify}
			c := planned(t, o)
			f := c.Footprint(true)
			assert.Truef(t, min(f.Entities, f.Record) > 0, "%s: %+v", row.name, f)
			forecast, record := c.Forecast(), recorded(t, newWorld(t, row.s, nil).run(t, o))
			sum := record.Total(results.Everything)
			for what, pair := range map[string][2]int64{"requests": {forecast.Requests, sum.Attempts}, "entities": {forecast.Entities, sum.Counted}} {
				assert.InEpsilonf(t, pair[1], pair[0], row.off, "%s, verified %v: %s that are forecast", row.name, verify, what)
			}
			assert.Truef(t, forecast.AtMost >= forecast.Requests && forecast.AtMost <= 6*forecast.Requests, "%s: %+v", row.name, forecast)
			assert.Truef(t, forecast.Sent >= forecast.Requests*500 && forecast.Received >= forecast.Requests*400, "%s: %+v; want the headers at least", row.name, forecast)
			var lasts time.Duration
			for _, phase := range record.Phases {
				if phase.Rate > 0 {
					lasts += phase.End - phase.Begin
				}
			}
			assert.Falsef(t, lasts > 0 && (forecast.Lasts-lasts).Abs() > time.Second,
				"%s: Lasts = %v; what is offered lasted %v", row.name, forecast.Lasts, lasts)
		}
	}
}

// Of entities whose sizes follow a curve as many bytes are stored as the generator says of each
// of them, to the byte, and as the mean foresees within four standard errors.
func TestForecastOfSizesByACurve(t *testing.T) {
	s := small(t, "model.profile=off", "entity.size={lognormal: {p50: 1800, sigma: 0.8, min: 600, max: 40000}}")
	o := stress(s)
	forecast, record := planned(t, o).Forecasts()[0], recorded(t, newWorld(t, s, nil).run(t, o))
	generator, err := s.Generator()
	require.NoError(t, err)
	want, squares, many := int64(0), 0., s.Loaded(1)
	for n := range many {
		size := int64(entity.Size(generator.Key(n), generator.Properties(n)))
		want, squares = want+size, squares+float64(size)*float64(size)
	}
	stored := int64(0)
	for _, phase := range record.Phases {
		for _, kind := range phase.Kinds {
			if phase.Name == s.Phases[0].Name {
				stored += kind.Stored
			}
		}
	}
	assert.Equalf(t, want, stored, "%d bytes were stored; want %d, the sizes of %d entities", stored, want, many)
	mean, _ := generator.MeanSize()
	exact := float64(want) / float64(many)
	assert.InDelta(t, exact, mean, 4*math.Sqrt((squares/float64(many)-exact*exact)/float64(many)), "the mean of the sizes within four standard errors")
	if content := float64(many) * mean * 5 / 8; float64(forecast.Sent) < content || float64(forecast.Sent) > 2.5*content {
		t.Errorf("%d bytes are forecast to be sent; want those of entities, about %.0f, and their heads", forecast.Sent, content)
	}
}

// ceiling offers half as much again as an account may take, evenly over twenty
// partitions none of which is near its own target: limits and load are a hundredth of
// the documents'. The account is the parity of the bucket.
const ceiling = `name: ceiling
seed: 3
workers: 256
model: {profile: documented, account_target: 200, account_burst: 250ms, partition_target: 20, partition_burst: 1s}
accounts: {number: 2, by: "{shard}"}
retry: none
attributes:
  shard: {list: ["0", "1"]}
  bucket: {uniform: [0, 9]}
  number: {sequence: 1}
entity: {size: 300}
design: {partition_key: "{shard}-{bucket}", row_key: "{number}"}
phases:
  - {name: peak, spread: {partitions: 20, rate: 15, for: 20s, operations: [{verb: insert}]}}
`

// shardedRaces loads, counts and offers every kind of operation over three accounts.
var shardedRaces = []string{"accounts={number: 3}", everyKind, "phases.peak.rates=[300, 900]"}

// Every entity lies in the account that its PartitionKey says, and nowhere else.
func TestEntitiesAreInTheirAccounts(t *testing.T) {
	s := small(t, append(shardedRaces, "phases.count.lanes=2")...)
	kept := newWorld(t, s, nil)
	recorded(t, kept.run(t, campaign.Options{Scenario: s, Table: "races", Keep: true}))
	var stored [3]int
	for account, name := range kept.accounts {
		for key := range kept.engine.Entities(name, "races") {
			if key.Partition != "~loadgen" {
				require.Equalf(t, s.Sharding().AccountOf(key.Partition), account, "the account of %v", key)
				stored[account]++
			}
		}
	}
	assert.Truef(t, min(stored[0], stored[1], stored[2]) > 0 && stored[0]+stored[1]+stored[2] >= 1200,
		"the accounts hold %v entities; want all that were loaded, some in each", stored)
}

// A table that cannot be made in one account undoes what was made in those before.
func TestExistingTableInOneAccount(t *testing.T) {
	s := parsed(t, ceiling, "phases.peak.for=1s")
	w := newWorld(t, s, nil)
	w.Submit(0, &target.Operation{Verb: entity.CreateTable, Account: 1, Table: "races", Number: 1 << 40})
	assert.ErrorIs(t, w.run(t, campaign.Options{Scenario: s, Table: "races"}).ended, campaign.ErrTableExists)
	assert.Empty(t, w.engine.TableNames("account0"), "none of ours")
	assert.Len(t, w.engine.TableNames("account1"), 1, "the one that was there")
}
