package keys_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

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
		{"without a line end at the end, and with carriage returns", cities, "city\r\nNYC\r\nRome", map[string]int{"NYC": 500, "Rome": 500}},
		{"a byte order mark before it", cities, "\uFEFFcity,country\nNYC,US\n", map[string]int{"NYC": 1000}},
		{"fields in quotation marks", cities, "id,city\n1,\"a, \"\"b\"\"\nc\"\n", map[string]int{"a, \"b\"\nc": 1000}},
		{"a column of weights", weighed, "count,city\n3,NYC\n1,Rome\n4,NYC\n", map[string]int{"NYC": 875, "Rome": 125}},
		{"weights as large as they get", weighed, "city,count\nNYC,1000000000\nRome,1000000000\n", map[string]int{"NYC": 500, "Rome": 500}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := tt.values.Read(strings.NewReader(tt.text))
			require.NoError(t, err, "Read()")
			require.Equal(t, len(tt.shares), set.Len(), "Read()")
			read := tt.values
			read.Set = set
			g := generator(t, keys.Options{Seed: 1, PartitionKey: template("p"), RowKey: template("r"), Attributes: []keys.Attribute{{Name: "x", Values: read}}})
			held := map[string]int64{}
			for n := range uint64(5000) {
				value, _ := g.Value("x", n)
				if held[value]++; tt.shares[value] == 0 {
					t.Fatalf("entity %d has %q; want one of %v", n, value, tt.shares)
				}
			}
			var observed []int64
			var shares []float64
			for name, share := range tt.shares {
				observed, shares = append(observed, held[name]), append(shares, float64(share)/1000)
			}
			if got := fit(t, observed, shares); got < alarm {
				t.Errorf("%v are as far from the weights as sound ones in %.2g of cases; want %v at least", held, got, alarm)
			}
		})
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
			if len(lines) != len(wants) || !strings.HasPrefix(lines[i], "f.csv:"+line+": ") || !strings.Contains(lines[i], word) {
				t.Errorf("%s: faults\n%v\nwant those of %s", tt.name, err, tt.want)
			}
		}
	}
	if err := one(iotest.ErrReader(errors.New("a broken disk"))); err == nil || !strings.Contains(err.Error(), "f.csv: a broken disk") {
		t.Errorf("Read() of a broken disk = %v; want the error with the name of the file", err)
	}
	many := "city\n" + strings.Repeat("\"\"\n", 1000)
	if err := one(strings.NewReader(many)); err == nil || strings.Count(err.Error(), "\n") != 19 {
		t.Errorf("Read() of a thousand faults = %v; want the first twenty", err)
	}
}

// endless yields a line again and again, and fails where more is read of it than is
// allowed.
type endless struct {
	line  string
	at    int
	bound int
}

func (e *endless) Read(into []byte) (int, error) {
	if e.at > e.bound {
		return 0, errors.New("read further than the bound")
	}
	n := copy(into, e.line[e.at%len(e.line):])
	e.at += n
	return n, nil
}

func TestReadCSVIsBounded(t *testing.T) {
	const width = 1 << 20
	long := &endless{line: strings.Repeat("a", width-1) + "\n", bound: 65 << 20}
	values := keys.CSV{File: "long.csv", Column: strings.Repeat("a", width-1)}
	if _, err := values.Read(long); err == nil || !strings.HasPrefix(err.Error(), "long.csv:1: the file has more than 64 MiB") {
		t.Errorf("Read() of a file without end = %v; want its size told", err)
	}
}

// TestAFileThatWasNotRead leaves out all that depends on its values, and nothing
// else; a generator cannot be made of it.
func TestAFileThatWasNotRead(t *testing.T) {
	o := race()
	set(&o, "event", cities)
	o.RowKey = template("{bib}__{velocity}")
	property(&o, "Extra", 1, "x")
	if faults := faultsOf(t, o); len(faults) == 0 || faults[0].Path != "row_key" || !strings.Contains(faults[0].What, `"velocity"`) {
		t.Errorf("Validate() = %v; want the unknown attribute of row_key", faults)
	}
	o = race()
	set(&o, "event", cities)
	if faults := o.Validate(); faults != nil {
		t.Errorf("Validate() of a file to be read = %v; want nothing", faults)
	}
	if _, err := keys.New(o); !errors.Is(err, keys.ErrInvalidOptions) || !strings.Contains(err.Error(), "attributes.event.csv: ") {
		t.Errorf("New() = %v; want it said that the file has not been read", err)
	}
	read, err := cities.Read(strings.NewReader("city\nNYC\nA/B\n" + strings.Repeat("x", 510) + "\n"))
	require.NoError(t, err)
	set(&o, "event", keys.CSV{File: "events.csv", Column: "city", Set: read})
	if faults := faultsOf(t, o); len(faults) != 1 || faults[0].Path != "attributes.event.csv" || !strings.Contains(faults[0].What, `events.csv:3 is "A/B"`) {
		t.Errorf("Validate() = %v; want the value of line 3", faults)
	}
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
