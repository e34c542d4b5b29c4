package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// ceiling offers half as much again as an account may take, evenly over twenty
// partitions none of which is near its own target: limits and load are a hundredth of
// the documents'. The account is the parity of the bucket.
const ceiling = `name: ceiling
seed: 3
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
  - name: peak
    spread:
      partitions: 20
      rate: 15
      for: 20s
      operations: [{verb: insert}]
`

// scenarioOf returns the scenario of a text with values set: path=value.
func scenarioOf(t testing.TB, text string, settings ...string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Parse("accounts.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set(t, s, settings...)
	return s
}

// estate is an engine with several accounts, as a target of either face.
type estate struct {
	engine  *engine.Engine
	live    *target.LiveShards
	virtual *target.VirtualShards
}

func newEstate(t testing.TB, s *scenarios.Scenario, clk clock.Clock) estate {
	t.Helper()
	m, err := model.New(s.Model.Profile)
	for _, o := range s.Model.Overrides {
		err = errors.Join(err, m.Set(o.Name, o.Text))
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for account := range s.Sharding().Number() {
		names = append(names, "account"+strconv.Itoa(account))
	}
	e := engine.New(engine.Options{Model: m, Accounts: names, Seed: s.Seed, Cold: s.Start == scenarios.StartCold})
	var live []target.Target
	var virtual []target.Immediate
	for _, name := range names {
		live = append(live, target.NewInProcess(e, name, clk))
		virtual = append(virtual, target.NewInProcess(e, name, nil))
	}
	return estate{e, target.NewShards(live), target.NewImmediateShards(virtual)}
}

// sharding carries a scenario out, in virtual time or, with a clock, in real time
// within a bubble.
func sharding(t testing.TB, s *scenarios.Scenario, clk clock.Clock, o campaign.Options) (*results.Record, *results.Memory, estate) {
	t.Helper()
	at := newEstate(t, s, clk)
	o.Scenario, o.Table = s, "races"
	campaign, err := campaign.NewCampaign(o)
	if err != nil {
		t.Fatal(err)
	}
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Operations: campaign.Kinds(), Accounts: s.Sharding().Number()})
	if err != nil {
		t.Fatal(err)
	}
	var runner drive.Runner = &drive.Virtual{Target: at.virtual}
	if clk != nil {
		runner = &drive.Live{Clock: clk, Target: at.live, Workers: 256}
	}
	if err := campaign.Run(context.Background(), runner, &drive.Ledger{Recorder: recorder}); err != nil {
		t.Fatal(err)
	}
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record, folder, at
}

// 300 entities/s are more than one account may take and less than two may.
func TestAnAccountIsACeilingAndTwoAreNone(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name     string
		accounts string
		// throttled is how many of the 6,000 attempts are.
		throttled int64
		// offered is what the busiest account is.
		offered int64
	}{
		{"one account serves 200/s and what it had saved up, 50", "1", 6000 - 4050, 0},
		{"two serve all of it", "2", 0, 3000},
	} {
		s := scenarioOf(t, ceiling, "accounts.number="+row.accounts)
		record, _, at := sharding(t, s, nil, campaign.Options{})
		sum := record.Total(results.Reported)
		if sum.Attempts != 6000 || sum.Failed != 0 || sum.Throttled < row.throttled-3 || sum.Throttled > row.throttled+3 {
			t.Errorf("%s: of %d attempts %d were throttled, %d failed; want %d of 6,000", row.name, sum.Attempts, sum.Throttled, sum.Failed, row.throttled)
		}
		closed(t, record, at.engine)
		if got, want := target.Counts(at.engine.Counts()), at.virtual.Counts(); got != want {
			t.Errorf("%s: the accounts' books add up to %+v; want the engine's %+v", row.name, want, got)
		}
		phase := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })]
		if busiest, several := phase.Busiest(); several != (row.offered > 0) || several && phase.Accounts[busiest].Offered != row.offered {
			t.Errorf("%s: the phase has the accounts %+v; want the busiest offered %d", row.name, phase.Accounts, row.offered)
		}
	}
}

// An uneven choice overloads the one account while the other is idle: to shard is
// not enough.
func TestAnUnevenChoiceOverloadsItsAccount(t *testing.T) {
	leftOutWhenShort(t)
	s := scenarioOf(t, ceiling, `attributes.shard={list: ["0", "1"], weights: [1000000, 1]}`, "phases.peak.partitions=10", "phases.peak.rate=30", "model.partition_target=100")
	record, _, _ := sharding(t, s, nil, campaign.Options{})
	sum := record.Total(results.Reported)
	accounts := record.Phases[slices.IndexFunc(record.Phases, func(p results.Phase) bool { return p.Reported })].Accounts
	// An attempt or two end after the phase.
	if sum.Throttled < 1900 || accounts[0].Offered != 6000 || accounts[0].Throttled < sum.Throttled-5 || accounts[1] != (results.AccountStats{}) {
		t.Errorf("throttled %d of %d, accounts %+v; want a third, all of it in the first account", sum.Throttled, sum.Attempts, accounts)
	}
}

// shardedRaces loads, counts and offers every kind of operation over three accounts.
var shardedRaces = []string{"accounts={number: 3}", everyKind, "phases.peak.rates=[300, 900]"}

func TestShardedLiveEqualsVirtual(t *testing.T) {
	for _, row := range []struct {
		name string
		s    *scenarios.Scenario
	}{
		{"every kind of operation", small(t, shardedRaces...)},
		{"two accounts under their limits", scenarioOf(t, ceiling, "phases.peak.for=5s")},
		{"an overload of both", scenarioOf(t, ceiling, "phases.peak.for=5s", "model.account_target=50")},
	} {
		virtual, folder, _ := sharding(t, row.s, nil, campaign.Options{})
		synctest.Test(t, func(t *testing.T) {
			live, liveFolder, at := sharding(t, row.s, clock.NewReal(), campaign.Options{})
			closed(t, live, at.engine)
			if deleting := row.s.Name == "stress"; deleting {
				// Simultaneous deletes and reads of an entity may come in either order.
				got, want := live.Total(results.Reported), virtual.Total(results.Reported)
				if got.Scheduled != want.Scheduled || got.Offered != want.Offered {
					t.Errorf("%s: live scheduled %d of %d entities; virtual %d of %d", row.name, got.Scheduled, got.Offered, want.Scheduled, want.Offered)
				}
				return
			}
			for _, file := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
				if string(liveFolder.Bytes(file)) != string(folder.Bytes(file)) {
					t.Errorf("%s: %s of a live run differs from that of virtual time", row.name, file)
				}
			}
		})
	}
}

// Every entity lies in the account that its PartitionKey says, and nowhere else, and
// nothing is left where the run has ended.
func TestEntitiesLieInTheirAccounts(t *testing.T) {
	leftOutWhenShort(t)
	s := small(t, append(shardedRaces, "phases.count.lanes=2")...)
	h := s.Sharding()
	_, _, kept := sharding(t, s, nil, campaign.Options{Keep: true})
	lying := 0
	for account := range 3 {
		there := 0
		for key := range kept.engine.Entities("account"+strconv.Itoa(account), "races") {
			switch want := h.AccountOf(key.Partition); {
			case key.Partition == "~loadgen":
			case want != account:
				t.Fatalf("account %d holds %v; want it in account %d", account, key, want)
			default:
				there++
			}
		}
		if there == 0 {
			t.Errorf("account %d holds nothing: the test shows too little", account)
		}
		lying += there
	}
	if lying < 1200 {
		t.Errorf("%d entities lie in the accounts; want all that were loaded", lying)
	}
	_, _, dropped := sharding(t, s, nil, campaign.Options{})
	for account := range 3 {
		if left := dropped.engine.TableNames("account" + strconv.Itoa(account)); len(left) > 0 {
			t.Errorf("account %d has the tables %v after the run; want none", account, left)
		}
	}
}

// What was acknowledged is read back from the account that it was written to.
func TestShardedWritesAreVerified(t *testing.T) {
	leftOutWhenShort(t)
	s := small(t, append(shardedRaces, "phases.peak.operations=[{verb: insert}, {verb: insert-or-replace}]", "phases.peak.rates=[200]")...)
	record, _, _ := sharding(t, s, nil, campaign.Options{Verify: true})
	audit := record.Audit
	if audit == nil || audit.Acknowledged == 0 || audit.ReadBack != audit.Keys || !audit.Sound() {
		t.Errorf("the audit is %+v; want every write acknowledged and there", audit)
	}
}

// The highest rate of a partition is looked for in the account that it lies in.
func TestFindInAnAccount(t *testing.T) {
	leftOutWhenShort(t)
	s := scenarioOf(t, ceiling, "phases.peak.partitions=[1-3]")
	find := &campaign.Find{Of: results.LimitPartition, MaxThrottled: .005, From: 5, UpTo: 80, Step: 100 * time.Second}
	record, _, at := sharding(t, s, nil, campaign.Options{Find: find})
	if l := record.Limit; l == nil || l.Held == nil || l.NotHeld == nil || *l.Held > 20.4 || *l.NotHeld < 19.6 {
		t.Errorf("the search came to %+v; want an interval around 20/s", record.Limit)
	}
	if one, other := at.engine.CountsIn("account0"), at.engine.CountsIn("account1"); one.Requests != 3 || other.Requests < 1000 {
		t.Errorf("the accounts saw %d and %d requests; want the first made, marked and dropped, and the load in the second", one.Requests, other.Requests)
	}
}

// A table that cannot be made in one account undoes what was made in those before.
func TestATableInOneOfTheAccounts(t *testing.T) {
	leftOutWhenShort(t)
	s := scenarioOf(t, ceiling, "phases.peak.for=1s")
	at := newEstate(t, s, nil)
	at.virtual.Submit(0, &target.Operation{Verb: entity.CreateTable, Account: 1, Table: "races", Number: 1 << 40})
	given, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "races"})
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := results.NewRecorder(new(results.Memory), results.Manifest{Operations: given.Kinds(), Accounts: 2})
	if err != nil {
		t.Fatal(err)
	}
	err = given.Run(context.Background(), &drive.Virtual{Target: at.virtual}, &drive.Ledger{Recorder: recorder})
	if !errors.Is(err, campaign.ErrTableExists) || !strings.Contains(err.Error(), "races in account 2") {
		t.Errorf("Run() = %v; want that the table is there in account 2", err)
	}
	if one, two := at.engine.TableNames("account0"), at.engine.TableNames("account1"); len(one) != 0 || len(two) != 1 {
		t.Errorf("the accounts hold the tables %v and %v; want none of ours, and the one that was there", one, two)
	}
}

// What a run asks for in all accounts is forecast.
func TestForecastOfSeveralAccounts(t *testing.T) {
	leftOutWhenShort(t)
	for _, accounts := range []int64{1, 2, 5} {
		s := scenarioOf(t, ceiling, fmt.Sprintf("accounts.number=%d", accounts))
		given, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "races"})
		if err != nil {
			t.Fatal(err)
		}
		f := given.Forecast()
		record, _, at := sharding(t, s, nil, campaign.Options{})
		if seen := at.engine.Counts(); f.Requests != seen.Requests || f.Requests != 6000+3*accounts || record.Total(results.Everything).Attempts != seen.Requests {
			t.Errorf("over %d accounts the forecast is %d requests, and the engine saw %d; want 6,000 and three in each account", accounts, f.Requests, seen.Requests)
		}
	}
}
