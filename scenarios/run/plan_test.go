package run

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/target/azure"
)

// Only Cosmos DB says 429 where it is busy.
func TestRetryCodesAreThoseOfTheTarget(t *testing.T) {
	at := func(url string) azure.Endpoint {
		endpoint, err := azure.ParseURL(url, "races", nil)
		if err != nil {
			t.Fatal(err)
		}
		return endpoint
	}
	for _, row := range []struct {
		name string
		plan Plan
		want []int
	}{
		{"the embedded engine", Plan{On: Embedded}, nil},
		{"in process", Plan{On: InProcess}, nil},
		{"Azure Storage", Plan{On: Remote, Accounts: []azure.Endpoint{at("https://races.table.core.windows.net")}}, nil},
		{"Cosmos DB", Plan{On: Remote, Accounts: []azure.Endpoint{at("https://races.table.cosmos.azure.com:443")}}, []int{429}},
	} {
		row.plan.Scenario = new(scenarios.Scenario)
		if got := row.plan.options("races").RetryCodes; !slices.Equal(got, row.want) {
			t.Errorf("%s: the codes are %v; want %v", row.name, got, row.want)
		}
	}
}

func TestWorkersNeedFiles(t *testing.T) {
	for _, row := range []struct {
		sentence string
		workers  int
		on       Place
		limit    uint64
		says     string
	}{
		{"as many as there can be behind a socket", 480, Embedded, 1024, ""},
		{"one more", 481, Embedded, 1024, "481 workers need 1,026 open files, and this process may have 1,024; expected at most 480 workers"},
		{"a remote target has the other ends", 960, Remote, 1024, ""},
		{"one more than that", 961, Remote, 1024, "961 workers need 1,025 open files, and this process may have 1,024; expected at most 960 workers"},
		{"an engine in process needs none", 100_000, InProcess, 10, ""},
		{"hardly any files", 1, Remote, 10, "expected at most 0 workers"},
	} {
		p := &Plan{Scenario: &scenarios.Scenario{Workers: row.workers}, On: row.on}
		err := p.enoughFiles(row.limit)
		var fault fields.Fault
		if row.says == "" && err != nil || row.says != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %d workers, %v, %d files: %v; want %q", row.sentence, row.workers, row.on, row.limit, err, row.says)
		}
	}
}

// What a scenario claims, it claims of its own profile and of its own load.
func TestClaimsAreOfTheScenarioAlone(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	if err == nil {
		err = s.Set("expect", "[throttled < 1%]")
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Scenario: s, Rival: true}
	if other, some := p.rival(); !some || len(other.Scenario.Expect) > 0 || other.Rival || len(s.Expect) != 1 {
		t.Errorf("the rival is %+v, the scenario expects %q; want nothing of the one, one claim of the other", other, s.Expect)
	}
	for _, row := range []struct {
		name string
		find *campaign.Find
		want int
	}{
		{"the scenario's own load", nil, 1},
		{"a search, which offers another", &campaign.Find{Of: results.LimitPartition, MaxThrottled: .01, From: 10, UpTo: 100, Step: 2 * time.Second}, 0},
	} {
		p := &Plan{Scenario: s, Find: row.find}
		campaign, err := p.campaign(time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if m, err := p.manifest(campaign, time.Time{}, new(destination)); err != nil || len(m.Checks) != row.want {
			t.Errorf("%s: the manifest expects %q, %v; want %d claims", row.name, m.Checks, err, row.want)
		}
		if _, some := p.rival(); some {
			t.Errorf("%s: held against another profile, which nobody asked for", row.name)
		}
	}
}

// A table that somebody named is that table, even by the name that new ones begin with; a
// new one has a name of its own.
func TestATableKeepsItsName(t *testing.T) {
	s, err := scenarios.Builtin("stress")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ table, want string }{
		{"loadgenstress", "loadgenstress"}, {"loadgenMine", "loadgenMine"}, {"", "loadgenstressrs"},
	} {
		p := &Plan{Scenario: s, On: Embedded, Table: row.table}
		campaign, err := p.campaign(time.UnixMilli(1000))
		if err != nil || campaign.Table != row.want || campaign.NewName != (row.table == "") {
			t.Errorf("the table of %q is %q, new %t, %v; want %q", row.table, campaign.Table, campaign.NewName, err, row.want)
		}
	}
}

// A scenario that does not say has thousands of workers where they cost little, as many as
// files are enough for; one that does has those.
func TestWorkersByDefault(t *testing.T) {
	for _, row := range []struct {
		sentence string
		plan     Plan
		said     int
		least    int
		most     int
	}{
		{"what the scenario says", Plan{On: Embedded}, 8, 8, 8},
		{"what it says, called directly", Plan{On: InProcess}, 70_000, 70_000, 70_000},
		{"called directly", Plan{On: InProcess}, 0, 16_384, 16_384},
		{"on the virtual clock, where the number says nothing", Plan{}, 0, 256, 256},
		{"vegeta's attack", Plan{On: Embedded, Driver: Vegeta}, 0, 256, 256},
		{"over a wire", Plan{On: Remote}, 0, 256, 1024},
	} {
		s, err := scenarios.Builtin("stress")
		if err != nil {
			t.Fatal(err)
		}
		s.Workers, row.plan.Scenario = row.said, s
		if got := row.plan.workers(); got < row.least || got > row.most || row.plan.carried().Workers != got {
			t.Errorf("%s: workers() = %d, carried on %d; want %d to %d, and as many", row.sentence, got, row.plan.carried().Workers, row.least, row.most)
		}
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
		{"too few files for what a run needs, which is told as such", 100, true, Embedded, 1, 256},
	} {
		if got := workersWithin(row.limit, row.known, row.on, row.accounts); got != row.want {
			t.Errorf("%s: workersWithin(%d) = %d; want %d", row.sentence, row.limit, got, row.want)
		}
	}
}
