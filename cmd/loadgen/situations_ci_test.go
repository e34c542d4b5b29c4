//go:build ci

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
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
	// burst is how many seconds' allowance is saved up, a tenth where it is 0; writes has the
	// limit hold for writes alone; status is what is answered to one in so many, 503 where it
	// is 0.
	burst  float64
	writes bool
	status int
	// slots serve one request each at a time, for 20 ms or as long as a timer of that takes,
	// which served counts and busy adds up: none is no queue.
	slots  chan struct{}
	served int
	busy   time.Duration

	mu     sync.Mutex
	begun  time.Time
	last   time.Time
	tokens float64
	count  int
}

// queue waits for a slot, where there are some, and is served.
func (w *weather) queue(ctx context.Context) {
	if w.slots == nil {
		return
	}
	select {
	case w.slots <- struct{}{}:
		begun := time.Now()
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
		took := time.Since(begun)
		<-w.slots
		w.mu.Lock()
		defer w.mu.Unlock()
		w.served, w.busy = w.served+1, w.busy+took
	case <-ctx.Done():
	}
}

// answer returns the status by which a request is turned away, 0 for none, and how long it is
// held back.
func (w *weather) answer(now time.Time, read bool) (status int, held time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	burst := max(w.burst, 0.1) * w.limit
	if w.begun.IsZero() {
		if !read {
			return 0, 0
		}
		w.begun, w.last, w.tokens = now, now, burst
	}
	at := now.Sub(w.begun)
	if w.frozen[0] <= at && at < w.frozen[1] {
		held = w.frozen[1] - at
	}
	if w.offline[0] <= at && at < w.offline[1] {
		return http.StatusServiceUnavailable, 0
	}
	if w.count++; w.oneIn > 0 && w.count%w.oneIn == 0 {
		return cmp.Or(w.status, http.StatusServiceUnavailable), 0
	}
	if w.limit <= 0 || w.writes && read {
		return 0, held
	}
	w.tokens = min(burst, w.tokens+w.limit*now.Sub(w.last).Seconds())
	w.last = now
	if w.tokens < 1 {
		return http.StatusServiceUnavailable, 0
	}
	w.tokens--
	return 0, held
}

// A service over a real socket whose truth is known is told right: a limit within 2%, or
// that it cannot be told; and none where there is none. How fast this machine is decides
// nothing: what the generator was late with is no limit.
func TestLiveServicesAreToldRight(t *testing.T) {
	second := func(from, to float64) [2]time.Duration {
		return [2]time.Duration{time.Duration(from * 1e9), time.Duration(to * 1e9)}
	}
	const ladder = "phases.peak.rates=[100, 150, 220, 300]"
	lanes := make(chan struct{}, 4) // more at once, and the generator is late on two processors
	slots := func(n int) *weather { return &weather{slots: make(chan struct{}, n)} }
	for _, row := range []struct {
		name    string
		weather *weather
		args    []string
		// must say where it saturates, and may never say what stands in never, which is a state
		// or a part of the verdict.
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
		{"a queue of three slots, which never refuses", slots(3), []string{"--set", ladder, "--retry", "none"}, true, results.Holds},
		{"the same queue far beyond what it answers", slots(3), []string{"--rate", "290", "--retry", "none"}, true, results.Holds},
		{"a limit on writes alone", &weather{limit: 40, writes: true}, []string{"--set", ladder, "--retry", "none"}, true, results.Holds},
		{"a burst of ten seconds", &weather{limit: 60, burst: 10}, []string{"--set", ladder, "--retry", "none"}, false, results.Holds},
		{"one 500 in forty and no limit, in a ladder", &weather{oneIn: 40, status: 500}, []string{"--set", ladder, "--retry", "short"}, false, "saturates"},
		{"one 503 in forty and no limit, in a ladder", &weather{oneIn: 40}, []string{"--set", ladder, "--retry", "short"}, false, "saturates"},
		{"one 503 in forty and a limit, in a ladder", &weather{oneIn: 40, limit: 160}, []string{"--set", ladder, "--retry", "short"}, true, results.Holds},
		{"an outage in the first half", &weather{offline: second(1.2, 4.2)}, []string{"--rate", "150", "--retry", "none"}, false, results.Holds},
		{"no limit", &weather{}, []string{"--set", ladder, "--retry", "short"}, false, "saturates"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			lanes <- struct{}{}
			defer func() { <-lanes }()
			s := newService(t, model.Off, 0)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, held := row.weather.answer(time.Now(), r.Method == http.MethodGet && strings.Contains(r.URL.Path, "(PartitionKey="))
				select {
				case <-time.After(held):
				case <-r.Context().Done():
					return
				}
				if status != 0 {
					w.Header().Set("x-ms-error-code", map[int]string{http.StatusInternalServerError: "InternalError", http.StatusServiceUnavailable: "ServerBusy"}[status])
					w.WriteHeader(status)
					return
				}
				row.weather.queue(r.Context())
				s.handler.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			s.url = server.URL + "/races"
			var stdout, stderr bytes.Buffer
			args := append(s.args("--yes", "--quiet", "--no-charts", "--format", "json",
				"--workers", "4096"), row.args...)
			length := "12s"
			if slices.Contains(row.args, ladder) {
				at := slices.Index(args, "--rate")
				args, length = slices.Delete(args, at, at+2), "6s"
			}
			args = append(args, "--duration", length)
			execute(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
			var summary results.Summary
			if err := json.Unmarshal(stdout.Bytes(), &summary); err != nil {
				t.Fatalf("%v in\n%s%s", err, &stdout, &stderr)
			}
			t.Logf("%s, saturation %v: %s", summary.State, summary.SaturationInterval, summary.Verdict)
			limit, within := row.weather.limit, .02
			slots := cap(row.weather.slots)
			if slots > 0 {
				row.weather.mu.Lock()
				limit, within = float64(slots*row.weather.served)/row.weather.busy.Seconds(), .1
				row.weather.mu.Unlock()
			}
			switch {
			case summary.Saturation == nil && slots > 0 && summary.State == results.CannotTell:
				// On a machine that others compute on, the generator may be to blame as well.
			case summary.Saturation == nil && row.must:
				t.Errorf("no saturation; want %v", limit)
			case summary.Saturation != nil && math.Abs(*summary.Saturation/limit-1) > within:
				t.Errorf("saturation %v; want %v", *summary.Saturation, limit)
			case row.never == results.Holds && summary.State == results.Holds:
				t.Errorf("the state is %s", summary.State)
			case row.never != "" && row.never != results.Holds && strings.Contains(summary.Verdict, row.never):
				t.Errorf("the verdict says %q", row.never)
			}
		})
	}
}
