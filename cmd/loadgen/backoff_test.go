package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"loadgen/results"
)

// A contest takes what its flags say, and writes what came of it beside its charts.
func TestBackoffContest(t *testing.T) {
	for _, row := range []struct {
		name    string
		args    []string
		trouble string
		tried   int
	}{
		{"an outage of 15 seconds, unless another is asked for", []string{"--policies", "none,fixed-1s"}, "an outage of 15 s, in which every attempt is throttled at once", 2},
		{"an overload", []string{"--overload", "2x", "--for", "1s", "--policies", "none,fixed-1s"}, "2 times what a partition bears, for 1 s", 2},
		{"all of it", []string{"--outage", "1s", "--together", "--each", "2", "--lost-replies", "10%", "--policies", "js+cubic"},
			"an outage of 1 s, in which every attempt is throttled at once and which finds every client with an operation due at its first instant, " +
				"10 % of all replies being lost after the request was carried out", 1},
	} {
		t.Chdir(t.TempDir())
		code, stdout, stderr := say(t, append([]string{"backoff", "contest", "--format", "json", "--out", "o", "--clients", "5", "--seed", "7"}, row.args...)...)
		var contest results.PolicyContest
		if err := json.Unmarshal([]byte(stdout), &contest); err != nil || code != codeOk || stderr != "the charts are in o\n" {
			t.Fatalf("%s: backoff contest = %d, %v: %s", row.name, code, err, stderr)
		}
		if contest.Trouble != row.trouble || contest.Clients != 5 || contest.Seed != 7 || len(contest.Policies) != row.tried {
			t.Errorf("%s: %d clients met %q by seed %d under %d policies; want 5, %q, 7 and %d", row.name, contest.Clients, contest.Trouble, contest.Seed,
				len(contest.Policies), row.trouble, row.tried)
		}
		kept, err := os.ReadFile("o/contest.json")
		if err != nil || string(kept) != stdout {
			t.Errorf("%s: %v, contest.json holds %d bytes; want the %d that were printed", row.name, err, len(kept), len(stdout))
		}
		for _, name := range []string{"retries.png", "retries.svg", "schedules.png", "schedules.svg"} {
			if file, err := os.Stat("o/" + name); err != nil || file.Size() == 0 {
				t.Errorf("%s: %s: %v; want it written", row.name, name, err)
			}
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
		{"values of one's own", []string{"documented", "--z", "10s", "--min", "1s", "--max", "20s", "--retries", "2", "--format", "json"},
			[]string{"z = 10s, zmin = 1s, zmax = 20s, x = 1", `"least_s": 9,`, `"greatest_s": 13,`}},
		{"the old client's count: the first wait is flat", []string{"documented", "--first", "0"},
			[]string{"x = 0", "Without any spread are the waits before retry 1 (3 s)"}},
		{"all of them", []string{"--verbose"}, []string{"azcore", "was-1.x", "botocore-standard", "it never retries", "408 and 5xx except 501 and 505"}},
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
		{"another format", []string{"show", "--format", "yaml"}, `--format "yaml"`},
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
	code := execute(ctx, []string{"backoff", "contest", "--out", "o"}, strings.NewReader(""), &out, &err)
	if code != codeInterrupted || !strings.Contains(out.String(), "Ended after 0 of 13 policies") {
		t.Errorf("interrupted = %d, %s %s; want %d and what was done", code, &out, &err, codeInterrupted)
	}
	broken := errors.New("pipe closed")
	if code := execute(context.Background(), []string{"backoff", "show", "none", "--out", "o"}, strings.NewReader(""), failing{broken}, io.Discard); code != codeInternal {
		t.Errorf("show into a closed pipe = %d; want %d", code, codeInternal)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
