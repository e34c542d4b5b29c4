package advise

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/advise/keystatistics"

	"loadgen/results"
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
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *Keys) finding(id string) Finding {
	return k.Findings[slices.IndexFunc(k.Findings, func(f Finding) bool { return f.ID == id })]
}

// The commonest keys are those of counting everything, within the bounds that are
// printed: exactly so where all are told apart, and where there are too many for that.
func TestCommonestKeysAreThoseOfCounting(t *testing.T) {
	for _, row := range []struct {
		sentence string
		rows     int
		spread   float64
		exact    bool
	}{
		{"100,000 keys of few users", 100_000, 2, true},
		{"100,000 keys of many", 100_000, 1.1, true},
		{"300,000 keys of too many to be told apart", 300_000, 0.1, false},
	} {
		chance, counts := clock.NewStream(7, row.sentence), make(map[string]int)
		text := columns("PartitionKey", row.rows, func(i int) string {
			draw := chance.At(uint64(i))
			key := fmt.Sprintf("user-%d", int(math.Mod(math.Pow(1-draw.Float64(), -1/row.spread), 1e7)))
			counts[key]++
			return key
		})
		k := judgedKeys(t, text, 0)
		type share struct {
			key string
			of  float64
		}
		var all []share
		squares := 0.0
		for key, n := range counts {
			part := float64(n) / float64(row.rows)
			all, squares = append(all, share{key, part}), squares+part*part
		}
		slices.SortFunc(all, func(a, b share) int { return cmp.Compare(b.of, a.of) })
		if exact := k.Unlisted == all[listed].of && k.Spread.PartitionsError == 0; exact != row.exact {
			t.Errorf("%s: exact is %v; want %v", row.sentence, exact, row.exact)
		}
		for _, one := range k.Spread.Top {
			if of := float64(counts[one.PartitionKey]) / float64(row.rows); of < one.Least || of > one.Most {
				t.Errorf("%s: %s has a share of %v; want one from %v to %v", row.sentence, one.PartitionKey, of, one.Least, one.Most)
			}
		}
		for _, one := range all[:listed] {
			told := slices.ContainsFunc(k.Spread.Top, func(s Share) bool { return s.PartitionKey == one.key })
			if !told && one.of > k.Unlisted {
				t.Errorf("%s: %s has %v and is not listed, where at most %v is not", row.sentence, one.key, one.of, k.Unlisted)
			}
		}
		o := &k.Spread
		if off := math.Abs(o.Effective - 1/squares); off > 4*o.EffectiveError+1e-6*o.Effective {
			t.Errorf("%s: like %v ± %v equal ones; counting says %v", row.sentence, o.Effective, o.EffectiveError, 1/squares)
		}
		if off := math.Abs(o.Partitions - float64(len(counts))); off > 4*o.PartitionsError {
			t.Errorf("%s: %v ± %v partitions; counting says %d", row.sentence, o.Partitions, o.PartitionsError, len(counts))
		}
	}
}

func TestKeysAgainstARate(t *testing.T) {
	halves := columns("PartitionKey,RowKey", 100, func(i int) string { return fmt.Sprintf("%d,%d", i%2, i) })
	spread := columns("PartitionKey", 1000, func(i int) string { return fmt.Sprint(i % 200) })
	hour := columns("PartitionKey,instant", 20_000, func(i int) string {
		at := time.Unix(1_780_000_000+10*int64(i), 0).UTC()
		return at.Format("2006-01-02T15") + "," + at.Format(time.RFC3339)
	})
	for _, row := range []struct {
		sentence, text string
		perSecond      float64
		id             string
		want           Verdict
		says           string
	}{
		{"two halves at 3,000/s", halves, 3000, "partition-target", Good, "1,500"},
		{"two halves at 3,500/s", halves, 3500, "partition-target", Warning, "87.5 %"},
		{"two halves at 5,000/s", halves, 5000, "partition-target", Error, "2,500"},
		{"two halves at no rate", halves, 0, "partition-target", CannotTell, "all together are 4,000"},
		{"an account's worth", spread, 15_000, "account-target", Good, "75.0 %"},
		{"nearly an account's worth", spread, 19_000, "account-target", Warning, "95.0 %"},
		{"more than an account's worth", spread, 21_000, "account-target", Error, "105.0 %"},
		{"no rate for the account", spread, 0, "account-target", CannotTell, ""},
		{"no instants", spread, 3000, "insert-order", CannotTell, "instant"},
		{"an hour key at little", hour, 100, "insert-order", Warning, "last range"},
		{"an hour key at no rate", hour, 0, "insert-order", Warning, "all together are"},
		{"an hour key at much", hour, 1500, "insert-order", Warning, "all together are"},
		{"an hour key at too much", hour, 2500, "insert-order", Error, "At 2,500/s it has 2,5"},
		{"no inserts", "PartitionKey,operation\na,get\nb,get\n", 10, "insert-order", NotApplicable, ""},
		{"halves are skew", halves, 10, "skew", Warning, "50.0 %"},
		{"one partition", "PartitionKey\na\na\n", 10, "skew", Warning, "one partition"},
		{"all alike", spread, 10, "skew", Good, "200 equal ones"},
		{"a fifth", columns("PartitionKey", 100, func(i int) string { return fmt.Sprint(i % 5) }), 10, "skew", Note, "10,000"},
		{"keys that a table takes", spread, 10, "valid-keys", Good, ""},
		{"a key that none takes", "PartitionKey\na/b\na\n", 10, "valid-keys", Error, `1 of 2 rows have a key that no table takes, first line 2, "a/b"`},
		{"no entities", "PartitionKey,entities\na,0\n", 10, "partition-target", NotApplicable, ""},
	} {
		k := judgedKeys(t, row.text, row.perSecond)
		got := k.finding(row.id)
		if got.Verdict != row.want || !strings.Contains(got.Evidence+got.Change, row.says) {
			t.Errorf("%s: %s = %s: %s %s; want %s with %q", row.sentence, row.id, got.Verdict, got.Evidence, got.Change, row.want, row.says)
		}
		if faulty := slices.ContainsFunc(k.Findings, func(f Finding) bool { return f.Verdict == Error }); (k.State == results.DoesNotHold) != faulty {
			t.Errorf("%s: the state is %s; want one that does not hold: %v", row.sentence, k.State, faulty)
		}
	}
}

func TestVerdictOnKeys(t *testing.T) {
	halves := "PartitionKey\na\nb\n"
	hour := columns("PartitionKey,instant", 20_000, func(i int) string { return fmt.Sprintf("%06d,%d", i/100, 1_780_000_000+i) })
	many := columns("PartitionKey", 400, func(i int) string { return fmt.Sprint(i) })
	for _, row := range []struct {
		sentence, text string
		perSecond      float64
		says           string
	}{
		{"nothing", "PartitionKey,entities\na,0\n", 0, "no keys to judge"},
		{"no rate", halves, 0, "CANNOT TELL: at most 4,000 entities/s (where the commonest partition is full)."},
		{"a rate that they may carry, without instants", halves, 3000, "CANNOT TELL at 3,000 entities/s (at most 4,000/s, "},
		{"a rate that they do not", halves, 5000, "DOES NOT HOLD at 5,000 entities/s (at most 4,000/s, "},
		{"the account is full first", many, 0, "at most 20,000 entities/s (where the account is full)"},
		{"the end of the index is full first", hour, 0, "HOLDS up to 2,000 entities/s (where the one place on which inserts fall at any moment is full)"},
		{"no instants", halves, 0, "When rows were inserted is unknown: name a column of instants"},
	} {
		if got := judgedKeys(t, row.text, row.perSecond).Verdict; !strings.Contains(got, row.says) {
			t.Errorf("%s: the verdict is %q; want %q in it", row.sentence, got, row.says)
		}
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	if _, err := FromKeys(strings.NewReader("PartitionKy,RowKey\n"), KeysOptions{File: "keys.csv", Targets: documented}); !errors.Is(err, keystatistics.ErrKeys) ||
		!strings.Contains(err.Error(), "keys.csv:1") {
		t.Errorf("a column with a typo = %v; want %v with its line", err, keystatistics.ErrKeys)
	}
	if _, err := FromKeys(io.MultiReader(strings.NewReader("PartitionKey\na\n"), brokenReader{}), KeysOptions{Targets: documented}); !errors.Is(err, errPipe) {
		t.Errorf("a reader that breaks = %v; want %v", err, errPipe)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errPipe }
