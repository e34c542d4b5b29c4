//go:build live

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// A service that stays as it is never fails the gate; one that is 15% slower, or that has a
// lower limit, does, by the metric; when it is back, it passes.
func TestLiveNightsOfAService(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(runsVariable, filepath.Join(t.TempDir(), "runs"))
	key := resttest.Key{Account: "races", Secret: planted}
	var service atomic.Pointer[resttest.Service]
	become := func(settings ...string) {
		clk := clock.NewReal()
		service.Store(resttest.New(t, resttest.Options{Profile: model.Documented, Key: key, Settings: settings, Rest: rest.Options{Clock: clk, Calendar: clk}}))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { service.Load().ServeHTTP(w, r) }))
	defer server.Close()
	require.NoError(t, os.WriteFile("orders.yaml", []byte(nightlyScenario), 0o600))
	require.NoError(t, os.WriteFile("key", []byte(planted+"\n"), 0o600))
	night := func(accept ...string) (code int, worse []string) {
		code, stdout, stderr := say(t, append([]string{"gate", "orders.yaml", "--target", server.URL + "/" + key.Account, "--key-file", "key", "--yes",
			"--count", "4", "--quiet", "--format", "json", "--fail-on", "p50(get) > +8%", "--fail-on", "served < -5%"}, accept...)...)
		var got struct {
			Metrics   []struct{ Metric, Verdict string }
			Scenarios []struct{ Reason string }
		}
		require.NoErrorf(t, json.Unmarshal([]byte(stdout), &got), "%s%s", stdout, stderr)
		for _, m := range got.Metrics {
			if m.Verdict == "regression" {
				worse = append(worse, m.Metric)
			}
		}
		t.Logf("exit code %d, worse %q: %s", code, worse, got.Scenarios[0].Reason)
		return code, worse
	}
	// A night that the machine spoiled is made again.
	sound := func() (code int, worse []string) {
		for range 6 {
			if code, worse = night(); code != codeInvalidRun && code != codeInconclusive {
				return code, worse
			}
		}
		t.Skip("the machine has no time for a generator")
		return code, worse
	}
	asBefore := []string{"read_time=10ms", "partition_target=700"}
	become(asBefore...)
	code, _ := night()
	for range 5 {
		if code == codeInconclusive {
			break
		}
		code, _ = night()
	}
	require.Contains(t, []int{codeInconclusive, codeInvalidRun}, code, "the first night has no baseline, and is one")
	for range 10 {
		code, worse := night()
		assert.NotContains(t, []int{11, codeExpectation}, code, "%q", worse)
	}
	become("read_time=11.5ms", "partition_target=700")
	code, worse := sound()
	assert.Equal(t, 11, code)
	assert.Contains(t, worse, "p50(get)")
	become("read_time=10ms", "partition_target=600")
	code, worse = sound()
	assert.Truef(t, code == codeExpectation || code == 11 && strings.Contains(strings.Join(worse, " "), "served"), "exit code %d, %q", code, worse)
	become(asBefore...)
	code, _ = sound()
	assert.Equal(t, codeOk, code)
}
