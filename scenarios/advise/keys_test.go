package advise

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/run/runtest"
)

// columns writes a file of keys: so many rows below the names of columns.
func columns(names string, rows int, row func(i int) string) string {
	var text strings.Builder
	text.WriteString(names + "\n")
	for i := range rows {
		text.WriteString(row(i) + "\n")
	}
	return text.String()
}

func judgedKeys(t *testing.T, text string, perSecond float64) *Keys {
	t.Helper()
	k, err := FromKeys(strings.NewReader(text), KeysOptions{File: "keys.csv", PerSecond: perSecond, Targets: documented})
	require.NoError(t, err)
	return k
}

func findingOf(list []Finding, id string) Finding {
	return list[slices.IndexFunc(list, func(f Finding) bool { return f.ID == id })]
}

func TestKeysAgainstARate(t *testing.T) {
	halves := columns("PartitionKey,RowKey", 100, func(i int) string { return fmt.Sprintf("%d,%d", i%2, i) })
	spread := columns("PartitionKey", 1000, func(i int) string { return fmt.Sprint(i % 200) })
	hour := columns("PartitionKey,instant", 20_000, func(i int) string {
		at := time.Unix(1_780_000_000+10*int64(i), 0).UTC()
		return at.Format("2006-01-02T15") + "," + at.Format(time.RFC3339)
	})
	tails := columns("PartitionKey,RowKey,instant", 4000, func(i int) string {
		return fmt.Sprintf("%d_%d,r,%d", i%2, 100_000_000+i, 1_780_000_000+i)
	})
	minute := columns("PartitionKey,instant", 6000, func(i int) string {
		if i/600 == 5 {
			return fmt.Sprintf("hot,%d", 1_780_000_000+i/10)
		}
		return fmt.Sprintf("%d,%d", i%20, 1_780_000_000+i/10)
	})
	for _, row := range []struct {
		sentence, text string
		perSecond      float64
		id             string
		want           Verdict
		says           string
	}{
		{"two halves at 3,000/s", halves, 3000, "partition-target", Good, "1,500"},
		{"two halves at 3,500/s", halves, 3500, "partition-target", Warning, "87.5%"},
		{"two halves at 5,000/s", halves, 5000, "partition-target", Error, "2,500"},
		{"two halves at no rate", halves, 0, "partition-target", CannotTell, "full at 4,000 entities/s"},
		{"an account's worth", spread, 15_000, "account-target", Good, "75.0%"},
		{"nearly an account's worth", spread, 19_000, "account-target", Warning, "95.0%"},
		{"more than an account's worth", spread, 21_000, "account-target", Error, "105.0%"},
		{"no rate for the account", spread, 0, "account-target", CannotTell, ""},
		{"no instants", spread, 3000, "insert-order", CannotTell, "instant"},
		{"an hour key at little", hour, 100, "insert-order", Warning, "last range"},
		{"an hour key at no rate", hour, 0, "insert-order", Warning, "full at"},
		{"an hour key at much", hour, 1500, "insert-order", Warning, "full at"},
		{"an hour key at too much", hour, 2500, "insert-order", Error, "At 2,500/s the hottest place has 2,5"},
		{"two tails at no rate", tails, 0, "insert-order", Warning, "2 × 2,000 = 4,000/s"},
		{"two tails at what they bear", tails, 3900, "insert-order", Warning, "2 × 2,000 = 4,000/s"},
		{"two tails at more", tails, 4100, "insert-order", Error, "2 × 2,000 = 4,000/s"},
		{"a key that takes all for a minute", minute, 5000, "partition-target", Error, "in its busiest minute, from 2026-05-28T20:31:40Z on; 10.0%"},
		{"no inserts", "PartitionKey,operation\na,get\nb,get\n", 10, "insert-order", NotApplicable, ""},
		{"halves are skew", halves, 10, "skew", Warning, "50.0%"},
		{"one partition", "PartitionKey\na\na\n", 10, "skew", Warning, "one partition"},
		{"all alike", spread, 10, "skew", Good, "200 equal ones"},
		{"a fifth", columns("PartitionKey", 100, func(i int) string { return fmt.Sprint(i % 5) }), 10, "skew", Note, "10,000"},
		{"keys that a table takes", spread, 10, "valid-keys", Good, ""},
		{"a key that none takes", "PartitionKey\na/b\na\n", 10, "valid-keys", Error, `1 of 2 rows have an invalid key, first line 2, "a/b"`},
		{"no entities", "PartitionKey,entities\na,0\n", 10, "partition-target", NotApplicable, ""},
	} {
		k := judgedKeys(t, row.text, row.perSecond)
		got := findingOf(k.Findings, row.id)
		assert.Truef(t, got.Verdict == row.want && strings.Contains(got.Evidence+got.Change, row.says),
			"%s: %s = %s: %s %s; want %s with %q", row.sentence, row.id, got.Verdict, got.Evidence, got.Change, row.want, row.says)
		if faulty := slices.ContainsFunc(k.Findings, func(f Finding) bool { return f.Verdict == Error }); (k.State == results.DoesNotHold) != faulty {
			t.Errorf("%s: the state is %s; want one that does not hold: %v", row.sentence, k.State, faulty)
		}
	}
}

// A number of partitions is what counting every operation gives, or a lower bound that is shown as one: of
// 90,000 operations only some are looked at, and a record counts 10,000 partitions.
func TestPartitionsOfLoadsAreCounted(t *testing.T) {
	chance := rand.New(rand.NewPCG(48, 6))
	for n := range resultstest.Cases(3, 18) {
		key, seconds, bounded := fmt.Sprintf("p{hash(id,%d):05d}", 2+chance.IntN(900)), []int{1, 10, 10}[n%3], n%3 == 2
		if bounded {
			key = fmt.Sprintf("p{hash(id,%d):07d}", 15_000+chance.IntN(1_000_000))
		}
		s := runtest.Parse(t, file(t, "rates"), "design.partition_key="+key, "phases.day.arrivals.constant=9000", fmt.Sprintf("phases.day.for=%ds", seconds))
		truth, _ := counted(t, s, 0)
		e := explained(t, s)
		k := &e.Used().Loads[0].Keys
		assert.Equalf(t, bounded, k.PartitionsAtLeast, "%s for %d s: a lower bound", key, seconds)
		assert.Truef(t, k.Partitions == float64(len(truth)) || bounded && k.Partitions < float64(len(truth)),
			"%s for %d s: %v partitions; counting gives %d", key, seconds, k.Partitions, len(truth))
		assert.Equalf(t, document.LowerBound(int64(k.Partitions), bounded), cellOf(t, e.Document().Screen[0].(document.Table), 0, "partitions"), key)
		assert.Equalf(t, document.AtLeast(int64(k.Partitions), bounded), k.count(), key)
	}
}

// Up to some thousands the distinct keys of rows are exact, whatever the number of candidates. Above that
// there are about as many as counting gives, and never more than rows.
func TestPartitionsOfRowsAreCounted(t *testing.T) {
	const rows = 12_000
	for n := range resultstest.Cases(2, 12) {
		chance := rand.New(rand.NewPCG(uint64(n), 49))
		distinct := []int{5_000, 1_000_000}[n%2]
		truth := map[string]bool{}
		text := columns("key,number", rows, func(i int) string {
			key := fmt.Sprint(chance.IntN(distinct))
			truth[key] = true
			return fmt.Sprintf("%s,%d", key, i)
		})
		candidates := []Candidate{{PartitionKey: "{key}"}}
		for i := 1; i < maxCandidates; i++ {
			candidates = append(candidates, Candidate{PartitionKey: fmt.Sprintf("%d_{number}", i)})
		}
		c, err := FromRows(strings.NewReader(text), candidates, KeysOptions{File: "rows.csv", Targets: documented})
		require.NoError(t, err)
		for _, k := range c.Ranked {
			want := rows
			if k.PartitionKey == "{key}" {
				want = len(truth)
			}
			got, exact := k.Spread.Partitions, k.Spread.PartitionsError == 0
			assert.Truef(t, got <= rows && k.Spread.Effective <= got*(1+1e-9), "%s: %v of %v partitions of %d rows", k.PartitionKey, k.Spread.Effective, got, rows)
			assert.InDeltaf(t, want, got, 5*k.Spread.PartitionsError, "%s: the number of partitions", k.PartitionKey)
			assert.Equalf(t, want <= 5_000, exact, "%s: %d partitions are exact", k.PartitionKey, want)
			assert.Equalf(t, !exact, strings.HasPrefix(k.Spread.count(), "about "), "%s: %s", k.PartitionKey, k.Spread.count())
		}
	}
}

// Each sentence has its phrase, and each phrase its sentence.
func TestEachSentenceHasAPhrase(t *testing.T) {
	all, places, used := phrases(), map[string]bool{}, map[string]bool{}
	for condition := range all {
		where, _, _ := strings.Cut(condition, "/")
		places[where] = true
	}
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	literal := regexp.MustCompile(`"([a-z]+/[a-z -]+)"`)
	for _, file := range files {
		if name := file.Name(); !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name == "narrative.go" {
			continue
		}
		text, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		for _, found := range literal.FindAllStringSubmatch(string(text), -1) {
			used[found[1]] = true
			if where, _, _ := strings.Cut(found[1], "/"); places[where] {
				assert.NotEmptyf(t, all[found[1]], "%s has the condition %s", file.Name(), found[1])
			}
		}
	}
	for condition := range all {
		assert.Truef(t, used[condition] || strings.HasPrefix(condition, "limit/"), "nothing uses the phrase %s", condition)
	}
}

// Each figure that a rule names is set.
func TestRulesNameFiguresThatAreSet(t *testing.T) {
	var source strings.Builder
	for _, name := range []string{"figures_load.go", "figures_data.go", "figures_client.go", "keys.go"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		source.Write(text)
	}
	for _, r := range slices.Concat(checklist(), keyRules()) {
		var names []string
		for _, found := range figureForm.FindAllStringSubmatch(r.text+r.change, -1) {
			names = append(names, found[1])
		}
		for _, term := range strings.Split(strings.TrimPrefix(r.when, "+"), ", ") {
			parts := termForm.FindStringSubmatch(term)
			require.Truef(t, parts != nil || r.when == "" || r.when == "+", "%s: %q is a term", r.point, term)
			if parts != nil {
				names = append(names, parts[2])
			}
		}
		for _, name := range names {
			assert.Containsf(t, source.String(), strconv.Quote(name), "%s when %q", r.point, r.when)
		}
	}
}
