package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// overRows is a scenario over the rows of a packed file beside it, and offers those that
// were not loaded at their times.
const overRows = `name: over-rows
rows: {file: results.csv.gz, columns: [year, division, bib]}
designs:
  - {name: year, partition_key: "{year}", row_key: "{division}__{bib}"}
  - {name: division, partition_key: "{year}__{division}", row_key: "{bib}"}
phases:
  - name: load
    load: {entities: 20}
  - name: race
    traffic:
      arrivals: {trace: results.csv.gz, time: finished}
      operations:
        - {verb: insert}
        - {verb: query, by: [year, division]}
`

// Every verb opens a scenario with the files beside it, from wherever it is, and says in
// the same words what is wrong with one.
func TestVerbsOpenAScenarioWithItsFiles(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	if err := os.Mkdir("tables", 0o700); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	text := gzip.NewWriter(&packed)
	fmt.Fprintln(text, "year,division,bib,finished")
	for i := range 60 {
		fmt.Fprintf(text, "%d,M%d,%d,%d.5\n", 2020+i/30, 30+5*(i%4), i%30, i/20)
	}
	if err := text.Close(); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join("tables", name) }
	put(t, map[string]string{at("results.csv.gz"): packed.String(), at("sound.yaml"): overRows,
		at("lost.yaml"):   strings.Replace(overRows, "file: results.csv.gz", "file: lost.csv", 1),
		at("column.yaml"): strings.Replace(overRows, "[year, division, bib]", "{year: year, division: divison, bib: bib}", 1)})
	for _, row := range []struct {
		sentence string
		args     []string
		quick    bool
	}{
		{"check", []string{"scenarios", "check"}, true},
		{"explain", []string{"explain"}, true},
		{"simulate", []string{"simulate", "--quiet"}, true},
		{"sweep", []string{"simulate", "--quiet", "--sweep", "use=year,division"}, true},
		{"run", []string{"run", "--quiet", "--target", "in-process"}, false},
		{"contest", []string{"contest", "--quiet", "--seeds", "2"}, true},
		{"gate", []string{"gate", "--quiet", "--accept", "--reason", "the first"}, true},
		{"pairs", []string{"gate", "--quiet", "--against", os.Args[0]}, false},
	} {
		for file, want := range map[string]string{
			"lost.yaml":   at("lost.yaml") + ":2:14: the rows cannot be read: no such file or directory; expected a file",
			"column.yaml": `results.csv.gz:1:1: unknown column "divison"; did you mean "division"?`,
		} {
			code, _, stderr := say(t, append(row.args, at(file))...)
			stdout := ""
			if row.sentence == "check" {
				_, stdout, _ = say(t, append(row.args, at(file))...)
			}
			if said := stdout + stderr; code != codeUsage || !strings.Contains(said, want) {
				t.Errorf("%s %s = %d %s; want %s", row.sentence, file, code, said, want)
			}
		}
		if !row.quick {
			continue
		}
		if code, stdout, stderr := say(t, append(row.args, at("sound.yaml"))...); code == codeUsage || code == codeInternal {
			t.Errorf("%s = %d %s\n%s\nwant the rows beside the scenario read", row.sentence, code, stderr, stdout)
		}
	}
}
