package main

import (
	"fmt"
	"io"
	"time"

	"loadgen/report/plain"
	"loadgen/results"
	"loadgen/scenarios/pulse"
	"loadgen/scenarios/run"
)

// plainEvery is the time between two plain lines.
const plainEvery = 10 * time.Second

// plainLines is a screen of lines, without any escape sequence.
type plainLines struct {
	to      io.Writer
	stage   run.Stage
	virtual bool
}

func (*plainLines) every() time.Duration { return plainEvery }

func (p *plainLines) begin(said start) {
	p.virtual = said.time == virtually
	if said.metrics != "" {
		fmt.Fprintf(p.to, "metrics are served at %s\n", said.metrics)
	}
}

// enter tells of a stage. Those of a single operation are over before anybody could
// read of them, and are not shown.
func (p *plainLines) enter(stage run.Stage, _ time.Duration) {
	p.stage = stage
	if stage.Operations > 1 {
		fmt.Fprintf(p.to, "%s: %s operations%s\n", plain.Harmless(stage.Stage), thousands(int64(stage.Operations)), lasting(stage.Length))
	}
}

func (p *plainLines) show(s *pulse.Status) {
	if p.stage.Operations > 1 {
		fmt.Fprintf(p.to, "%s: %s of %s operations, %s; %s; %s\n", plain.Harmless(s.Stage), thousands(int64(s.Ended)),
			thousands(int64(s.Planned)), tallyOf(&s.Sofar), statusLine(s), leftOf(s, p.virtual))
	}
}

func (*plainLines) leave(*pulse.Status)         {}
func (*plainLines) happened(results.Event)      {}
func (*plainLines) finish(*pulse.Status, error) {}
