package keys_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

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
			if err != nil {
				t.Fatalf("Read() = %v; want no error", err)
			}
			if set.Len() != len(tt.shares) {
				t.Fatalf("Read() = %d values; want %d", set.Len(), len(tt.shares))
			}
			read := tt.values
			read.Set = set
			g := generator(t, keys.Options{Seed: 1, PartitionKey: template("p"), RowKey: template("r"), Attributes: []keys.Attribute{{Name: "x", Values: read}}})
			observed, shares, names := make([]int64, len(tt.shares)), []float64{}, []string{}
			for name, share := range tt.shares {
				names, shares = append(names, name), append(shares, float64(share)/1000)
			}
			for n := range uint64(5000) {
				value, _ := g.Value("x", n)
				found := false
				for i, name := range names {
					if name == value {
						found = true
						observed[i]++
					}
				}
				if !found {
					t.Fatalf("entity %d has %q; want one of %q", n, value, names)
				}
			}
			if got := fit(t, observed, shares); got < alarm {
				t.Errorf("%v of %q are as far from the weights as sound ones in %.2g of cases; want %v at least", observed, names, got, alarm)
			}
		})
	}
}

func TestReadCSVFaults(t *testing.T) {
	weighed := cities
	weighed.Weight = "count"
	for _, tt := range []struct {
		name   string
		values keys.CSV
		text   string
		want   string
	}{
		{"nothing at all", cities, "", "events.csv:1: the file has no values; expected a line that names the columns, and rows"},
		{"the names alone", cities, "city\n", "events.csv:1: the file has no values; expected a line that names the columns, and rows"},
		{"a mistyped column", cities, "id,ctiy\n1,NYC\n", `events.csv:1: unknown column "city"; did you mean "ctiy"?`},
		{"a column that is like no other", cities, "id,name\n1,NYC\n", `events.csv:1: unknown column "city"; expected id or name`},
		{"no column of weights", weighed, "id,city\n1,NYC\n", `events.csv:1: unknown column "count"; expected id or city`},
		{"a column that stands twice", cities, "city,city\nA,B\n", `events.csv:1: column "city" occurs twice; expected once`},
		{"rows of other widths, each by its line", cities, "id,city\n1,NYC\n\n2\n3,Rome,IT\n",
			"events.csv:4: the row has 1 columns; expected 2\nevents.csv:5: the row has 3 columns; expected 2"},
		{"a value that is missing", cities, "id,city\n1,\n", "events.csv:2: city is empty; expected a value"},
		{"weights that are none", weighed, "city,count\nA,0\nB,-1\nC,1.5\nD,1000000001\nE,\n",
			"events.csv:2: count is \"0\"; expected a whole number from 1 to 1000000000\nevents.csv:3: count is \"-1\"; expected a whole number from 1 to 1000000000\n" +
				"events.csv:4: count is \"1.5\"; expected a whole number from 1 to 1000000000\nevents.csv:5: count is \"1000000001\"; expected a whole number from 1 to 1000000000\n" +
				"events.csv:6: count is \"\"; expected a whole number from 1 to 1000000000"},
		{"a value that is not UTF-8", cities, "city\n\xff\n", "events.csv:2: city is not UTF-8; expected UTF-8 text"},
		{"a quotation mark inside a field", cities, "city\nA\nN\"YC\n",
			"events.csv:3: field 1: a quotation mark stands in a field without; expected the field in quotation marks, and its own doubled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.values.Read(strings.NewReader(tt.text))
			if err == nil || err.Error() != tt.want || !errors.Is(err, keys.ErrInvalidRow) {
				t.Errorf("Read() =\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
	if _, err := cities.Read(iotest.ErrReader(errors.New("a broken disk"))); err == nil || !strings.Contains(err.Error(), "events.csv: a broken disk") {
		t.Errorf("Read() of a broken disk = %v; want the error with the name of the file", err)
	}
	many := "city\n" + strings.Repeat("\"\"\n", 1000)
	if _, err := cities.Read(strings.NewReader(many)); err == nil || strings.Count(err.Error(), "\n") != 19 {
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
	if _, err := values.Read(long); err == nil || err.Error() != "long.csv:1: the file has more than 64 MiB; expected at most so many" {
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
	var got []string
	for _, err := range o.Validate() {
		got = append(got, err.Error())
	}
	want := `keys: row_key: unknown attribute "velocity"; expected event, distance, bib, name, age, paid or day`
	if len(got) == 0 || got[0] != want {
		t.Errorf("Validate() = %q; want %q among it", got, want)
	}
	o = race()
	set(&o, "event", cities)
	if faults := o.Validate(); faults != nil {
		t.Errorf("Validate() of a file to be read = %v; want nothing", faults)
	}
	if _, err := keys.New(o); !errors.Is(err, keys.ErrInvalidOptions) || !strings.Contains(err.Error(), "attributes.event.csv: events.csv has not been read") {
		t.Errorf("New() = %v; want it said that the file has not been read", err)
	}
	read, err := cities.Read(strings.NewReader("city\nNYC\nA/B\n" + strings.Repeat("x", 510) + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	set(&o, "event", keys.CSV{File: "events.csv", Column: "city", Set: read})
	faults := o.Validate()
	if want := `keys: attributes.event.csv: city of events.csv:3 is "A/B", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+002F`; len(faults) != 1 || faults[0].Error() != want {
		t.Errorf("Validate() = %v; want %s", faults, want)
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
