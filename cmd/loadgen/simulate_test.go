package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/run"
)

// leftOutWhenShort leaves a test to the full tests: the race detector is slow, and
// finds nothing in what one goroutine plays alone or a shorter test goes through.
func leftOutWhenShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a long run")
	}
}

// stopAfter ends a run as Ctrl-C would, once a text was written to it.
type stopAfter struct {
	io.Writer
	text string
	stop context.CancelCauseFunc
}

func (s stopAfter) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte(s.text)) {
		s.stop(interruption{os.Interrupt})
	}
	return s.Writer.Write(text)
}

// A sweep that is interrupted tells of the runs that it made, the last one in part.
func TestInterruptedSweepTellsWhatWasDone(t *testing.T) {
	choiceIn(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	var out, said bytes.Buffer
	code := execute(ctx, []string{"simulate", "choice.yaml", "--one-profile", "--sweep", "seed=1,2,3"}, strings.NewReader(""), &out,
		stopAfter{&said, "2 of 3: seed=2", cancel})
	if code != codeInterrupted || !strings.Contains(out.String(), "2 of 3 runs made") || !strings.Contains(out.String(), "\n ✓ 1 ") || !strings.Contains(out.String(), "\n ? 2 ") ||
		!strings.Contains(said.String(), "loadgen: interrupted") {
		t.Errorf("exit code %d, %q on stderr, and\n%s\nwant %d, two rows, and that there are no more", code, &said, &out, codeInterrupted)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"17": 17, "17B": 17, "2GiB": 2 << 30, "8388607TiB": 8388607 << 40, "0": 0} {
		got, err := parseSize(text)
		assert.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "GiB", "-1", "1.5GiB", "2GB", "8388608TiB"} {
		_, err := parseSize(text)
		assert.Error(t, err, text)
	}
}

// planned returns the plan that `loadgen stress` makes of these flags.
func planned(t testing.TB, args ...string) (run.Plan, error) {
	t.Helper()
	var f runFlags
	c := f.stressVerb(io.Discard, io.Discard)
	require.NoError(t, c.ParseFlags(args))
	d, err := f.Choice.open("stress", "", io.Discard)
	require.NoError(t, err)
	s, err := f.drawing(c, d)(nil)
	if err != nil {
		return run.Plan{}, err
	}
	return f.planner(c, d, io.Discard)(s, commandOf(c))
}

func decode(t testing.TB, text []byte) *results.Summary {
	t.Helper()
	var s results.Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return &s
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"0.5%": .005, "0%": 0, "99.9%": .999, "1e-1%": .001} {
		if got, err := parseShare(text); err != nil || math.Abs(got-want) > 1e-15 {
			t.Errorf("parseShare(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "0.5", "-0%", "-1%", "100%", "NaN%", "Inf%", "0.5 %", "0,5%"} {
		if got, err := parseShare(text); err == nil {
			t.Errorf("parseShare(%q) = %v; want an error", text, got)
		}
	}
}

// What is left open follows from the scenario and its model.
func TestFindLimitFillsInWhatIsLeftOpen(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		want campaign.Find
		// retry is the policy that was chosen, empty for none: a search then tries nothing again.
		retry string
	}{
		{"a partition begins at the scenario's first rate", []string{"--find-limit", "partition"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 10 * time.Second, Burst: 100 * time.Millisecond}, ""},
		{"an account saves up more, so that its steps last longer", []string{"--find-limit", "account"},
			campaign.Find{Of: "account", MaxThrottled: .005, From: 5000, UpTo: 40_000, Step: 25 * time.Second, Burst: 250 * time.Millisecond}, ""},
		{"another burst makes other steps", []string{"--find-limit", "partition", "--set", "model.partition_burst=300ms"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 30 * time.Second, Burst: 300 * time.Millisecond}, ""},
		{"with a small burst a step lasts two seconds", []string{"--find-limit", "partition", "--set", "model.partition_burst=1ms"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 2 * time.Second, Burst: time.Millisecond}, ""},
		{"all that is given is taken", []string{"--find-limit", "partition throttled=2% p99=50ms from=4000 to=4000 step=3s", "--retry", "short"},
			campaign.Find{Of: "partition", MaxThrottled: .02, MaxP99: 50 * time.Millisecond, From: 4000, UpTo: 4000, Step: 3 * time.Second, Burst: 100 * time.Millisecond}, "short"},
		{"retries can be set by their path, too", []string{"--find-limit", "partition", "--set", "retry=documented"},
			campaign.Find{Of: "partition", MaxThrottled: .005, From: 500, UpTo: 8000, Step: 10 * time.Second, Burst: 100 * time.Millisecond}, "documented"},
	} {
		plan, err := planned(t, row.args...)
		if err != nil {
			t.Errorf("%s: %v = %v; want no error", row.name, row.args, err)
			continue
		}
		if plan.Find == nil || *plan.Find != row.want || plan.RetryChosen != (row.retry != "") || row.retry != "" && plan.Scenario.Retry != row.retry {
			t.Errorf("%s: %v = %+v, retries %s chosen %t; want %+v with %q", row.name, row.args, plan.Find, plan.Scenario.Retry, plan.RetryChosen, row.want, row.retry)
		}
	}
	if plan, err := planned(t); err != nil || plan.Find != nil || plan.Scenario.Retry != "short" {
		t.Errorf("without --find-limit: %v, %+v; want no search and the scenario's retries", err, plan.Find)
	}
}

// Against a service, which is asked for nothing without consent and within a budget of all
// runs together; each run leaves its record, and is of no profile.
func TestContestOfAService(t *testing.T) {
	leftOutWhenShort(t)
	orders, err := filepath.Abs("../../scenarios/series/testdata/orders.yaml")
	require.NoError(t, err)
	t.Parallel()
	s := newService(t, model.Off, 0)
	args := []string{"contest", orders, "--set", "phases.trade.for=1s", "--set", "phases.trade.arrivals.constant=40",
		"--count", "1", "--designs", "day,shop", "--format", "json", "--no-probe", "--workers", "8", "--target", s.url, "--key-file", s.keyFile, "--out", s.out}
	code, _, stderr := say(t, args...)
	if code != codeUsage || !strings.Contains(stderr, "--yes") || !strings.Contains(stderr, "loadgenloadgen…") || s.engine.Counts().Requests != 0 {
		t.Errorf("without consent: %d, %s, %d requests; want none", code, stderr, s.engine.Counts().Requests)
	}
	code, stdout, stderr := say(t, append(args, "--yes", "--budget", "200")...)
	var c contest.Contest
	require.NoErrorf(t, json.Unmarshal([]byte(stdout), &c), "contest = %d, %s", code, stderr)
	if code != codeOk || !strings.Contains(c.Verdict, "after 1 of 2 runs") || !strings.Contains(c.Verdict, "Not run: shop.") || c.Profile != "" || c.Ranking[0].Sustained == nil {
		t.Errorf("with a budget: %d, %+v, %s; want an early end, after a run under no profile", code, c, stderr)
	}
	m := read(t, filepath.Join(s.out, "day")).Manifest
	assert.Equal(t, "real", m.Time, "the time of the run")
	assert.Truef(t, strings.HasPrefix(strings.Join(m.Command, " "), "loadgen run ") && strings.Contains(strings.Join(m.Command, " "), " --set "),
		"the record is of %v; want the command that runs one design", m.Command)
	assert.FileExists(t, filepath.Join(s.out, "day", "report.html"))
}

func FuzzParseShare(f *testing.F) {
	f.Add("0.5%")
	f.Add("0x1p-3%")
	f.Fuzz(func(t *testing.T, text string) {
		if share, err := parseShare(text); err == nil && !(share >= 0 && share < 1) {
			t.Errorf("parseShare(%q) = %v; want from 0 to below 1", text, share)
		}
	})
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"0", "2GiB", "17B", "8388607TiB", "-1", "9999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, prose string) {
		size, err := parseSize(prose)
		if err != nil {
			return
		}
		// What is written of a size is a size again, and not a smaller one.
		if again, err := parseSize(document.Bytes(size)); size < 0 || err != nil && size < 1<<62 || err == nil && again < size {
			t.Errorf("parseSize(%q) = %d, written %s, read %d, %v", prose, size, document.Bytes(size), again, err)
		}
	})
}
