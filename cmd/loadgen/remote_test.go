package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// service is an engine of our own that a run meets as a stranger: a table
// service at an address, with an account and a key.
type service struct {
	url     string
	engine  *engine.Engine
	handler *rest.Handler
	keyFile string
	// out is the folder of the run.
	out string
}

// newService serves an account of a profile; its clock goes wrong by so much.
func newService(t *testing.T, profile string, wrong time.Duration) *service {
	t.Helper()
	return newServiceOf(t, resttest.Options{Profile: profile, Rest: rest.Options{Calendar: clock.Epoch(time.Now().Add(wrong))}})
}

func newServiceOf(t *testing.T, o resttest.Options) *service {
	t.Helper()
	o.Key = resttest.Key{Account: "races", Secret: planted}
	of := resttest.Listen(t, o)
	s := &service{url: of.URL, engine: of.Engine, handler: of.Handler, keyFile: filepath.Join(t.TempDir(), "key"), out: filepath.Join(t.TempDir(), "run")}
	require.NoError(t, os.WriteFile(s.keyFile, []byte(planted+"\n"), 0o600))
	return s
}

// args returns the command that sends a short run there.
func (s *service) args(more ...string) []string {
	return append([]string{"stress", "--target", s.url, "--key-file", s.keyFile, "--duration", "1s", "--rate", "60", "--out", s.out,
		"--set", "phases.load.entities=600", "--set", "phases.peak.hold=false", "--workers", "8"}, more...)
}

// A run by either driver closes its books with a service that it meets as a stranger, and says who
// sent it.
func TestRunAgainstAServiceAtAnAddress(t *testing.T) {
	t.Parallel()
	for _, driver := range []string{run.Native, run.Vegeta} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			s := newService(t, model.Documented, 0)
			code, stdout, stderr := say(t, s.args("--yes", "--verbose", "--client", driver)...)
			require.Truef(t, code == codeOk && strings.Contains(stderr, "forecast for "+s.url),
				"exit code %d: %s; want a forecast", code, stderr)
			for _, want := range []string{"figures: measured", "the target keeps no count", "connections: ", "loadgen/1 (partition_target=2000; account_target=20000)"} {
				assert.Containsf(t, strings.Join(strings.Fields(stdout), " "), want,
					"the report does not say %q:\n%s", want, stdout)
			}
			record := read(t, s.out)
			m := &record.Manifest
			if !m.Emulator || m.Genuine || !m.LimitsKnown || m.Targets != (results.Targets{Partition: 2000, Account: 20_000, Documented: true}) {
				t.Errorf("the manifest has %+v, emulator %t, genuine %t; want an emulator with the limits that it told", m.Targets, m.Emulator, m.Genuine)
			}
			if (m.Driver == run.Vegeta) != (driver == run.Vegeta) || driver == run.Vegeta && (m.Retry != "none" || !strings.Contains(m.Scenario.Text, "retry: none")) {
				t.Errorf("the record is of driver %q and policy %q; want %s, and none of vegeta, in the scenario too", m.Driver, m.Retry, driver)
			}
			sum, seen := record.Total(results.Everything), s.handler.Counts()
			// The service also answered whether it was there, before the run.
			if sum.Attempts != seen.Requests-1 || sum.Counted != seen.Entities || sum.Failed != 0 || sum.Scheduled != sum.Sent+sum.Dropped {
				t.Errorf("%+v; the service saw %+v, one of them the question before", sum, seen)
			}
			if c := record.Connections; c.Opened+c.Reused < sum.Attempts || c.FirstByte.Count < sum.Attempts {
				t.Errorf("connections %+v; want those of all %d attempts", c, sum.Attempts)
			}
			if left := s.engine.TableNames("races"); len(left) > 0 {
				t.Errorf("the run left the tables %v", left)
			}
		})
	}
}

func TestNothingIsSentWithoutConsent(t *testing.T) {
	s := newService(t, model.Off, 0)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, s.args("--out", "run")...)
	if code != codeUsage || stdout != "" || !strings.Contains(stderr, "--yes") || !strings.Contains(stderr, "billed transaction") {
		t.Errorf("stress without --yes = %d, stdout %q, stderr %q; want %d and a forecast", code, stdout, stderr, codeUsage)
	}
	if seen := s.handler.Counts().Requests; seen != 0 {
		t.Errorf("%d requests were sent without consent", seen)
	}
	assert.Len(t, leftIn(t, "."), 0, "left behind")
}

// A budget ends a run of either driver: beyond it comes what was under way, the question before and
// the drop after, and of vegeta what a busy machine sends until it comes to stop.
func TestBudgetEndsTheRun(t *testing.T) {
	const budget, workers = 40, 8
	t.Parallel()
	for driver, stopping := range map[string]int64{run.Native: 0, run.Vegeta: 50} {
		t.Run(driver, func(t *testing.T) {
			t.Parallel()
			s := newService(t, model.Off, 0)
			code, stdout, stderr := say(t, s.args("--yes", "--client", driver, "--budget", fmt.Sprint(budget), "--rate", "300")...)
			assert.Truef(t, code == codeOk && strings.Contains(stdout, "budget"),
				"stress --budget = %d, stderr %q\n%s\nwant 0, and why it is partial", code, stderr, stdout)
			if seen := s.handler.Counts().Requests; seen < budget || seen > 1+budget+workers+1+stopping {
				t.Errorf("%d requests of a budget of %d; want at most %d under way, and %d until it stops", seen, budget, workers, stopping)
			}
			if left := s.engine.TableNames("races"); len(left) > 0 {
				t.Errorf("the run left the tables %v", left)
			}
		})
	}
}

// A run that got nothing done is invalid, whatever ended it.
func TestBudgetOfARunOfWhichNothingSucceeds(t *testing.T) {
	t.Parallel()
	s := newService(t, model.Off, 0)
	var filled atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		batch := strings.HasSuffix(r.URL.Path, "/$batch")
		if batch {
			filled.Store(true)
		}
		if !filled.Load() || batch || strings.Contains(r.URL.Path, "/Tables") || strings.HasSuffix(r.URL.Path, "()") {
			s.handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("x-ms-error-code", "InvalidInput")
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	s.url = server.URL + "/races"
	code, stdout, stderr := say(t, s.args("--yes", "--verbose", "--budget", "60", "--rate", "300", "--retry", "short")...)
	if text := strings.Join(strings.Fields(stdout), " "); code != codeInvalidRun ||
		!strings.Contains(text, "This run is invalid: the budget of billed transactions was spent; of ") || !strings.Contains(text, "none succeeded (400 InvalidInput)") {
		t.Errorf("stress --budget of nothing but 400s = %d, stderr %q\n%s\nwant %d, and why", code, stderr, stdout, codeInvalidRun)
	}
}
