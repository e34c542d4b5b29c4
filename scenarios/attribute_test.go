package scenarios_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// attributing is the race with one more attribute, x, on line 11.
func attributing(spelled string) string {
	return strings.Replace(race, "entity:\n", "  x: "+spelled+"\nentity:\n", 1)
}

func TestAttributesAreReadAndWritten(t *testing.T) {
	for _, tt := range []struct {
		name, spelled string
		want          keys.Distribution
		// text is the canonical form.
		text string
	}{
		{"zipf over numbers", "{zipf: {of: 100000, exponent: 1.1}}", keys.Zipf{Ranked: keys.Ranked{Of: 100_000}, Exponent: 1.1},
			"zipf:\n      of: 100000\n      exponent: 1.1\n"},
		{"zipf over texts, scrambled", "{zipf: {list: [gold, 2], exponent: 0, scramble: true}}",
			keys.Zipf{Ranked: keys.Ranked{List: []string{"gold", "2"}, Scramble: true}},
			"zipf:\n      list: [gold, \"2\"]\n      exponent: 0\n      scramble: true\n"},
		{"a hot set", "{hot_set: {of: 1000, hot: 10%, share: 90%}}", keys.HotSet{Ranked: keys.Ranked{Of: 1000}, Hot: 0.1, Share: 0.9},
			"hot_set:\n      of: 1000\n      hot: 10%\n      share: 90%\n"},
		{"a hot set of texts", "{hot_set: {list: [a, b], hot: 50%, share: 99.5%, scramble: false}}",
			keys.HotSet{Ranked: keys.Ranked{List: []string{"a", "b"}}, Hot: 0.5, Share: 0.995},
			"hot_set:\n      list: [a, b]\n      hot: 50%\n      share: 99.5%\n"},
		{"partitions and rows as plain numbers", "{partitions: 1000, rows: 100}", keys.Partitions{Of: 1000, Rows: 100},
			"partitions: 1000\n    rows: 100\n"},
		{"partitions of several sizes", `{partitions: 1000, rows: 100, sizes: ["70% x1", 20%x2.5, "10% x 3.5"]}`,
			keys.Partitions{Of: 1000, Rows: 100, Sizes: []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}},
			"partitions: 1000\n    rows: 100\n    sizes: [\"70% x1\", \"20% x2.5\", \"10% x3.5\"]\n"},
		{"partitions that are drawn", "{partitions: 5}", keys.Partitions{Of: 5}, "partitions: 5\n"},
		{"a bell", "{gaussian: {mean: -38.5, sd: 9, low: -60, high: 79}}", keys.Gaussian{Mean: -38.5, Deviation: 9, Low: -60, High: 79},
			"gaussian:\n      mean: -38.5\n      sd: 9\n      low: -60\n      high: 79\n"},
		{"the latest, with what is usual", "{latest: {window: 1000}}", keys.Latest{Window: 1000, Exponent: 1, Every: 1},
			"latest:\n      window: 1000\n      exponent: 1\n      every: 1\n      start: 0\n"},
		{"the latest of a sequence that begins at one", "{latest: {window: 50, exponent: 0, every: 10, start: 1}}", keys.Latest{Window: 50, Every: 10, Start: 1},
			"latest:\n      window: 50\n      exponent: 0\n      every: 10\n      start: 1\n"},
		{"a file", "{csv: {file: events.csv, column: city}}", keys.CSV{File: "events.csv", Column: "city"},
			"csv:\n      file: \"events.csv\"\n      column: city\n"},
		{"a file with weights", "{csv: {file: events.csv, column: city, weight: count}}", keys.CSV{File: "events.csv", Column: "city", Weight: "count"},
			"csv:\n      file: \"events.csv\"\n      column: city\n      weight: count\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, attributing(tt.spelled))
			if diff := cmp.Diff(tt.want, s.Attributes[3].Values); diff != "" {
				t.Errorf("the attribute differs (-want +got):\n%s", diff)
			}
			if text := string(s.Text()); !strings.Contains(text, "  x:\n    "+tt.text+"entity:") {
				t.Errorf("Text() =\n%s\nwant in it\n%s", text, tt.text)
			}
			if again := parsed(t, string(s.Text())); cmp.Diff(s, again, ignorePlaces) != "" {
				t.Errorf("Parse(Text()) differs:\n%s", cmp.Diff(s, again, ignorePlaces))
			}
			if faults := s.Validate(); faults != nil {
				t.Errorf("Validate() = %v; want none", faults)
			}
		})
	}
}

func TestFaultsOfAttributes(t *testing.T) {
	for _, tt := range []struct{ name, spelled, want string }{
		{"a mistyped kind", "{zipff: {of: 9, exponent: 1}}", `11:7: unknown field "zipff"; did you mean "zipf"?` + "\n11:6: an attribute has 0 of KINDS; expected exactly one"},
		{"a mistyped field of a kind", "{zipf: {of: 9, exponnet: 1}}", "11:13: a zipf has no exponent; expected one\n" + `11:21: unknown field "exponnet"; did you mean "exponent"?`},
		{"two kinds", "{zipf: {of: 9, exponent: 1}, partitions: 3}", "11:6: an attribute has 2 of KINDS; expected exactly one"},
		{"rows without partitions", "{sequence: 1, rows: 9}", "11:26: rows belongs to partitions, and this is sequence; expected none"},
		{"neither numbers nor a list", "{zipf: {exponent: 1}}", "11:13: zipf has 0 of of and list; expected exactly one"},
		{"numbers and a list", "{hot_set: {of: 2, list: [a], hot: 1%, share: 2%}}", "11:16: hot_set has 2 of of and list; expected exactly one"},
		{"no exponent that there is", "{zipf: {of: 9, exponent: 5.5}}", "11:31: exponent is 5.5; expected an exponent from 0 to 5, such as 1.1"},
		{"an exponent below zero", "{zipf: {of: 9, exponent: -1}}", "11:31: exponent is -1; expected an exponent from 0 to 5, such as 1.1"},
		{"more values than there can be", "{zipf: {of: 2000000000, exponent: 1}}", "11:18: of is 2000000000; expected a whole number from 1 to 1000000000"},
		{"a text that occurs twice", "{zipf: {list: [a, b, a], exponent: 1}}", `11:27: list[2] is "a" as list[0] is; expected texts that differ`},
		{"a share that is no percentage", "{hot_set: {of: 9, hot: 0.1, share: 90%}}", "11:29: hot is 0.1; expected a share in percent above 0, such as 2%"},
		{"nothing that is hot", "{hot_set: {of: 9, hot: 1%, share: 90%}}", "11:29: hot is 1%, which of 9 values is 0; expected at least one, and one that is not hot"},
		{"no size that there is", "{partitions: 9, sizes: [70%]}", "11:30: sizes[0] is 70%; expected a share of the partitions and a weight, such as 20% x2.5"},
		{"sizes that are not all", `{partitions: 9, sizes: ["70% x1"]}`, "11:29: the shares of sizes are 70% together; expected 100%"},
		{"rows of none", "{partitions: 9, rows: 0}", "11:28: rows is 0; expected a whole number from 1 to 1000000"},
		{"a bell without its width", "{gaussian: {mean: 1, low: 0, high: 2}}", "11:17: a gaussian has no sd; expected one"},
		{"a mean that is no number", "{gaussian: {mean: high, sd: 1, low: 0, high: 2}}", "11:24: mean is high; expected a number such as 38 or 9.5, from -1000000000000000 to 1000000000000000"},
		{"a bell of no width", "{gaussian: {mean: 1, sd: 0, low: 0, high: 2}}", "11:31: sd is 0; expected a standard deviation above 0, at most 1000000000000000"},
		{"bounds out of order", "{gaussian: {mean: 1, sd: 1, low: 3, high: 2}}", "11:39: low is 3 and high 2; expected the lower bound first"},
		{"a window of nothing", "{latest: {window: 0}}", "11:24: window is 0; expected a whole number from 1 to 1000000000"},
		{"a file without a column", "{csv: {file: a.csv}}", "11:12: a csv has no column; expected one"},
		{"a column that weighs itself", "{csv: {file: a.csv, column: b, weight: b}}", `11:45: weight is "b", which is the column itself; expected another one`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("race.yaml", []byte(attributing(tt.spelled)))
			got := strings.ReplaceAll(faultLines(t, err), "race.yaml:", "")
			lines, want := strings.Split(got, "\n"), strings.Split(strings.ReplaceAll(tt.want, "KINDS", kindsOfAttribute), "\n")
			slices.Sort(lines)
			slices.Sort(want)
			if !slices.Equal(lines, want) {
				t.Errorf("Parse(%s) =\n%s\nwant\n%s", tt.spelled, got, strings.Join(want, "\n"))
			}
		})
	}
}

func TestSetAttributes(t *testing.T) {
	for _, tt := range []struct{ name, spelled, path, value, old, new string }{
		{"an exponent", "{zipf: {of: 9, exponent: 1}}", "attributes.x.zipf.exponent", "1.3", "exponent: 1\n", "exponent: 1.3\n"},
		{"what was left out", "{zipf: {of: 9, exponent: 1}}", "attributes.x.zipf.scramble", "true", "exponent: 1\n", "exponent: 1\n      scramble: true\n"},
		{"a share", "{hot_set: {of: 9, hot: 20%, share: 50%}}", "attributes.x.hot_set.share", "75%", "share: 50%", "share: 75%"},
		{"a number of partitions", "{partitions: 9, rows: 2}", "attributes.x.partitions", "12", "partitions: 9", "partitions: 12"},
		{"one size", `{partitions: 9, sizes: ["50% x1", "50% x2"]}`, "attributes.x.sizes.1", "50% x7", "50% x2", "50% x7"},
		{"all sizes", `{partitions: 9, sizes: ["50% x1", "50% x2"]}`, "attributes.x.sizes", "[100% x2]", `["50% x1", "50% x2"]`, `["100% x2"]`},
		{"another kind", "{sequence: 1}", "attributes.x", "{latest: {window: 5}}", "sequence: 1\nentity", "latest:\n      window: 5\n      exponent: 1\n      every: 1\n      start: 0\nentity"},
		{"another file", "{csv: {file: a.csv, column: c}}", "attributes.x.csv.file", "b.csv", "a.csv", "b.csv"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, attributing(tt.spelled))
			before := string(s.Text())
			if err := s.Set(tt.path, tt.value); err != nil {
				t.Fatalf("Set(%q, %q) = %v; want no error", tt.path, tt.value, err)
			}
			if got, want := string(s.Text()), strings.Replace(before, tt.old, tt.new, 1); got != want || want == before {
				t.Errorf("after Set(%q, %q) the text is\n%s\nwant\n%s", tt.path, tt.value, got, want)
			}
		})
	}
	s := parsed(t, attributing("{zipf: {of: 9, exponent: 1}}"))
	if got, want := faultLines(t, s.Set("attributes.x.zipf.exponnent", "2")), `--set attributes.x.zipf.exponnent: unknown field "exponnent"; did you mean "exponent"?`; got != want {
		t.Errorf("Set() = %s; want %s", got, want)
	}
}

// filed is the race with its events from a file.
func filed() string {
	return strings.Replace(race, "  event:\n    list: [NYC, Berlin]\n    weights: [3, 1]\n", "  event: {csv: {file: events.csv, column: city}}\n", 1)
}

// TestReadFilesOfValues: what depends on the values of a file is judged once they
// were read, and nothing else waits for them.
func TestReadFilesOfValues(t *testing.T) {
	for _, tt := range []struct{ name, old, new, file, want string }{
		{"sound", "", "", "city\nNYC\nBerlin\nNYC\n", ""},
		{"no such column", "", "", "town\nNYC\n", `events.csv:1:1: unknown column "city"; expected town`},
		{"rows of other widths", "", "", "city\nNYC,1\nNYC,2\n", "events.csv:2:1: the row has 2 columns; expected 1\nevents.csv:3:1: the row has 2 columns; expected 1"},
		{"a value that no key may hold", "", "", "city\nNYC\nA/B\n",
			`race.yaml:6:16: city of events.csv:3 is "A/B", and partition_key is formed from it: OutOfRangeInput: the PartitionKey holds the forbidden character U+002F`},
		{"a value that is too long for a key", "", "", "city\nNYC\n" + strings.Repeat("x", 600) + "\n",
			`race.yaml:6:16: city of events.csv:3 is "` + strings.Repeat("x", 60) + `"…, and partition_key is formed from it: KeyValueTooLarge: the PartitionKey has 600 UTF-16 code units, more than 512`},
		{"a partition that the file does not yield", "", "", "city\nRome\n",
			`race.yaml:22:22: none of the 200 entities loaded has the PartitionKey "NYC"; the nearest that exists is "Rome"`},
		{"a property of another type", `value: "{age}"}`, `value: "{event}"}`, "city\n7\nNYC\n",
			`race.yaml:13:39: value can become "NYC", which is no Int32; expected a whole number from -2147483648 to 2147483647`},
		{"keys that collide", `"{bib}__{age}"`, `"{bib}{event}"`, "city\nNYC\n1\n", ""},
		{"a filter that cannot be read", "{verb: get, weight: 3}", `{verb: query, class: partition-scan, where: "Age gt {event}"}`, "city\n7\nNYC\n",
			`race.yaml:26:55: where can become "Age gt NYC": expected a constant`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := parsed(t, strings.Replace(filed(), tt.old, tt.new, 1))
			err := s.ReadFiles(opened(tt.file))
			switch {
			case tt.want == "" && err != nil:
				t.Fatalf("ReadFiles = %v; want no error", err)
			case tt.want == "":
				g, err := s.Generator()
				if err != nil {
					t.Fatalf("Generator() = %v; want no error", err)
				}
				if value, _ := g.Value("event", 3); !strings.Contains(tt.file, value) {
					t.Errorf("Value(event, 3) = %q; want one of the file", value)
				}
			case !strings.HasPrefix(faultLines(t, err), tt.want):
				t.Errorf("ReadFiles =\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
	s := parsed(t, filed())
	missing := func(string) (io.ReadCloser, error) { return nil, errors.New("no such file") }
	if got, want := faultLines(t, s.ReadFiles(missing)), "race.yaml:6:23: the values cannot be read: no such file; expected a file"; got != want {
		t.Errorf("ReadFiles =\n%s\nwant\n%s", got, want)
	}
	if _, err := s.Generator(); err == nil || !strings.Contains(err.Error(), "events.csv has not been read") {
		t.Errorf("Generator() before the file is read = %v; want it said", err)
	}
}

// Scenarios that share attributes do not share what was read.
func TestReadFilesLeavesCopiesAlone(t *testing.T) {
	s := parsed(t, filed())
	copied := *s
	if err := copied.ReadFiles(opened("city\nNYC\n")); err != nil {
		t.Fatalf("ReadFiles = %v; want no error", err)
	}
	if read := s.Attributes[0].Values.(keys.CSV); read.Set != nil {
		t.Error("reading the files of a copy read those of the scenario; want them unread")
	}
	if text := string(copied.Text()); text != string(s.Text()) {
		t.Errorf("Text() after the files were read =\n%s\nwant that of before", text)
	}
}

func ExampleScenario_ReadFiles() {
	s, err := scenarios.Parse("tour.yaml", []byte(`
name: tour
attributes:
  rider: {sequence: 1}
  city: {csv: {file: cities.csv, column: name, weight: riders}}
design: {partition_key: "{city}", row_key: "{rider}"}
phases: [{name: load, load: {entities: 10}}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	err = s.ReadFiles(func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("name,riders\nRome,3\nOslo,1\n")), nil
	})
	fmt.Println(s.Attributes[1].Values.(keys.CSV).Set.Len(), err)
	// Output:
	// 2 <nil>
}

// kindsOfAttribute are the kinds of values as messages list them.
const kindsOfAttribute = "list, uniform, sequence, zipf, hot_set, partitions, gaussian, latest, csv, time, text"
