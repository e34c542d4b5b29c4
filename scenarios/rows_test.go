package scenarios_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios"
)

// rowing is a scenario of rows with a line for the rows and for traffic, if there is some.
func rowing(rows, more string) string {
	if more != "" {
		more = "  - name: race\n    traffic: " + more + "\n"
	}
	return `name: results
rows: ` + rows + `
designs:
  - {name: year, partition_key: "{year}", row_key: "{bib}"}
  - {name: bib, partition_key: "{bib}", row_key: "{year}"}
phases:
  - name: load
    load: {entities: 3}
` + more
}

const (
	fileOfRows = "year,division,bib,finished\n2001,M,1,10\n2001,W,2,11\n2002,W,1,11.5\n2002,M,3,12\n2002,M,4,12.5\n"
	inOrder    = "{file: r.csv, columns: [year, bib]}"
	traced     = "{arrivals: {trace: r.csv, time: finished}, operations: [{verb: insert}]}"
)

func TestFaultsOfRows(t *testing.T) {
	for _, row := range []struct{ sentence, text, want string }{
		{"no file", rowing("{columns: [year, bib]}", ""), "race.yaml:2:7: rows has no file; expected one"},
		{"no columns", rowing("{file: r.csv, columns: []}", ""), "race.yaml:2:30: columns has 0 items; expected 1 to 100 names of columns"},
		{"a map without columns", rowing("{file: r.csv, columns: {}}", ""), "race.yaml:2:30: rows have no columns; expected at least one"},
		{"columns that are one text", rowing("{file: r.csv, columns: year}", ""), `race.yaml:2:30: columns is year; expected a list of columns, or a map from the names of attributes to columns`},
		{"a column twice", rowing("{file: r.csv, columns: [year, bib, year]}", ""), `race.yaml:2:42: column "year" is named twice; expected once`},
		{"a column whose name is none for an attribute", rowing("{file: r.csv, columns: [year, bib, Finish Time]}", ""),
			`race.yaml:2:42: column "Finish Time" cannot name an attribute; expected columns as a map, such as {finished: "Finish Time"}`},
		{"a mistyped way to draw", rowing("{file: r.csv, columns: [year, bib], draw: in ordr}", ""), `race.yaml:2:49: unknown draw "in ordr"; did you mean "in order"?`},
		{"a column with the name of an attribute", rowing("{file: r.csv, columns: [year, bib]}\nattributes: {bib: {sequence: 1}}", ""),
			`race.yaml:2:37: column "bib" has the name of an attribute; expected another attribute, or columns as a map from names of their own`},
		{"a column that no attribute is", rowing("{file: r.csv, columns: [yaer, bib]}", ""),
			"race.yaml:4:34: unknown attribute \"year\"; did you mean \"yaer\"?\nrace.yaml:5:51: unknown attribute \"year\"; did you mean \"yaer\"?"},
		{"rows by chance alone in the keys", rowing("{file: r.csv, columns: [year, bib], draw: by chance}", ""),
			"race.yaml:4:5: neither key holds an attribute with a sequence, and rows that are drawn by chance come again, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}\n" +
				"race.yaml:5:5: neither key holds an attribute with a sequence, and rows that are drawn by chance come again, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}"},
		{"a time without a trace", rowing(inOrder, "{arrivals: {constant: 5, time: finished}, for: 5s, operations: [{verb: insert}]}"),
			"race.yaml:10:45: time belongs to a trace, and this is another kind of arrivals; expected none"},
		{"a trace of a column without operations", rowing(inOrder, "{arrivals: {trace: r.csv, time: finished}}"), "race.yaml:10:14: traffic has no operations; expected one"},
	} {
		_, err := scenarios.Parse("race.yaml", []byte(row.text))
		if got := faultLines(t, err); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.sentence, got, row.want)
		}
	}
}

func TestFaultsOfTheFileOfRows(t *testing.T) {
	for _, row := range []struct{ sentence, text, file, want string }{
		{"sound", rowing(inOrder, traced), fileOfRows, ""},
		{"a column that is not there", rowing("{file: r.csv, columns: {year: jear, bib: bib}}", ""), fileOfRows, `r.csv:1:1: unknown column "jear"; did you mean "year"?`},
		{"a value that no key may hold", rowing(inOrder, ""), "year,bib\n2001,1\n2001,A/B\n2002,1\n",
			`race.yaml:2:37: bib of r.csv:3 is "A/B", and row_key is formed from it: OutOfRangeInput: the RowKey holds the forbidden character U+002F`},
		{"rows with the same keys", rowing(inOrder, ""), "year,bib\n2001,1\n2001,2\n2001,1\n",
			"race.yaml:4:5: neither key holds an attribute with a sequence, and rows of r.csv share what they hold of it, so that two entities can have the same key; expected one, such as {bib}, or {number} or {uuid}"},
		{"fewer rows than entities", rowing(inOrder, ""), "year,bib\n2001,1\n2001,2\n",
			"race.yaml:8:22: 3 entities are loaded, and r.csv has 2 rows, behind which the same keys come again; expected at most so many, or a key with {number}"},
		{"a time that is none", rowing(inOrder, traced), strings.Replace(fileOfRows, ",12\n", ",DNF\n", 1),
			`r.csv:5:1: the instant is "DNF"; expected seconds such as 12.5, a duration such as 12500ms, or a time such as 2026-01-02T15:04:05.5Z`},
		{"times out of order", rowing(inOrder, traced), strings.Replace(fileOfRows, ",12\n", ",9\n", 1),
			"r.csv:5:1: the instant 9 lies before that of the row above; expected the file sorted by finished"},
		{"a time whose column is not there", rowing(inOrder, strings.Replace(traced, "finished", "finish", 1)), fileOfRows, `r.csv:1:1: unknown column "finish"; did you mean "finished"?`},
		{"a batch for each row", rowing(inOrder, "{arrivals: {trace: r.csv, time: finished}, operations: [{verb: batch, together: [year]}]}"), fileOfRows,
			"race.yaml:10:77: the trace is of the rows, each of which is one operation; expected no batch, or a trace in a file of its own"},
		{"a row longer than one of keys can be, in the order of the file", rowing(inOrder, traced), strings.Replace(fileOfRows, ",M,1", ","+strings.Repeat("M", 20_000)+",1", 1), ""},
		{"rows that were taken before", strings.Replace(rowing(inOrder, traced), "  - name: race", "  - name: first\n    traffic: {arrivals: {constant: 5}, for: 5s, operations: [{verb: insert}]}\n  - name: race", 1), fileOfRows,
			`race.yaml:12:33: the trace is of the rows, which go on from phase to phase, and phase "first" takes some before; expected this phase before all that offer operations`},
	} {
		err := parsed(t, strings.Replace(row.text, "together: [year]", "together: [year], entities: 2", 1)).ReadFiles(opened(row.file))
		if row.want == "" {
			if err != nil {
				t.Errorf("%s: %v; want no error", row.sentence, err)
			}
			continue
		}
		if got, _, _ := strings.Cut(faultLines(t, err), "\n"); got != row.want {
			t.Errorf("%s:\n%s\nwant\n%s", row.sentence, faultLines(t, err), row.want)
		}
	}
}

// A trace over the rows begins with the row behind those that were loaded, each
// operation at the time of the row that it is about, whatever design forms its key.
func TestTraceOverRows(t *testing.T) {
	for _, row := range []struct {
		sentence, rows, trace string
		at                    []time.Duration
	}{
		{"of the same file", inOrder, traced, []time.Duration{0, time.Second / 2}},
		{"of the same file, spelled otherwise", inOrder, strings.Replace(traced, "r.csv", "./r.csv", 1), []time.Duration{0, time.Second / 2}},
		{"of another file", inOrder, strings.Replace(traced, "r.csv", "t.csv", 1), []time.Duration{0, 1e9, 1.5e9, 2e9, 2.5e9}},
	} {
		for _, design := range []string{"year", "bib"} {
			s := parsed(t, rowing(row.rows, row.trace))
			s.Choose(design)
			if err := s.ReadFiles(opened(fileOfRows)); err != nil {
				t.Fatal(err)
			}
			schedule, err := s.Phases[1].Traffic.Schedule(clock.NewStream(1, "arrivals"))
			if err != nil {
				t.Fatal(err)
			}
			var at []time.Duration
			for n := range schedule.Len() {
				at = append(at, schedule.At(n))
			}
			if !slices.Equal(at, row.at) {
				t.Errorf("%s, design %s: operations are due at %v; want %v", row.sentence, design, at, row.at)
			}
			g, err := s.Generator()
			if err != nil {
				t.Fatal(err)
			}
			if key := g.Key(3); key.Partition+key.Row != map[string]string{"year": "20023", "bib": "32002"}[design] {
				t.Errorf("%s, design %s: entity 3 has the key %v; want that of the fourth row", row.sentence, design, key)
			}
		}
	}
}

// Files are read once, however many copies of a scenario ask for them.
func TestFilesAreReadOnce(t *testing.T) {
	written(t, map[string]string{"tables/r.csv": fileOfRows, "tables/results.yaml": rowing(inOrder, traced)})
	s, folder, err := scenarios.OpenWhole("tables/results.yaml")
	if err != nil || folder != "tables" {
		t.Fatalf("OpenWhole: in %s, %v; want it in tables", folder, err)
	}
	files := scenarios.FilesIn("tables")
	for i, design := range []string{"year", "bib"} {
		other, err := s.Under(design)
		if err != nil {
			t.Fatal(err)
		}
		if err := files.Read(other); err != nil {
			t.Errorf("Read of design %d: %v; want it read, from memory if need be", i, err)
		}
		if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && i == 0 {
			t.Fatal(err)
		}
	}
	for sentence, want := range map[string]string{"a folder": "it is a folder", "nothing": "no such file or directory"} {
		if sentence == "a folder" {
			if err := os.Mkdir(filepath.Join("tables", "r.csv"), 0o755); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_, _, err := scenarios.OpenWhole("tables/results.yaml")
		if got, want := fmt.Sprint(err), "tables/results.yaml:2:14: the rows cannot be read: "+want+"; expected a file"; !strings.HasPrefix(got, want) {
			t.Errorf("%s in place of the rows: %s; want %s", sentence, got, want)
		}
	}
}

// A scenario that goes into another folder takes the paths of its rows along.
func TestMovedTakesRowsAlong(t *testing.T) {
	moved, err := parsed(t, rowing(inOrder, traced)).Moved(func(file string) string { return "../" + file })
	if err != nil {
		t.Fatal(err)
	}
	var opened []string
	_ = moved.ReadFiles(func(path string) (io.ReadCloser, error) {
		opened = append(opened, path)
		return io.NopCloser(strings.NewReader(fileOfRows)), nil
	})
	if want := []string{"../r.csv", "../r.csv"}; !slices.Equal(opened, want) {
		t.Errorf("the moved scenario reads %q; want %q", opened, want)
	}
}
