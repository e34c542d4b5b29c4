package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/model"
	"loadgen/results/resultstest"
)

// A target that cannot be used ends run and calibrate with one line, after one request at most: a
// wrong key is not tried again. With -tags ci calibrate meets every one of them.
func TestTargetsThatAreNotAvailable(t *testing.T) {
	leftOutWhenShort(t)
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
	good, late := newService(t, model.Off, 0), newService(t, model.Off, 20*time.Minute)
	const (
		azures = "Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0"
		denied = `{"odata.error":{"code":"AuthorizationFailure","message":{"lang":"en-US","value":"No."}}}`
		blobs  = `<?xml version="1.0"?><Error><Code>InvalidUri</Code></Error>`
	)
	sas := func(expires string) string {
		return "TableEndpoint=" + good.url + ";SharedAccessSignature=sv=2019-02-02&ss=t&srt=sco&sp=rwdlacu&se=" + expires + "&sig=" + planted
	}
	signed := func(url, key string) string {
		return "AccountName=races;AccountKey=" + key + ";TableEndpoint=" + url
	}
	for _, row := range []struct {
		sentence, target, says string
	}{
		{"a wrong key", signed(good.url, "b3RoZXJvdGhlcm90aGVy"), "key"},
		{"an account that is not there", strings.ReplaceAll(signed(good.url, planted), "races", "horses"), "account"},
		{"a clock that is off", signed(late.url, planted), "clock"},
		{"a signature that has expired", sas("2020-01-01T00:00:00Z"), "2020-01-01"},
		{"a signature that is none", sas("2099-01-01T00:00:00Z"), "shared access signature"},
		{"a missing permission", signed(answers(403, azures, denied), planted), "403 AuthorizationFailure"},
		{"a proxy in the way", signed(answers(407, "", ""), planted), "407"},
		{"a page of a proxy", signed(answers(403, "", "<!DOCTYPE html><title>Blocked</title>"), planted), "web page"},
		{"a page of the web", signed(answers(200, "", "<!DOCTYPE html><title>Welcome</title>"), planted), "table service"},
		{"a host that does not exist", signed("http://races.table.invalid/races", planted), "races.table.invalid"},
		{"a port that nobody listens on", signed("http://127.0.0.1:1/races", planted), "refused"},
		{"a port of blobs", signed(answers(400, "Azurite-Blob/3.35.0", blobs), planted), "blob"},
	} {
		for _, verb := range []string{"run choice.yaml --no-probe --set phases.measure.arrivals.constant=50", "calibrate --budget 9999 --rate 10 --max-rate 100"} {
			if strings.HasPrefix(verb, "calibrate") && resultstest.Cases(1, 2) < 2 && row.sentence != "a clock that is off" {
				continue
			}
			choiceIn(t)
			t.Setenv("LOADGEN_UNAVAILABLE_TEST", row.target)
			asked.Store(0)
			before := good.handler.Counts().Requests + late.handler.Counts().Requests
			code, stdout, stderr := say(t, strings.Fields(verb+" --target env:LOADGEN_UNAVAILABLE_TEST --quiet --yes")...)
			line := strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, row.says) && !strings.Contains(stderr, planted)
			assert.Truef(t, code == codeTarget && stdout == "" && line,
				"%s: %s = %d, %q, %q; want %d and %q", row.sentence, verb, code, stdout, stderr, codeTarget, row.says)
			if n := good.handler.Counts().Requests + late.handler.Counts().Requests - before + asked.Load(); n > 1 {
				t.Errorf("%s: %s sends %d requests; want one at most", row.sentence, verb, n)
			}
			assert.Lenf(t, leftIn(t, "."), 1, "%s: %s leaves behind", row.sentence, verb)
		}
	}
}
