package report

import (
	"fmt"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// generator shows the capacity of the process that sent the load, its costs and its health.
func (a *author) generator() {
	g := a.record.Generator
	if g == nil {
		return
	}
	a.section("generator", "Generator")
	if g.Ceiling.PerSecond() > 0 {
		at := "a target that answers at once"
		if g.Ceiling.Over == results.OverHTTP {
			at = "a server of this process that answers at once"
		}
		ceiling := fmt.Sprintf("ceiling: %s operations/s flat out, %d under way, at %s",
			document.Rate(g.Ceiling.PerSecond()), g.Ceiling.Lanes, at)
		if g.CPUKnown {
			ceiling += fmt.Sprintf("; CPU: %s µs an operation", document.Figures(g.Ceiling.CPUMicros()))
		}
		a.line(ceiling)
	}
	if g.Seconds == 0 {
		a.line("the run was too short to look at it: no whole second")
		return
	}
	usage := "CPU: this system does not tell"
	if g.CPUKnown {
		var cpu time.Duration
		var attempts int64
		for i := range a.record.Intervals {
			if row := &a.record.Intervals[i]; row.Generator != nil {
				cpu += row.Generator.CPU
				attempts += row.Attempts
			}
		}
		each, whose := document.Untold, ""
		if attempts > 0 {
			each = document.Figures(float64(cpu) / float64(time.Microsecond) / float64(attempts))
		}
		if a.record.Manifest.Modelled() {
			whose = ", the engine's part included"
		}
		usage = fmt.Sprintf("CPU: %s of %d cores, %s in the busiest second, %s µs an attempt%s",
			document.Share(g.CPU.Seconds()/float64(g.Seconds)/float64(max(1, g.Cores))), g.Cores, document.Share(g.Busiest.Share(g.Cores)), each, whose)
	}
	a.line(fmt.Sprintf("%s; heap: %s at most; goroutines: %s at most", usage, document.Bytes(int64(g.Heap)), document.Count(g.Goroutines)))
	text := fmt.Sprintf("GC pauses: %s in all, longest %s; stood still: %s in all, longest %s",
		document.Lapse(g.Pauses), document.Lapse(g.LongestPause), document.Lapse(g.StoodStill), document.Lapse(g.LongestStill))
	if g.LeastFree != nil {
		text += fmt.Sprintf("; free workers: %s of %s at least", document.Count(*g.LeastFree), document.Count(int64(g.Workers)))
	}
	a.line(text)
	a.line(verdict.Lateness(verdict.Strains(a.record)))
}
