//go:build ci

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"loadgen/engine/model"
	"loadgen/results"
)

// weather is what a service does to the requests of a load, by when they arrive since the
// first of its reads: it answers 503 beyond a limit with a tenth of a second's burst, from
// one instant to another, or to every so many; or holds all back.
type weather struct {
	limit           float64
	offline, frozen [2]time.Duration
	oneIn           int

	mu     sync.Mutex
	begun  time.Time
	last   time.Time
	tokens float64
	count  int
}

// answer returns whether a request is turned away, and how long it is held back.
func (w *weather) answer(now time.Time, read bool) (busy bool, held time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun.IsZero() {
		if !read {
			return false, 0
		}
		w.begun, w.last, w.tokens = now, now, w.limit/10
	}
	at := now.Sub(w.begun)
	if w.frozen[0] <= at && at < w.frozen[1] {
		held = w.frozen[1] - at
	}
	if w.offline[0] <= at && at < w.offline[1] {
		return true, 0
	}
	if w.count++; w.oneIn > 0 && w.count%w.oneIn == 0 {
		return true, 0
	}
	if w.limit <= 0 {
		return false, held
	}
	w.tokens = min(w.limit/10, w.tokens+w.limit*now.Sub(w.last).Seconds())
	w.last = now
	if w.tokens < 1 {
		return true, 0
	}
	w.tokens--
	return false, held
}

// A service over a real socket whose truth is known is told right: a limit within 2 %, or
// that it cannot be told; and none where there is none. How fast this machine is decides
// nothing: what the generator was late with is no limit.
func TestLiveServicesAreToldRight(t *testing.T) {
	second := func(from, to float64) [2]time.Duration {
		return [2]time.Duration{time.Duration(from * 1e9), time.Duration(to * 1e9)}
	}
	const ladder = "phases.peak.rates=[100, 150, 220, 300]"
	for _, row := range []struct {
		name    string
		weather *weather
		args    []string
		// must say where it saturates, and may never say what stands in never.
		must  bool
		never string
	}{
		{"a second of 503s and no limit", &weather{offline: second(5.3, 6.3)}, []string{"--rate", "150", "--retry", "none"}, false, "saturates"},
		{"three seconds that retries carry", &weather{offline: second(5.3, 8.3)}, []string{"--rate", "150", "--retry", "documented"}, false, "saturates"},
		{"a target frozen for two seconds", &weather{frozen: second(4, 6)}, []string{"--rate", "150", "--retry", "none"}, false, "saturates"},
		{"a limit in a ladder", &weather{limit: 160}, []string{"--set", ladder, "--retry", "short"}, true, ""},
		{"a limit in a ladder without retries", &weather{limit: 160}, []string{"--set", ladder, "--retry", "none"}, true, ""},
		{"a limit a little below one rate", &weather{limit: 160}, []string{"--rate", "162", "--retry", "short"}, false, "holds 162"},
		{"every tenth request turned away, in a ladder", &weather{oneIn: 10}, []string{"--set", ladder, "--retry", "none"}, false, "saturates"},
		{"no limit", &weather{}, []string{"--set", ladder, "--retry", "short"}, false, "saturates"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t, model.Off, 0)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				busy, held := row.weather.answer(time.Now(), r.Method == http.MethodGet && strings.Contains(r.URL.Path, "(PartitionKey="))
				select {
				case <-time.After(held):
				case <-r.Context().Done():
					return
				}
				if busy {
					w.Header().Set("x-ms-error-code", "ServerBusy")
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				s.handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			s.url = server.URL + "/races"
			var stdout, stderr bytes.Buffer
			args := append(s.args("--yes", "--quiet", "--no-charts", "--format", "json", "--out", filepath.Join(t.TempDir(), "run"),
				"--workers", "4096"), row.args...)
			length := "12s"
			if slices.Contains(row.args, ladder) {
				args, length = without(args, "--rate", "60"), "6s"
			}
			args = append(args, "--duration", length)
			execute(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
			var summary results.Summary
			if err := json.Unmarshal(stdout.Bytes(), &summary); err != nil {
				t.Fatalf("%v in\n%s%s", err, &stdout, &stderr)
			}
			t.Logf("%s, saturation %v: %s", summary.State, summary.SaturationInterval, summary.Verdict)
			switch {
			case summary.Saturation == nil && row.must:
				t.Errorf("no saturation; want %v", row.weather.limit)
			case summary.Saturation != nil && math.Abs(*summary.Saturation/row.weather.limit-1) > .02:
				t.Errorf("saturation %v; want %v", *summary.Saturation, row.weather.limit)
			case row.never != "" && strings.Contains(summary.Verdict, row.never):
				t.Errorf("the verdict says %q", row.never)
			}
		})
	}
}

// without leaves one flag out, with its value.
func without(args []string, flag, value string) []string {
	var kept []string
	for i := 0; i < len(args); i++ {
		if args[i] == flag && i+1 < len(args) && args[i+1] == value {
			i++
			continue
		}
		kept = append(kept, args[i])
	}
	return kept
}
