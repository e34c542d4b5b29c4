package advise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// Of several designs in one reading each is judged as it is alone, and the one that carries
// most comes first.
func TestCandidatesAreRanked(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	rows := columns("region,user,Bib Number,finished", 5000, func(i int) string {
		user := math.Min(1e6, math.Pow(1-chance.Float64(), -1/1.3))
		return fmt.Sprintf("%d,%.0f,%09d,%s", chance.IntN(3), user, i, time.Unix(1_780_000_000+int64(i), 0).UTC().Format(time.RFC3339))
	})
	tried := []Candidate{{"all", "{bib_number}"}, {"{user}", "{region}"}, {"{hash(bib_number,32):02d}", "{bib_number}"}, {"{region}", "{bib_number}"},
		{"{finished:hour}", "{bib_number}"}}
	for _, timed := range []string{"finished", ""} {
		c, err := FromRows(strings.NewReader(rows), tried, KeysOptions{File: "rows.csv", Targets: documented, Time: timed, PerSecond: 10_000})
		require.NoError(t, err)
		assert.Equalf(t, "{hash(bib_number,32):02d}", c.Ranked[0].PartitionKey, "timed by %q the first", timed)
		want := results.Holds
		if timed == "" {
			want = results.CannotTell
		}
		assert.Truef(t, c.State == want && (c.Ok != nil) == (timed != ""),
			"timed by %q: %s; want %s", timed, c.State, want)
		for _, one := range c.Ranked {
			alone, err := FromRows(strings.NewReader(rows), []Candidate{{one.PartitionKey, one.RowKey}}, KeysOptions{File: "rows.csv",
				Targets: documented, Time: timed, PerSecond: 10_000})
			assert.Truef(t, err == nil && alone.Ranked[0].Verdict == one.Verdict,
				"%s alone: %v, %q; want %q", one.PartitionKey, err, alone.Ranked[0].Verdict, one.Verdict)
		}
		if d := c.Document(); height(d.Screen) > 20 || !strings.Contains(whole(d), "{finished:hour}") {
			t.Errorf("the document of %d designs has %d lines:\n%s", len(tried), height(d.Screen), whole(d))
		}
	}
}

// Inserts that repeat the keys of an earlier row are counted exactly, empty keys among them, and do not hold. Those of
// duplicates, and rows that are earlier than one before, are counted, too. Rows of keys count like rows of a design.
func TestRepeatedKeysAreCounted(t *testing.T) {
	for n := range resultstest.Cases(8, 100) {
		chance := rand.New(rand.NewPCG(uint64(n), 3))
		keys, empty, seen, repeated := 1+chance.IntN(100_000), chance.Float64(), map[string]bool{}, int64(0)
		lines, identical, again := map[string]bool{}, int64(0), chance.Float64()/2
		falling, latest := int64(0), 0
		var last struct {
			line, both string
			at         int
		}
		text := columns("a,b,instant", 3000, func(i int) string {
			fields := []string{"", ""}
			for k := range fields {
				if chance.Float64() > empty {
					fields[k] = fmt.Sprint(chance.IntN(keys))
				}
			}
			both := fields[0] + "," + fields[1]
			at := 1_780_000_000 + i
			if i%10 == 9 {
				at -= 60
			}
			line := fmt.Sprintf("%s,%d", both, at)
			if n%2 == 0 && i > 0 && chance.Float64() < again {
				line, both, at = last.line, last.both, last.at
			}
			if seen[both] {
				repeated++
			}
			if lines[line] {
				identical++
			}
			if at < latest {
				falling++
			}
			seen[both], lines[line], latest = true, true, max(latest, at)
			last.line, last.both, last.at = line, both, at
			return line
		})
		named := judgedKeys(t, strings.Replace(text, "a,b", "PartitionKey,RowKey", 1), 10)
		c, err := FromRows(strings.NewReader(text), []Candidate{{"{a}", "{b}"}}, KeysOptions{File: "rows.csv", PerSecond: 10, Targets: documented})
		require.NoError(t, err)
		assert.Equal(t, named.Counts, c.Ranked[0].Counts)
		for _, k := range []*Keys{named, c.Ranked[0]} {
			assert.Equalf(t, []int64{3000, repeated, identical, falling}, []int64{k.Keyed, k.Repeated, k.Identical, k.Falling},
				"case %d: the keys, those of an earlier row, duplicates, and rows out of order", n)
			assert.Truef(t, k.Timed, "case %d", n)
			f := findingOf(k.Findings, "unique-keys")
			assert.Equalf(t, repeated > 0, f.Verdict == Error && strings.Contains(f.Evidence, " "+document.Count(repeated)+" "), "case %d: %+v", n, f)
			assert.Equalf(t, repeated > identical, strings.Contains(f.Change, "to the RowKey"), "case %d: %+v", n, f)
			assert.Equalf(t, identical > 0, strings.Contains(f.Change, "Remove the duplicate rows"), "case %d: %+v", n, f)
			assert.Equalf(t, repeated > 0, k.State == results.DoesNotHold, "case %d: %d repeated: %s", n, repeated, k.Verdict)
		}
	}
}
