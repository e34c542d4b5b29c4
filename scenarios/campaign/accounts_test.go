package campaign_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target"
)

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

// 300 entities/s are more than one account may take and less than two may, and what is asked
// for in all accounts is forecast.
func TestAnAccountIsACeilingAndTwoAreNone(t *testing.T) {
	oneOfTwo := []string{`attributes.shard={list: ["0", "1"], weights: [1000000, 1]}`, "phases.peak.partitions=10", "phases.peak.rate=30", "model.partition_target=100"}
	for _, row := range []struct {
		name     string
		settings []string
		// throttled is how many of the 6,000 attempts are, offered what the busiest account is.
		throttled, offered int64
		// requests is what is forecast: three to make, mark and drop the table of each account.
		requests int64
	}{
		{"one account serves 200/s and what it had saved up, 50", []string{"accounts.number=1"}, 6000 - 4050, 0, 6003},
		{"two serve all of it", nil, 0, 3000, 6006},
		{"two of which one is chosen serve no more", oneOfTwo, 6000 - 4050, 6000, 6006},
	} {
		s := parsed(t, ceiling, row.settings...)
		o, w := campaign.Options{Scenario: s, Table: "races"}, newWorld(t, s, nil)
		record := recorded(t, w.run(t, o))
		sum := record.Total(results.Reported)
		assert.Equal(t, [2]int64{6000, 0}, [2]int64{sum.Attempts, sum.Failed}, row.name)
		assert.InDelta(t, row.throttled, sum.Throttled, 3, row.name)
		closed(t, record, w.engine)
		phase := reported(t, record)
		if busiest, several := phase.Busiest(); several != (row.offered > 0) || several && phase.Accounts[busiest].Offered != row.offered {
			t.Errorf("%s: the phase has the accounts %+v; want the busiest offered %d", row.name, phase.Accounts, row.offered)
		}
		assert.Equal(t, row.requests, planned(t, o).Forecast().Requests, row.name)
		assert.Equal(t, row.requests, w.engine.Counts().Requests, row.name)
	}
}

// shardedRaces loads, counts and offers every kind of operation over three accounts.
var shardedRaces = []string{"accounts={number: 3}", everyKind, "phases.peak.rates=[300, 900]"}

func TestShardedLiveEqualsVirtual(t *testing.T) {
	for _, row := range []struct {
		name string
		s    *scenarios.Scenario
		// races says that simultaneous deletes and reads of an entity may come in either order.
		races bool
	}{
		{"every kind of operation", small(t, shardedRaces...), true},
		{"two accounts under their limits", parsed(t, ceiling, "phases.peak.for=5s"), false},
		{"an overload of both", parsed(t, ceiling, "phases.peak.for=5s", "model.account_target=50"), false},
	} {
		o := campaign.Options{Scenario: row.s, Table: "races"}
		virtual := newWorld(t, row.s, nil).run(t, o)
		inBubble(t, func(t *testing.T, clk clock.Real) {
			w := newWorld(t, row.s, clk)
			live := w.run(t, o)
			closed(t, recorded(t, live), w.engine)
			assert.Emptyf(t, w.tables(), "%s: tables after the run", row.name)
			if !row.races {
				sameFiles(t, live, virtual)
			}
			got, want := live.record.Total(results.Reported), virtual.record.Total(results.Reported)
			assert.Equal(t, [2]int64{want.Scheduled, want.Offered}, [2]int64{got.Scheduled, got.Offered}, row.name)
		})
	}
}

// Every entity lies in the account that its PartitionKey says, and nowhere else.
func TestEntitiesLieInTheirAccounts(t *testing.T) {
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
func TestATableInOneOfTheAccounts(t *testing.T) {
	s := parsed(t, ceiling, "phases.peak.for=1s")
	w := newWorld(t, s, nil)
	w.Submit(0, &target.Operation{Verb: entity.CreateTable, Account: 1, Table: "races", Number: 1 << 40})
	assert.ErrorIs(t, w.run(t, campaign.Options{Scenario: s, Table: "races"}).ended, campaign.ErrTableExists)
	assert.Empty(t, w.engine.TableNames("account0"), "none of ours")
	assert.Len(t, w.engine.TableNames("account1"), 1, "the one that was there")
}
