package keys_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/csvfile"
	"loadgen/scenarios/keys"
)

// results are rows with a year, a division that only some years have, and a number that
// no two of them share; text is the file.
type results struct {
	text string
	rows [][3]string
}

func newResults(chance *rand.Rand, rows int) results {
	var text strings.Builder
	text.WriteString("bib,division,year\n")
	var all [][3]string
	for i := range rows {
		year := chance.IntN(6)
		division := fmt.Sprintf("M%d", year*10+min(chance.IntN(4), chance.IntN(4)))
		all = append(all, [3]string{fmt.Sprint(2000 + year), division, fmt.Sprint(i)})
		fmt.Fprintf(&text, "%s,%s,%s\n", all[i][2], all[i][1], all[i][0])
	}
	return results{text.String(), all}
}

// generator returns one over the rows, with an attribute of its own beside them.
func (r results) generator(t *testing.T, seed uint64, byChance bool, partition, row string) *keys.Generator {
	t.Helper()
	table, err := keys.ReadTable(strings.NewReader(r.text), keys.TableOptions{File: "results.csv", Columns: []string{"bib", "division", "year"}})
	require.NoError(t, err)
	o := keys.Options{Seed: seed, PartitionKey: template(partition), RowKey: template(row),
		Attributes: []keys.Attribute{{Name: "page", Values: keys.Uniform{High: 99}}}}
	for _, name := range []string{"year", "division", "bib"} {
		o.Attributes = append(o.Attributes, keys.Attribute{Name: name, Values: keys.ValueColumn{File: "results.csv", Name: name, ByChance: byChance, Table: table}})
	}
	return generator(t, o)
}

// drawnBy returns the row that an event has.
func drawnBy(g *keys.Generator, e keys.Event) (row [3]string) {
	for i, name := range []string{"year", "division", "bib"} {
		row[i], _ = g.ValueOf(name, e)
	}
	return row
}

// In the order of the file each event has the row of its number, whatever the design and
// the seed, and the keys are formed of that row.
func TestRowsInOrder(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 23))
	for range 5 {
		r := newResults(chance, 1+chance.IntN(3000))
		coarse := r.generator(t, chance.Uint64(), false, "{year}", "{division}__{bib}")
		fine := r.generator(t, chance.Uint64(), false, "{year}__{division}", "{bib}__{page}")
		for n := range uint64(2*len(r.rows) + 1) {
			want := r.rows[n%uint64(len(r.rows))]
			e := keys.Event{Number: n, Offered: n%2 == 0}
			if got := drawnBy(coarse, e); got != want || drawnBy(fine, e) != want {
				t.Fatalf("event %d of %d rows has %q and %q; want %q", n, len(r.rows), got, drawnBy(fine, e), want)
			}
			if key := coarse.KeyOf(e); key.Partition != want[0] || key.Row != want[1]+"__"+want[2] {
				t.Fatalf("event %d has the key %v; want it formed from %q", n, key, want)
			}
		}
	}
}

// By chance each row is drawn as a whole, and each as often as any other: so are the pairs
// of year and division, and no pair comes up that is not in the file.
func TestRowsByChance(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 23))
	for range 5 {
		r := newResults(chance, 50+chance.IntN(400))
		g := r.generator(t, chance.Uint64(), true, "{year}", "{number}")
		times := make([]int64, len(r.rows))
		pairs, shares := map[string]int64{}, map[string]float64{}
		for _, row := range r.rows {
			shares[row[0]+row[1]] += 1 / float64(len(r.rows))
		}
		for n := range uint64(20 * len(r.rows)) {
			got := drawnBy(g, keys.Event{Number: n})
			at := slices.Index(r.rows, got)
			if at < 0 {
				t.Fatalf("event %d has %q, which is no row of the file", n, got)
			}
			times[at]++
			pairs[got[0]+got[1]]++
		}
		even := make([]float64, len(r.rows))
		for i := range even {
			even[i] = 1 / float64(len(r.rows))
		}
		checkFit(t, times, even, "rows")
		var observed []int64
		var expected []float64
		for pair, share := range shares {
			observed, expected = append(observed, pairs[pair]), append(expected, share)
		}
		checkFit(t, observed, expected, "pairs")
	}
}

// Who shares a column of a row, or is held to a partition that tells one, has the whole
// row of the other.
func TestRowsStayWhole(t *testing.T) {
	r := newResults(rand.New(rand.NewPCG(7, 23)), 500)
	for _, byChance := range []bool{false, true} {
		g := r.generator(t, 9, byChance, "{year}", "{number}")
		shared := g.Sharing([]string{"division"})
		pages := map[string]bool{}
		for n := range uint64(100) {
			lead, other := keys.Event{Number: 100 * n}, keys.Event{Number: 100*n + 1 + n, Lead: 100 * n, Shared: shared}
			require.Equalf(t, drawnBy(g, lead), drawnBy(g, other), "by chance %t: event %d has", byChance, other.Number)
			page, _ := g.ValueOf("page", other)
			pages[page] = true
			pinned := g.Pinned(n)
			if got, want := drawnBy(pinned, other), drawnBy(g, keys.Event{Number: n}); got != want || pinned.KeyOf(other).Partition != want[0] {
				t.Fatalf("by chance %t: held to the partition of %d, event %d has %q; want %q", byChance, n, other.Number, got, want)
			}
		}
		assert.Truef(t, len(pages) >= 30,
			"by chance %t: events that share a row have %d values of what is none of it; want theirs", byChance, len(pages))
	}
}

// Columns make keys unique together where no two rows share them all, and only in the
// order of the file.
func TestRowsThatAreUnique(t *testing.T) {
	const text = "year,bib,name\n2001,1,a\n2001,2,a\n2002,1,a\n"
	for _, row := range []struct {
		sentence        string
		byChance, read  bool
		in, notIn, want string
	}{
		{"two columns that tell each row", false, true, "{year}{bib}", "", "year bib"},
		{"one of them", false, true, "{bib}", "", ""},
		{"as long as the file was not read", false, false, "{bib}", "", "bib"},
		{"rows by chance", true, true, "{year}{bib}", "", ""},
		{"rows by chance, not read", true, false, "{year}{bib}", "", ""},
		{"beside a column that gives the row away", false, true, "{year}{bib}", "{name}", ""},
		{"hashed", false, true, "{year}{hash(bib,4)}", "", ""},
	} {
		var o keys.Options
		table, err := keys.ReadTable(strings.NewReader(text), keys.TableOptions{File: "r.csv", Columns: []string{"bib", "name", "year"}})
		require.NoError(t, err)
		if !row.read {
			table = nil
		}
		for _, name := range []string{"year", "bib", "name"} {
			o.Attributes = append(o.Attributes, keys.Attribute{Name: name, Values: keys.ValueColumn{File: "r.csv", Name: name, ByChance: row.byChance, Table: table}})
		}
		assert.Equalf(t, row.want, strings.Join(o.Unique(template(row.in), template(row.notIn)), " "),
			"%s: Unique(%s)", row.sentence, row.in)
		assert.LessOrEqualf(t, len(o.Differing(template("{bib}{name}"), []string{"year"})), 0,
			"%s: events that share a year differ in", row.sentence)
	}
}

// Of many values a check tries few, and those at fault are among them.
func TestProbesOfManyValues(t *testing.T) {
	chance := rand.New(rand.NewPCG(11, 23))
	odd := []string{"7/8", "none", "12345678901234567890", strings.Repeat("9", 700), "-5", "", "1.5"}
	for _, value := range odd {
		at := chance.IntN(5000)
		var text strings.Builder
		text.WriteString("x\n")
		for i := range 5000 {
			if i == at {
				fmt.Fprintf(&text, "%q\n", value)
			}
			fmt.Fprintln(&text, i)
		}
		table, err := keys.ReadTable(strings.NewReader(text.String()), keys.TableOptions{File: "r.csv", Columns: []string{"x"}})
		require.NoError(t, err)
		probes := keys.ValueColumn{File: "r.csv", Name: "x", Table: table}.Probes()
		assert.Truef(t, slices.Contains(probes, value) && len(probes) <= 100,
			"%d probes of 5,001 values, with %q among them %t; want a few with it", len(probes), value, slices.Contains(probes, value))
	}
}

// Whatever bytes a file has, its rows and its values with weights are read or at fault, and the rows are
// its fields.
func FuzzReadTable(f *testing.F) {
	f.Add([]byte("year,bib\n2001,1\n2001,2\n"))
	f.Add([]byte("\xFF\xFEy\x00e\x00a\x00r\x00,\x00b\x00i\x00b\x00\n\x001\x00,\x002\x00\n\x00"))
	f.Add([]byte("\x1F\x8B\x08"))
	f.Add([]byte("bib;year\r\n\"1\n\";2"))
	f.Add([]byte("bib,year\n1,\"a\"\"b\"\n999999999,c\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		weighed := keys.CSV{File: "r.csv", Column: "year", Weight: "bib"}
		set, err := weighed.Read(bytes.NewReader(text))
		if weighed.Set = set; err == nil {
			require.NotZero(t, set.Len())
			require.Len(t, probes(weighed), set.Len())
			generator(t, keys.Options{Attributes: []keys.Attribute{{Name: "x", Values: weighed}}}).ValueOf("x", keys.Event{Number: 7})
		} else if !errors.Is(err, keys.ErrInvalidRow) || !strings.HasPrefix(err.Error(), "r.csv:") {
			t.Fatalf("Read = %v; want faults of rows", err)
		}
		table, err := keys.ReadTable(strings.NewReader(string(text)), keys.TableOptions{File: "r.csv", Columns: []string{"year", "bib"}})
		if (table == nil) != (err != nil) {
			t.Fatalf("ReadTable = a table %t, %v; want one of them", table != nil, err)
		}
		if err != nil {
			return
		}
		rows := csvfile.New(strings.NewReader(string(text)), csvfile.Options{Dirty: true, Known: func(name string) bool { return name == "year" || name == "bib" }})
		rows.Next()
		year, _ := rows.Column("year")
		g := generator(t, keys.Options{PartitionKey: template("p"), RowKey: template("r"),
			Attributes: []keys.Attribute{{Name: "year", Values: keys.ValueColumn{File: "r.csv", Name: "year", Table: table}}}})
		for n := range uint64(table.Len()) {
			rows.Next()
			if got, _ := g.ValueOf("year", keys.Event{Number: n}); got != rows.Fields()[year] {
				t.Fatalf("row %d has %q; want %q", n, got, rows.Fields()[year])
			}
		}
	})
}
