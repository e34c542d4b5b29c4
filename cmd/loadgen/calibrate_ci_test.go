//go:build ci

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"loadgen/engine/model"
)

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
