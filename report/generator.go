package report

import (
	"time"

	"loadgen/report/verdict"
)

// generator shows the capacity of the process that sent the load, its costs and its health.
func (a *author) generator() {
	if a.Generator != nil {
		a.section("generator")
		a.lines("lines of generator")
	}
}

// cpuShares are the shares of its cores that the generator used on average and in its busiest second.
type cpuShares struct {
	Mean, Busiest float64
	Cores         int
}

// CPUShares returns nil if they are unknown.
func (a *author) CPUShares() *cpuShares {
	g := a.Generator
	if g == nil || g.Seconds == 0 || !g.CPUKnown {
		return nil
	}
	return &cpuShares{g.CPU.Seconds() / float64(g.Seconds) / float64(max(1, g.Cores)), g.Busiest.Share(g.Cores), g.Cores}
}

// MicrosPerAttempt is the generator's CPU for an attempt, nil if there was none.
func (a *author) MicrosPerAttempt() *float64 {
	var cpu time.Duration
	var attempts int64
	for i := range a.Intervals {
		if row := &a.Intervals[i]; row.Generator != nil {
			cpu += row.Generator.CPU
			attempts += row.Attempts
		}
	}
	if attempts == 0 {
		return nil
	}
	return new(float64(cpu) / float64(time.Microsecond) / float64(attempts))
}

// Lateness describes the seconds in which the generator was late.
func (a *author) Lateness() string { return verdict.Lateness(verdict.Strains(a.Record)) }
