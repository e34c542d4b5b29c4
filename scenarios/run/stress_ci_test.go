//go:build ci

package run_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// The waits of the documented policy are minutes: the hold lasts until the
// retries of every step have met the same load.
func TestDocumentedPolicyIsHeldToItsWaits(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	s := simulate(t, "retry=documented", "phases.peak.rates=[2500]", "phases.peak.each=4s")
	require.Truef(t, s.Summary.Validity == results.Valid && s.Misplaced == 0,
		"validity = %s %v, %d misplaced; want valid", s.Summary.Validity, s.Summary.Reasons, s.Misplaced)
	assert.Truef(t, s.Duration >= 219*time.Second, "the run lasted %v", s.Duration)
	sum := s.Total(results.Reported)
	assert.Truef(t, sum.Cut == 0 && sum.Attempts > sum.Operations,
		"%d operations of the reported step were cut, %d attempts for %d operations; want none cut, and retries", sum.Cut, sum.Attempts, sum.Operations)
	// Retries that come after the load get through: that does not lift the limit.
	assert.Contains(t, s.Summary.Verdict, "SATURATES at 2,000 entities/s", "verdict")
	p99, told := s.RetryWaits.Quantile(.99)
	assert.Truef(t, told && p99 >= 80_000_000, "p99 of the waits = %d µs; want the 90 s of the cap", p99)
}

// The canonical scenario, a twentieth of it: a fluid simulation of twelve equal
// keys on one range has it serve twice as much after each five minutes of overload.
func TestCanonicalScenarioRecovers(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	record := canonical(t, run.Plan{}, scaled()...)
	served := func(from, to int64) float64 {
		sum := int64(0)
		for _, one := range record.Intervals {
			if one.Second >= from && one.Second < to {
				sum += one.Served
			}
		}
		return float64(sum) / float64(to-from)
	}
	for _, level := range []struct {
		from, to int64
		rate     float64
	}{{2, 299, 100}, {320, 599, 200}, {620, 899, 400}, {940, 1200, 600}} {
		assert.InEpsilonf(t, level.rate, served(level.from, level.to), .05, "served from %d s to %d s", level.from, level.to)
	}
	b := record.Summary.Balance
	assert.Truef(t, b != nil && b.Outcome == results.LoadRelieved && *b.Throttled == 0 && *b.Relieved >= 905 &&
		*b.Relieved <= 935 && b.Splits >= 5 && b.Moves >= 5, "balance %+v", b)
	m := record.Manifest
	assert.Equal(t, []any{results.Valid, "virtual", "cold", true}, []any{record.Validity, m.Time, m.Start, m.Dataless})
}

// The stress test comes to the same over TLS, over HTTP/2 and through a forward proxy: every
// operation that was due is carried out, and the record says which way it went.
func TestTheStressTestOnEveryWay(t *testing.T) {
	for _, row := range []struct {
		name, client, address string
		http2, proxied        bool
	}{
		{"TLS, the native client", run.Native, "", true, false},
		{"TLS and HTTP/1.1", run.NetHTTP, "", false, false},
		{"TLS and HTTP/2", run.NetHTTP, "", true, false},
		{"a forward proxy, TLS and HTTP/1.1", "", "https://example.com", false, true},
		{"a forward proxy, TLS and HTTP/2", "", "https://example.com", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(account(t, "somebody's tables", model.Documented, nil))
			server.EnableHTTP2 = row.http2
			server.StartTLS()
			defer server.Close()
			address := server.URL
			var proxy *runtest.Proxy
			if row.proxied {
				address, proxy = row.address, useProxy(t, server.Listener.Addr().String(), http.StatusOK)
			}
			p := remote(t, server, address)
			p.Scenario = runtest.Builtin(t, "stress", "phases.load.entities=100", "phases.peak.hold=false", "phases.peak.rates=[200, 400]",
				"phases.peak.each=2s", "workers=32", "retry=none")
			p.Client = row.client
			record := runtest.Run(t, p)
			all, c := record.Total(results.Everything), record.Connections
			assert.Truef(t, all.Failed == 0 && all.Throttled == 0 && all.Ok >= 1200 && all.Scheduled == all.Sent+all.Dropped,
				"%d ok, %d throttled, %d failed of %d", all.Ok, all.Throttled, all.Failed, all.Scheduled)
			// The question before the run went the same way.
			if over := c.HTTP2; (over > 0) != (row.http2 && row.client != run.Native) || over > 0 && over != all.Attempts+1 {
				t.Errorf("%d of %d attempts went over HTTP/2", over, all.Attempts)
			}
			assert.Truef(t, c.Handshakes.Count == c.Opened && c.FirstByte.Count >= all.Attempts && c.Opened != 0 && c.Reused != 0,
				"the connections are %+v; want handshakes, and first bytes of all", c)
			assert.Equalf(t, row.proxied, record.Manifest.Proxy != "",
				"the record says that the proxy was %q", record.Manifest.Proxy)
			if proxy != nil {
				assert.NotZero(t, proxy.Tunnels.Load(), "tunnels of the proxy")
				assert.Zero(t, proxy.Unexpected.Load(), "requests to the proxy that are not the run's")
			}
			checkSecrets(t, p.Memory, record.Record, nil)
		})
	}
}

// sums returns the faults of each kind, status, code and key, whenever they were.
func sums(counts map[entry]int64) map[entry]int64 {
	total := make(map[entry]int64)
	for one, n := range counts {
		one.second = 0
		total[one] += n
	}
	return total
}

// In real time, over sockets, the log is what the record says as well, to the count by kind, code
// and key. The seconds differ for faults that end right before the end of one.
func TestTheLogOfFaultsIsWhatALiveRecordSays(t *testing.T) {
	for seed := range uint64(4) {
		faults := drawnFaults(rand.New(rand.NewPCG(seed, 9)))
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			s := faulty(t, "full-jitter", faults)
			s.Seed = seed
			record, o, _ := carried(t, s, run.Embedded)
			assert.NotEmpty(t, o.injected)
			assert.Equal(t, sums(logged(o.injected)), sums(recorded(record)))
		})
	}
}

// A module of somebody else's, outside of this one, holds its own table to its peak in its
// own tests, with the packages that are public.
func TestAModuleOfItsOwnRunsIt(t *testing.T) {
	runtest.SkipIfShort(t)
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	outside := t.TempDir()
	require.NoError(t, os.CopyFS(outside, os.DirFS("testdata/own")))
	for _, args := range [][]string{{"mod", "edit", "-replace", "loadgen=" + root}, {"test", "-count=1", "./..."}} {
		c := exec.Command("go", args...)
		c.Dir = outside
		said, err := c.CombinedOutput()
		assert.Truef(t, err == nil, "go %v in a folder outside of the module: %v\n%s", args, err, said)
	}
}
