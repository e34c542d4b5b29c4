package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios"
)

// sharded is the race over accounts, with another PartitionKey if one is given.
func sharded(t testing.TB, accounts, partitionKey string) string {
	text := edited(t, "sharded.yaml", "{number: 2}", accounts)
	if partitionKey != "" {
		text = strings.Replace(text, `partition_key: "{event}"`, "partition_key: "+partitionKey, 1)
		text = text[:strings.Index(text, "  - name: peak")]
	}
	return text
}

func TestAccountsAreReadAndWritten(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       *scenarios.Accounts
	}{
		{"one account goes without saying", race, nil},
		{"a number of them", sharded(t, "{number: 2}", ""), &scenarios.Accounts{Number: 2}},
		{"as many as there can be", sharded(t, "{number: 16}", ""), &scenarios.Accounts{Number: 16}},
		{"one, and what would choose between several", sharded(t, `{by: "{event}"}`, ""), &scenarios.Accounts{Number: 1, By: "{event}"}},
		{"an attribute that chooses", sharded(t, `{number: 3, by: "{event}"}`, ""), &scenarios.Accounts{Number: 3, By: "{event}"}},
		{"text around it", sharded(t, `{number: 3, by: "a{{{event}}}"}`, ""), &scenarios.Accounts{Number: 3, By: "a{{{event}}}"}},
	} {
		assert.Equalf(t, row.want, reread(t, row.text).Accounts, "%s: accounts", row.name)
	}
}

func TestAccountOfAPartition(t *testing.T) {
	for _, row := range []struct {
		name, accounts, key string
		// of are PartitionKeys by the account that they must lie in.
		of map[string]int
	}{
		{"one account has them all", "{number: 1}", "", map[string]int{"NYC": 0, "Berlin": 0, "": 0}},
		{"a number below theirs is the account", `{number: 2, by: "{age}"}`, `"{age}"`, map[string]int{"0": 0, "1": 1, "001": 1, "00": 0}},
		{"a part of the key is", `{number: 16, by: "{age}"}`, `"{event}__{age}"`, map[string]int{"NYC__15": 15, "Berlin__3": 3, "__7": 7}},
		{"its value ends where the next text begins", `{number: 16, by: "{event}"}`, `"{event}_{age}"`, map[string]int{"3_4_5": 3, "12_": 12}},
		{"text before and behind", `{number: 16, by: "{age}"}`, `"x{{{age}}}y"`, map[string]int{"x{9}y": 9}},
		{"two attributes make one number", `{number: 16, by: "{event}{age}"}`, `"{age}-{event}"`, map[string]int{"5-1": 15, "1-": 1}},
		{"a placeholder twice goes by the last", `{number: 16, by: "{age}"}`, `"{age}-{age}"`, map[string]int{"4-4": 4}},
	} {
		h := parsed(t, sharded(t, row.accounts, row.key)).Sharding()
		for key, want := range row.of {
			assert.Equalf(t, want, h.AccountOf(key), "%s: AccountOf(%q)", row.name, key)
		}
	}
}

// What a key chooses its account by is all that counts, and what chooses differs
// from what does not.
func TestPartitionsOfOneChoiceShareAnAccount(t *testing.T) {
	h := parsed(t, sharded(t, `{number: 16, by: "{event}"}`, `"{event}_{age}"`)).Sharding()
	accounts := map[int]bool{}
	for event := range 200 {
		first := h.AccountOf(fmt.Sprintf("race%d_18", event))
		accounts[first] = true
		for age := 19; age < 80; age++ {
			if got := h.AccountOf(fmt.Sprintf("race%d_%d", event, age)); got != first {
				t.Fatalf("AccountOf(race%d_%d) = %d; want that of race%d_18, %d", event, age, got, event, first)
			}
		}
	}
	assert.Len(t, accounts, 16, "200 events lie in accounts")
	// A key that is not of the template goes by its whole text.
	ended := parsed(t, sharded(t, `{number: 16, by: "{event}"}`, `"{event}_end"`)).Sharding()
	for _, row := range []struct {
		name, format string
		in           *scenarios.Sharding
	}{
		{"without the design's text", "race-%d", h}, {"that go on behind it", "race_end%d", ended}, {"that break off before it", "race%d_en", ended},
	} {
		others := map[int]bool{}
		for n := range 200 {
			others[row.in.AccountOf(fmt.Sprintf(row.format, n))] = true
		}
		assert.Lenf(t, others, 16, "200 keys %s lie in accounts", row.name)
	}
}

// Hashed keys fall into the accounts evenly, whatever they have in common: the
// count in each lies within five standard deviations of the binomial mean.
func TestHashedPartitionsAreEven(t *testing.T) {
	const keys = 20_000
	for _, row := range []struct{ name, format string }{
		{"numbers", "%d"}, {"numbers with zeros before", "%010d"}, {"names that end alike", "user-%d@example.org"},
		{"even numbers", "%d0"}, {"days", "2026-11-21T%05d"}, {"the same number twice", "%[1]d-%[1]d"},
	} {
		for _, number := range []int{2, 3, 7, 16} {
			h := parsed(t, sharded(t, fmt.Sprintf("{number: %d}", number), "")).Sharding()
			counts := make([]int, number)
			for n := range keys {
				counts[h.AccountOf(fmt.Sprintf(row.format, n))]++
			}
			p := 1 / float64(number)
			mean, deviation := keys*p, math.Sqrt(keys*p*(1-p))
			for account, count := range counts {
				assert.LessOrEqualf(t, math.Abs(float64(count)-mean), 5*deviation,
					"%s over %d accounts: account %d has %d of %d", row.name, number, account, count, keys)
			}
		}
	}
}

// Whatever a PartitionKey is, its account is one of those that there are, and the
// same each time.
func FuzzAccountOf(f *testing.F) {
	f.Add("NYC_18", 2)
	f.Add("", 1)
	f.Add("_", 16)
	f.Add("99999999999999999999_", 3)
	f.Fuzz(func(t *testing.T, key string, number int) {
		number = 1 + int(uint(number)%16)
		s := scenarios.Scenario{Design: scenarios.Design{PartitionKey: "{event}_{age}", RowKey: "{bib}"}}
		for _, by := range []string{"", "{event}", "{age}", "{age}x{event}"} {
			s.Accounts = &scenarios.Accounts{Number: number, By: by}
			h := s.Sharding()
			got := h.AccountOf(key)
			if got < 0 || got >= number || h.AccountOf(key) != got || h.Number() != number {
				t.Fatalf("AccountOf(%q) of %d accounts by %q = %d, then %d; want one of them", key, number, by, got, h.AccountOf(key))
			}
		}
	})
}
