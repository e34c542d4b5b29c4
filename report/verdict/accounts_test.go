package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
)

// overAccounts returns a record of a small run whose load was sharded, each step of
// which was offered and served so much by account. The account binds before the
// partition where it is so low.
func overAccounts(t *testing.T, accounts int, target int64, each ...results.AccountStats) *results.Record {
	t.Helper()
	r := small(nil)
	r.manifest.PartitionKey = ""
	r.manifest.Targets.Account = target
	r.manifest.Accounts = accounts
	record := r.record(t)
	for i := range record.Phases {
		record.Phases[i].Accounts = each
	}
	return record
}

func TestBusiestAccountIsHeldAgainstItsTarget(t *testing.T) {
	each := []results.AccountStats{{Offered: 400, Served: 390}, {Offered: 800, Served: 600, Throttled: 12}}
	for _, row := range []struct {
		name   string
		record *results.Record
		want   string
	}{
		{"of two accounts the second", overAccounts(t, 2, 20_000, each...),
			"Of 2 accounts number 2 was the busiest: it was offered 200 entities/s over its step and served 150/s, and each has a target of 20,000/s."},
		{"a target that the model does not set", overAccounts(t, 2, 0, each...),
			"Of 2 accounts number 2 was the busiest: it was offered 200 entities/s over its step and served 150/s."},
		{"one account is no matter", overAccounts(t, 0, 20_000), ""},
	} {
		found := verdict.Findings(row.record)
		told := slices.ContainsFunc(found, func(one string) bool { return strings.Contains(one, "the busiest: it was offered") })
		if told != (row.want != "") || row.want != "" && !slices.Contains(found, row.want) {
			t.Errorf("%s: Findings() = %q; want %q", row.name, found, row.want)
		}
	}
}

// A verdict on the sum of several accounts does not hold it against what one may take.
func TestVerdictNamesTheAccounts(t *testing.T) {
	for _, row := range []struct {
		name      string
		accounts  int
		says, not string
	}{
		{"one account that binds", 0, "for an account", "accounts"},
		{"two that do", 2, "for each of 2 accounts", "for an account"},
	} {
		record := overAccounts(t, row.accounts, 100)
		said := verdict.Judge(record).Verdict
		if !strings.Contains(said, row.says) || strings.Contains(said, row.not) {
			t.Errorf("%s: the verdict is %q; want %q in it and not %q", row.name, said, row.says, row.not)
		}
	}
}

// All accounts together are full where each is, and not where one could be.
func TestBalanceOverAccounts(t *testing.T) {
	spread := &results.Spread{Partitions: 12, Rate: 100. / 12}
	for _, row := range []struct {
		name     string
		accounts int
		target   int64
		says     string
	}{
		{"one account that is full", 0, 50, "at the account's limit, which no split raises"},
		{"two that are full", 2, 25, "at the limits of the 2 accounts, which no split raises"},
		{"two of which one alone would be full", 2, 50, "did not last long enough"},
	} {
		record := course{served: []int{50, 50, 50, 50, 50}, spread: spread, start: "cold"}.record(t)
		record.Manifest.Accounts, record.Manifest.Targets.Account = row.accounts, row.target
		if said := verdict.Judge(record).Verdict; !strings.Contains(said, row.says) {
			t.Errorf("%s: the verdict is %q; want %q in it", row.name, said, row.says)
		}
	}
}
