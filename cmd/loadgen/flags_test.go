package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
)

// verbsOf returns every command below one, and that itself.
func verbsOf(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, part := range c.Commands() {
		list = append(list, verbsOf(part)...)
	}
	return list
}

// A name of before is a fault that has the name of now, wherever that is one, and no alias.
func TestRenamedFlags(t *testing.T) {
	seen := make(map[string]bool)
	for _, one := range renamedFlags() {
		for _, was := range strings.Fields(one.was) {
			found := 0
			for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
				typed := c.CommandPath() + " --" + was
				if !one.concerns(c) || c.Flags().Lookup(was) != nil || seen[typed] {
					continue
				}
				found, seen[typed] = found+1, true
				want := "loadgen: --" + was + " is " + one.is + " now; expected that\n"
				if code, stdout, stderr := say(t, append(strings.Fields(typed)[1:], "x")...); code != codeUsage || stdout != "" || stderr != want {
					t.Errorf("%s = %d %q %q; want %d and %q", typed, code, stdout, stderr, codeUsage, want)
				}
			}
			assert.Truef(t, found != 0, "no verb answers --%s with %s", was, one.is)
		}
	}
}

// What peers call a thing leads to what it is called here: to a flag that the verb has, or to
// what can be typed without one.
func TestPeersFlags(t *testing.T) {
	for _, one := range peerFlags() {
		for theirs := range strings.FieldsSeq(one.theirs) {
			typed := "--" + theirs
			if len(theirs) == 1 {
				typed = "-" + theirs
			}
			for _, verb := range [][]string{{"stress"}, {"run", "day-key"}} {
				code, stdout, stderr := say(t, append(verb, typed, "10")...)
				hint := strings.TrimPrefix(stderr, "loadgen: there is no flag "+typed+"; ")
				assert.Truef(t, code == codeUsage && stdout == "" && hint != stderr && strings.Count(stderr, "\n") == 1,
					"%v %s = %d %q %q; want %d and one line with a hint", verb, typed, code, stdout, stderr, codeUsage)
				if !strings.Contains(hint, "use "+one.otherwise) && !strings.Contains(hint, one.says+": --") {
					t.Errorf("%v %s says %q; want a hint of its row", verb, typed, hint)
				}
			}
		}
		if set, is := strings.CutPrefix(one.otherwise, "--set "); is {
			set, _, _ = strings.Cut(strings.NewReplacer("NAME", "report", "OPERATIONS_PER_SECOND", "5", "LENGTH", "9s",
				"CHECKS", "[throttled < 1%]").Replace(set), ";")
			if code, _, stderr := say(t, "scenarios", "show", "day-key", "--effective", "--set", set); code != codeOk {
				t.Errorf("the hint --set %s = %d %q; want it to be taken", set, code, stderr)
			}
		}
	}
}

// A locale that shows nothing but ASCII is given nothing else; where none is set, all is
// shown.
func TestLocalesThatShowMoreThanASCII(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		environment map[string]string
		want        bool
	}{
		{"nothing is set", nil, true},
		{"the C locale", map[string]string{"LANG": "C"}, false},
		{"the POSIX locale", map[string]string{"LANG": "POSIX"}, false},
		{"Latin 1", map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
		{"UTF-8", map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{"UTF-8 as the C library writes it", map[string]string{"LANG": "C.utf8"}, true},
		{"what counts for characters comes before LANG", map[string]string{"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, true},
		{"and what counts for all before that", map[string]string{"LC_ALL": "C", "LC_CTYPE": "en_US.UTF-8"}, false},
	} {
		for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
			t.Setenv(name, row.environment[name])
		}
		assert.Equalf(t, row.want, !new(formFlags).look(new(bytes.Buffer)).ASCII, "%s: more than ASCII is shown", row.sentence)
	}
}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)

// flagsIn returns the flags that a page lists.
func flagsIn(page string) (names []string) {
	_, page, _ = strings.Cut(page, "\nUsage:")
	for _, match := range flagLine.FindAllStringSubmatch(page, -1) {
		names = append(names, match[1])
	}
	return names
}

// maxFlagWords is how many words say what a flag does.
const maxFlagWords = 12

// The help of a verb begins with a sentence and examples and lists the flags that are used most; help VERB --all lists
// each flag once. Both are made of the same text, in which each flag and each verb has its line.
func TestHelpListsFlags(t *testing.T) {
	lines := 0
	for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
		words := strings.Fields(c.CommandPath())[1:]
		_, few, _ := say(t, append(slices.Clone(words), "--help")...)
		lines += strings.Count(few, "\n")
		if !c.HasParent() || slices.Contains(strings.Fields(topicNames), c.Name()) {
			continue
		}
		assert.Regexp(t, `^.+\.\n\nExamples:\n(  loadgen .+\n){1,4}\nUsage: loadgen `, few)
		_, all, _ := say(t, append([]string{"help", "--all"}, words...)...)
		var want []string
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "help" || f.Hidden {
				return
			}
			want = append(want, f.Name)
			says := strings.Fields(f.Usage)
			assert.Truef(t, 0 < len(says) && (len(says) <= maxFlagWords || f.Name == "format"), "--%s: %q; want 1 to %d words", f.Name, f.Usage, maxFlagWords)
		})
		assert.ElementsMatchf(t, want, flagsIn(all), "help --all %v: each flag once", words)
		shown := flagsIn(few)
		assert.Subset(t, want, shown, words)
		assert.LessOrEqual(t, len(shown), maxShownFlags, words)
		assert.GreaterOrEqual(t, len(shown)+len(strings.Fields(commonFlags)), min(5, len(want)), words)
		assert.Truef(t, len(shown) == len(want) || strings.Contains(few, "loadgen help "+strings.Join(words, " ")+" --all"), "%v --help names the command that shows all", words)
	}
	assert.LessOrEqual(t, lines, 800, "lines of all help")
}

// Each example of the help is a command of a verb that exists, with its flags and arguments. Those that take no time and need no
// service are run: scenarios and keys, and what reads two stored runs.
func TestHelpExamplesRun(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"keys.csv": "partition_key,row_key\na,1\na,2\nb,1\n", "readings.csv": "device,reading\nd1,1\nd2,2\n",
		"token": strings.Repeat("ab", 32)})
	brief := []string{"simulate", "stress", "--quiet", "--one-profile", "--set", "phases.load.entities=100", "--set", "phases.peak.rates=[50]", "--set", "phases.peak.each=1s"}
	for range 2 {
		code, _, stderr := say(t, brief...)
		require.Equal(t, codeOk, code, stderr)
	}
	code, _, stderr := say(t, "scenarios", "init", "my-table.yaml")
	require.Equal(t, codeOk, code, stderr)
	runs := 0
	for _, verb := range verbsOf(newRoot(io.Discard, io.Discard)) {
		for line := range strings.SplitSeq(verb.Example, "\n") {
			typed, _, _ := strings.Cut(remark.ReplaceAllString(strings.TrimSpace(line), ""), " < ")
			words := wordsOf(strings.ReplaceAll(redirection.ReplaceAllString(typed, ""), `"`, "'"))
			if len(words) == 0 {
				continue
			}
			words = words[1:]
			c, rest, err := rootOfPages().Find(words)
			require.NoError(t, err, line)
			require.NoError(t, c.ParseFlags(rest), line)
			require.NoError(t, c.ValidateArgs(c.Flags().Args()), line)
			switch verb := strings.TrimPrefix(c.CommandPath(), "loadgen "); {
			case slices.Contains(words, "--target"), verb == "scenarios patterns", verb == "backoff contest":
			case slices.Contains(words, "before"), slices.Contains(words, "init"), slices.Contains(words, "-"), slices.Contains(words, "docs"):
			case slices.Contains([]string{"scenarios", "keys", "backoff", "report", "runs", "compare", "version", "help"}, words[0]):
				code, stdout, stderr := say(t, words...)
				assert.Containsf(t, []int{codeOk, codeExpectation, codeInconclusive}, code, "%s: %s%s", line, stdout, stderr)
				runs++
			}
		}
	}
	assert.Greater(t, runs, 25)
}

// The name of a flag has one meaning in all verbs that have it.
func TestFlagsHaveOneMeaning(t *testing.T) {
	meaning := make(map[string]string)
	for _, c := range verbsOf(newRoot(io.Discard, io.Discard)) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, says := pflag.UnquoteUsage(f)
			assert.Falsef(t, strings.Contains(value, " ") || strings.Contains(says, "\n"), "%s --%s calls its value %q, and says %q", c.CommandPath(), f.Name, value, says)
			says, _, _ = strings.Cut(says, ": text,") // the forms are the verb's
			if before, known := meaning[f.Name]; known && before != says && f.Name != "help" {
				t.Errorf("%s --%s: %q; elsewhere %q", c.CommandPath(), f.Name, says, before)
			}
			meaning[f.Name] = says
		})
	}
	delete(meaning, "help")
	assert.LessOrEqual(t, len(meaning), 110, "distinct names of flags")
	assert.LessOrEqual(t, declaredFlags(t), 190, "declared flags")
}

// declaredFlags counts the fields with the tag of a flag.
func declaredFlags(t *testing.T) int {
	declared := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		declared += strings.Count(string(text), "`flag:\"")
		return err
	}))
	return declared
}

// What is typed comes before the environment, that before the scenario, and a bad value is told
// of by its variable.
func TestEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	small := []string{"simulate", "stress", "--quiet", "--one-profile", "--set", "phases.load.entities=100", "--set", "phases.peak.rates=[50]", "--set", "phases.peak.each=1s"}
	for _, row := range []struct {
		sentence, variable, value string
		args                      []string
		code                      int
		stdout, stderr            string
	}{
		{"a form", "LOADGEN_FORMAT", "json", []string{"scenarios", "list"}, codeOk, `"name": "stress"`, ""},
		{"a form that was typed", "LOADGEN_FORMAT", "json", []string{"scenarios", "list", "--format", "text"}, codeOk, "\n  stress ", ""},
		{"nothing", "LOADGEN_FORMAT", "", []string{"scenarios", "list"}, codeOk, "\n  stress ", ""},
		{"a form that the verb has not", "LOADGEN_FORMAT", "hlog", []string{"scenarios", "list"}, codeUsage, "", "loadgen: LOADGEN_FORMAT=hlog: expected text, json"},
		{"a bad form that was typed", "LOADGEN_FORMAT", "json", []string{"scenarios", "list", "--format", "yaml"}, codeUsage, "", `loadgen: --format "yaml": expected text, json`},
		{"a form that a verb of its own has not", "LOADGEN_FORMAT", "hlog", []string{"runs", "list"}, codeUsage, "", "hlog"},
		{"a seed before the scenario's", "LOADGEN_SEED", "77", append(small, "--format", "json"), codeOk, `"seed": 77`, ""},
		{"a seed that was typed", "LOADGEN_SEED", "77", append(small, "--format", "json", "--seed", "78"), codeOk, `"seed": 78`, ""},
		{"a seed that is none", "LOADGEN_SEED", "dice", small, codeUsage, "", "loadgen: LOADGEN_SEED=dice: expected a whole number of 0 or more\n"},
		{"a way to show that is none", "LOADGEN_UI", "jsn", small, codeUsage, "", "loadgen: LOADGEN_UI=jsn: expected auto, plain, none or json; the nearest is json\n"},
		{"no progress", "LOADGEN_QUIET", "true", append(slices.DeleteFunc(slices.Clone(small), func(s string) bool { return s == "--quiet" }), "--format", "json"), codeOk, "verdict", ""},
		{"where runs are kept", "LOADGEN_RUNS", "kept", []string{"runs", "list"}, codeUsage, "", "the folder kept cannot be read"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv(row.variable, row.value)
			code, stdout, stderr := say(t, row.args...)
			if code != row.code || !strings.Contains(stdout, row.stdout) || !strings.Contains(stderr, row.stderr) || row.code == codeOk && row.stderr == "" && stderr != "" {
				t.Errorf("%s=%s %v = %d, %q on stderr, and\n%.400s\nwant %d, %q and %q", row.variable, row.value, row.args, code, stderr, stdout, row.code, row.stderr, row.stdout)
			}
		})
	}
}

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
	require.NoError(t, err)
	return left
}

// addFiles adds the texts of the files below a folder.
func addFiles(t *testing.T, texts map[string]string, folder string) {
	t.Helper()
	for _, name := range leftIn(t, folder) {
		if text, err := os.ReadFile(name); err == nil {
			texts[name] = string(text)
		}
	}
}

// withoutKey checks that no text has eight bytes of the planted key in a row, encoded or not.
func withoutKey(t *testing.T, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		assert.NotContainsf(t, text, "plantedsecret", "%s has the key", name)
		for i := 0; i+12 <= len(planted); i += 4 {
			assert.NotContainsf(t, text, planted[i:i+12], "%s has a part of the key", name)
		}
	}
}

// What is said of what a run has made is what becomes of it.
func TestFarewell(t *testing.T) {
	table := func(account int, name, where string) run.Remain {
		return run.Remain{Resource: campaign.Resource{What: campaign.ResourceTable, Name: name, Account: account}, Where: where}
	}
	kept, doubtful := table(0, "loadgena", "http://one"), table(0, "loadgena", "http://one")
	kept.Kept, doubtful.Doubtful = true, true
	queue := run.Remain{Resource: campaign.Resource{What: campaign.ResourceQueue, Name: "loadgena-moves"}, Where: "http://queues"}
	for _, row := range []struct {
		sentence     string
		made         []run.Remain
		ending       string
		left, atOnce string
	}{
		{"nothing was made", nil, "", "", ""},
		{"a table", []run.Remain{table(0, "loadgena", "http://one")}, "interrupted: dropping table loadgena at http://one, for 7 s at most; Ctrl-C again leaves it\n",
			"left: table loadgena at http://one\nto drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n", "the same"},
		{"the same name in two accounts, and a queue", []run.Remain{table(0, "loadgena", "http://one"), table(1, "loadgena", "http://two"), queue},
			"interrupted: dropping table loadgena at http://one, table loadgena at http://two and queue loadgena-moves at http://queues, for 17 s at most; Ctrl-C again leaves them\n",
			"left: table loadgena at http://one\nleft: table loadgena at http://two\nleft: queue loadgena-moves at http://queues\n" +
				"to drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n", "the same"},
		{"a table that is to be kept", []run.Remain{kept}, "interrupted: --keep leaves table loadgena at http://one\n", "",
			"left: table loadgena at http://one\nto drop it: loadgen doctor --clean --yes --table loadgena, with the same --target\n"},
		{"a table of which nobody knows whose it is", []run.Remain{doubtful}, "",
			"perhaps left: table loadgena at http://one; no reply says whether it was created\n", "the same"},
	} {
		var said bytes.Buffer
		f := newShutdownNotice(&said)
		next := func() string {
			text := said.String()
			said.Reset()
			return text
		}
		for _, one := range row.made {
			f.Set(one, true)
		}
		if row.atOnce == "the same" {
			row.atOnce = row.left
		}
		f.marked = f.List()
		f.Ending("interrupted", "Ctrl-C again")
		assert.Equalf(t, row.ending, next(), "%s: at the end it says", row.sentence)
		f.WriteLeftovers(false)
		assert.Equalf(t, row.left, next(), "%s: of what is left it says", row.sentence)
		f.WriteLeftovers(true)
		assert.Equalf(t, row.atOnce, next(), "%s: of what is left at once it says", row.sentence)
		for _, one := range row.made {
			f.Set(one, false)
		}
		f.Ending("interrupted", "Ctrl-C again")
		assert.Equalf(t, row.ending, next(), "%s: once all is gone it says of the mark", row.sentence)
		f.marked = f.List()
		f.Ending("interrupted", "Ctrl-C again")
		f.WriteLeftovers(true)
		assert.Emptyf(t, next(), "%s: once all is gone it says", row.sentence)
	}
}

// What is said beside bars stays: the next drawing begins below it.
func TestAsideLeavesWhatWasSaid(t *testing.T) {
	var to bytes.Buffer
	b := &bars{watchedStage: watchedStage{to: &to}, columns: func() int { return 0 }}
	p := &progressView{screen: b}
	b.draw("a bar", "a status")
	p.Aside(func() { to.WriteString("interrupted\n") })
	b.draw("a bar", "a status")
	b.draw("a bar", "a status")
	assert.Equal(t, "a bar\na status\ninterrupted\na bar\na status\n\x1b[2A\x1b[Ja bar\na status\n", to.String(), "the terminal")
}
