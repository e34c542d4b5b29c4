package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/report"
	"loadgen/report/compare"
	look "loadgen/report/text"
	"loadgen/results/resultstest"
	"loadgen/scenarios/run/runtest"
	"loadgen/scenarios/series"
)

var rewrite = flag.Bool("rewrite", false, "write what commands print in the pages of docs anew; read the difference before it is kept")

// pageOf is one of the project's pages.
func pageOf(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// elided stands on a page for lines that are left out.
const elided = "…"

// blocksOf returns the blocks of a page that are fenced for a language.
func blocksOf(page, language string) []string {
	var blocks []string
	for _, part := range strings.Split(page, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// command is one line that a page has typed, and the lines shown below it.
type command struct {
	typed string
	shown []string
}

// commandsOf returns what a console block has typed.
func commandsOf(block string) []command {
	var list []command
	for line := range strings.SplitSeq(strings.TrimSuffix(block, "\n"), "\n") {
		if typed, prompt := strings.CutPrefix(line, "$ "); prompt {
			list = append(list, command{typed: typed})
		} else if last := len(list) - 1; last >= 0 {
			list[last].shown = append(list[last].shown, line)
		}
	}
	return list
}

var typedWord = regexp.MustCompile(`'[^']*'|\S+`)

// wordsOf parts a command as a shell does, single quotes being all that it knows.
func wordsOf(typed string) []string {
	words := typedWord.FindAllString(typed, -1)
	for i, word := range words {
		words[i] = strings.Trim(word, "'")
	}
	return words
}

// shows reports whether a page's lines, of which some may be elided, are the output.
func shows(shown, output []string) bool {
	if len(shown) == 0 {
		return len(output) == 0
	}
	if shown[0] != elided {
		return len(output) > 0 && shown[0] == output[0] && shows(shown[1:], output[1:])
	}
	for from := range len(output) + 1 {
		if shows(shown[1:], output[from:]) {
			return true
		}
	}
	return false
}

// renew returns what a page is to show of an output: as many sections of it as stood
// before what was left out, and all of it where nothing was.
func renew(shown, output []string) []string {
	sections := strings.Count("\n"+strings.Join(shown, "\n")+"\n", "\n\n")
	for i, line := range output {
		if line == "" {
			sections--
		}
		if sections == 0 && len(shown) > 0 && shown[len(shown)-1] == elided {
			return append(output[:i+1:i+1], elided)
		}
	}
	return output
}

var baselineName = regexp.MustCompile(`\d{4}-\d\d-\d\d \([0-9a-f]{12}\)`)

// undated returns a text in which baselines have no day and no digest.
func undated(text string) string { return baselineName.ReplaceAllString(text, "a day (a digest)") }

func TestPagesShowWhatTheCommandsPrint(t *testing.T) {
	for _, page := range []string{"your-keys.md", "your-log.md", "your-pipeline.md"} {
		t.Run(page, func(t *testing.T) { checkShownOutput(t, page) })
	}
}

// checkShownOutput runs the commands in the console blocks of a page, in their order. With -rewrite it writes what they print
// in the page.
func checkShownOutput(t *testing.T, name string) {
	page := pageOf(t, "docs/"+name)
	path, err := filepath.Abs("../../docs/" + name)
	require.NoError(t, err)
	readersFolder(t)
	require.NoError(t, os.RemoveAll("results"))
	code, ran := codeOk, 0
	for _, block := range blocksOf(page, "console") {
		renewed := ""
		for _, c := range commandsOf(block) {
			output := strconv.Itoa(code)
			if c.typed != "echo $?" {
				var printed bytes.Buffer
				code = execute(context.Background(), undrawn(wordsOf(c.typed)[1:]), strings.NewReader(""), &printed, &printed)
				output = strings.TrimSuffix(printed.String(), "\n")
				ran++
			}
			shown, lines := strings.Split(undated(strings.Join(c.shown, "\n")), "\n"), strings.Split(output, "\n")
			if want := strings.Split(undated(output), "\n"); !*rewrite && !shows(shown, want) {
				t.Errorf("docs/%s differs from what `%s` prints (-page +printed):\n%s", name, c.typed, cmp.Diff(shown, want))
			}
			renewed += "$ " + c.typed + "\n" + strings.Join(renew(c.shown, lines), "\n") + "\n"
		}
		page = strings.Replace(page, "```console\n"+block, "```console\n"+renewed, 1)
	}
	assert.NotZero(t, ran, "the test finds no commands in the page")
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
	}
}

// Parts of scenarios and of Go files that pages show are in files that other tests run.
func TestPagesShowPartsOfFiles(t *testing.T) {
	scenarios := pageOf(t, "docs/fleet.yaml") + pageOf(t, "docs/race.yaml") + pageOf(t, "docs/sale.yaml") + pageOf(t, "docs/your-log.yaml")
	for page, text := range map[string]string{"your-table.md": scenarios, "your-log.md": scenarios, "go.md": pageOf(t, "scenarios/run/testdata/own/races_test.go")} {
		for _, block := range append(blocksOf(pageOf(t, "docs/"+page), "yaml"), blocksOf(pageOf(t, "docs/"+page), "go")...) {
			assert.Containsf(t, text, block, "docs/%s", page)
		}
	}
	faults := blocksOf(pageOf(t, "docs/your-application.md"), "yaml")[0]
	runtest.Parse(t, nightlyScenario+faults)
}

// pageLink is a relative link or picture of a page.
var pageLink = regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]*))?\)`)

func TestLinksOfPages(t *testing.T) {
	for _, page := range allPages(t) {
		for _, link := range pageLink.FindAllStringSubmatch(pageOf(t, page), -1) {
			target := page
			if link[1] != "" {
				target = path.Join(path.Dir(page), link[1])
			}
			_, err := os.Stat(filepath.Join("../..", target))
			assert.NoErrorf(t, err, "%s", page)
			if link[2] != "" && err == nil {
				assert.Containsf(t, anchors(pageOf(t, target)), link[2], "headings of %s, to which %s links", target, page)
			}
		}
	}
}

// allPages returns the project's Markdown pages but for the generated ones.
func allPages(t *testing.T) []string {
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/development/*.md", "results/baselines/*.md"} {
		found, err := filepath.Glob("../../" + pattern)
		require.NoError(t, err)
		for _, file := range found {
			pages = append(pages, strings.TrimPrefix(filepath.ToSlash(file), "../../"))
		}
	}
	require.GreaterOrEqual(t, len(pages), 20)
	return pages
}

// anchors returns the names by which the headings of a page can be linked to.
func anchors(page string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// twoCities returns a file of keys: a row a second, in turn of two partitions.
func twoCities() string {
	var rows strings.Builder
	rows.WriteString("PartitionKey,RowKey,Timestamp\n")
	for i := range 400 {
		fmt.Fprintf(&rows, "%s,%d,%d\n", []string{"NYC", "Rome"}[i%2], i, 1_780_000_000+i)
	}
	return rows.String()
}

// The first screen of each kind of answer, at 80 columns: every one was read as somebody reads it who knows neither
// the code nor the run.
func TestFirstScreens(t *testing.T) {
	leftOutWhenShort(t)
	golden, err := filepath.Abs("testdata/screens")
	require.NoError(t, err)
	page := pageOf(t, "docs/your-log.log.gz")
	scenario := pageOf(t, "docs/your-log.yaml")
	choiceIn(t)
	put(t, map[string]string{"keys.csv": twoCities(), "your-log.log.gz": page, "your-log.yaml": scenario})
	for _, row := range []struct{ name, typed string }{
		{"simulate", "simulate stress-one-partition --one-profile --out a"},
		{"simulate-seed", "simulate stress-one-partition --one-profile --seed 7 --out b"},
		{"simulate-anti-pattern", "simulate stress-one-partition --one-profile --anti-pattern --out c"},
		{"simulate-bursts", "simulate page-size --one-profile --out d"},
		{"simulate-invariants", "simulate lost-updates --one-profile --anti-pattern --out e"},
		{"simulate-sweep", "simulate choice.yaml --one-profile --sweep seed=1,2 --out swept"},
		{"simulate-transfers", "simulate bank-transfer --one-profile --out f"},
		{"explain", "explain choice.yaml"},
		{"explain-keys", "keys keys.csv --rate 50"},
		{"explain-keys-over", "keys keys.csv --rate 5000"},
		{"explain-log", "logs your-log.log.gz"},
		{"replay", "logs replay your-log.log.gz your-log.yaml --partition-key {year} --row-key {division}_{bib:05d}"},
		{"contest", "contest choice.yaml --count 2 --one-profile --out contest"},
		{"backoff", "backoff contest --clients 20 --outage 2s none js"},
		{"compare", "compare a b"},
		{"gate", "gate choice.yaml --accept first"},
	} {
		args := strings.Fields(row.typed)
		if slices.Contains([]string{"simulate", "contest"}, args[0]) {
			args = append(args, "--quiet")
		}
		code, stdout, stderr := say(t, args...)
		assert.Containsf(t, []int{codeOk, codeExpectation, codeRegression, codeInconclusive}, code, "%s: %s", row.name, stderr)
		assert.Emptyf(t, promised("text", stdout), "%s:\n%s", row.name, stdout)
		resultstest.CheckGolden(t, filepath.Join(golden, row.name+".golden"), undated(stdout))
	}
	files, err := os.ReadDir(golden)
	require.NoError(t, err)
	assert.Len(t, files, 16, "goldens of commands that are not run")
}

// The regression that the page shows is what the gate says of half the partition target.
func TestPipelinePageShowsARegression(t *testing.T) {
	leftOutWhenShort(t)
	shown := blocksOf(pageOf(t, "docs/your-pipeline.md"), "text")
	record := runtest.Simulate(t, runtest.Builtin(t, "stress-one-partition", "model.partition_target=1000"))
	// The program takes the scenario for the same as ever.
	record.Manifest.Scenario = runtest.Simulate(t, runtest.Builtin(t, "stress-one-partition")).Manifest.Scenario
	one, err := (&series.Gate{Baselines: filepath.Join("..", "..", "results", "baselines")}).Rule(record.Record, "")
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, report.Print(&text, compare.ResultsDocument([]compare.Result{one}), report.FormText, look.Look{}))
	page, printed := strings.Split(strings.TrimSpace(undated(shown[0])), "\n"), strings.Split(strings.TrimSpace(undated(text.String())), "\n")
	if !shows(page, printed) {
		t.Errorf("docs/your-pipeline.md differs from what the gate says (-page +printed):\n%s", cmp.Diff(page, printed))
	}
}

// nightlyScenario loads one partition between the two limits of the test.
//
//go:embed testdata/nightly.yaml
var nightlyScenario string

// The workflow of the page runs in a folder that has nothing of ours but the program: the first
// night stores a baseline, the second is compared with it.
func TestPipelinePageWorkflow(t *testing.T) {
	leftOutWhenShort(t)
	t.Parallel()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct{ Name, Run string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(blocksOf(pageOf(t, "docs/your-pipeline.md"), "yaml")[0]), &workflow))
	folder, service := t.TempDir(), newService(t, model.Documented, 0)
	itself, err := os.Executable()
	require.NoError(t, err)
	program := fmt.Sprintf("#!/bin/bash\nIFS=$'\\n'\n%s=\"$*\" exec %s\n", asProgram, itself)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "loadgen"), []byte(program), 0o700))
	text := strings.NewReplacer("for: 2s", "for: 1s", "rate: 650", "rate: 300").Replace(nightlyScenario)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "orders.yaml"), []byte(text), 0o600))
	connection := fmt.Sprintf("AccountName=races;AccountKey=%s;TableEndpoint=%s;", planted, service.url)
	for night := range 2 {
		for _, step := range workflow.Jobs["gate"].Steps {
			if step.Run == "" || step.Name == "Install" {
				continue
			}
			shell := exec.Command("bash", "-e", "-c", strings.Replace(step.Run, "--count 8", "--count 4", 1))
			shell.Dir = folder
			shell.Env = []string{"PATH=" + folder + ":/usr/bin:/bin", "TABLES=" + connection, "GITHUB_SHA=1a2b3c", "GITHUB_STEP_SUMMARY=summary.md", "HOME=" + folder}
			said, err := shell.CombinedOutput()
			// A busy machine may spoil a night (13), and a change by chance is one (11): both are verdicts.
			if step.Name == "Gate" {
				assert.Containsf(t, []int{0, 11, 13}, shell.ProcessState.ExitCode(), "night %d: %v: %s", night, err, said)
				continue
			}
			assert.NoErrorf(t, err, "%s: %s", step.Name, said)
		}
	}
	summary, err := os.ReadFile(filepath.Join(folder, "summary.md"))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(summary), "# loadgen gate"))
	xml, err := os.ReadFile(filepath.Join(folder, "gate.xml"))
	require.NoError(t, err)
	assert.Contains(t, string(xml), "<testsuite ")
}

// The page, the help and the gates have the same exit codes.
func TestPipelinePageHasTheExitCodes(t *testing.T) {
	page := pageOf(t, "docs/your-pipeline.md")
	_, exitCodes := helpSection("exit-codes")
	for o := compare.Same; o <= compare.Invalid; o++ {
		code := strconv.Itoa(compare.ExitCode([]compare.Result{{Outcome: o}}))
		assert.Containsf(t, page, "\n| "+code+" |", "exit code of %q", o)
		assert.Regexpf(t, `(?m)^ +`+code+` {3}\S`, exitCodes, "`loadgen help exit-codes`, %q", o)
	}
	const order = "13, 10, 11, 12"
	assert.Contains(t, page, order)
	assert.Contains(t, exitCodes, order)
	for _, form := range compare.Forms() {
		assert.Containsf(t, page, "`"+form.Ending+"`", "form %s", form.Name)
	}
}

// Control characters in names that a user, a file or a server gives never reach a terminal.
func TestControlCharactersAreEscaped(t *testing.T) {
	t.Parallel()
	const planted = "a\x1b[31m\x07\u009b2J\u202eb"
	folder := t.TempDir()
	scenario, table := filepath.Join(folder, planted+".yaml"), filepath.Join(folder, planted+".csv")
	require.NoError(t, os.WriteFile(scenario, []byte("name: x\nphases: [{name: \"p"+`\x1b`+"\"}]\n"), 0o600))
	require.NoError(t, os.WriteFile(table, []byte("PartitionKey,"+planted+"\n"+planted+",1\n"+planted+",2\n"), 0o600))
	for _, args := range [][]string{
		{planted}, {"run", "--" + planted}, {"run", planted}, {"scenarios", "check", scenario}, {"simulate", scenario}, {"keys", table},
		{"keys", table, "--row-key", "{" + planted + "}"}, {"keys", table, "--suggest", "--rate", "100"}, {"keys", planted}, {"logs", table}, {"report", planted},
		{"compare", planted, planted}, {"serve", "--data-dir", table + "/" + planted}, {"help", planted}, {"scenarios", "list", planted},
	} {
		_, stdout, stderr := say(t, args...)
		assert.NotEmptyf(t, stdout+stderr, "%q", args)
		for _, c := range stdout + stderr {
			if c != '\n' && c != '\t' && unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) {
				t.Errorf("%q prints %U:\n%q", args, c, stdout+stderr)
				break
			}
		}
	}
}
