package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine/model"
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

// Whoever cannot be measured is told why in one line, after one request at most.
func TestCalibrateIsNotLetIn(t *testing.T) {
	good, late := newService(t, model.Off, 0), newService(t, model.Off, 20*time.Minute)
	var asked atomic.Int64
	answers := func(status int, server, text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.Header().Set("Server", server)
			if strings.HasPrefix(text, "{") {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}))
		t.Cleanup(s.Close)
		return s.URL + "/races"
	}
	const azures = "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"
	sas := func(url, expires string) string {
		return "TableEndpoint=" + url + ";SharedAccessSignature=sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=" + expires + "&sig=" + planted
	}
	signed := func(url, key string) string {
		return "AccountName=races;AccountKey=" + key + ";TableEndpoint=" + url
	}
	for _, row := range []struct {
		sentence, target string
		code             int
		says             string
	}{
		{"a wrong key", signed(good.url, "b3RoZXJvdGhlcm90aGVy"), codeTarget, "the key is not that of the account races"},
		{"a clock that is off", signed(late.url, planted), codeTarget, "slow; set it right"},
		{"a signature that has expired", sas(good.url, "2020-01-01T00:00:00Z"), codeTarget, "the shared access signature expired at 2020-01-01"},
		{"a signature that is none", sas(good.url, "2099-01-01T00:00:00Z"), codeTarget, "the shared access signature is not one of the account"},
		{"a missing permission", signed(answers(403, azures, `{"odata.error":{"code":"AuthorizationFailure","message":{"lang":"en-US","value":"No."}}}`), planted),
			codeTarget, "403 AuthorizationFailure"},
		{"a proxy in the way", signed(answers(407, "", ""), planted), codeTarget, "a proxy on the way asks who you are (407)"},
		{"a page of a proxy", signed(answers(403, "", "<!DOCTYPE html><title>Blocked</title>"), planted), codeTarget, "a web page"},
		{"a host that does not exist", signed("http://races.table.invalid/races", planted), codeTarget, "there is no host races.table.invalid"},
		{"a port of blobs", signed(answers(400, "Azurite-Blob/3.35.0", "<?xml version=\"1.0\"?><Error><Code>InvalidUri</Code></Error>"), planted), codeUsage, "this is the blob service"},
	} {
		t.Chdir(t.TempDir())
		t.Setenv("LOADGEN_CALIBRATE_TEST", row.target)
		asked.Store(0)
		before := good.handler.Counts().Requests + late.handler.Counts().Requests
		code, stdout, stderr := say(t, "calibrate", "--target", "env:LOADGEN_CALIBRATE_TEST", "--budget", "9999", "--rate", "10", "--max-rate", "100", "--quiet", "--yes")
		if code != row.code || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, row.says) || strings.Contains(stderr, planted) {
			t.Errorf("%s: exit code %d, %q, %q; want %d and %q", row.sentence, code, stdout, stderr, row.code, row.says)
		}
		if n := good.handler.Counts().Requests + late.handler.Counts().Requests - before + asked.Load(); n > 1 {
			t.Errorf("%s: %d requests were sent; want one at most", row.sentence, n)
		}
		if left := leftIn(t, "."); len(left) != 0 {
			t.Errorf("%s: left %v behind; want nothing", row.sentence, left)
		}
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
