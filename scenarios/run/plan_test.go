package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
	"loadgen/target"
	"loadgen/target/azure"
)

// Only Cosmos DB says 429 where it is busy.
func TestRetryCodesAreThoseOfTheTarget(t *testing.T) {
	for url, want := range map[string][]int{
		"":                                     nil,
		"https://races.table.core.windows.net": nil,
		"https://races.table.cosmos.azure.com:443/": {429},
	} {
		plan := Plan{On: Embedded, Scenario: new(scenarios.Scenario)}
		if url != "" {
			endpoint, err := azure.ParseURL(strings.TrimSuffix(url, "/"), "races", nil)
			require.NoError(t, err)
			plan.On, plan.Accounts = Remote, []azure.Endpoint{endpoint}
		}
		got := plan.options("races").RetryCodes
		assert.Truef(t, slices.Equal(got, want), "at %q the codes are %v; want %v", url, got, want)
	}
}

func TestWorkersNeedFiles(t *testing.T) {
	for _, row := range []struct {
		sentence string
		workers  int
		on       Place
		limit    uint64
		most     string
	}{
		{"as many as there can be behind a socket", 480, Embedded, 1024, ""},
		{"one more", 481, Embedded, 1024, "at most 480 "},
		{"a remote target has the other ends", 960, Remote, 1024, ""},
		{"one more than that", 961, Remote, 1024, "at most 960 "},
		{"an engine in process needs none", 100_000, InProcess, 10, ""},
		{"hardly any files", 1, Remote, 10, "at most 0 "},
	} {
		err := (&Plan{Scenario: &scenarios.Scenario{Workers: row.workers}, On: row.on}).checkFiles(row.limit)
		var fault fields.Fault
		assert.Truef(t, (row.most != "" || err == nil) && (row.most == "" || errors.As(err, &fault) &&
			strings.Contains(err.Error(), row.most)), "%s: %d workers, %d files: %v", row.sentence, row.workers, row.limit, err)
	}
}

// What a scenario claims, it claims of its own profile and of its own load.
func TestClaimsAreOfTheScenarioAlone(t *testing.T) {
	s := library(t, "stress")
	require.NoError(t, s.Set("expect", "[throttled < 1%]"))
	p := &Plan{Scenario: s, Rival: true}
	other, some := p.rival()
	assert.Truef(t, some && len(other.Scenario.Expect) == 0 && !other.Rival && len(s.Expect) == 1, "the rival is %+v", other)
	search := &campaign.Find{Of: results.LimitPartition, MaxThrottled: .01, From: 10, UpTo: 100, Step: 2 * time.Second}
	for find, want := range map[*campaign.Find]int{nil: 1, search: 0} {
		p := &Plan{Scenario: s, Find: find}
		campaign, err := p.campaign(time.Time{})
		require.NoError(t, err)
		m, err := p.manifest(campaign, time.Time{}, new(destination))
		require.NoError(t, err)
		assert.Lenf(t, m.Checks, want, "a search: %t", find != nil)
		_, some := p.rival()
		assert.Truef(t, !some, "a search %v: compared with another profile, which nobody asked for", find != nil)
	}
}

// A table that is named is that table, even by the name that new ones begin with; a new one
// has a name of its own.
func TestATableKeepsItsName(t *testing.T) {
	for _, name := range []string{"loadgenstress", "loadgenMine", ""} {
		p := &Plan{Scenario: library(t, "stress"), On: Embedded, Table: name}
		campaign, err := p.campaign(time.UnixMilli(1000))
		require.NoError(t, err)
		assert.Equal(t, cmp.Or(name, "loadgenstressrs"), campaign.Table)
		assert.Equal(t, name == "", campaign.NewName, name)
	}
}

// A scenario that does not say has thousands of workers where they cost little, as many as
// files are enough for; one that does has those.
func TestWorkersByDefault(t *testing.T) {
	for _, row := range []struct {
		sentence          string
		plan              Plan
		said, least, most int
	}{
		{"what the scenario says", Plan{On: Embedded}, 8, 8, 8},
		{"what it says, called directly", Plan{On: InProcess}, 70_000, 70_000, 70_000},
		{"called directly", Plan{On: InProcess}, 0, 16_384, 16_384},
		{"on the virtual clock, where the number says nothing", Plan{}, 0, 256, 256},
		{"vegeta's attack", Plan{On: Embedded, Driver: Vegeta}, 0, 256, 256},
		{"over a wire", Plan{On: Remote}, 0, 256, 1024},
	} {
		row.plan.Scenario = library(t, "stress")
		row.plan.Scenario.Workers = row.said
		got := row.plan.workers()
		assert.Truef(t, got >= row.least && got <= row.most && row.plan.carried().Workers == got, "%s: %d", row.sentence, got)
	}
	for _, row := range []struct {
		sentence string
		limit    uint64
		known    bool
		on       Place
		accounts int
		want     int
	}{
		{"files enough", 1 << 20, true, Embedded, 1, 1024},
		{"a system that does not tell", 0, false, Embedded, 1, 1024},
		{"two ends of each connection here", 1024 + 64, true, Embedded, 1, 512},
		{"one end here", 700 + 64, true, Remote, 1, 700},
		{"over four accounts", 2048 + 64, true, Remote, 4, 512},
		{"too few files for what a run needs", 100, true, Embedded, 1, 256},
	} {
		assert.Equalf(t, row.want, workersWithin(row.limit, row.known, row.on, row.accounts),
			"%s: workersWithin(%d)", row.sentence, row.limit)
	}
}

func TestOperationsOfSeveralRequests(t *testing.T) {
	query := func(class string, rows, top, pages int) scenarios.OperationSpec {
		return scenarios.OperationSpec{Verb: entity.Query, Class: class, Rows: rows, Top: top, Pages: pages}
	}
	for _, row := range []struct {
		name string
		op   scenarios.OperationSpec
		want bool
	}{
		{"a get", scenarios.OperationSpec{Verb: entity.Get}, false},
		{"a transaction of a hundred", scenarios.OperationSpec{Verb: entity.Batch, Entities: 100}, false},
		{"a workflow", scenarios.OperationSpec{Verb: entity.Insert, Workflow: "transfer"}, true},
		{"an update of what was read", scenarios.OperationSpec{Verb: entity.Replace, ReadFirst: true}, true},
		{"an update of what was looked for", scenarios.OperationSpec{Verb: entity.Merge, By: []string{"age"}}, true},
		{"rows that a filter may pick", scenarios.OperationSpec{Verb: entity.Query, Class: scenarios.ClassBy, By: []string{"age"}, Rows: 10}, true},
		{"one page of them", scenarios.OperationSpec{Verb: entity.Query, Class: scenarios.ClassBy, By: []string{"age"}, Rows: 10, Pages: 1}, false},
		{"a point query", query(scenarios.ClassPoint, 0, 0, 0), false},
		{"a scan", query(scenarios.ClassPartitionScan, 0, 0, 0), true},
		{"one page of a scan", query(scenarios.ClassPartitionScan, 0, 0, 1), false},
		{"two pages of a scan", query(scenarios.ClassPartitionScan, 0, 0, 2), true},
		{"as many rows as are on a page", query(scenarios.ClassRows, 1000, 0, 0), false},
		{"a row more", query(scenarios.ClassRows, 1001, 0, 0), true},
		{"rows within a page of its own", query(scenarios.ClassRows, 50, 50, 0), false},
		{"a row more than that", query(scenarios.ClassRows, 51, 50, 0), true},
	} {
		assert.Equalf(t, row.want, severalRequests(&row.op) != nil, "%s: severalRequests(%+v)", row.name, row.op)
	}
}

func TestRunnerIsTheOneThatWasChosen(t *testing.T) {
	clk := clock.NewReal()
	live := &drive.Live{Clock: clk}
	for _, driver := range []string{Native, Vegeta} {
		runner := (&Plan{Driver: driver}).runner(live, clk)
		v, is := runner.(*drive.Vegeta)
		require.Truef(t, is == (driver == Vegeta) && (is || runner == live), "runner() of --driver %s = %T", driver, runner)
		assert.Truef(t, !is || v.Live == live && v.Epoch.Equal(clk.Started()), "runner() = %+v; want it from the clock's beginning", v)
	}
}

// The client's line lies between the driving loop and the target, where vegeta does not pass.
func TestVegetaSendsPastNoLine(t *testing.T) {
	s := library(t, "thin-line")
	for _, bounded := range []bool{true, false} {
		if !bounded {
			s.Model.Overrides = nil
		}
		err := (&Plan{Scenario: s, On: Embedded, Driver: Vegeta}).driverFault()
		assert.Truef(t, bounded == (err != nil), "a line that is bounded %t: driverFault() = %v", bounded, err)
	}
}

// What ended a run is what came first, whatever failed in the end.
func TestEndOf(t *testing.T) {
	stop := &drive.Stop{Second: 3, Why: errors.New("too much is throttled")}
	after := fmt.Errorf("%w: the table cannot be dropped", campaign.ErrAfterLoad)
	for _, row := range []struct {
		phrase   string
		ended    error
		validity string
		by       results.EndedBy
	}{
		{"nothing", nil, results.Valid, ""},
		{"somebody", context.Canceled, results.Partial, ""},
		{"somebody, and the table stays", errors.Join(context.Canceled, after), results.Partial, ""},
		{"the budget of billed transactions", ErrBudget, results.Partial, ""},
		{"a budget of the scenario", stop, results.Partial, results.EndedByStopOn},
		{"a budget of the scenario, and the table stays", errors.Join(stop, after), results.Partial, results.EndedByStopOn},
		{"a silent target", fmt.Errorf("%w for 1m0s", drive.ErrSilent), results.Partial, results.EndedByTarget},
		{"a table that cannot be dropped", after, results.Partial, results.EndedByTarget},
		{"a file called target.bin on a full disk", errors.New("target.bin: no space left on device"), results.Partial, ""},
	} {
		validity, _, by := endOf(row.ended)
		assert.Truef(t, validity == row.validity && by == row.by, "%s: %s, by %q", row.phrase, validity, by)
	}
}

// furnished are scenarios of the library that use queues or blobs beside their tables.
var furnished = []string{"large-entity", "eventual-transaction", "index-blob"}

// Stand-ins are there behind a socket, and on the virtual clock, and are in the books; the
// tables' requests go on going to the socket.
func TestStandInsBesideTheSocket(t *testing.T) {
	s := library(t, furnished[0])
	d, err := (&Plan{Scenario: s, On: Embedded}).open(t.Context(), clock.NewReal(), "run")
	require.NoError(t, err)
	defer d.close()
	put := target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "work", Body: []byte("a")}}
	create := target.Operation{Verb: entity.CreateTable, Table: "Races"}
	for _, op := range []*target.Operation{&put, &create} {
		o := d.target.Do(t.Context(), op)
		assert.Truef(t, o.Status < 300, "%+v is answered %+v; want success", op, o)
	}
	c := d.counter.Counts()
	assert.Truef(t, c.Requests == 2 && c.Ok == 2 && len(d.wires) == 1, "the books are %+v over %d wires", c, len(d.wires))
	record, err := Run(t.Context(), Plan{Scenario: s})
	require.NoError(t, err)
	all := record.Total(results.Everything)
	assert.Truef(t, all.Attempts > 0 && all.Failed == 0 && record.Target.Requests == all.Attempts, "%+v of %+v", record.Target, all)
}

// A report without stand-ins does not speak of any, and one at a real service neither, which
// has no broker.
func TestStandInsAreSaid(t *testing.T) {
	service := whoAnswers{names: "Windows-Azure-Table/1.0"}
	for _, row := range []struct {
		name     string
		on       Place
		answers  whoAnswers
		scenario *scenarios.Scenario
		says     string
	}{
		{"beside the embedded engine", Embedded, whoAnswers{}, new(scenarios.Scenario), "in-memory"},
		{"at a real service", Remote, service, new(scenarios.Scenario), ""},
		{"a broker at a real service", Remote, service, library(t, "user-signatures"), "Brokers"},
	} {
		m := results.Manifest{StandIns: []string{"queue"}}
		(&Plan{On: row.on, Scenario: row.scenario}).describe(&m, "races", row.answers)
		record := &results.Record{Manifest: m}
		told := strings.Join(verdict.Narrate(record, verdict.Judge(record)).Limits, "\n")
		assert.Truef(t, strings.Contains(told, "in-memory") == (row.says != "") && strings.Contains(told, row.says),
			"%s, the report says %q; want %q", row.name, told, row.says)
	}
}

// What a scenario uses beside its tables a target has to have; tables alone need nothing.
func TestWhatATargetHasToReach(t *testing.T) {
	endpoint, err := azure.ParseURL("http://127.0.0.1:1/races", "", nil)
	require.NoError(t, err)
	plain, beside := library(t, "table-scan"), ""
	p := &Plan{Scenario: plain, On: Remote, Accounts: []azure.Endpoint{endpoint}, Consent: func(a Ask) error {
		beside = a.Beside
		return nil
	}}
	err = errors.Join(p.reaches(), p.Agree(campaign.Forecast{}, "races"))
	assert.Truef(t, err == nil && beside == "", "a scenario of tables alone: %v, stores at %q; want neither", err, beside)
	d, err := (&Plan{Scenario: plain, On: InProcess}).open(t.Context(), clock.NewReal(), "races")
	require.NoError(t, err)
	_, both := d.counter.(booksOfBoth)
	assert.False(t, both, "a scenario of tables alone has stand-ins")
	for _, name := range furnished {
		s := library(t, name)
		p.Scenario = s
		require.Errorf(t, p.reaches(), "%s reaches what is not there", s.Name)
		assert.NoErrorf(t, (&Plan{Scenario: s, On: Embedded}).reaches(), "%s at the embedded engine", s.Name)
	}
}

// counted are values that count how often a generator of keys is built with them.
type counted struct {
	keys.Distribution
	built *int
}

// Compile implements [keys.Distribution].
func (c counted) Compile(once clock.Stream) keys.ValueSource {
	*c.built++
	return c.Distribution.Compile(once)
}

func TestRunBuildsItsKeysOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, on := range []Place{Simulated, InProcess} {
			s, built := library(t, "stress"), 0
			require.NoError(t, s.Set("phases.peak.rates", "[100]"))
			s.Attributes[0].Values = counted{s.Attributes[0].Values, &built}
			p := Plan{Scenario: s, On: on, NoProbe: true, MemoryLimit: 1 << 40}
			require.Empty(t, p.Validate())
			_, err := Run(t.Context(), p)
			assert.Truef(t, err == nil && built == 1, "a run on %d builds %d generators, %v; want one", on, built, err)
		}
	})
}
