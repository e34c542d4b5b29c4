package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// TestScripts runs the scripts of testdata/script: a file for each verb, and for each verb what it
// refuses. Their commands run the program in this process:
//
//	loadgen ARGS            the program; an argument <FILE is its standard input
//	exit CODE loadgen ARGS  the same, which has to end with the exit code
//	refuse WORDS ARGS       the program has to refuse this: exit code 2, one line with the words,
//	                        nothing on stdout, no file written, no secret printed
//	refuses N WORDS ARGS    the same in N lines
//	interrupted ARGS        the program, interrupted before it begins: exit code 130
//	live CODE ARGS          the program in fake time, with the engine in process
//	json FILE POINTER VALUE the value at a JSON pointer; len=N, ~PART or LOW..HIGH as well
//	forms FORMS ARGS        the program prints each of the forms, or all, on one screen as text, and refuses any other form;
//	                        ! forms: a list, which may be longer and wider than a screen
//	files N FOLDER          how many files and folders there are below a folder
//	kept FOLDER NIGHT SCENARIO TIME VALIDITY [MANIFEST]  a stored run of 24 reads that take so long
//	replace FILE OLD NEW    replaces a text in a file
//	cut FILE                leaves half of a file
//	rows FILE N FORMAT TERM...  appends N lines; a TERM is /DIVISOR, %MODULUS or /DIVISOR%MODULUS
func TestScripts(t *testing.T) {
	t.Parallel() // with tests that do not depend on the working directory
	scripts, err := filepath.Abs("testdata/script")
	require.NoError(t, err)
	testscript.RunT(scriptT{t}, testscript.Params{
		Dir: scripts,
		Setup: func(env *testscript.Env) error {
			env.Values[testKey{}] = env.T().(scriptT).T
			env.Setenv("KEY", planted)
			env.Setenv("NL", "\n")
			env.Setenv("ESC", "\x1b")
			env.Setenv("MODULE", filepath.Join(scripts, "../../../.."))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"loadgen": scriptLoadgen, "exit": scriptExit, "refuse": scriptRefuse, "refuses": scriptRefuses,
			"interrupted": scriptInterrupted, "live": scriptLive, "json": scriptJSON, "files": scriptFiles,
			"forms": scriptForms, "kept": scriptKept, "replace": scriptReplace, "cut": scriptCut, "rows": scriptRows,
		},
	})
}

// testKey is under what a script has its test.
type testKey struct{}

// scriptT makes the test of a script known to its commands.
type scriptT struct{ *testing.T }

func (t scriptT) Verbose() bool { return testing.Verbose() }

func (t scriptT) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(scriptT{t}) })
}

// Parallel does nothing: the working directory is that of one script at a time.
func (t scriptT) Parallel() {}

// runIn runs the program in the folder of the script.
func runIn(ts *testscript.TestScript, ctx context.Context, args []string) (code int, stdout, stderr string) {
	args = append([]string{}, args...) // for no arguments are those of this process to cobra
	stdin := io.Reader(strings.NewReader(""))
	if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "<") }); i >= 0 {
		stdin = strings.NewReader(ts.ReadFile(args[i][1:]))
		args = slices.Delete(args, i, i+1)
	}
	var out, said bytes.Buffer
	home, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	code = execute(ctx, undrawn(args), stdin, io.MultiWriter(&out, ts.Stdout()), io.MultiWriter(&said, ts.Stderr()))
	ts.Check(os.Chdir(home))
	return code, out.String(), said.String()
}

func scriptLoadgen(ts *testscript.TestScript, neg bool, args []string) {
	if code, _, _ := runIn(ts, context.Background(), args); (code != codeOk) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

func scriptExit(ts *testscript.TestScript, _ bool, args []string) {
	if code, _, _ := runIn(ts, context.Background(), args[2:]); fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d; want %s", code, args[0])
	}
}

func scriptInterrupted(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	if code, _, _ := runIn(ts, ctx, args); code != codeInterrupted {
		ts.Fatalf("exit code %d; want %d", code, codeInterrupted)
	}
}

func scriptRefuse(ts *testscript.TestScript, neg bool, args []string) {
	scriptRefuses(ts, neg, append([]string{"1"}, args...))
}

func scriptRefuses(ts *testscript.TestScript, _ bool, args []string) {
	lines, words, args := args[0], args[1], args[2:]
	before := filesBelow(ts, ".")
	code, stdout, stderr := runIn(ts, context.Background(), args)
	told := fmt.Sprint(strings.Count(stderr, "\n")) == lines && strings.Contains(stderr, words)
	if code != codeUsage || stdout != "" || !told {
		ts.Fatalf("exit code %d; want %d, nothing on stdout and %s line with %q", code, codeUsage, lines, words)
	}
	if len(stderr) > longestFault || strings.ContainsAny(stderr, "\x1b\x07") {
		ts.Fatalf("the line has %d characters, or an escape; want %d at most", len(stderr), longestFault)
	}
	if strings.Contains(stderr, planted) {
		ts.Fatalf("the line has the secret")
	}
	if after := filesBelow(ts, "."); !slices.Equal(before, after) {
		ts.Fatalf("%v is left of %v; want the same", after, before)
	}
}

func scriptLive(ts *testscript.TestScript, _ bool, args []string) {
	var code int
	synctest.Test(ts.Value(testKey{}).(*testing.T), func(*testing.T) {
		code, _, _ = runIn(ts, context.Background(), append(args[1:], "--target", "in-process"))
	})
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d; want %s", code, args[0])
	}
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	for step := range strings.FieldsFuncSeq(args[1], func(c rune) bool { return c == '/' }) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			n, err := strconv.Atoi(step)
			if ts.Check(err); n >= len(v) {
				ts.Fatalf("%s: %d elements", args[1], len(v))
			}
			value = v[n]
		default:
			value = nil
		}
	}
	if valueIs(value, args[2]) == neg {
		ts.Fatalf("%s is %v; want %s", args[1], value, args[2])
	}
}

// valueIs reports whether a value of JSON is what a script says of it.
func valueIs(value any, want string) bool {
	if n, is := strings.CutPrefix(want, "len="); is {
		switch v := value.(type) {
		case []any:
			return fmt.Sprint(len(v)) == n
		case map[string]any:
			return fmt.Sprint(len(v)) == n
		}
		return n == "0" && value == nil
	}
	if number, is := value.(float64); is {
		low, high, ranged := strings.Cut(want, "..")
		if !ranged {
			high = low
		}
		least, err := strconv.ParseFloat(low, 64)
		most, err2 := strconv.ParseFloat(high, 64)
		return err == nil && err2 == nil && least <= number && number <= most && !math.IsNaN(number)
	}
	if part, is := strings.CutPrefix(want, "~"); is {
		return strings.Contains(fmt.Sprint(value), part)
	}
	return fmt.Sprint(value) == want
}

// filesBelow lists every file and folder below a folder, but the script's own.
func filesBelow(ts *testscript.TestScript, folder string) (list []string) {
	root := ts.MkAbs(folder)
	ts.Check(filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if first, _, _ := strings.Cut(name, string(filepath.Separator)); first != "." && first != ".tmp" {
			list = append(list, name)
		}
		return err
	}))
	return list
}

func scriptFiles(ts *testscript.TestScript, _ bool, args []string) {
	if list := filesBelow(ts, args[1]); fmt.Sprint(len(list)) != args[0] {
		ts.Fatalf("%s has %d files and folders, %v; want %s", args[1], len(list), list, args[0])
	}
}

func scriptKept(ts *testscript.TestScript, _ bool, args []string) {
	night, err := strconv.Atoi(args[1])
	ts.Check(err)
	takes, err := time.ParseDuration(args[3])
	ts.Check(err)
	t := ts.Value(testKey{}).(*testing.T)
	manifest := results.Manifest{Scenario: results.Scenario{Name: args[2], Text: "name: orders\n"}, Target: results.Embedded,
		Time: "real", Started: time.Date(2026, 3, 1+night, 2, 0, 0, 0, time.UTC),
		Operations: []results.Kind{{Name: "get", Group: "GET"}}}
	for _, one := range args[5:] {
		ts.Check(json.Unmarshal([]byte(one), &manifest))
	}
	folder, err := results.MakeDir(ts.MkAbs(args[0]), manifest.Started, args[2])
	ts.Check(err)
	run := &resultstest.Run{Manifest: manifest, Validity: args[4], End: 3 * time.Second, NoCounts: true,
		Phases:  []resultstest.Phase{{Phase: results.Phase{Name: "peak", End: time.Second, Rate: 24, Reported: true}}},
		Attempt: func(_ *resultstest.Operation, a *results.Attempt) { a.Done = a.Sent + takes }}
	recorder := run.Into(t, folder)
	ts.Check(recorder.Seal(verdict.Judge(resultstest.Read(t, folder))))
}

func scriptReplace(ts *testscript.TestScript, _ bool, args []string) {
	before := ts.ReadFile(args[0])
	changed := strings.ReplaceAll(before, args[1], args[2])
	if changed == before {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(changed), 0o600))
}

func scriptCut(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:len(text)/2]), 0o600))
}

func scriptRows(ts *testscript.TestScript, _ bool, args []string) {
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	var text bytes.Buffer
	for i := range count {
		var values []any
		for _, term := range args[3:] {
			divisor, modulus := 1, count
			term, after, _ := strings.Cut(term, "%")
			if after != "" {
				modulus, err = strconv.Atoi(after)
				ts.Check(err)
			}
			if term != "" {
				divisor, err = strconv.Atoi(term[1:])
				ts.Check(err)
			}
			values = append(values, i/divisor%modulus)
		}
		fmt.Fprintf(&text, args[2]+"\n", values...)
	}
	file, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	ts.Check(err)
	_, err = file.Write(text.Bytes())
	ts.Check(err)
	ts.Check(file.Close())
}

func scriptForms(ts *testscript.TestScript, neg bool, args []string) {
	forms, args := strings.Split(args[0], ","), args[1:]
	if forms[0] == "all" {
		forms = report.PrintForms()
	}
	for _, form := range forms {
		code, stdout, _ := runIn(ts, context.Background(), append(slices.Clone(args), "--format", form))
		if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) {
			ts.Fatalf("exit code %d", code)
		}
		isList := neg && form == report.FormText
		if fault := promised(form, stdout); fault != "" && !isList {
			ts.Fatalf("%s: %s", form, fault)
		}
		if lines := strings.Count(stdout, "\n"); form == report.FormText && !isList && lines > 31 {
			ts.Fatalf("%d lines; want one screen", lines)
		}
	}
	code, _, stderr := runIn(ts, context.Background(), append(slices.Clone(args), "--format", "xml"))
	for _, form := range report.PrintForms() {
		if code != codeUsage || !strings.Contains(stderr, form) {
			ts.Fatalf("exit code %d for a form that does not exist; want %d and %s named", code, codeUsage, form)
		}
	}
}

// promised returns what is wrong with an output in a form, empty where nothing is.
func promised(form, output string) string {
	switch form {
	case report.FormText:
		for line := range strings.Lines(output) {
			if columns := text.Columns(strings.TrimSuffix(line, "\n")); columns > 80 {
				return "a line is wider than 80 columns: " + line
			}
		}
	case report.FormJSON:
		if !json.Valid([]byte(output)) {
			return "it is no JSON"
		}
	case report.FormMarkdown:
		if !strings.HasPrefix(output, "# ") {
			return "it begins with no heading"
		}
	case report.FormPage:
		if !strings.HasPrefix(strings.ToLower(output), "<!doctype html>") || !strings.Contains(output, "</html>") {
			return "it is no page"
		}
	case report.FormCSV:
		if rows, err := csv.NewReader(strings.NewReader(output)).ReadAll(); err != nil || len(rows) < 2 {
			return "it is no table"
		}
	}
	return ""
}
