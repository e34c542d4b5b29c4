package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// say runs the program in an empty folder and returns what it said.
func say(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = execute(context.Background(), undrawn(args), strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// undrawn has a command that runs load keep the record alone, unless it says itself what
// to keep: pictures take more time than most of the runs that tests need.
func undrawn(args []string) []string {
	runs := len(args) > 0 && slices.Contains([]string{"stress", "run", "simulate"}, args[0])
	if !runs || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--no-charts") }) {
		return args
	}
	return append(slices.Clone(args), "--no-charts")
}

// planted is a key that must not be found where it does not belong.
const planted = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"

func TestBadInputIsOneLineAndLeavesNothing(t *testing.T) {
	leftOutWhenShort(t)
	rows := []struct {
		sentence string
		args     []string
		// says is part of the line.
		says string
	}{
		{"a flag that does not exist", []string{"stress", "--rats", "5"}, "--rats"},
		{"a flag that is nearly one", []string{"stress", "--peek", "5"}, "nearest is --peak"},
		{"a verb that does not exist", []string{"stres"}, `"stress"`},
		{"a verb with a letter too many", []string{"strees"}, `"stress"`},
		{"help on a verb that does not exist", []string{"help", "nonsense"}, "nonsense"},
		{"an argument to what takes none", []string{"exit-codes", "a"}, `"a"`},
		{"an argument that belongs nowhere", []string{"stress", "now"}, `"now"`},
		{"a rate of zero", []string{"stress", "--rate", "0"}, "--rate"},
		{"a negative rate", []string{"stress", "--rate", "-5"}, "--rate"},
		{"a rate that is no number", []string{"stress", "--rate", "NaN"}, "--rate"},
		{"a rate beyond all bounds", []string{"stress", "--rate", "1e12"}, "--rate"},
		{"a rate that is a word", []string{"stress", "--rate", "fast"}, "a number such as 1500"},
		{"a rate with a comma", []string{"stress", "--rate", "1,500"}, "a number such as 1500"},
		{"a negative seed", []string{"stress", "--seed", "-1"}, "0 or more"},
		{"a duration of zero", []string{"stress", "--duration", "0s"}, "--duration"},
		{"a negative duration", []string{"stress", "--duration", "-1s"}, "--duration"},
		{"a duration without a unit", []string{"stress", "--duration", "5"}, "--duration"},
		{"a duration below a second", []string{"stress", "--duration", "1ns"}, "--duration"},
		{"a peak of zero", []string{"stress", "--peak", "0"}, "--peak"},
		{"a peak beyond all bounds", []string{"stress", "--peak", "1e7"}, "--peak 1e+07"},
		{"a peak below all bounds", []string{"stress", "--peak", "0.0001"}, "--peak 0.0001"},
		{"a peak with steps too short", []string{"stress", "--peak", "2000", "--duration", "1s"}, "--duration"},
		{"an empty folder name", []string{"stress", "--out="}, "--out"},
		{"an empty table name", []string{"stress", "--table="}, "--table"},
		{"a partition that is nowhere near", []string{"stress", "--partition-key", "foo"}, "--partition-key"},
		{"a rate and a peak at once", []string{"stress", "--rate", "5", "--peak", "5"}, "rate"},
		{"no workers", []string{"stress", "--workers", "0"}, "--workers"},
		{"a partition that is not loaded", []string{"stress", "--partition-key", "2011 New York City Marathon__Ful"}, "2011 New York City Marathon__Full"},
		{"a policy that does not exist", []string{"stress", "--retry", "documentd"}, "documented"},
		{"a setting without a value", []string{"stress", "--set", "model.partition_target"}, "path=value"},
		{"a setting of a field that does not exist", []string{"stress", "--set", "model.partition_targt=5"}, "partition_target"},
		{"a setting that cannot be", []string{"stress", "--set", "model.partition_target=-5"}, "partition_target"},
		{"a format that does not exist", []string{"stress", "--format", "yaml"}, "--format"},
		{"a target that does not exist", []string{"stress", "--target", "azure"}, "--target azure"},
		{"a target that is nearly one", []string{"stress", "--target", "in-proces"}, "nearest is in-process"},
		{"a connection string on the command line", []string{"stress", "--target", "AccountName=races;AccountKey=" + planted}, "takes no connection string"},
		{"a URL with a signature in it", []string{"stress", "--target", "https://races.table.example.net/?sv=2019-02-02&sig=" + planted}, "file"},
		{"a URL with a password in it", []string{"stress", "--target", "https://races:" + planted + "@races.table.example.net"}, "--target"},
		{"a URL without a key", []string{"stress", "--target", "http://127.0.0.1:1/races"}, "--key-file"},
		{"a key file that is not there", []string{"stress", "--target", "http://127.0.0.1:1/races", "--key-file", "nokey"}, "nokey"},
		{"a key file that holds no key", []string{"stress", "--target", "http://127.0.0.1:1/races", "--key-file", "notkey"}, "base64"},
		{"a scheme that is none", []string{"stress", "--target", "ftp://127.0.0.1/races", "--key-file", "key"}, "--target"},
		{"a variable that is not set", []string{"stress", "--target", "env:LOADGEN_NOT_SET"}, "LOADGEN_NOT_SET"},
		{"a file that is not there", []string{"stress", "--target", "file:noconnection"}, "noconnection"},
		{"a connection string without an account", []string{"stress", "--target", "file:notconnection"}, "file:notconnection"},
		{"a key file for a target that has none", []string{"stress", "--key-file", "key"}, "--key-file"},
		{"a budget for a target that bills nothing", []string{"stress", "--budget", "5"}, "--budget"},
		{"a negative budget", []string{"stress", "--budget", "-5"}, "--budget -5"},
		{"a table of somebody else's", []string{"stress", "--target", "http://127.0.0.1:1/races", "--key-file", "key", "--table", "orders"}, "loadgen"},
		{"a table of one's own for a scenario that drops others", []string{"run", "high-volume-delete", "--table", "loadgenOwn"}, "expected no --table"},
		{"a table name that cannot be", []string{"stress", "--table", "a-b"}, "--table"},
		{"no scenario to run", []string{"run"}, "and got 0; `loadgen scenarios list`"},
		{"a scenario like no other", []string{"run", "nosuch"}, `loadgen: scenarios: unknown scenario "nosuch"; ` + "`loadgen scenarios list`"},
		{"keys in place of a scenario", []string{"run", "keys.csv"}, "`loadgen explain --from keys.csv`"},
		{"a folder that is a file", []string{"stress", "--out", "taken"}, "taken"},
		{"a folder below a file", []string{"stress", "--out", "taken/run"}, "taken"},
		{"a recording in a folder that is not there", []string{"stress", "--record", "nowhere/a.bin"}, "nowhere"},
	}
	for _, row := range rows {
		t.Chdir(t.TempDir())
		given := map[string]string{"taken": "", "key": planted, "notkey": planted + "!", "keys.csv": "PartitionKey\n", "notconnection": "AccountKey=" + planted}
		for name, text := range given {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := say(t, row.args...)
		if code != codeUsage {
			t.Errorf("%s: exit code = %d; want %d", row.sentence, code, codeUsage)
		}
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) {
			t.Errorf("%s: said %q on stdout and %q on stderr; want one line on stderr with %q", row.sentence, stdout, stderr, row.says)
		}
		if len(stderr) > longestFault {
			t.Errorf("%s: the line has %d characters; want %d at most", row.sentence, len(stderr), longestFault)
		}
		if strings.Contains(stderr, planted) {
			t.Errorf("%s: the line holds the secret: %q", row.sentence, stderr)
		}
		if left := leftIn(t, "."); len(left) != len(given) {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

// longestFault is how many characters a line about a fault has at most.
const longestFault = 400

// leftIn lists every file and folder below a folder.
func leftIn(t *testing.T, folder string) []string {
	t.Helper()
	var left []string
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if path != folder {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestRecordingOfBeforeIsKeptWhereNothingRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"taken", "old.bin"} {
		if err := os.WriteFile(name, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := say(t, "stress", "--record", "old.bin", "--out", "taken"); code != codeUsage {
		t.Errorf("stress --out of a file = %d %q; want %d", code, stderr, codeUsage)
	}
	if text, err := os.ReadFile("old.bin"); err != nil || string(text) != "precious" {
		t.Errorf("the recording of before holds %q, %v; want it untouched", text, err)
	}
}

func TestFolderThatHoldsARunIsNotOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("run.json", []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := say(t, "stress", "--out", "."); code != codeUsage || !strings.Contains(stderr, "already holds a run") {
		t.Errorf("stress --out of a folder with a run = %d %q; want %d and the reason", code, stderr, codeUsage)
	}
}

func TestHelpHasAnExample(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"stress", "--help"}, {"help", "exit-codes"}, {}} {
		code, stdout, stderr := say(t, args...)
		if code != codeOk || stderr != "" || !strings.Contains(stdout, "stress") && !strings.Contains(stdout, "130") {
			t.Errorf("loadgen %v = %d, stderr %q, stdout\n%s\nwant help on stdout", args, code, stderr, stdout)
		}
	}
	if _, stdout, _ := say(t, "stress", "--help"); !strings.Contains(stdout, "Examples:") {
		t.Error("the help of stress has no example")
	}
	if code, stdout, _ := say(t, "--version"); code != codeOk || !strings.HasPrefix(stdout, "loadgen version") {
		t.Errorf("loadgen --version = %d %q; want the version", code, stdout)
	}
}
