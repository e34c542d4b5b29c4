package scenarios_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"loadgen/scenarios"
)

// sharded is the race over accounts, with another PartitionKey if one is given.
func sharded(accounts, partitionKey string) string {
	text := strings.Replace(race, "attributes:", "accounts: "+accounts+"\nattributes:", 1)
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
		{"a number of them", sharded("{number: 2}", ""), &scenarios.Accounts{Number: 2}},
		{"as many as there can be", sharded("{number: 16}", ""), &scenarios.Accounts{Number: 16}},
		{"one, and what would choose between several", sharded(`{by: "{event}"}`, ""), &scenarios.Accounts{Number: 1, By: "{event}"}},
		{"an attribute that chooses", sharded(`{number: 3, by: "{event}"}`, ""), &scenarios.Accounts{Number: 3, By: "{event}"}},
		{"text around it", sharded(`{number: 3, by: "a{{{event}}}"}`, ""), &scenarios.Accounts{Number: 3, By: "a{{{event}}}"}},
	} {
		s := parsed(t, row.text)
		if (s.Accounts == nil) != (row.want == nil) || row.want != nil && *s.Accounts != *row.want {
			t.Errorf("%s: Parse() has accounts %+v; want %+v", row.name, s.Accounts, row.want)
		}
		again := parsed(t, string(s.Text()))
		if string(again.Text()) != string(s.Text()) || row.want != nil && *again.Accounts != *row.want {
			t.Errorf("%s: Parse(Text()) =\n%s\nwant\n%s", row.name, again.Text(), s.Text())
		}
	}
}

func TestAccountsCanBeSet(t *testing.T) {
	for _, row := range []struct {
		name, text, path, value string
		want                    scenarios.Accounts
	}{
		{"where there are none", race, "accounts.number", "2", scenarios.Accounts{Number: 2}},
		{"another number", sharded(`{number: 3, by: "{event}"}`, ""), "accounts.number", "1", scenarios.Accounts{Number: 1, By: "{event}"}},
		{"what chooses", sharded("{number: 3}", ""), "accounts.by", "{event}", scenarios.Accounts{Number: 3, By: "{event}"}},
		{"all at once", race, "accounts", `{number: 4, by: "{event}"}`, scenarios.Accounts{Number: 4, By: "{event}"}},
	} {
		s := parsed(t, row.text)
		if err := s.Set(row.path, row.value); err != nil || s.Accounts == nil || *s.Accounts != row.want || len(s.Validate()) > 0 {
			t.Errorf("%s: Set(%q, %q) = %v, accounts %+v, faults %v; want %+v", row.name, row.path, row.value, err, s.Accounts, s.Validate(), row.want)
		}
	}
}

func TestFaultsOfAccounts(t *testing.T) {
	reads := func(query string) string {
		return strings.Replace(sharded("{number: 2}", ""), "{verb: get, weight: 3}", query, 1)
	}
	const copied = `  copies:
    - name: by-age
      partition_key: "{age}"
      row_key: "{bib}"
`
	// events is traffic about events that knows some attributes of each, with copies.
	events := func(by, copies string) string {
		text := sharded("{number: 2}", "")
		text = strings.Replace(text, "phases:", copies+"phases:", 1)
		return text[:strings.Index(text, "  - name: peak")] + `  - name: readers
    traffic:
      arrivals: {constant: 10}
      for: 1s
      operations: [{verb: query, by: ` + by + `}]
`
	}
	for _, row := range []struct{ name, text, want string }{
		{"no account", sharded("{number: 0}", ""), "5:20: number is 0; expected a whole number from 1 to 16"},
		{"less than none", sharded("{number: -2}", ""), "5:20: number is -2; expected a whole number from 1 to 16"},
		{"one too many", sharded("{number: 17}", ""), "5:20: number is 17; expected a whole number from 1 to 16"},
		{"a number beyond all", sharded("{number: 99999999999999999999}", ""), "5:20: number is 99999999999999999999; expected a whole number from 1 to 16"},
		{"a list", sharded("[a, b]", ""), "5:11: accounts is a list; expected a map with the fields number, by"},
		{"a mistyped field", sharded("{numbr: 2}", ""), `5:12: unknown field "numbr"; did you mean "number"?`},
		{"a mistyped attribute", sharded(`{number: 2, by: "x{evnt}"}`, ""), `5:29: unknown attribute "evnt"; did you mean "event"?`},
		{"a brace that is never closed", sharded(`{number: 2, by: "{event"}`, ""), "5:28: '{' is never closed"},
		{"nothing that differs", sharded(`{number: 2, by: "east"}`, ""), "5:27: by names no attribute, so that all partitions would lie in one account; expected a template such as {event}"},
		{"an attribute of the RowKey alone", sharded(`{number: 2, by: "{event}{age}"}`, ""),
			"5:35: {age} is not made of what partition_key holds, so that a partition could lie in two accounts"},
		{"an attribute that nothing parts from its neighbour", sharded(`{number: 2, by: "{age}"}`, `"{event}{age}"`),
			"5:28: in partition_key nothing parts what {age} is made of from its neighbour; expected text between them"},
		{"a query of neighbouring partitions", reads("{verb: query, class: partition-range, partitions: 2}"),
			"29:11: a query of the class partition-range reads across the 2 accounts; expected what stays within one partition, or one account"},
		{"a query of the table", reads("{verb: query, class: table-scan}"),
			"29:11: a query of the class table-scan reads across the 2 accounts; expected what stays within one partition, or one account"},
		{"what is known names no partition", events("[age]", ""),
			"27:20: what the design makes of by, a table scan, reads across the 2 accounts; expected what stays within one partition, or one account"},
		{"what is known begins a PartitionKey", strings.Replace(events("[event]", ""), `partition_key: "{event}"`, `partition_key: "{event}_{age}"`, 1),
			"27:20: what the design makes of by, a partition range scan, reads across the 2 accounts; expected what stays within one partition, or one account"},
		{"nor does a copy", events("[bib]", copied),
			"31:20: what the design makes of by, a table scan, reads across the 2 accounts; expected what stays within one partition, or one account"},
	} {
		_, err := scenarios.Parse("race.yaml", []byte(row.text))
		if got := faultLines(t, err); !strings.HasPrefix(got, "race.yaml:"+row.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: Parse() = %s; want race.yaml:%s", row.name, got, row.want)
		}
	}
	_, err := scenarios.Parse("race.yaml", []byte(strings.Replace(events("[event]", ""), "{verb: query, by: [event]}",
		"{workflow: transfer, with: {from: bib, to: age}}", 1)))
	if got := faultLines(t, err); !strings.HasSuffix(got, "a workflow cannot be parted over the 2 accounts; expected one account, or a verb") || strings.Contains(got, "\n") {
		t.Errorf("a workflow over two accounts: Parse() = %s; want one fault", got)
	}
	for _, row := range []struct{ name, text string }{
		{"what is known names a partition", events("[event]", "")},
		{"what is known names a partition of a copy", events("[age]", copied)},
		{"queries of one partition", reads("{verb: query, class: partition-scan}")},
		{"a query of the table, in one account", strings.Replace(reads("{verb: query, class: table-scan}"), "number: 2", "number: 1", 1)},
		{"neighbours of which one chooses that is parted", sharded(`{number: 2, by: "{age}"}`, `"{event}{bib}__{age}"`)},
	} {
		if _, err := scenarios.Parse("race.yaml", []byte(row.text)); err != nil {
			t.Errorf("%s: Parse() = %v; want no error", row.name, err)
		}
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
		h := parsed(t, sharded(row.accounts, row.key)).Sharding()
		for key, want := range row.of {
			if got := h.AccountOf(key); got != want {
				t.Errorf("%s: AccountOf(%q) = %d; want %d", row.name, key, got, want)
			}
		}
	}
}

// What a key chooses its account by is all that counts, and what chooses differs
// from what does not.
func TestPartitionsOfOneChoiceShareAnAccount(t *testing.T) {
	h := parsed(t, sharded(`{number: 16, by: "{event}"}`, `"{event}_{age}"`)).Sharding()
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
	if len(accounts) != 16 {
		t.Errorf("200 events lie in %d accounts; want all 16", len(accounts))
	}
	// A key that is not of the template goes by its whole text.
	ended := parsed(t, sharded(`{number: 16, by: "{event}"}`, `"{event}_end"`)).Sharding()
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
		if len(others) != 16 {
			t.Errorf("200 keys %s lie in %d accounts; want all 16", row.name, len(others))
		}
	}
}

// A number that is no account is a text like any other.
func TestNumbersBeyondTheAccounts(t *testing.T) {
	for number := 1; number <= 16; number++ {
		h := parsed(t, sharded(fmt.Sprintf(`{number: %d, by: "{age}"}`, number), `"{age}"`)).Sharding()
		for n := range 40 {
			got := h.AccountOf(fmt.Sprint(n))
			if got < 0 || got >= number || n < number && got != n {
				t.Errorf("AccountOf(%d) of %d accounts = %d; want the account itself where it is one, and one of them otherwise", n, number, got)
			}
		}
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
			h := parsed(t, sharded(fmt.Sprintf("{number: %d}", number), "")).Sharding()
			counts := make([]int, number)
			for n := range keys {
				counts[h.AccountOf(fmt.Sprintf(row.format, n))]++
			}
			p := 1 / float64(number)
			mean, deviation := keys*p, math.Sqrt(keys*p*(1-p))
			for account, count := range counts {
				if math.Abs(float64(count)-mean) > 5*deviation {
					t.Errorf("%s over %d accounts: account %d has %d of %d; want %.0f within %.0f", row.name, number, account, count, keys, mean, 5*deviation)
				}
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

func BenchmarkAccountOf(b *testing.B) {
	for _, row := range []struct{ name, by string }{{"hash", ""}, {"attribute", "{event}"}} {
		s := scenarios.Scenario{Design: scenarios.Design{PartitionKey: "{event}__{age}", RowKey: "{bib}"},
			Accounts: &scenarios.Accounts{Number: 2, By: row.by}}
		h := s.Sharding()
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.AccountOf("2011 New York City Marathon__Full")
			}
		})
	}
}
