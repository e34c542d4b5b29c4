package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loadgen/results"
	"loadgen/scenarios"
)

// begun runs init in an empty folder, in which the test then is.
func begun(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, append([]string{"scenarios", "init"}, args...)...)
	if code != codeOk || stderr != "" {
		t.Fatalf("init %v = %d %q; want files", args, code, stderr)
	}
	return stdout
}

func TestInitWritesASoundScenarioAndItsSchema(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		sentence string
		args     []string
		file     string
		name     string
	}{
		{"without a name", nil, "my-table.yaml", "my-table"},
		{"a file", []string{"orders.yaml"}, "orders.yaml", "orders"},
		{"a file and a name", []string{"orders.yaml", "--name", "shop"}, "orders.yaml", "shop"},
		{"a file whose name is none for a scenario", []string{"2026.yaml"}, "2026.yaml", "my-table"},
		{"a file whose name means something to a replacement", []string{"$1.yaml"}, "$1.yaml", "my-table"},
	} {
		stdout := begun(t, row.args...)
		text, err := os.ReadFile(row.file)
		if err != nil {
			t.Fatalf("%s: %v", row.sentence, err)
		}
		s, err := scenarios.Parse(row.file, text)
		if err != nil || s.Name != row.name || !strings.HasPrefix(string(text), scenarios.SchemaHeader+"\n") {
			t.Errorf("%s: %v, in\n%.200s\nwant a scenario %s under the schema's header", row.sentence, err, text, row.name)
		}
		if schema, err := os.ReadFile(scenarios.SchemaFile); err != nil || string(schema) != string(scenarios.Schema()) {
			t.Errorf("%s: %v, %d bytes in %s; want the schema", row.sentence, err, len(schema), scenarios.SchemaFile)
		}
		if !strings.Contains(stdout, "loadgen scenarios check "+row.file) {
			t.Errorf("%s: said %q; want what is next", row.sentence, stdout)
		}
	}
}

func TestInitOverwritesOnlyByForce(t *testing.T) {
	leftOutWhenShort(t)
	begun(t, "a.yaml")
	schema := string(scenarios.Schema())
	for _, row := range []struct {
		sentence   string
		file, text string
		args       []string
		code       int
		after      string
	}{
		{"the file is there", "a.yaml", "precious", []string{"a.yaml"}, codeUsage, "precious"},
		{"the schema is there, and another", scenarios.SchemaFile, "precious", []string{"b.yaml"}, codeUsage, "precious"},
		{"the schema is there, and the same", scenarios.SchemaFile, schema, []string{"c.yaml"}, codeOk, schema},
		{"the schema is another, by force", scenarios.SchemaFile, "old", []string{"d.yaml", "--force"}, codeOk, schema},
	} {
		if err := os.WriteFile(row.file, []byte(row.text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := say(t, append([]string{"scenarios", "init"}, row.args...)...)
		text, err := os.ReadFile(row.file)
		if code != row.code || err != nil || string(text) != row.after || (code != codeOk) != (stdout == "") {
			t.Errorf("%s: exit code %d, %q, and %s holds %.40q; want %d and %.40q", row.sentence, code, stderr, row.file, text, row.code, row.after)
		}
	}
	if code, _, stderr := say(t, "scenarios", "init", "a.yaml", "--force"); code != codeOk {
		t.Errorf("init --force = %d %q; want the file overwritten", code, stderr)
	}
	if _, err := os.Stat("b.yaml"); err == nil {
		t.Error("b.yaml was written beside a schema that was left alone; want neither")
	}
}

// What init writes is explained and runs at once: as it stands it holds, and its
// opposite does not.
func TestStarterRunsAsItStands(t *testing.T) {
	leftOutWhenShort(t)
	begun(t)
	for _, row := range []struct {
		sentence string
		args     []string
		code     int
	}{
		{"as it stands", nil, codeOk},
		{"its opposite", []string{"--opposite"}, codeExpectation},
	} {
		args := append([]string{"simulate", "my-table.yaml", "--quiet", "--one-profile", "--out", row.sentence}, row.args...)
		code, stdout, stderr := say(t, args...)
		if code != row.code {
			t.Errorf("%s: exit code %d, %q, and\n%s\nwant %d", row.sentence, code, stderr, stdout, row.code)
		}
		if code, stdout, stderr := say(t, append([]string{"explain", "my-table.yaml", "--quiet"}, row.args...)...); code != row.code {
			t.Errorf("%s: explain = %d, %q, and\n%s\nwant %d, too", row.sentence, code, stderr, stdout, row.code)
		}
		if record := read(t, row.sentence); record.Validity != results.Valid || len(record.Summary.Expectations) < 5 {
			t.Errorf("%s: validity %s %v, %d expectations; want a valid run of five or more", row.sentence, record.Validity, record.Reasons,
				len(record.Summary.Expectations))
		}
	}
	if left, err := filepath.Glob("*"); err != nil || len(left) != 4 {
		t.Errorf("the folder holds %v, %v; want two files and two runs", left, err)
	}
}
