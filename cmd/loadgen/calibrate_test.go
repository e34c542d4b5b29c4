package main

import (
	"os"
	"strings"
	"testing"
)

// aProfile is a profile file with a low limit.
const aProfile = `loadgen_profile: 1
host: "tables.example:443"
kind: unknown
server: ""
date: "2026-11-25T18:30:00Z"
lasted: 3m
requests: 1
throttled: 0
failed: 0
entities: 1
bytes_sent: 0
bytes_received: 0
base: documented
values: [{name: partition_target, value: "300", low: "299", high: "301", samples: 1000, by: "an overload"}]
`

func TestCalibrateRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	key := "key.txt"
	if err := os.WriteFile(key, []byte("cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"), 0o600); err != nil {
		t.Fatal(err)
	}
	tables := []string{"--target", "http://127.0.0.1:1/races", "--key-file", key}
	for _, row := range []struct {
		sentence string
		args     []string
		says     string
	}{
		{"there is a target", nil, "--target: expected the table service to measure"},
		{"it is none of ours", []string{"--target", "embedded", "--budget", "9999"}, "--target embedded: its limits"},
		{"there is a budget", tables, "--budget 0: expected"},
		{"a blob endpoint has no tables", []string{"--target", "https://races.blob.core.windows.net", "--key-file", key, "--budget", "9999", "--yes"}, "this is the address of the blob service"},
		{"nothing is sent without consent", append([]string{"--budget", "9999"}, tables...), "nothing was sent: add --yes"},
		{"a stray flag", append([]string{"--budget", "9999", "--account-rate", "500"}, tables...), "--account-rate belongs to --account-limit"},
		{"a file that is there stays", append([]string{"--budget", "9999", "--out", key}, tables...), "there is one already"},
	} {
		code, stdout, stderr := say(t, append([]string{"calibrate"}, row.args...)...)
		if code != codeUsage || !strings.Contains(stderr, row.says) || stdout != "" {
			t.Errorf("%s: exit code %d, %q, %q; want %d and %q", row.sentence, code, stdout, stderr, codeUsage, row.says)
		}
	}
	code, _, stderr := say(t, append([]string{"calibrate", "--budget", "9999", "--yes"}, tables...)...)
	if code != codeTarget {
		t.Errorf("nobody listens: exit code %d, %q; want %d", code, stderr, codeTarget)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
		t.Errorf("the folder has %v, %v; want the key alone", left, err)
	}
}

// Every verb that has limits takes a profile file, and says whose they are.
func TestProfileFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mine.yaml", []byte(aProfile), 0o600); err != nil {
		t.Fatal(err)
	}
	const whose = "limits of profile mine.yaml, measured at tables.example:443 on 2026-11-25"
	for _, args := range [][]string{
		{"simulate", "stress", "--profile", "mine.yaml", "--quiet", "--set", "phases.peak.rates=[200,400,600,800]"},
		{"explain", "stress", "--profile", "mine.yaml"},
	} {
		_, stdout, stderr := say(t, args...)
		if text := strings.Join(strings.Fields(stdout), " "); !strings.Contains(text, whose) {
			t.Errorf("%s: %s\n%s\nwant %q", args, stderr, stdout, whose)
		}
	}
	if err := os.WriteFile("old.yaml", []byte(strings.Replace(aProfile, "loadgen_profile: 1", "loadgen_profile: 0", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"old.yaml": "old.yaml:1:", "none.yaml": "cannot be read", "documentd": `did you mean "documented"?`} {
		for _, verb := range [][]string{{"simulate", "stress"}, {"stress"}, {"explain", "stress"}, {"contest", "day-key"}, {"serve", "--listen", "127.0.0.1:0"}} {
			code, _, stderr := say(t, append(verb, "--profile", name)...)
			if code != codeUsage || !strings.Contains(stderr, says) || strings.Count(strings.TrimSpace(stderr), "\n") > 0 {
				t.Errorf("%s --profile %s: exit code %d, %q; want %d and %q", verb, name, code, stderr, codeUsage, says)
			}
		}
	}
}
