package report_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// keptRun is a short run as it is kept: judged, in a folder.
func keptRun(t *testing.T) (*results.Record, *results.Memory) {
	t.Helper()
	return keptPeak(t, 0, func(*results.Summary) {})
}

// keptPeak is keptRun with a peak that was asked about, and another summary.
func keptPeak(t *testing.T, peak float64, change func(*results.Summary)) (*results.Record, *results.Memory) {
	t.Helper()
	r := steps(3, 100, 400)
	r.Manifest.PeakAsked = peak
	folder := new(results.Memory)
	recorder := r.Into(t, folder)
	record, err := results.Read(folder)
	require.NoError(t, err)
	record.Summary = verdict.Judge(record)
	record.Validity, record.Reasons = record.Summary.Validity, record.Summary.Reasons
	change(record.Summary)
	require.NoError(t, recorder.Seal(record.Summary))
	return record, folder
}

// reread is a run as it is read again from its folder.
func reread(t *testing.T, folder results.Folder) *report.Kept {
	t.Helper()
	k, err := report.Read(folder)
	require.NoError(t, err)
	return k
}

// Every chart that the document of a run names is on its page, by the axis that is asked
// for.
func TestPageHasEveryChart(t *testing.T) {
	_, folder := keptRun(t)
	k := reread(t, folder)
	var page, even bytes.Buffer
	require.NoError(t, report.Page(&page, k))
	charts := 0
	for _, section := range k.Document.Sections {
		for _, block := range section.Blocks {
			if _, drawn := block.(document.Chart); drawn {
				charts++
			}
		}
	}
	assert.GreaterOrEqual(t, charts, 3, "charts")
	assert.GreaterOrEqual(t, strings.Count(page.String(), "<svg"), charts, "graphics of the page")
	assert.LessOrEqual(t, page.Len(), 1_500_000, "bytes of the page")
	if k.Axis = chart.Linear; report.Page(&even, k) != nil || bytes.Equal(even.Bytes(), page.Bytes()) {
		t.Error("the page is the same by another axis")
	}
}

// A run is illustrated by its charts and its page, which are those that are made of its
// record later.
func TestIllustrate(t *testing.T) {
	record, memory := keptRun(t)
	folder := results.Dir(t.TempDir())
	require.NoError(t, report.Illustrate(folder, record))
	entries, err := os.ReadDir(string(folder))
	require.Truef(t, err == nil && len(entries) >= 8, "the folder holds %v, %v; want charts and a page", entries, err)
	for _, entry := range entries {
		assert.Contains(t, report.Illustrations(), entry.Name())
	}
	var page bytes.Buffer
	require.NoError(t, report.Page(&page, reread(t, memory)))
	beside, err := os.ReadFile(string(folder) + "/report.html")
	assert.Truef(t, bytes.Equal(beside, page.Bytes()), "the page beside the run is another than that of its record, %v", err)
	full := results.Dir(string(folder) + "/nowhere")
	err = report.Illustrate(full, record)
	assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), "drawing the charts: ") && strings.Contains(err.Error(), "\nwriting the page: "),
		"in no folder, Illustrate = %v; want both to be told", err)
}

// ofTarget is the last column of a row of steps: what was served, as a share of the target.
var ofTarget = regexp.MustCompile(`^\s*\|?\s*[\d,.]+ .*?([\d.,]+)%\s*\|?$`)

// No step of a committed report serves more than the hard limit of its model.
func TestNoStepServesMoreThanItsLimit(t *testing.T) {
	const rounding, fewest = 100.5, 20
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	rows := 0
	for _, file := range append(files, "../cmd/loadgen/testdata/stress-verbose.txt") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		within := false
		for n, line := range strings.Split(string(text), "\n") {
			switch cells := ofTarget.FindStringSubmatch(line); {
			case strings.Contains(line, "attempts/op") && strings.Contains(line, "of target"):
				within = true
			case !within || strings.Contains(line, "---"):
			case cells == nil:
				within = false
			default:
				rows++
				if share, err := strconv.ParseFloat(strings.ReplaceAll(cells[1], ",", ""), 64); err != nil || share > rounding {
					t.Errorf("%s:%d: a step serves %s%% of its target: %s", file, n+1, cells[1], line)
				}
			}
		}
	}
	assert.Truef(t, rows >= fewest, "%d rows of steps in %d files; want %d and more", rows, len(files), fewest)
}

func TestPatternsInTheDocumentsOrder(t *testing.T) {
	list := []report.Pattern{
		{Row: "second", Name: "b-two", Says: "It does.", Contrary: "It does not.", Buys: "time | money", Costs: "care", Assumes: []string{"partition_target 200", "round_trip 40ms"}, Seeds: []uint64{7, 1, 2},
			Expected: []results.Check{{Expr: "violations == 0", Observed: "0", Ok: new(true)}, {Expr: "a < 2", Observed: "1", Ok: new(true)}},
			Denied:   []results.Check{{Expr: "violations == 0", Observed: "22", Ok: new(false)}, {Expr: "a < 2", Observed: "1", Ok: new(true)}},
			Comparisons: []verdict.Comparison{{Operation: "look_up", Name: "requests to one", Pattern: "1", Instead: "2 – 3", Origin: figure.Derived},
				{Name: "requests throttled", Pattern: "0%", Instead: "<0.1%", Origin: figure.Modelled}}},
		{Row: "first", Name: "a-one"}, {Row: "second", Name: "c-three"}, {Row: "unknown", Name: "d-four"},
	}
	var text strings.Builder
	require.NoError(t, report.Patterns(&text, []string{"first", "none", "second"}, list))
	resultstest.CheckGolden(t, "testdata/patterns.md", text.String())
	assert.ErrorIs(t, report.Patterns(resultstest.FullWriter{}, nil, nil), resultstest.ErrFull, "Patterns to a writer that fails")
}

// repeated returns the command that a report shows, as it would be copied.
func repeated(t *testing.T, command []string) string {
	t.Helper()
	record := &results.Record{Validity: results.Valid, Manifest: results.Manifest{Command: command}}
	_, shown, found := strings.Cut(text(t, record), "\nRepeat this run\n")
	require.Truef(t, found, "the report of %q shows no command", command)
	return strings.TrimSuffix(shown, "\n")
}

func TestCommandIsShownForAShell(t *testing.T) {
	for _, row := range []struct {
		name    string
		command []string
		want    string
	}{
		{"plain arguments stand as they are", []string{"loadgen", "stress", "--seed=7", "./a_b:c@d,e+f%"},
			"  loadgen stress --seed=7 ./a_b:c@d,e+f%"},
		{"spaces are quoted", []string{"loadgen", "two words"}, "  loadgen 'two words'"},
		{"an empty argument is one", []string{"loadgen", ""}, "  loadgen ''"},
		{"nothing is run by repeating", []string{"loadgen", "$(reboot)", "`x`", "a;b", "~", "*"},
			"  loadgen '$(reboot)' '`x`' 'a;b' '~' '*'"},
		{"a quote ends and begins again", []string{"loadgen", "it's"}, `  loadgen 'it'\''s'`},
		{"letters of every script can be shown", []string{"loadgen", "größe"}, "  loadgen 'größe'"},
		{"what cannot be shown is escaped", []string{"loadgen", "a\x1b[m\n'\\"}, `  loadgen $'a\033[m\012\'\\'`},
		{"so are bytes that are no text", []string{"loadgen", "\xff7"}, `  loadgen $'\3777'`},
	} {
		assert.Equal(t, row.want, repeated(t, row.command), row.name)
	}
}

// TestShellReadsTheCommandBack asks a shell itself.
func TestShellReadsTheCommandBack(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	arguments := []string{hostile, "it's", "", "two words", "$(echo x)", "\\", "\xff\xfe7", "!x", "a\tb", "-n", "größe 世界",
		strings.Repeat("long ", 40), strings.Repeat("x", 200), "last"}
	shown := repeated(t, append([]string{"printf", `%s\0`}, arguments...))
	out, err := exec.Command(bash, "-c", shown).Output()
	require.NoErrorf(t, err, "bash -c %q", shown)
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	assert.Equal(t, arguments, got, "what the shell reads")
}
