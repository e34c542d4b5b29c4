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

// maxQueuedEvents is how many events wait to be written at most.
const maxQueuedEvents = 1000

// events is a screen of JSON lines, which one goroutine writes.
type events struct {
	darkness
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
	e.send("run_begins", 0, "version", uiVersion, "scenario", said.scenario, "time", said.time,
		"metrics_url", nilIfEmpty(said.metrics), "live_url", nilIfEmpty(said.live))
}

func (e *events) send(event string, at time.Duration, members ...any) {
	e.lines <- eventLine(event, at, members...)
}

func (e *events) enter(stage campaign.Progress, at time.Duration) {
	var length *float64
	if stage.Length > 0 {
		length = new(inSeconds(stage.Length))
	}
	e.send("stage_begins", at, "stage", stage.Stage, "operations", stage.Operations, "length_s", length)
}

func (e *events) show(s *live.Status) {
	hottest, members := []object{}, []object{}
	for _, heat := range s.Hottest {
		hottest = append(hottest, object{"partition", heat.Name, "served_entities_per_second", heat.Rate})
	}
	for i := range s.Members {
		m := &s.Members[i]
		one := object{"name", m.Name}
		if len(m.Labels) > 0 {
			one = append(one, "labels", m.Labels)
		}
		members = append(members, append(one, "state", string(m.State), "heard_at_s", convert(m.Heard, inSeconds), "scheduled", m.Last.Scheduled,
			"late", m.Last.Late, "throttled", m.Last.Throttled, "p99_us", convert(live.P99(m), time.Duration.Microseconds)))
	}
	status := object{"stage", s.Stage, "phase", s.Phase, "operations_planned", s.Planned, "operations_ended", s.Ended,
		"left_s", convert(s.Left, inSeconds), "left_estimated", s.Estimated, "target_operations_per_second", s.Target,
		"offered_entities_per_second", s.Offered, "served_entities_per_second", s.Served, "hottest", hottest, "throttled_share", s.Throttled,
		"p99_us", convert(s.P99, time.Duration.Microseconds), "events_dropped", e.unread.Load(), "totals", totalsOf(&s.Totals)}
	if len(members) > 0 {
		status = append(status, "members", members)
	}
	e.send("status", s.At, status...)
}

func (e *events) leave(s *live.Status) { e.show(s) }

// happened writes an event unless too many are unread.
func (e *events) happened(r results.Event) {
	at := time.Duration(r.At)
	var line []byte
	switch {
	case r.What == results.PhaseBegins:
		line = eventLine("phase_begins", at, "phase", r.Phase)
	case r.What == results.PhaseEnds:
		line = eventLine("phase_ends", at, "phase", r.Phase)
	case r.What == results.Interrupted:
		e.interrupted.Store(true)
		return
	case r.What == results.StageEnds:
		line = eventLine("stage_ends", at, "stage", r.Text, "interrupted", e.interrupted.Swap(false))
	case r.Decision != nil:
		d := r.Decision
		line = eventLine("balance", at, "what", r.What, "range", d.Range, "other_range", d.Other, "partition", d.Key,
			"from_server", d.From, "to_server", d.To, "reason", d.Reason)
	default:
		return
	}
	select {
	case e.lines <- line:
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
	e.send("run_ends", s.At, "ended", how, "totals", totalsOf(&s.Totals))
	close(e.lines)
	e.done.Wait()
}

// uiVersion is raised when a key of the events changes its meaning or goes.
const uiVersion = 1

// object has the keys and the values of a JSON object in turn. The keys of events are a contract, described in
// `loadgen help events`.
type object []any

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte("{")
	for i, one := range o {
		value, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		text = append(append(text, value...), ":,"[i%2])
	}
	return append(text[:len(text)-1], '}'), nil
}

// convert returns a converted value, nil for nil.
func convert[T, U any](value *T, to func(T) U) *U {
	if value == nil {
		return nil
	}
	return new(to(*value))
}

func nilIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// totalsTold are the totals of a run so far.
type totalsTold struct {
	results.Counts
	Begun    int64 `json:"attempts_sent"`
	InFlight int64 `json:"in_flight"`
}

var totalsLayout = results.LayoutOf[totalsTold]("scheduled dropped late attempts_sent=sent in_flight attempts ok throttled failed operations " +
	"served_entities")

// MarshalJSON implements [json.Marshaler].
func (t totalsTold) MarshalJSON() ([]byte, error) { return totalsLayout.Encode(t) }

// inSeconds returns a duration in seconds, to the microsecond.
func inSeconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e6 }

func totalsOf(t *live.Totals) totalsTold { return totalsTold{t.Counts, t.Begun(), t.InFlight} }

// eventLine returns an event as a line of JSON in which every character is printable, so that no name can move the
// cursor of a terminal.
func eventLine(event string, at time.Duration, members ...any) []byte {
	text, err := json.Marshal(append(object{"event", event, "at_s", inSeconds(at)}, members...))
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
