package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/scenarios/run"
)

// needsAccount stands on a page behind a command that a service has to be there for.
const needsAccount = "needs an account"

// pageCommand is a command that a page tells its reader to type.
type pageCommand struct {
	page, typed, comment string
	// shown is a command whose output the page shows (checkShownOutput runs it), or that is part of a job.
	shown bool
}

// words are the arguments of a loadgen command; nil of any other.
func (p pageCommand) words() []string {
	typed, is := strings.CutPrefix(strings.TrimPrefix(p.typed, "go run ./cmd/"), "loadgen ")
	if !is {
		return nil
	}
	typed = redirection.ReplaceAllString(typed, "")
	return wordsOf(strings.ReplaceAll(typed, `"`, "'"))
}

// theirs are the commands of other programs, and where each is run.
var theirs = map[string]string{
	"go test ./...":              ".ci/run, in a clone with an empty module cache",
	"go install ./cmd/loadgen":   ".github/workflows/gate.yml; TestAnEmptyRoot builds it",
	"docker build -t loadgen .":  "TestDockerfile reads it, TestAnEmptyRoot makes its root",
	"head -c 32 /dev/urandom >s": "readersFolder writes the file",
}

var (
	fence  = regexp.MustCompile("(?ms)^```(sh|console|text|yaml)\n(.*?)^```")
	remark = regexp.MustCompile(`\s+#\s.*$`)
	// redirection is that of the output, and no change of a metric such as > +10%.
	redirection = regexp.MustCompile(` >>? *[^ +-].*$`)
	codeSpan    = regexp.MustCompile("`loadgen ([a-z]+)[^`]*`")
	argsInJob   = regexp.MustCompile(`(?m)^\s*args: (?:&run )?\[(.*)\]$`)
	runInJob    = regexp.MustCompile(`(?m)^ *(?:- run: )?(loadgen [a-z].*)$`)
)

// rootOfPages knows the verbs that are there once one is executed as well.
func rootOfPages() *cobra.Command {
	root := newRoot(io.Discard, io.Discard)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// commandsOfPages returns every command of every page for users.
func commandsOfPages(t *testing.T) (list []pageCommand) {
	for _, page := range allPages(t) {
		text := pageOf(t, page)
		if !strings.HasPrefix(page, "docs/development/") {
			list = append(list, commandsOfPage(page, text)...)
		}
		for _, verb := range codeSpan.FindAllStringSubmatch(text, -1) {
			if c, _, err := rootOfPages().Find(verb[1:2]); err != nil || !c.HasParent() {
				t.Errorf("%s has `loadgen %s`, which is no verb", page, verb[1])
			}
		}
	}
	return list
}

func commandsOfPage(page, text string) (list []pageCommand) {
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		if block[1] == "yaml" {
			for _, line := range runInJob.FindAllStringSubmatch(block[2], -1) {
				list = append(list, pageCommand{page: page, typed: line[1], shown: true})
			}
			for _, line := range argsInJob.FindAllStringSubmatch(block[2], -1) {
				list = append(list, pageCommand{page: page, typed: "loadgen " + strings.ReplaceAll(line[1], ", ", " "), shown: true})
			}
			continue
		}
		for line := range strings.Lines(block[2]) {
			typed, prompted := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if block[1] != "sh" && !prompted || typed == "" || strings.HasPrefix(typed, "#") || typed == "echo $?" {
				continue
			}
			comment := remark.FindString(typed)
			list = append(list, pageCommand{page, strings.TrimSuffix(typed, comment), comment, prompted})
		}
	}
	return list
}

// commandsAreRun holds each command of the pages to what it says, and those that take seconds
// to no more than that they can be read, unless they are to be run as well.
func commandsAreRun(t *testing.T, long bool) {
	t.Helper()
	list := commandsOfPages(t)
	readersFolder(t)
	count := map[string]int{}
	for _, p := range list {
		how, err := p.check(t, long)
		assert.NoErrorf(t, err, "%s: %s", p.page, p.typed)
		count[how]++
	}
	t.Logf("%d commands: %v", len(list), count)
	for how, least := range map[string]int{needsAccount: 7, "of another program": 3, "shown": 15, "run": 12, "begun": 15} {
		assert.Truef(t, count[how] >= least,
			"%d commands are %s; want %d at least: the test reads the pages wrongly", count[how], how, least)
	}
}

// readersFolder changes into a folder that has what a reader of the pages has by then.
func readersFolder(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for from, to := range map[string]string{"../../docs/*.yaml": ".", "../../docs/*.gz": ".", "../../results/baselines/*": "results/baselines"} {
		files, err := filepath.Glob(from)
		require.Truef(t, err == nil && len(files) != 0, "%s: %v", from, err)
		require.NoError(t, os.MkdirAll(filepath.Join(folder, to), 0o755))
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(folder, to, filepath.Base(file)), text, 0o644))
		}
	}
	docs, err := filepath.Abs("../../docs")
	require.NoError(t, err)
	t.Chdir(folder)
	require.NoError(t, os.Symlink(docs, "docs"))
	require.NoError(t, os.Mkdir("logs", 0o755))
	log, err := os.ReadFile("your-log.log.gz")
	require.NoError(t, err)
	for name, text := range map[string][]byte{"secret": make([]byte, 32), "logs/a.log.gz": log} {
		require.NoError(t, os.WriteFile(name, text, 0o600))
	}
	require.NoError(t, os.WriteFile("keys.csv", []byte("partition_key,row_key\na,1\na,2\nb,1\n"), 0o644))
	var readings strings.Builder
	readings.WriteString("device,reading,celsius\n")
	for i := range 5000 {
		fmt.Fprintf(&readings, "d%03d,%d,%d\n", i%200, i, 15+i%7)
	}
	require.NoError(t, os.WriteFile("readings.csv", []byte(readings.String()), 0o644))
	for _, name := range []string{"my-table.yaml", "orders.yaml"} {
		if code, _, stderr := say(t, "scenarios", "init", name); code != codeOk {
			t.Fatalf("scenarios init %s = %d, %s", name, code, stderr)
		}
	}
}

// check runs a command, or says who does.
func (p pageCommand) check(t *testing.T, long bool) (how string, err error) {
	words := p.words()
	if words == nil {
		for begins := range theirs {
			if strings.HasPrefix(p.typed, begins) {
				return "of another program", nil
			}
		}
		return "unknown", errors.New("nothing runs it: name in theirs what does")
	}
	c, rest, err := rootOfPages().Find(words)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil || !c.HasParent() {
		return "unknown", errors.Join(err, errors.New("want a verb, its arguments and its flags"))
	}
	account := slices.Contains(words, "--target")
	switch {
	case account != strings.Contains(p.comment, needsAccount) && !p.shown:
		return "unknown", errors.New("with --target, and then alone, it is to say that it " + needsAccount)
	case account:
		return needsAccount, nil
	case p.shown:
		return "shown", nil
	case slices.Contains(words, "--against"): // TestLongGate
		return "begun", nil
	}
	return p.run(t, words, long)
}

// slow begin the commands that take long also on the virtual clock, or need what those leave.
var slow = []string{"simulate", "run", "contest", "report latest", "explain orders.yaml", "stress --retry documented", "stress --find-limit"}

// ranElsewhere begin those that are run as they are typed, and by whom.
var ranElsewhere = map[string]string{
	"gate --all":                       ".ci/run, the nightly set",
	"compare latest~1":                 "TestScripts/compare",
	"doctor":                           "TestAnEmptyRoot",
	"simulate my-table.yaml --profile": "TestAzuriteCalibrated, which makes a profile and simulates under it",
	"stress --processes":               "TestFleetsOfProcesses, and those beside it: several processes have no virtual clock",
}

// run runs a command as it is typed, or begins what has no end of its own. A command with an answer in its comment is always
// run, and prints the answer.
func (p pageCommand) run(t *testing.T, words []string, long bool) (how string, err error) {
	typed, answer := strings.Join(words, " "), ""
	if strings.ContainsAny(p.comment, "✓✗•") {
		answer = strings.TrimLeft(p.comment, " #")
	}
	for begins := range ranElsewhere {
		if strings.HasPrefix(typed, begins) {
			return "begun", nil
		}
	}
	if !long && answer == "" && slices.ContainsFunc(slow, func(begins string) bool { return strings.HasPrefix(typed, begins) }) {
		return "begun", nil
	}
	switch {
	case words[0] == "stress" && answer == "":
		plan, err := planned(t, words[1:]...)
		if err != nil {
			return "begun", err
		}
		return "begun", inASecond(t, plan)
	case words[0] == "serve":
		return "begun", served(t, words)
	case words[0] == "run":
		words = []string{"simulate", words[1]}
	case words[0] == "completion" || words[0] == "help":
		return "run", nil
	}
	if words[0] == "simulate" { // the second opinion is of the same command
		words = append(slices.Clone(words), "--one-profile", "--quiet")
	}
	var output bytes.Buffer
	if words[0] == "scenarios" && words[1] == "init" {
		if err := os.Remove(words[2]); err != nil {
			return "run", err
		}
	}
	code := execute(context.Background(), undrawn(words), strings.NewReader(""), &output, &output)
	if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) || !strings.Contains(output.String(), answer) {
		return "run", errors.New(output.String())
	}
	return "run", nil
}

// inASecond plays a run on the virtual clock, each step for a second.
func inASecond(t *testing.T, plan run.Plan) error {
	for path, value := range map[string]string{"phases.load.entities": "100", "phases.peak.each": "1s"} {
		if err := plan.Scenario.Set(path, value); err != nil {
			return err
		}
	}
	plan.On, plan.Runs, plan.Out, plan.Progress, plan.Driver = run.Simulated, "", "", nil, ""
	_, err := run.Run(t.Context(), plan)
	return err
}

// served starts a server at a free port, and ends it.
func served(t *testing.T, words []string) error {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var output resttest.Buffer
	if code := execute(ctx, append(slices.Clone(words), "--listen", "127.0.0.1:0"), strings.NewReader(""), &output, &output); code == codeUsage || code == codeInternal {
		return errors.New(output.String())
	}
	if !strings.Contains(output.String(), "127.0.0.1:") {
		return errors.New("it does not say where it listens: " + output.String())
	}
	return nil
}
