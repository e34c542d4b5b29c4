package keys_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

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
		{"fields in quotation marks", cities, "id,city\n1,\"a, \"\"b\"\"\"\n", map[string]int{"a, \"b\"": 1000}},
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
		for _, held := range keys.Skew(single(t, 1, read), 5000) {
			observed = append(observed, int64(held.Entities))
			shares = append(shares, float64(tt.shares[held.PartitionKey])/1000)
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
		_, err := keys.ReadTable(from, "f.csv", []string{"id", "city"})
		return err
	}
	for _, tt := range []struct {
		name, text string
		read       func(io.Reader) error
		// want are the lines of all faults, each with a word of it.
		want string
	}{
		{"nothing at all", "", one, "1 values"},
		{"no rows at all", "", table, "1 rows"},
		{"the names alone", "city\n", one, "1 values"},
		{"the names of rows alone", "id,city\n", table, "1 rows"},
		{"a mistyped column", "id,ctiy\n1,NYC\n", one, `1 "ctiy"`},
		{"a mistyped column of rows", "id,ctiy\n1,NYC\n", table, `1 "ctiy"`},
		{"a column that is like no other", "id,name\n1,NYC\n", one, "1 id or name"},
		{"no column of weights", "id,city\n1,NYC\n", two, `1 "count"`},
		{"a column that stands twice", "city,city\nA,B\n", one, `1 "city"`},
		{"a column of rows that stands twice", "id,city,id\n1,A,B\n", table, `1 "id"`},
		{"rows of other widths", "id,city\n1,NYC\n\n2\n3,Rome,IT\n", one, "4 1 columns; 5 3 columns"},
		{"rows of other widths in a table", "id,city\n1\n1,2\n1,2,3\n", table, "2 1 columns; 4 3 columns"},
		{"a value that is missing", "id,city\n1,\n", one, "2 city"},
		{"weights that are none", "city,count\nA,0\nB,-1\nC,1.5\nD,1000000001\nE,\n", two,
			`2 "0"; 3 "-1"; 4 "1.5"; 5 "1000000001"; 6 ""`},
		{"a value that is not UTF-8", "city\n\xff\n", one, "2 UTF-8"},
		{"a row that is not UTF-8", "id,city\n1,\xff\n", table, "2 UTF-8"},
		{"a quotation mark inside a field", "city\nA\nN\"YC\n", one, "3 field 1"},
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
	assert.ErrorContains(t, one(iotest.ErrReader(errors.New("a broken disk"))), "f.csv: a broken disk")
	err := one(strings.NewReader("city\n" + strings.Repeat("\"\"\n", 1000)))
	require.Error(t, err)
	assert.Equal(t, 19, strings.Count(err.Error(), "\n"), "a thousand faults are told as the first twenty")
}

// A file without end is read no further than it may be.
func TestReadCSVIsBounded(t *testing.T) {
	column := strings.Repeat("a", 1<<20-1)
	endless := strings.NewReader(strings.Repeat(column+"\n", 70))
	_, err := keys.CSV{File: "long.csv", Column: column}.Read(endless)
	assert.ErrorContains(t, err, "long.csv:1: the file has more than 64 MiB")
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

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"city,count\nNYC,3\n", "city,count\n\"a\"\"b\",1\n", "\uFEFFcount,city\r\n1,x\r\n", "city\n", "city,count\n\"", "\xff,city,count\n", "\n\n", "city,count\nA,1\nA,999999999\n"} {
		f.Add(seed)
	}
	given := keys.CSV{File: "f.csv", Column: "city", Weight: "count"}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := given.Read(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, keys.ErrInvalidRow) || !strings.HasPrefix(err.Error(), "f.csv:") {
				t.Fatalf("Read(%q) = %v; want faults of rows", text, err)
			}
			return
		}
		given := given
		given.Set = set
		if set.Len() == 0 || len(probes(given)) != set.Len() {
			t.Fatalf("Read(%q) = %d values; want some", text, set.Len())
		}
		// What a key may not hold is the business of another check.
		generator(t, keys.Options{Attributes: []keys.Attribute{{Name: "x", Values: given}}}).Value("x", 7)
	})
}
