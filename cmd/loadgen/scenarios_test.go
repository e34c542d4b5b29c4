package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// twoDesigns is a scenario with a choice: spread out it holds, by event it does not.
const twoDesigns = `name: choice
about: >-
  Spread over its bibs the load holds.
  By event it does not.
seed: 7
workers: 64
retry: none
model: {profile: documented, partition_target: 100}
attributes:
  event: {list: [NYC]}
  bib: {sequence: 1}
entity: {size: 300, filler: Notes}
use: by-bib
designs:
  - {name: by-event, partition_key: "{event}", row_key: "{bib}"}
  - {name: by-bib, partition_key: "{bib}", row_key: "{event}-{bib}"}
phases:
  - name: load
    load: {entities: 100, lanes: 4}
  - name: measure
    traffic:
      arrivals: {constant: 300}
      for: 2s
      drain: 0s
      operations: [{verb: get}]
expect:
  - throttled < 1%
  - offered(hottest) < 100
anti_pattern:
  about: All of an event
    in one partition.
  set: {use: by-event}
`

// choiceIn writes that scenario into an empty folder, which the test then runs in.
func choiceIn(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	plain, _, _ := strings.Cut(twoDesigns, "anti_pattern:")
	for name, text := range map[string]string{"choice.yaml": twoDesigns, "plain.yaml": plain} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// speak is say with something on standard input.
func speak(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(context.Background(), undrawn(args), strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

func TestBadUseOfScenariosIsOneLine(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"a verb that is nearly one", []string{"scenarios", "chek"}, `did you mean "check"?`},
		{"a format that does not exist", []string{"scenarios", "list", "--format", "yaml"}, `--format "yaml"`},
		{"an argument to what takes none", []string{"scenarios", "list", "stress"}, "takes no argument"},
		{"an argument to the schema", []string{"scenarios", "schema", "stress"}, "takes no argument"},
		{"nothing to show", []string{"scenarios", "show"}, "takes one scenario"},
		{"two to show", []string{"scenarios", "show", "stress", "simulate"}, "and got 2"},
		{"a name that is nearly one", []string{"scenarios", "show", "strss"}, `did you mean "stress"?`},
		{"a file that is not there", []string{"scenarios", "show", "none.yaml"}, "none.yaml cannot be read: no such file"},
		{"an override of what is shown as it is written", []string{"scenarios", "show", "stress", "--set", "seed=5"}, "--effective"},
		{"an override that cannot be", []string{"scenarios", "show", "stress", "--effective", "--set", "seed=x"}, "--set seed: seed is x"},
		{"a design that does not exist", []string{"scenarios", "show", "choice.yaml", "--effective", "--use", "by-bob"}, `--use: unknown design "by-bob"; did you mean "by-bib"?`},
		{"a design where there is no choice", []string{"simulate", "stress", "--use", "by-bib"}, "--use: use names a design, and there are no designs"},
		{"the same for the stress test", []string{"stress", "--use", "by-bib"}, "--use: use names a design, and there are no designs"},
		{"an empty design", []string{"run", "choice.yaml", "--use="}, "--use: expected a value"},
		{"an anti-pattern where there is none", []string{"simulate", "plain.yaml", "--anti-pattern"}, "--anti-pattern: the scenario choice has none"},
		{"nothing to check", []string{"scenarios", "check"}, "and got none"},
		{"two files to begin", []string{"scenarios", "init", "a.yaml", "b.yaml"}, `"b.yaml" is another`},
		{"a file to begin that is there", []string{"scenarios", "init", "choice.yaml"}, "choice.yaml is there already; expected another name, or --force to overwrite it\n"},
		{"a folder to begin", []string{"scenarios", "init", "."}, "cannot be written"},
		{"a folder that is not there", []string{"scenarios", "init", "nowhere/a.yaml"}, "there is no folder nowhere"},
		{"a name that is none", []string{"scenarios", "init", "a.yaml", "--name", "7 up"}, "--name 7 up: expected a letter"},
		{"a name that breaks out of its line", []string{"scenarios", "init", "a.yaml", "--name", "a\nverify: true"}, "expected a letter"},
		{"an empty name", []string{"scenarios", "init", "a.yaml", "--name="}, "--name: expected a value"},
	} {
		choiceIn(t)
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: exit code %d, %q on stdout and %q on stderr; want %d and one line on stderr with %q",
				row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
		if left := leftIn(t, "."); len(left) != 2 {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

func TestListNamesEveryBuiltInScenario(t *testing.T) {
	leftOutWhenShort(t)
	_, text, _ := say(t, "scenarios", "list")
	_, spelled, _ := say(t, "scenarios", "list", "--format", "json")
	var all []scenarios.Entry
	if err := json.Unmarshal([]byte(spelled), &all); err != nil {
		t.Fatalf("%v in\n%s", err, spelled)
	}
	names := scenarios.Library()
	slices.SortFunc(all, func(a, b scenarios.Entry) int { return strings.Compare(a.Name, b.Name) })
	for i, name := range names {
		if len(all) != len(names) || all[i].Name != name || !strings.Contains(text, "\n  "+name+" ") {
			t.Fatalf("%d objects for %d scenarios, and in the text\n%s\nwant all of them, and %s", len(all), len(names), text, name)
		}
	}
}

// Scenarios stand under their subjects; what was searched for, in the order in which it was
// found.
func TestListIsInTheDocumentsOrder(t *testing.T) {
	subjects := scenarios.Subjects()
	all := []scenarios.Entry{{Name: "z", Subject: subjects[1]}, {Name: "stress", Subject: subjects[0]}, {Name: "a", Subject: subjects[1]}}
	for _, row := range []struct {
		subjects []string
		want     []string
	}{
		{subjects[:2], []string{"subject-1 stress", "subject-2 z", "subject-2 a"}},
		{nil, []string{"found z", "found stress", "found a"}},
	} {
		var got []string
		for _, section := range listed(all, row.subjects).Sections {
			for _, one := range section.Blocks[0].(document.Table).Rows {
				got = append(got, section.ID+" "+one[0].Text)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("under %v the list is %q; want %q", row.subjects, got, row.want)
		}
	}
}

func TestShowPrintsTheSourceOrWhatTakesEffect(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	source, err := scenarios.Source("stress")
	if err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := say(t, "scenarios", "show", "stress"); code != codeOk || stdout != string(source) {
		t.Errorf("show stress = %d, %d bytes; want the source's %d", code, len(stdout), len(source))
	}
	if code, stdout, _ := say(t, "scenarios", "show", "choice.yaml"); code != codeOk || stdout != twoDesigns {
		t.Errorf("show of a file = %d %q; want what it holds", code, stdout)
	}
	for _, row := range []struct {
		sentence string
		args     []string
		use      string
		seed     uint64
	}{
		{"as it stands", nil, "by-bib", 7},
		{"with another design", []string{"--use", "by-event"}, "by-event", 7},
		{"the anti-pattern", []string{"--anti-pattern"}, "by-event", 7},
		{"the anti-pattern with another seed", []string{"--anti-pattern", "--set", "seed=8"}, "by-event", 8},
		{"the anti-pattern with the design of before", []string{"--anti-pattern", "--use", "by-bib"}, "by-bib", 7},
	} {
		_, stdout, _ := say(t, append([]string{"scenarios", "show", "choice.yaml", "--effective"}, row.args...)...)
		s, err := scenarios.Parse("shown", []byte(stdout))
		if err != nil || s.Use != row.use || s.Seed != row.seed || string(s.Text()) != stdout {
			t.Errorf("%s: %v, in\n%s\nwant a canonical scenario that uses %s, with seed %d", row.sentence, err, stdout, row.use, row.seed)
		}
	}
}

func TestSchemaIsThatOfTheFormat(t *testing.T) {
	leftOutWhenShort(t)
	if code, stdout, _ := say(t, "scenarios", "schema"); code != codeOk || stdout != string(scenarios.Schema()) || !json.Valid([]byte(stdout)) {
		t.Errorf("scenarios schema = %d, %d bytes; want the schema", code, len(stdout))
	}
}

// Check tells each fault of each file, and goes on after one that is not there.
func TestCheckTellsEachFaultOfEachFile(t *testing.T) {
	leftOutWhenShort(t)
	choiceIn(t)
	broken := strings.NewReplacer("seed: 7", "sed: 7", "{verb: get}", "{verb: got}").Replace(twoDesigns)
	traced := strings.NewReplacer("{constant: 300}", "{trace: rows.csv}").Replace(twoDesigns)
	for name, text := range map[string]string{"tables/broken.yaml": broken, "tables/traced.yaml": traced, "tables/rows.csv": "0,get,NYC,1\n2\n", "empty/notes.txt": ""} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	const sound = "sound: choice has 2 attributes, 2 designs (by-bib in use), 2 phases (load, measure), 2 checks\n"
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
		want     string
	}{
		{"standard input", []string{"-"}, codeOk, "stdin: " + sound},
		{"a file that is not there, and a sound one", []string{"none.yaml", "choice.yaml"}, codeUsage,
			"the scenario none.yaml cannot be read: no such file or directory\nchoice.yaml: " + sound},
		{"a folder, with a trace that is broken", []string{"tables"}, codeUsage,
			"tables/broken.yaml:5:1: unknown field \"sed\"; did you mean \"seed\"?\n" +
				"tables/broken.yaml:25:27: unknown verb \"got\"; did you mean \"get\"?\n" +
				"rows.csv:2:1: the row has 1 columns; expected 4\n"},
		{"a folder without scenarios", []string{"empty"}, codeUsage,
			"the folder empty has no scenario; expected files that end in .yaml\n"},
	} {
		code, stdout, stderr := speak(twoDesigns, append([]string{"scenarios", "check"}, row.args...)...)
		if code != row.code || stderr != "" || stdout != row.want {
			t.Errorf("%s: exit code %d, %q on stderr, and on stdout\n%s\nwant %d and\n%s", row.sentence, code, stderr, stdout, row.code, row.want)
		}
	}
}

// Init writes what can be checked at once, says what is next, and overwrites only by
// force.
func TestInitWritesWhatIsNext(t *testing.T) {
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, "scenarios", "init", "orders.yaml", "--name", "shop")
	if code != codeOk || stderr != "" || !strings.Contains(stdout, "loadgen scenarios check orders.yaml ") {
		t.Errorf("init = %d, %q on stderr, and\n%s\nwant what is next", code, stderr, stdout)
	}
	if _, stdout, _ := say(t, "scenarios", "check", "orders.yaml"); !strings.HasPrefix(stdout, "orders.yaml: sound: shop has ") {
		t.Errorf("check says %q of it; want that it is sound", stdout)
	}
	if code, stdout, stderr := say(t, "scenarios", "init", "orders.yaml", "--force"); code != codeOk || !strings.HasPrefix(stdout, "orders.yaml is the beginning") {
		t.Errorf("init --force = %d %q; want the file overwritten", code, stderr)
	}
	if left := leftIn(t, "."); len(left) != 2 {
		t.Errorf("init left %v; want the file and the schema", left)
	}
}

func TestCompletionKnowsScenariosAndDesigns(t *testing.T) {
	choiceIn(t)
	for _, row := range []struct {
		sentence string
		args     []string
		want     []string
	}{
		{"a scenario to run", []string{"run", "str"}, []string{"stress"}},
		{"one to simulate", []string{"simulate", "sim"}, []string{"simulate"}},
		{"one to show", []string{"scenarios", "show", "str"}, []string{"stress"}},
		{"a second one to check", []string{"scenarios", "check", "stress", "sim"}, []string{"simulate"}},
		{"a design of a file", []string{"run", "choice.yaml", "--use", ""}, []string{"by-event", "by-bib"}},
		{"a design to show", []string{"scenarios", "show", "choice.yaml", "--use", ""}, []string{"by-event", "by-bib"}},
		{"a design of what has no choice", []string{"simulate", "stress", "--use", ""}, nil},
		{"no second scenario to run", []string{"run", "stress", "s"}, nil},
	} {
		_, stdout, _ := say(t, append([]string{"__complete"}, row.args...)...)
		var got []string
		for line := range strings.SplitSeq(stdout, "\n") {
			if line != "" && !strings.HasPrefix(line, ":") {
				got = append(got, line)
			}
		}
		missing := slices.ContainsFunc(row.want, func(name string) bool { return !slices.Contains(got, name) })
		if missing || len(row.want) == 0 && len(got) > 0 {
			t.Errorf("%s: completed by %q; want %q", row.sentence, got, row.want)
		}
	}
}
