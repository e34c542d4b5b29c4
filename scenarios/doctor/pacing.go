package doctor

import (
	"context"
	"fmt"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/scenarios/run"
)

// The pace that a doctor walks at, and how late half of the operations may be
// sent.
const (
	pacingRate   = 2000 // operations per second
	pacingLength = 3 * time.Second
	pacingBound  = 500 * time.Microsecond
)

// pacingFigures are how late operations were sent.
type pacingFigures struct {
	p50, p90, p99, longest time.Duration
	// sent and due are how many operations were sent, and how many should have
	// been.
	sent, due int64
}

// measurePacing sends operations that cost nothing at one rate.
func (r trials) measurePacing(ctx context.Context) (pacingFigures, error) {
	stage, err := steady("pacing", pacingRate, pacingLength)
	if err != nil {
		return pacingFigures{}, err
	}
	record, err := r.carryOut(ctx, run.Nowhere{}, nil, stage)
	if err != nil {
		return pacingFigures{}, err
	}
	summary := verdict.Judge(record)
	return pacingFigures{p50: micros(summary.Lag.P50), p90: micros(summary.Lag.P90), p99: micros(summary.Lag.P99),
		longest: micros(summary.Lag.Max), sent: summary.Sent, due: int64(stage.Schedule.Len())}, nil
}

// finding holds the figures against the bound.
func (f pacingFigures) finding() Finding {
	measured := fmt.Sprintf("lag p50 %s, p90 %s, p99 %s, max %s at %s/s",
		document.Span(f.p50), document.Span(f.p90), document.Span(f.p99), document.Span(f.longest), document.Count(pacingRate))
	bound := "p50 at most " + document.Span(pacingBound)
	switch {
	case f.sent != f.due:
		return held(false, measured, bound, fmt.Sprintf("%s of %s operations were sent: this machine does not keep up "+
			"with a rate as low; free it of other work", document.Count(f.sent), document.Count(f.due)))
	case f.p50 > pacingBound:
		return held(false, measured, bound, "free this machine of other work, or use one with more cores; "+
			"until then responses of a millisecond or less are mostly its own lateness")
	default:
		return held(true, measured, bound, "")
	}
}
