package keys_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

// cities is a column of a file.
var cities = keys.CSV{File: "events.csv", Column: "city"}

func TestReadCSV(t *testing.T) {
	weighed := cities
	weighed.Weight = "count"
	for _, tt := range []struct {
		name   string
		values keys.CSV
		text   string
		// shares are the values with their part of the entities, in permille.
		shares map[string]int
	}{
		{"each row counts once", cities, "city\nNYC\nRome\nNYC\nNYC\n", map[string]int{"NYC": 750, "Rome": 250}},
		{"a column of weights", weighed, "count,city\n3,NYC\n1,Rome\n4,NYC\n", map[string]int{"NYC": 875, "Rome": 125}},
		{"weights as large as they get", weighed, "city,count\nNYC,1000000000\nRome,1000000000\n", map[string]int{"NYC": 500, "Rome": 500}},
	} {
		read := tt.values
		var err error
		read.Set, err = tt.values.Read(strings.NewReader(tt.text))
		require.NoErrorf(t, err, "%s: Read()", tt.name)
		require.Equalf(t, len(tt.shares), read.Set.Len(), "%s: values", tt.name)
		var observed []int64
		var shares []float64
		counts, g := map[string]int64{}, single(t, 1, read)
		for n := range uint64(5000) {
			counts[g.PartitionKey(n)]++
		}
		for key, count := range counts {
			observed, shares = append(observed, count), append(shares, float64(tt.shares[key])/1000)
		}
		checkFit(t, observed, shares, "%s: values", tt.name)
	}
}

// What is wrong with a file is located by its line, whether a column of it or its rows are read.
func TestFaultsOfFiles(t *testing.T) {
	weighed := keys.CSV{File: "f.csv", Column: "city", Weight: "count"}
	column := func(c keys.CSV) func(io.Reader) error {
		return func(from io.Reader) error {
			_, err := c.Read(from)
			return err
		}
	}
	one, two := column(keys.CSV{File: "f.csv", Column: "city"}), column(weighed)
	table := func(from io.Reader) error {
		_, err := keys.ReadTable(from, keys.TableOptions{File: "f.csv", Columns: []string{"id", "city"}})
		return err
	}
	for _, tt := range []struct {
		name, text string
		read       func(io.Reader) error
		// want are the lines of all faults, each with a word of it.
		want string
	}{
		{"nothing at all", "", one, "1 rows"},
		{"no rows at all", "", table, "1 rows"},
		{"the names alone", "city\n", one, "1 rows"},
		{"the names of rows alone", "id,city\n", table, "1 rows"},
		{"a mistyped column", "id,ctiy\n1,NYC\n", one, `1 "ctiy"`},
		{"a mistyped column of rows", "id,ctiy\n1,NYC\n", table, `1 "ctiy"`},
		{"a column that is like no other", "id,name\n1,NYC\n", one, "1 id or name"},
		{"no column of weights", "id,city\n1,NYC\n", two, `1 "count"`},
		{"a column that stands twice", "city,city\nA,B\n", one, `1 "city"`},
		{"a column of rows that stands twice", "id,city,id\n1,A,B\n", table, `1 "id"`},
		{"rows of other widths", "id,city\n1,NYC\n\n2\n3,Rome,IT\n", one, "4 1 columns; 5 3 columns"},
		{"a value that is missing", "id,city\n1,\n", one, "2 city"},
		{"weights that are none", "city,count\nA,0\nB,-1\nC,1.5\nD,1000000001\nE,\n", two,
			`2 "0"; 3 "-1"; 4 "1.5"; 5 "1000000001"; 6 ""`},
		{"a value that is not UTF-8", "city\n\xff\n", one, "2 UTF-8"},
		{"a row that is not UTF-8", "id,city\n1,\x81\n", table, "2 UTF-8"},
	} {
		err := tt.read(strings.NewReader(tt.text))
		if err == nil || !errors.Is(err, keys.ErrInvalidRow) {
			t.Errorf("%s: %v; want an ErrInvalidRow", tt.name, err)
			continue
		}
		lines, wants := strings.Split(err.Error(), "\n"), strings.Split(tt.want, "; ")
		for i, want := range wants {
			line, word, _ := strings.Cut(want, " ")
			assert.Truef(t, len(lines) == len(wants) && strings.HasPrefix(lines[i], "f.csv:"+line+": ") && strings.Contains(lines[i], word),
				"%s: faults\n%v\nwant those of %s", tt.name, err, tt.want)
		}
	}
	text := "city,count\n"
	for i := range 1000 {
		text += fmt.Sprintf("A,-%d\n", i)
	}
	err := two(strings.NewReader(text))
	require.Error(t, err)
	assert.Equal(t, 19, strings.Count(err.Error(), "\n"), "a thousand faults are told as the first twenty")
}

// A file without end is read no further than it may be.
func TestReadCSVIsBounded(t *testing.T) {
	column := strings.Repeat("a", 1<<20-1)
	endless := strings.NewReader(strings.Repeat(column+"\n", 70))
	_, err := keys.CSV{File: "long.csv", Column: column}.Read(endless)
	assert.ErrorContains(t, err, "long.csv:1: the file exceeds 64 MiB")
	assert.Greater(t, endless.Len(), 4<<20, "bytes that are left")
}

// TestAFileThatWasNotRead leaves out all that depends on its values, and nothing
// else; a generator cannot be made of it.
func TestAFileThatWasNotRead(t *testing.T) {
	o := race()
	setting("event", cities)(&o)
	o.RowKey = template("{bib}__{velocity}")
	withProperty("Extra", 1, "x")(&o)
	assert.Equal(t, "row_key", faultsOf(t, o)[0].Path, "the unknown attribute")
	o = race()
	setting("event", cities)(&o)
	assert.Empty(t, o.Validate(), "Validate() of a file to be read")
	_, err := keys.New(o)
	require.ErrorIs(t, err, keys.ErrInvalidOptions)
	assert.Contains(t, err.Error(), "attributes.event.csv: ", "New() of a file that was not read")
	read, err := cities.Read(strings.NewReader("city\nNYC\nA/B\n" + strings.Repeat("x", 510) + "\n"))
	require.NoError(t, err)
	setting("event", keys.CSV{File: "events.csv", Column: "city", Set: read})(&o)
	faults := faultsOf(t, o)
	require.Len(t, faults, 1)
	assert.Equal(t, "attributes.event.csv", faults[0].Path)
	assert.Contains(t, faults[0].What, `events.csv:3 is "A/B"`)
}

// FuzzDecodeEncoded holds decoding to be the inverse of encoding: whatever key can be read
// has the values that it was formed of, and one that can be read in ambiguous is said to be.
func FuzzDecodeEncoded(f *testing.F) {
	f.Add("{a}__{n:05d}_{at:inverted}", "paris", 42, int64(0))
	f.Add("{a}_{b}", "x_y", -7, int64(1))
	f.Add("{reverse(a)}{at:ticks}{n:02d}", "ü\x00b", 7, int64(math.MaxInt64))
	f.Add("{hash(a,16):02d}{lower(a)}/{at:hour}", "Ab", 0, int64(-1))
	f.Fuzz(func(t *testing.T, text, a string, n int, tick int64) {
		template, err := keys.ParseTemplate(text)
		if err != nil || len(a) > 200 {
			return
		}
		const earliest, latest = 504911232000000000, 3155378975999999999
		ticks := earliest + uint64(tick)%(latest-earliest+1)
		at := time.Unix(int64(ticks/10_000_000)-719162*86400, int64(ticks%10_000_000)*100).UTC().Format("2006-01-02T15:04:05.0000000Z")
		of := map[string]string{}
		for _, name := range template.Attributes() {
			of[name] = map[bool]string{true: strconv.Itoa(n), false: a}[strings.HasPrefix(name, "n")]
		}
		for _, name := range template.Times() {
			of[name] = at
		}
		key, err := template.Encode(of)
		if err != nil {
			return
		}
		read, err := template.Decode(key)
		if err != nil {
			if message := err.Error(); !strings.Contains(message, "ambiguous") && !strings.Contains(message, "too many ways") {
				t.Fatalf("%q was encoded of %v by %q and decoding says %v", key, of, text, err)
			}
			return
		}
		for _, r := range read {
			if r.Whole && r.Value != of[r.Attribute] {
				t.Fatalf("%q by %q has %s = %q; it was formed of %q", key, text, r.Attribute, r.Value, of[r.Attribute])
			}
		}
	})
}

func parsed(t *testing.T, text string) keys.Template {
	t.Helper()
	template, err := keys.ParseTemplate(text)
	require.NoError(t, err)
	return template
}
