package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf16"

	"loadgen/report/live"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/run"
)

// mostWaiting is how many events wait to be written at most.
const mostWaiting = 1000

// events is a screen of JSON lines, which one goroutine writes.
type events struct {
	to    io.Writer
	lines chan []byte
	done  sync.WaitGroup
	// unread counts events that were dropped because earlier ones were not read.
	unread      atomic.Int64
	interrupted atomic.Bool
}

func (*events) every() time.Duration { return time.Second }

func (e *events) begin(said start) {
	e.done.Go(func() {
		for line := range e.lines {
			// A reader that is gone is no error.
			_, _ = e.to.Write(line)
		}
	})
	begins := runBegins{head: head{"run_begins", 0}, Version: uiVersion, Scenario: said.scenario, Time: said.time}
	if said.metrics != "" {
		begins.Metrics = &said.metrics
	}
	if said.live != "" {
		begins.Live = &said.live
	}
	e.tell(begins)
}

func (e *events) tell(event any) { e.lines <- lineOf(event) }

func (e *events) enter(stage campaign.Progress, at time.Duration) {
	begins := stageBegins{head: head{"stage_begins", inSeconds(at)}, Stage: stage.Stage, Operations: stage.Operations}
	if stage.Length > 0 {
		length := inSeconds(stage.Length)
		begins.Length = &length
	}
	e.tell(begins)
}

func (e *events) show(s *live.Status) {
	one := statusTold{head: head{"status", inSeconds(s.At)}, Stage: s.Stage, Phase: s.Phase, Planned: s.Planned, Ended: s.Ended,
		Estimated: s.Estimated, Target: s.Target, Offered: s.Offered, Served: s.Served, Throttled: s.Throttled,
		Hottest: []heatTold{}, Unread: e.unread.Load(), Totals: totalsOf(&s.Totals)}
	if s.Left != nil {
		one.Left = new(inSeconds(*s.Left))
	}
	if s.P99 != nil {
		one.P99 = new(s.P99.Microseconds())
	}
	for _, heat := range s.Hottest {
		one.Hottest = append(one.Hottest, heatTold{heat.Name, heat.Rate})
	}
	for i := range s.Members {
		m := &s.Members[i]
		told := memberTold{Name: m.Name, Labels: m.Labels, State: string(m.State), Scheduled: m.Last.Scheduled, Late: m.Last.Late, Throttled: m.Last.Throttled}
		if m.Heard != nil {
			told.Heard = new(inSeconds(*m.Heard))
		}
		if p99 := live.P99(m); p99 != nil {
			told.P99 = new(p99.Microseconds())
		}
		one.Members = append(one.Members, told)
	}
	e.tell(one)
}

func (e *events) leave(s *live.Status) { e.show(s) }

func (*events) pause() {}

// happened writes an event unless too many are unread.
func (e *events) happened(r results.Event) {
	at := inSeconds(time.Duration(r.At))
	var event any
	switch {
	case r.What == results.PhaseBegins:
		event = phasePasses{head{"phase_begins", at}, r.Phase}
	case r.What == results.PhaseEnds:
		event = phasePasses{head{"phase_ends", at}, r.Phase}
	case r.What == results.Interrupted:
		e.interrupted.Store(true)
		return
	case r.What == results.StageEnds:
		event = stageEnds{head{"stage_ends", at}, r.Text, e.interrupted.Swap(false)}
	case r.Decision != nil:
		d := r.Decision
		event = balanceTold{head{"balance", at}, r.What, d.Range, d.Other, d.Key, d.From, d.To, d.Reason}
	default:
		return
	}
	select {
	case e.lines <- lineOf(event):
	default:
		e.unread.Add(1)
	}
}

func (e *events) finish(s *live.Status, ended error) {
	how := "failed"
	switch {
	case ended == nil:
		how = "complete"
	case errors.Is(ended, run.ErrBudget), errors.Is(ended, drive.ErrStopped):
		how = "stopped"
	case errors.Is(ended, context.Canceled):
		how = "interrupted"
	}
	e.tell(runEnds{head{"run_ends", inSeconds(s.At)}, how, totalsOf(&s.Totals)})
	close(e.lines)
	e.done.Wait()
}

// uiVersion is raised when a key of the events changes its meaning or goes.
const uiVersion = 1

// head begins each event. The keys of events are a contract, described in `loadgen help events`.
type head struct {
	Event string  `json:"event"`
	At    float64 `json:"at_s"`
}

type runBegins struct {
	head
	Version  int     `json:"version"`
	Scenario string  `json:"scenario"`
	Time     string  `json:"time"`
	Metrics  *string `json:"metrics_url"`
	Live     *string `json:"live_url"`
}

type stageBegins struct {
	head
	Stage      string   `json:"stage"`
	Operations uint64   `json:"operations"`
	Length     *float64 `json:"length_s"`
}

type phasePasses struct {
	head
	Phase string `json:"phase"`
}

type statusTold struct {
	head
	Stage     string       `json:"stage"`
	Phase     string       `json:"phase"`
	Planned   uint64       `json:"operations_planned"`
	Ended     uint64       `json:"operations_ended"`
	Left      *float64     `json:"left_s"`
	Estimated bool         `json:"left_estimated"`
	Target    *float64     `json:"target_operations_per_second"`
	Offered   *float64     `json:"offered_entities_per_second"`
	Served    *float64     `json:"served_entities_per_second"`
	Hottest   []heatTold   `json:"hottest"`
	Throttled *float64     `json:"throttled_share"`
	P99       *int64       `json:"p99_us"`
	Unread    int64        `json:"events_dropped"`
	Totals    totalsTold   `json:"totals"`
	Members   []memberTold `json:"members,omitempty"`
}

type memberTold struct {
	Name      string   `json:"name"`
	Labels    []string `json:"labels,omitempty"`
	State     string   `json:"state"`
	Heard     *float64 `json:"heard_at_s"`
	Scheduled int64    `json:"scheduled"`
	Late      int64    `json:"late"`
	Throttled int64    `json:"throttled"`
	P99       *int64   `json:"p99_us"`
}

type heatTold struct {
	Partition string  `json:"partition"`
	Served    float64 `json:"served_entities_per_second"`
}

type totalsTold struct {
	results.Counts
	Begun    int64 `json:"attempts_sent"`
	InFlight int64 `json:"in_flight"`
}

var totalsLayout = results.LayoutOf[totalsTold]("scheduled dropped late attempts_sent=sent in_flight attempts ok throttled failed operations " +
	"served_entities")

// MarshalJSON implements [json.Marshaler].
func (t totalsTold) MarshalJSON() ([]byte, error) { return totalsLayout.Encode(t) }

type balanceTold struct {
	head
	What      string `json:"what"`
	Range     uint64 `json:"range"`
	Other     uint64 `json:"other_range"`
	Partition string `json:"partition"`
	From      int    `json:"from_server"`
	To        int    `json:"to_server"`
	Reason    string `json:"reason"`
}

type stageEnds struct {
	head
	Stage       string `json:"stage"`
	Interrupted bool   `json:"interrupted"`
}

type runEnds struct {
	head
	Ended  string     `json:"ended"`
	Totals totalsTold `json:"totals"`
}

type runWritten struct {
	head
	Folder string `json:"folder"`
}

type pageOpened struct {
	head
	URL string `json:"url"`
}

// inSeconds is a duration in seconds, to the microsecond.
func inSeconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

func totalsOf(t *live.Totals) totalsTold { return totalsTold{t.Counts, t.Begun(), t.InFlight} }

// lineOf is an event as a line of JSON in which every character is printable, so that no
// name can move the cursor of a terminal that it is read on.
func lineOf(event any) []byte {
	text, err := json.Marshal(event)
	if err != nil {
		// Events hold finite numbers and texts alone.
		return fmt.Appendf(nil, "{\"event\":\"fault\",\"at_s\":0,\"text\":%q}\n", err.Error())
	}
	var line bytes.Buffer
	for _, c := range string(text) {
		switch {
		case unicode.IsPrint(c):
			line.WriteRune(c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(&line, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&line, `\u%04x`, c)
		}
	}
	line.WriteByte('\n')
	return line.Bytes()
}
