package main

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"loadgen/results"
	"loadgen/scenarios/pulse"
	"loadgen/scenarios/run"
)

// mostWaiting is how many events wait to be written at most.
const mostWaiting = 1000

// events is a screen of JSON lines, which one goroutine writes.
type events struct {
	to    io.Writer
	lines chan []byte
	done  sync.WaitGroup
	// unread counts events that happened while nobody read those before.
	unread      atomic.Int64
	interrupted atomic.Bool
}

func newEvents(to io.Writer) *events { return &events{to: to, lines: make(chan []byte, mostWaiting)} }

func (*events) every() time.Duration { return time.Second }

func (e *events) begin(said start) {
	e.done.Go(func() {
		for line := range e.lines {
			// Nothing is to be done for whoever does not want to read.
			_, _ = e.to.Write(line)
		}
	})
	begins := runBegins{head: head{"run_begins", 0}, Version: uiVersion, Scenario: said.scenario, Time: said.time}
	if said.metrics != "" {
		begins.Metrics = &said.metrics
	}
	e.tell(begins)
}

func (e *events) tell(event any) { e.lines <- lineOf(event) }

func (e *events) enter(stage run.Stage, at time.Duration) {
	begins := stageBegins{head: head{"stage_begins", inSeconds(at)}, Stage: stage.Stage, Operations: stage.Operations}
	if stage.Length > 0 {
		length := inSeconds(stage.Length)
		begins.Length = &length
	}
	e.tell(begins)
}

func (e *events) show(s *pulse.Status) { e.tell(statusOf(s, e.unread.Load())) }

func (e *events) leave(s *pulse.Status) { e.show(s) }

// happened tells of an event unless too many are unread.
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

func (e *events) finish(s *pulse.Status, ended error) {
	e.tell(runEnds{head{"run_ends", inSeconds(s.At)}, endingOf(ended), totalsOf(&s.Totals)})
	close(e.lines)
	e.done.Wait()
}

// endingOf names how a run ended.
func endingOf(ended error) string {
	switch {
	case ended == nil:
		return "complete"
	case errors.Is(ended, run.ErrBudget), errors.Is(ended, run.ErrStopped):
		return "stopped"
	case errors.Is(ended, context.Canceled):
		return "interrupted"
	default:
		return "failed"
	}
}
