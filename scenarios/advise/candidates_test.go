package advise

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/resultstest"
	"loadgen/scenarios/advise/keystatistics"
)

// table is a file of rows, whose keys under a candidate are known.
type table struct {
	text string
	rows []map[string]string
}

// drawTable draws rows of a race, one each second: a region of few, unevenly, users by a
// power law, and numbers that only grow.
func drawTable(chance *rand.Rand, rows, regions int) table {
	var text strings.Builder
	text.WriteString("region,user,Bib Number,finished\n")
	t := table{}
	tilt := 3 * chance.Float64()
	for i := range rows {
		row := map[string]string{
			"region":     fmt.Sprint(int(float64(regions) * math.Pow(chance.Float64(), 1+tilt))),
			"user":       fmt.Sprint(int(math.Min(1e6, math.Pow(1-chance.Float64(), -1/1.3)))),
			"bib_number": fmt.Sprintf("%09d", 1000+i),
			"finished":   time.Unix(1_780_000_000+int64(i), 0).UTC().Format(time.RFC3339),
		}
		t.rows = append(t.rows, row)
		fmt.Fprintf(&text, "%s,%s,%s,%s\n", row["region"], row["user"], row["bib_number"], row["finished"])
	}
	t.text = text.String()
	return t
}

// capacity is the rate in all at which what the rows have most of has 2,000 entities/s.
func (t *table) capacity(key func(map[string]string) string) float64 {
	counts, most := make(map[string]int), 0
	for _, row := range t.rows {
		k := key(row)
		counts[k]++
		most = max(most, counts[k])
	}
	return math.Min(20_000, 2000*float64(len(t.rows))/float64(most))
}

// What is said of a rate is what counting says, unless the rate is next to what they carry.
func TestCandidatesCarryWhatCountingSays(t *testing.T) {
	designs := []struct {
		template string
		// place is what bears a partition's target: the PartitionKey, or what all inserts of
		// one tail share.
		place func(map[string]string) string
	}{
		{"{region}", func(r map[string]string) string { return r["region"] }},
		{"{user}", func(r map[string]string) string { return r["user"] }},
		{"{region}_{user}", func(r map[string]string) string { return r["region"] + "_" + r["user"] }},
		{"{region}_{bib_number}", func(r map[string]string) string { return r["region"] }},
		{"{bib_number}", func(map[string]string) string { return "" }},
		{"all", func(map[string]string) string { return "" }},
	}
	untold := 0
	for n := range resultstest.Cases(6, 200) {
		chance := rand.New(rand.NewPCG(uint64(n), 5))
		rows := drawTable(chance, 4000+chance.IntN(4000), 1+chance.IntN(8))
		design := designs[n%len(designs)]
		carries := rows.capacity(design.place)
		rate := math.Min(20_000, carries*math.Exp(1.4*chance.Float64()-0.7))
		c, err := FromRows(strings.NewReader(rows.text), []Candidate{{design.template, "{Bib_Number}"}},
			KeysOptions{File: "rows.csv", PerSecond: rate, Targets: documented, Time: "finished"})
		require.NoError(t, err)
		switch part := rate / carries; {
		case c.State == results.Holds && part > 1.02:
			t.Errorf("case %d: %s holds %.0f/s; counting says that it carries %.0f/s: %s", n, design.template, rate, carries, c.Verdict)
		case c.State == results.DoesNotHold && part < 0.9:
			t.Errorf("case %d: %s does not hold %.0f/s; counting says that it carries %.0f/s: %s", n, design.template, rate, carries, c.Verdict)
		case c.State == results.CannotTell && (part < 0.9 || part > 1.1):
			untold++
			t.Logf("case %d: %s at %.0f/s of %.0f/s: %s", n, design.template, rate, carries, c.Verdict)
		}
	}
	assert.Truef(t, untold*10 <= resultstest.Cases(6, 200),
		"of %d cases %d were not told", resultstest.Cases(6, 200), untold)
}

// Of several designs in one reading each is judged as it is alone, and the one that carries
// most comes first.
func TestCandidatesAreRanked(t *testing.T) {
	rows := drawTable(rand.New(rand.NewPCG(7, 7)), 5000, 3)
	tried := []Candidate{{"all", "{bib_number}"}, {"{user}", "{region}"}, {"{hash(bib_number,32):02d}", "{bib_number}"}, {"{region}", "{bib_number}"},
		{"{finished:hour}", "{bib_number}"}}
	for _, timed := range []string{"finished", ""} {
		c, err := FromRows(strings.NewReader(rows.text), tried, KeysOptions{File: "rows.csv", Targets: documented, Time: timed, PerSecond: 10_000})
		require.NoError(t, err)
		assert.Equalf(t, "{hash(bib_number,32):02d}", c.Ranked[0].PartitionKey, "timed by %q the first", timed)
		want := results.Holds
		if timed == "" {
			want = results.CannotTell
		}
		assert.Truef(t, c.State == want && (c.Ok != nil) == (timed != ""),
			"timed by %q: %s; want %s", timed, c.State, want)
		for _, one := range c.Ranked {
			alone, err := FromRows(strings.NewReader(rows.text), []Candidate{{one.PartitionKey, one.RowKey}}, KeysOptions{File: "rows.csv",
				Targets: documented, Time: timed, PerSecond: 10_000})
			assert.Truef(t, err == nil && alone.Ranked[0].Verdict == one.Verdict,
				"%s alone: %v, %q; want %q", one.PartitionKey, err, alone.Ranked[0].Verdict, one.Verdict)
		}
		if d := c.Document(); height(d.Screen) > 20 || !strings.Contains(whole(d), "{finished:hour}") {
			t.Errorf("the document of %d designs has %d lines:\n%s", len(tried), height(d.Screen), whole(d))
		}
	}
}

func TestCandidatesThatCannotBeTried(t *testing.T) {
	const good = "year,bib,finished\n2014,1,2014-04-21T12:00:00Z\n2014,2,2014-04-21T12:00:01Z\n"
	for _, row := range []struct {
		sentence, text, partition, row, time string
		want                                 string
	}{
		{"a column that is not there", good, "{yaer}", "", "", `rows.csv:1: unknown column "yaer"`},
		{"one for the RowKey", good, "{year}", "{bip}", "", `rows.csv:1: unknown column "bip"`},
		{"one for the instants", good, "{year}", "", "finish", `rows.csv:1: unknown column "finish"`},
		{"a header twice", "year,bib,Year\n2014,1,2\n", "{YEAR}", "", "", `rows.csv:1: there are two columns "YEAR"`},
		{"the names again below", good + "year,bib,finished\n", "{year}", "", "", "rows.csv:4:"},
		{"rows of another length", good + "2015,3\n", "{year}", "", "", "rows.csv:4:"},
		{"an empty file", "", "{year}", "", "", "rows.csv:1:"},
		{"names alone", "year,bib\n", "{year}", "", "", "rows.csv:1:"},
		{"a time that is none", good + "2015,3,noon\n", "{year}", "", "finished", `rows.csv:4: the time is "noon"`},
		{"a word written as a time", "year\nlong ago\n", "{year:hour}", "", "", `rows.csv:2: the time is "long ago"`},
		{"no function", good, "{hsh(year,4)}", "", "", `--partition-key {hsh(year,4)}: at character 2:`},
		{"a brace alone", good, "{year}", "{bib", "", "--row-key {bib: at character 1:"},
		{"no text", "\x00\x01\x02", "{year}", "", "", `unknown column "year"`},
	} {
		_, err := FromRows(strings.NewReader(row.text), []Candidate{{row.partition, row.row}}, KeysOptions{File: "rows.csv", Targets: documented, Time: row.time})
		var fault *CandidateFault
		assert.Falsef(t, err == nil || !strings.Contains(err.Error(), row.want) || !errors.Is(err, keystatistics.ErrKeys) && !errors.As(err, &fault),
			"%s: %v; want %q", row.sentence, err, row.want)
	}
}

// Rows out of order count at their instants, and keys that are there twice are told.
func TestRowsThatAreOddAreTold(t *testing.T) {
	var text strings.Builder
	text.WriteString("place,bib,time\n")
	for i := range 2000 {
		// Every tenth row is a minute early, and every fiftieth has the bib of the one before.
		at := 1_780_000_000 + i
		if i%10 == 9 {
			at -= 60
		}
		fmt.Fprintf(&text, "%d,%d,%d\n", i%7*1000/1000, i-i%50/49*7, at)
	}
	c, err := FromRows(strings.NewReader(text.String()), []Candidate{{"{place}", "{bib}"}}, KeysOptions{File: "rows.csv", Targets: documented})
	require.NoError(t, err)
	k := c.Ranked[0]
	assert.Truef(t, k.Falling == 200 && k.Timed && k.Keyed == 2000 && k.Repeated == 40,
		"%d rows out of order, timed %v, %d of %d keys repeated; want 200, true, 40 of 2,000", k.Falling, k.Timed, k.Repeated, k.Keyed)
	// Rows of keys count alike.
	keyed := judgedKeys(t, strings.Replace(text.String(), "place,bib", "PartitionKey,RowKey", 1), 0)
	assert.Equal(t, k.Counts, keyed.Counts)
	assert.Equal(t, k.Falling, keyed.Falling)
	if f := findingOf(k.Findings, "unique-keys"); f.Verdict != Error || !strings.Contains(f.Evidence, " 40 ") {
		t.Errorf("unique-keys = %+v; want an error of 40", f)
	}
}

// Inserts that repeat the keys of an earlier row are counted exactly, empty keys among them, and do not hold.
func TestRepeatedKeysAreCounted(t *testing.T) {
	for n := range resultstest.Cases(8, 100) {
		chance := rand.New(rand.NewPCG(uint64(n), 3))
		keys, empty, seen, repeated := 1+chance.IntN(100_000), chance.Float64(), map[string]bool{}, int64(0)
		text := columns("a,b,instant", 3000, func(i int) string {
			fields := []string{"", ""}
			for k := range fields {
				if chance.Float64() > empty {
					fields[k] = fmt.Sprint(chance.IntN(keys))
				}
			}
			both := fields[0] + "," + fields[1]
			if seen[both] {
				repeated++
			}
			seen[both] = true
			return fmt.Sprintf("%s,%d", both, 1_780_000_000+i)
		})
		named := judgedKeys(t, strings.Replace(text, "a,b", "PartitionKey,RowKey", 1), 10)
		c, err := FromRows(strings.NewReader(text), []Candidate{{"{a}", "{b}"}}, KeysOptions{File: "rows.csv", PerSecond: 10, Targets: documented})
		require.NoError(t, err)
		for _, k := range []*Keys{named, c.Ranked[0]} {
			assert.Equalf(t, []int64{3000, repeated}, []int64{k.Keyed, k.Repeated}, "case %d: the keys, and those of an earlier row", n)
			assert.Equalf(t, repeated > 0, k.State == results.DoesNotHold, "case %d: %d repeated: %s", n, repeated, k.Verdict)
		}
	}
}
