package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"loadgen/report/live"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// plantedName is what no name should do to a terminal.
const plantedName = "a\x1b[31m\x9b2J\r\n\u009b\u202e\x7fb"

func pointer[T any](v T) *T { return &v }

func TestStatusLine(t *testing.T) {
	full := live.Status{Stage: "peak", Phase: "peak 1500/s", Planned: 100, Ended: 50, Left: pointer(22500 * time.Millisecond), Target: pointer(1500.),
		Offered: pointer(1500.), Served: pointer(1480.4), Throttled: pointer(.0317), P99: pointer(12345 * time.Microsecond),
		Hottest: []live.Heat{{Name: "Paris", Rate: 800}, {Name: "Rome", Rate: 2}}}
	for _, tt := range []struct {
		name   string
		change func(s *live.Status)
		want   string
	}{
		{"all of it", func(*live.Status) {}, `1,480 of 1,500 entities/s; p99 12.3ms; 3.2% throttled; hottest "Paris" 800/s; peak 1500/s; 23s left`},
		{"nothing is known yet", func(s *live.Status) { *s = live.Status{} }, "– entities/s; p99 –; – throttled; hottest –; – left"},
		{"a closed loop", func(s *live.Status) { s.Target, s.Estimated, s.Phase = nil, true, "peak" },
			`1,480 entities/s; p99 12.3ms; 3.2% throttled; hottest "Paris" 800/s; about 23s left`},
		{"a little is not nothing", func(s *live.Status) { s.Throttled, s.Served = pointer(.0001), pointer(.5) },
			`0.5 of 1,500 entities/s; p99 12.3ms; <0.1% throttled; hottest "Paris" 800/s; peak 1500/s; 23s left`},
		{"after the schedule", func(s *live.Status) { s.Left = pointer(time.Duration(0)) },
			`1,480 of 1,500 entities/s; p99 12.3ms; 3.2% throttled; hottest "Paris" 800/s; peak 1500/s; finishing`},
		{"a key that is long", func(s *live.Status) { s.Hottest[0].Name = strings.Repeat("x", 30) },
			`1,480 of 1,500 entities/s; p99 12.3ms; 3.2% throttled; hottest "` + strings.Repeat("x", 23) + `…" 800/s; peak 1500/s; 23s left`},
	} {
		s := full
		s.Hottest = slices.Clone(full.Hottest)
		tt.change(&s)
		if got := statusLine(&s) + "; " + leftOf(&s, false); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	if got := leftOf(&full, true); got != "23s of virtual time left" {
		t.Errorf("on the virtual clock: %q", got)
	}
}

var (
	escapes = regexp.MustCompile(`\x1b(\[[0-9;?]*[A-Za-z])?`)
	// redraw is all that a bar needs: up so many lines, and clear what is below.
	redraw = regexp.MustCompile(`^\x1b\[(\d*A|J)$`)
	// coloured is what the report of a run sets a colour with.
	coloured = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// harmful returns what of a text is not to reach a terminal.
func harmful(text string) []rune {
	var found []rune
	for _, c := range text {
		if c != '\n' && !unicode.IsPrint(c) {
			found = append(found, c)
		}
	}
	return found
}

// No name reaches a terminal as anything but text, by any of the screens.
func TestNamesStayText(t *testing.T) {
	for _, ui := range []string{uiPlain, uiJSON, uiAuto} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			var s screen = newEvents(&said)
			switch ui {
			case uiPlain:
				s = &plainLines{to: &said}
			case uiAuto:
				s = newBars(&said)
			}
			status := live.Status{Stage: plantedName, Phase: plantedName + "2", Planned: 10, Ended: 5, Hottest: []live.Heat{{Name: plantedName, Rate: 1}}}
			s.begin(start{scenario: plantedName})
			s.enter(run.Stage{Stage: plantedName, Operations: 10}, 0)
			s.happened(results.Event{What: results.PhaseBegins, Phase: plantedName})
			s.happened(results.Event{What: results.RangeSplit, Decision: &results.Decision{Key: plantedName, Reason: plantedName}})
			s.show(&status)
			time.Sleep(time.Second)
			s.leave(&status)
			s.finish(&status, nil)
			if found := harmful(escapes.ReplaceAllStringFunc(said.String(), func(e string) string {
				if ui == uiAuto && redraw.MatchString(e) {
					return ""
				}
				return e
			})); len(found) > 0 || !strings.Contains(said.String(), "[31m") {
				t.Errorf("--ui %s wrote %q of the names:\n%q", ui, found, said.String())
			}
		})
	}
}

// eventsOf reads the lines of --ui json.
func eventsOf(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for line := range strings.Lines(text) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		list = append(list, one)
	}
	return list
}

// A live run streams its events: each is a line of JSON with the keys that the help
// documents, statuses come each second, and the totals are those of the summary.
func TestEventsOfARun(t *testing.T) {
	_, stdout, stderr, folder := bubble(t, 0, append([]string{"stress", "--format", "json", "--ui", "json", "--rate", "1000"}, small...)...)
	list := eventsOf(t, stderr)
	counts := map[string]int{}
	var names []string
	for _, one := range list {
		name := one["event"].(string)
		counts[name]++
		if names = append(names, name); one["at_s"] == nil {
			t.Errorf("%v has no at_s", one)
		}
		for key := range one {
			if !strings.Contains(eventsHelp, key) {
				t.Errorf("%s has the key %s, of which the help says nothing", name, key)
			}
		}
	}
	if names[0] != "run_begins" || names[len(names)-2] != "run_ends" || names[len(names)-1] != "run_written" {
		t.Errorf("the events are %v; want run_begins, …, run_ends, run_written", names)
	}
	// Create, mark, load, count, peak and drop; two steps of a second.
	if counts["stage_begins"] != 6 || counts["stage_ends"] != 6 || counts["phase_begins"] != 2 || counts["phase_ends"] != 2 || counts["status"] < 8 {
		t.Errorf("of each event there were %v; want 6 stages, 2 phases, a status as each stage ends and each second", counts)
	}
	summary := decode(t, []byte(stdout))
	end := list[len(list)-2]
	totals := end["totals"].(map[string]any)
	for key, want := range map[string]int64{"attempts": summary.Attempts, "scheduled": summary.Scheduled, "ok": summary.OkAttempts, "throttled": summary.Throttled,
		"operations": summary.Operations, "in_flight": 0, "sent": summary.Attempts, "late": summary.Late, "dropped": summary.Dropped} {
		if got := totals[key]; got != float64(want) {
			t.Errorf("in the end %s are %v; want %d", key, got, want)
		}
	}
	if end["ended"] != "complete" || list[len(list)-1]["folder"] != folder {
		t.Errorf("the run ended %v in %v; want complete in %s", end["ended"], list[len(list)-1], folder)
	}
}

func TestEventsOfASimulation(t *testing.T) {
	leftOutWhenShort(t)
	t.Chdir(t.TempDir())
	var out, err bytes.Buffer
	if code := execute(t.Context(), []string{"simulate", "--no-charts", "--ui", "json", "--one-profile", "--set", "phases.spread.for=90s", "--set", "model.detection=20s"},
		strings.NewReader(""), &out, &err); code != codeOk {
		t.Fatalf("exit code %d: %s", code, &err)
	}
	list := eventsOf(t, err.String())
	moved := slices.IndexFunc(list, func(one map[string]any) bool { return one["event"] == "balance" })
	if list[0]["time"] != "virtual" || moved < 0 || list[moved]["reason"] == "" || list[moved]["what"] == "" {
		t.Errorf("a simulation streams %v; want it virtual, with balance events", list)
	}
}

// blocked is a reader of standard error that does not read.
type blocked struct{ release chan struct{} }

func (b blocked) Write(text []byte) (int, error) {
	<-b.release
	return len(text), nil
}

// Events never wait for a reader: what does not fit is counted.
func TestEventsThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader := blocked{make(chan struct{})}
		e := newEvents(reader)
		e.begin(start{})
		synctest.Wait()
		for range mostWaiting + 5 {
			e.happened(results.Event{What: results.PhaseBegins})
		}
		if got := e.unread.Load(); got != 5 {
			t.Errorf("%d events were dropped; want 5", got)
		}
		close(reader.release)
		e.finish(&live.Status{}, nil)
	})
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		ended error
		want  string
	}{
		{nil, "complete"},
		{context.Canceled, "interrupted"},
		{errors.Join(context.Canceled, run.ErrBudget), "stopped"},
		{fmt.Errorf("%w: too many", run.ErrStopped), "stopped"},
		{io.ErrUnexpectedEOF, "failed"},
	} {
		if got := endingOf(tt.ended); got != tt.want {
			t.Errorf("a run that ended by %v is %s; want %s", tt.ended, got, tt.want)
		}
	}
}

func TestUIFlag(t *testing.T) {
	for _, tt := range []struct{ typed, want string }{
		{"jsn", `--ui "jsn": expected auto, plain, none, json; the nearest is json`},
		{"", `--ui "": expected auto, plain, none, json`},
	} {
		var out, err bytes.Buffer
		if code := execute(t.Context(), []string{"simulate", "--ui=" + tt.typed}, strings.NewReader(""), &out, &err); code != codeUsage || !strings.Contains(err.String(), tt.want) {
			t.Errorf("--ui=%s: exit code %d, %q; want %d, %q", tt.typed, code, &err, codeUsage, tt.want)
		}
	}
}
