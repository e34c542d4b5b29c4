package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"loadgen/results"
)

// contestOf runs a contest and returns what it printed as JSON.
func contestOf(t *testing.T, args ...string) results.PolicyContest {
	t.Helper()
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, append([]string{"backoff", "contest", "--format", "json", "--out", "o"}, args...)...)
	if code != codeOk {
		t.Fatalf("backoff contest %q = %d: %s", args, code, stderr)
	}
	var contest results.PolicyContest
	if err := json.Unmarshal([]byte(stdout), &contest); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"contest.json", "retries.png", "retries.svg", "schedules.png", "schedules.svg"} {
		if file, err := os.Stat("o/" + name); err != nil || file.Size() == 0 {
			t.Errorf("%s: %v; want it written", name, err)
		}
	}
	return contest
}

// The command of the front page: the documents' formula outlives a hand-over of 15
// seconds, and what clients of today do by default loses a third of the operations
// or two.
func TestBackoffContestOfAnOutage(t *testing.T) {
	leftOutWhenShort(t)
	contest := contestOf(t, "--outage", "15s", "--clients", "500")
	lost := map[string]float64{}
	for i, trial := range contest.Policies {
		lost[trial.Policy] = trial.LostPercent
		if trial.Caught != 7500 {
			t.Errorf("%s: %d operations caught; want 7,500", trial.Policy, trial.Caught)
		}
		if i > 0 && trial.LostPercent < contest.Policies[i-1].LostPercent {
			t.Errorf("%s stands behind %s, which lost more", trial.Policy, contest.Policies[i-1].Policy)
		}
	}
	for policy, want := range map[string]float64{"documented": 0, "was-1.x": 0, "storage-net": 0, "azcore": 38.2,
		"azure-core-net": 63.1, "js": 64.7, "botocore-standard": 90, "fixed-1s": 80.2, "none": 100} {
		if got, tried := lost[policy]; !tried || math.Abs(got-want) > 2 {
			t.Errorf("%s lost %.1f %% (tried: %t); want %.1f within 2 points", policy, got, tried, want)
		}
	}
	if !strings.Contains(contest.Verdict, `"documented", "was-1.x"`) || !strings.Contains(contest.Verdict, "lose none") {
		t.Errorf("Verdict = %q; want it to name those that lose none", contest.Verdict)
	}
}

func TestBackoffContestVariants(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name  string
		args  []string
		holds func(c *results.PolicyContest) bool
	}{
		{"an overload of twice what a partition bears loses half without retries", []string{"--overload", "2x", "--for", "5s", "--policies", "none"},
			func(c *results.PolicyContest) bool {
				return math.Abs(c.Policies[0].LostPercent-48) < 3 && c.Policies[0].Goodput > 1000
			}},
		{"clients that fail together come back together", []string{"--together", "--clients", "100", "--policies", "fixed-1s,was-1.x"},
			func(c *results.PolicyContest) bool {
				return c.Policies[0].PeakRetries == 100 && c.Policies[1].PeakRetries == 100 && c.Policies[0].Caught == 100
			}},
		{"lost replies show as duplicate effects", []string{"--outage", "1s", "--clients", "1000", "--lost-replies", "10%", "--policies", "documented"},
			func(c *results.PolicyContest) bool { return c.Policies[0].Duplicates > 500 }},
		{"none of them without lost replies", []string{"--outage", "1s", "--policies", "documented"},
			func(c *results.PolicyContest) bool { return c.Policies[0].Duplicates == 0 }},
		{"a limiter of one's own for each client", []string{"--outage", "10s", "--policies", "fixed-1s,fixed-1s+retry-budget"},
			func(c *results.PolicyContest) bool {
				return len(c.Policies) == 2 && c.Policies[0].AttemptsPerOperation != c.Policies[1].AttemptsPerOperation
			}},
	} {
		contest := contestOf(t, row.args...)
		if !row.holds(&contest) {
			for i := range contest.Policies {
				contest.Policies[i].RetriesPer100ms = nil
			}
			t.Errorf("%s: %+v", row.name, contest)
		}
	}
}

func TestBackoffShow(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name string
		args []string
		says []string
	}{
		{"the documents' values, and where they are flat", []string{"documented"},
			[]string{"z = 30 s, zmin = 3 s, zmax = 90 s, x = 1", "27     33        39", "75  86.88        90", "Without any spread are the waits before retry 3 (1m30s)"}},
		{"values of one's own", []string{"documented", "--z", "10s", "--min", "1s", "--max", "20s", "--retries", "2"},
			[]string{"z = 10s, zmin = 1s, zmax = 20s, x = 1", "9    11        13"}},
		{"the old client's count: the first wait is flat", []string{"documented", "--first", "0"},
			[]string{"x = 0", "Without any spread are the waits before retry 1 (3s)"}},
		{"none", []string{"none"}, []string{"it never retries"}},
		{"a formula without any spread", []string{"ladder"}, []string{"No wait has any spread"}},
		{"all of them", nil, []string{"azcore", "was-1.x", "botocore-standard", "408 and 5xx except 501 and 505"}},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, append([]string{"backoff", "show", "--out", "o"}, row.args...)...)
		for _, want := range row.says {
			if code != codeOk || !strings.Contains(stdout, want) {
				t.Errorf("%s: backoff show %q = %d, %s\n%s\nwant %q in it", row.name, row.args, code, stderr, stdout, want)
			}
		}
		for _, name := range []string{"o/schedules.png", "o/schedules.svg"} {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
		}
	}
}

func TestBackoffBadInput(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"no verb of it", []string{"contst"}, `"contst"`},
		{"a policy with a letter too few", []string{"show", "documentd"}, "nearest: documented"},
		{"least above most", []string{"show", "documented", "--min", "5s", "--max", "4s"}, "min (zmin) 5s is above max (zmax) 4s"},
		{"a base of nothing", []string{"show", "documented", "--z", "0s"}, "base (z) is 0s"},
		{"a cap under the minimum", []string{"show", "documented", "--max", "2s"}, "min (zmin) 3s is above max (zmax) 2s"},
		{"fewer than no retries", []string{"show", "documented", "--retries", "-1"}, "retries is -1"},
		{"more retries than there can be", []string{"show", "js", "--retries", "1001"}, "retries is 1001"},
		{"a first retry of two", []string{"show", "documented", "--first", "2"}, "--first 2"},
		{"z of another formula", []string{"show", "js", "--z", "1s"}, "--z belongs to the documents' formula"},
		{"another format", []string{"show", "--format", "yaml"}, "--format yaml"},
		{"two kinds of trouble", []string{"contest", "--outage", "1s", "--overload", "2x"}, "expected one of them"},
		{"an overload of nothing", []string{"contest", "--overload", "0x"}, "--overload 0x"},
		{"an overload that is a word", []string{"contest", "--overload", "much"}, "--overload much"},
		{"an outage of nothing", []string{"contest", "--outage", "0s"}, "trouble lasts 0s"},
		{"an outage of days", []string{"contest", "--outage", "48h"}, "trouble lasts 48h"},
		{"no clients", []string{"contest", "--clients", "0"}, "clients is 0"},
		{"a rate that is no number", []string{"contest", "--each", "NaN"}, "NaN"},
		{"a policy that is none", []string{"contest", "--policies", "azcor"}, "nearest: azcore"},
		{"a policy twice", []string{"contest", "--policies", "js,js"}, "js occurs twice"},
		{"no policy", []string{"contest", "--policies", ""}, "expected one at least"},
		{"a limiter that is none", []string{"contest", "--policies", "js+adaptiv"}, "adaptive"},
		{"a share above the whole", []string{"contest", "--lost-replies", "101%"}, "--lost-replies 101%"},
		{"a share that is no share", []string{"contest", "--lost-replies", "0.1"}, "--lost-replies 0.1"},
		{"a stray argument", []string{"contest", "now"}, `"now"`},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, append([]string{"backoff"}, row.args...)...)
		if code != codeUsage || stdout != "" || !strings.Contains(stderr, row.says) || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
			t.Errorf("%s: backoff %q = %d %q, stderr %q; want 2 and one line with %q", row.name, row.args, code, stdout, stderr, row.says)
		}
		if left, _ := os.ReadDir("."); len(left) > 0 {
			t.Errorf("%s: backoff %q left %v", row.name, row.args, left)
		}
	}
}

// An interrupted contest reports the policies that it has tried.
func TestBackoffContestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(interruption{os.Interrupt})
	var out, err strings.Builder
	code := run(ctx, []string{"backoff", "contest", "--out", "o"}, strings.NewReader(""), &out, &err)
	if code != codeInterrupted || !strings.Contains(out.String(), "Ended after 0 of 13 policies") {
		t.Errorf("interrupted = %d, %s %s; want %d and what was done", code, &out, &err, codeInterrupted)
	}
	broken := errors.New("pipe closed")
	if code := run(context.Background(), []string{"backoff", "show", "none", "--out", "o"}, strings.NewReader(""), failing{broken}, io.Discard); code != codeInternal {
		t.Errorf("show into a closed pipe = %d; want %d", code, codeInternal)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
