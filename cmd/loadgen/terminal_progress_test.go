package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"

	"loadgen/report/live"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
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
		{"all of it", func(*live.Status) {}, `1,480 of 1,500 entities/s; p99 12.3 ms; 3.2% throttled; hottest "Paris" 800/s; peak 1500/s; 23s left`},
		{"nothing is known yet", func(s *live.Status) { *s = live.Status{} }, "– entities/s; p99 –; – throttled; hottest –; – left"},
		{"a closed loop", func(s *live.Status) { s.Target, s.Estimated, s.Phase = nil, true, "peak" },
			`1,480 entities/s; p99 12.3 ms; 3.2% throttled; hottest "Paris" 800/s; about 23s left`},
		{"a little is not nothing", func(s *live.Status) { s.Throttled, s.Served = pointer(.0001), pointer(.5) },
			`0.5 of 1,500 entities/s; p99 12.3 ms; <0.1% throttled; hottest "Paris" 800/s; peak 1500/s; 23s left`},
		{"after the schedule", func(s *live.Status) { s.Left = pointer(time.Duration(0)) },
			`1,480 entities/s; p99 12.3 ms; 3.2% throttled; hottest "Paris" 800/s; peak 1500/s; finishing`},
		{"members, who tell no keys", func(s *live.Status) {
			s.Members = []live.Member{{State: results.MemberSending}, {State: results.MemberLost}, {State: results.MemberSending}}
		}, "1,480 of 1,500 entities/s; p99 12.3 ms; 3.2% throttled; members: 2 sending, 1 lost; peak 1500/s; 23s left"},
		{"a key that is long", func(s *live.Status) { s.Hottest[0].Name = strings.Repeat("x", 30) },
			`1,480 of 1,500 entities/s; p99 12.3 ms; 3.2% throttled; hottest "` + strings.Repeat("x", 23) + `…" 800/s; peak 1500/s; 23s left`},
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

// redraw is all that a bar needs: up so many lines, and clear what is below.
var redraw = regexp.MustCompile(`\x1b\[(\d+)A\x1b\[J`)

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
	for _, ui := range []string{progressPlain, progressJSON, progressAuto} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			var s progressScreen = &events{to: &said, lines: make(chan []byte, maxQueuedEvents)}
			switch ui {
			case progressPlain:
				s = &plainLines{watchedStage: watchedStage{to: &said}}
			case progressAuto:
				s = &bars{watchedStage: watchedStage{to: &said}, columns: func() int { return 0 }}
			}
			status := live.Status{Stage: plantedName, Phase: plantedName + "2", Planned: 10, Ended: 5, Hottest: []live.Heat{{Name: plantedName, Rate: 1}}}
			s.begin(start{scenario: plantedName})
			s.enter(campaign.Progress{Stage: plantedName, Operations: 10}, 0)
			s.happened(results.Event{What: results.PhaseBegins, Phase: plantedName})
			s.happened(results.Event{What: results.RangeSplit, Decision: &results.Decision{Key: plantedName, Reason: plantedName}})
			s.show(&status)
			<-time.After(time.Second)
			s.leave(&status)
			s.finish(&status, nil)
			plain := said.String()
			if ui == progressAuto {
				plain = redraw.ReplaceAllString(plain, "")
			}
			if found := harmful(plain); len(found) > 0 || !strings.Contains(said.String(), "[31m") {
				t.Errorf("--ui %s wrote %q of the names:\n%q", ui, found, said.String())
			}
		})
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
		e := &events{to: reader, lines: make(chan []byte, maxQueuedEvents)}
		e.begin(start{})
		synctest.Wait()
		for range maxQueuedEvents + 5 {
			e.happened(results.Event{What: results.PhaseBegins})
		}
		assert.EqualValues(t, 5, e.unread.Load(), "events were dropped")
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
		{fmt.Errorf("%w: too many", drive.ErrStopped), "stopped"},
		{io.ErrUnexpectedEOF, "failed"},
	} {
		var said strings.Builder
		e := &events{to: &said, lines: make(chan []byte, maxQueuedEvents)}
		e.begin(start{})
		e.finish(new(live.Status), tt.ended)
		if got := said.String(); !strings.Contains(got, `"ended":"`+tt.want+`"`) {
			t.Errorf("a run that ended by %v is told as %s; want %s", tt.ended, got, tt.want)
		}
	}
}

// escaped is what a terminal that wraps its lines again shows after what was written to it:
// it knows no escape sequences but those of a bar.
type escaped struct {
	columns int
	lines   []string
}

// rows is how many rows a line fills.
func (e *escaped) rows(line string) int { return max(1, (text.Columns(line)+e.columns-1)/e.columns) }

func (e *escaped) Write(frame []byte) (int, error) {
	rest := string(frame)
	if up := redraw.FindStringSubmatch(rest); up != nil {
		rows, _ := strconv.Atoi(up[1])
		for ; rows > 0; e.lines = e.lines[:len(e.lines)-1] {
			rows -= e.rows(e.lines[len(e.lines)-1])
		}
		if rest = rest[len(up[0]):]; rows < 0 {
			return 0, errors.New("it goes up to the middle of a line")
		}
	}
	e.lines = append(e.lines, strings.Split(strings.TrimSuffix(rest, "\n"), "\n")...)
	return len(frame), nil
}

// A bar leaves nothing behind, whatever becomes of the terminal's width.
func TestBarAfterAResize(t *testing.T) {
	for _, widths := range [][]int{{120, 60, 20, 120}, {80, 79, 3, 1, 2}, {20, 200, 7}} {
		screen := &escaped{columns: widths[0], lines: []string{"before"}}
		b := &bars{watchedStage: watchedStage{to: screen}, columns: func() int { return 0 }}
		b.columns = func() int { return screen.columns }
		b.enter(campaign.Progress{Stage: "peak", Operations: 100}, 0)
		status := live.Status{Stage: "peak", Phase: "peak 1500/s", Planned: 100, Ended: 50, Hottest: []live.Heat{{Name: "Paris", Rate: 800}}}
		for i, columns := range widths {
			screen.columns = columns
			b.show(&status)
			if len(screen.lines) != 3 || screen.lines[0] != "before" {
				t.Errorf("after %v columns there stands\n%s\nwant a bar and a line under it alone", widths[:i+1], strings.Join(screen.lines, "\n"))
			}
			for _, line := range screen.lines[1:] {
				if text.Columns(line) > columns {
					t.Errorf("a line of %d columns on a terminal of %d: %q", text.Columns(line), columns, line)
				}
			}
		}
		screen.columns = 120
		b.leave(&status)
		if want := "peak    [===================>------------------] 50%  0 attempts, 0 throttled"; len(screen.lines) != 2 || screen.lines[1] != want {
			t.Errorf("at the end there stands\n%s\nwant\n%s", strings.Join(screen.lines, "\n"), want)
		}
	}
}

// How the load of a simulation fares is told within a second, whatever is loaded before, and
// again once it fares otherwise for good; of a run in real time a line comes every ten.
func TestHowASimulationFares(t *testing.T) {
	for _, row := range []struct {
		time string
		look time.Duration
		want string
	}{
		{virtually, time.Second, "at first 83.3% throttled: 2,000 of 12,000 entities/s\nafter 5m3s 33.3% throttled: 8,004 of 12,000 entities/s\n"},
		{"real", 10 * time.Second, ""},
	} {
		var said bytes.Buffer
		s := &plainLines{watchedStage: watchedStage{to: &said}}
		s.begin(start{time: row.time})
		if every := s.every(); every > row.look {
			t.Errorf("%s time: it is looked every %v; want %v at most", row.time, every, row.look)
		}
		s.enter(campaign.Progress{Stage: "load", Operations: 10}, 0)
		s.show(&live.Status{Stage: "load", Planned: 10, Ended: 1, Served: pointer(100.), Throttled: pointer(0.), Left: pointer(time.Second)})
		s.enter(campaign.Progress{Stage: "spread", Operations: 100, Length: 20 * time.Minute}, 0)
		for second, throttled := range []float64{.8333, .83, .8, .6, .335, .333, .333, .36} {
			s.show(&live.Status{Stage: "spread", Planned: 100, Ended: 5, Left: pointer(15*time.Minute - time.Duration(second-2)*time.Second),
				Target: pointer(12000.), Offered: pointer(12000.), Served: pointer(12000 * (1 - throttled)), Throttled: &throttled})
		}
		got := ""
		for line := range strings.Lines(said.String()) {
			if strings.HasPrefix(line, "at first ") || strings.HasPrefix(line, "after ") {
				got += line
			}
		}
		assert.Equalf(t, row.want, got, "%s time: told\n%swant\n%s", row.time, got, row.want)
	}
}
