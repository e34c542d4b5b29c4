package run

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
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
		err := (&Plan{Scenario: &scenarios.Scenario{Workers: row.workers}, On: row.on}).enoughFiles(row.limit)
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
	if other, some := p.rival(); !some || len(other.Scenario.Expect) > 0 || other.Rival || len(s.Expect) != 1 {
		t.Errorf("the rival is %+v, the scenario expects %q; want nothing of the one, one claim of the other", other, s.Expect)
	}
	search := &campaign.Find{Of: results.LimitPartition, MaxThrottled: .01, From: 10, UpTo: 100, Step: 2 * time.Second}
	for find, want := range map[*campaign.Find]int{nil: 1, search: 0} {
		p := &Plan{Scenario: s, Find: find}
		campaign, err := p.campaign(time.Time{})
		require.NoError(t, err)
		if m, err := p.manifest(campaign, time.Time{}, new(destination)); err != nil || len(m.Checks) != want {
			t.Errorf("a search %v: the manifest expects %q, %v; want %d claims", find != nil, m.Checks, err, want)
		}
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
		if want := cmp.Or(name, "loadgenstressrs"); err != nil || campaign.Table != want || campaign.NewName != (name == "") {
			t.Errorf("the table of %q is %q, new %t, %v; want %q", name, campaign.Table, campaign.NewName, err, want)
		}
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
		if got := row.plan.workers(); got < row.least || got > row.most || row.plan.carried().Workers != got {
			t.Errorf("%s: workers() = %d, carried on %d; want %d to %d", row.sentence, got, row.plan.carried().Workers, row.least, row.most)
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
		{"too few files for what a run needs", 100, true, Embedded, 1, 256},
	} {
		assert.Equalf(t, row.want, workersWithin(row.limit, row.known, row.on, row.accounts),
			"%s: workersWithin(%d)", row.sentence, row.limit)
	}
}
