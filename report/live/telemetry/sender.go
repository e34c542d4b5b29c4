package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"loadgen/engine/clock"
)

// The time limits of the last export: usually, and if the run was interrupted or the export before failed.
const (
	flushTimeout = 5 * time.Second
	shortTimeout = time.Second
)

// errLate is the cause of an export that took too long.
var errLate = errors.New("telemetry: no answer")

// export sends what there is at an instant. An export that the context cuts off is no failure, and is repeated.
func (e *Exporter) export(ctx context.Context, at time.Duration) {
	// Metrics count these traces, and are sent first, because they matter most.
	e.batch = append(e.batch, e.slowest.drain(at)...)
	failing := ""
	if e.client.metrics != nil {
		var all metricdata.ResourceMetrics
		err := e.reader.Collect(ctx, &all)
		if err == nil {
			err = e.client.metrics.Export(ctx, &all)
		}
		if !ended(ctx, err) {
			failing = e.countExport(ctx, "metrics", err)
		}
	}
	if e.client.traces != nil && len(e.batch) > 0 {
		e.gathered.spans = nil
		for _, l := range e.batch {
			e.trace(l)
		}
		err := e.client.traces.ExportSpans(ctx, e.gathered.spans)
		if !ended(ctx, err) {
			why := e.countExport(ctx, "traces", err)
			if why != "" {
				e.unsent.Add(int64(len(e.batch)))
			}
			failing, e.batch = cmp.Or(failing, why), nil
		}
	}
	if e.failing = failing; failing != "" && !e.said {
		e.said = true
		e.run.Say(fmt.Sprintf("--otlp %s: %s; the run continues, failed exports are counted", e.client.endpoint, failing))
	}
}

// ended reports whether an export failed only because its context ended.
func ended(ctx context.Context, err error) bool {
	cause := context.Cause(ctx)
	return err != nil && cause != nil && !errors.Is(cause, errLate)
}

// countExport counts an export, and returns the cause if it failed.
func (e *Exporter) countExport(ctx context.Context, what string, err error) string {
	e.exports.Add(1)
	if err == nil {
		return ""
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	e.failed.Add(1)
	return what + ": " + e.client.plain(err)
}

// Stop sends the rest, within five seconds, or one second if the export before failed or the run was interrupted, and
// ends what Start began. It is called once, after the last event.
func (e *Exporter) Stop() {
	e.end()
	e.done.Wait()
	e.flush()
	_, lost := e.slowest.counts()
	lost += e.unsent.Load()
	if failed := e.failed.Load(); failed > 0 || lost > 0 {
		line := fmt.Sprintf("--otlp %s: %d of %d exports failed, %d traces are lost", e.client.endpoint, failed, e.exports.Load(), lost)
		if e.failing != "" {
			line += "; the last export failed"
		}
		e.run.Say(line)
	}
}

// flush sends the remaining data.
func (e *Exporter) flush() {
	limit := flushTimeout
	if e.failing != "" || e.over.Err() != nil {
		limit = shortTimeout
	}
	ctx, release := clock.Within(context.WithoutCancel(e.over), e.run.Clock, limit, errLate)
	defer release()
	brief, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// An interrupt while this waits shortens the time.
	stop := context.AfterFunc(e.over, func() {
		if e.run.Clock.Sleep(brief, e.run.Clock.Now().Add(shortTimeout)) == nil {
			cancel(errLate)
		}
	})
	defer stop()
	// The current second is over, too.
	e.export(brief, e.run.Now()+time.Second)
}
