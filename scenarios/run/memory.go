package run

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// Footprint returns the forecast of the peak memory of a simulation of the plan, in bytes of
// live heap: within a factor of 1.5 from 64 MiB on. Its error is that of a scenario which
// cannot be run.
func (p *Plan) Footprint() (int64, error) {
	campaign, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return 0, err
	}
	return campaign.Footprint(p.data()).Total(), nil
}

// virtualFaults returns what keeps a sound plan from being simulated: clients that never pause
// where the model answers at once, for time would not pass; and more memory than it may take,
// which for two runs beside each other is twice as much.
func (p *Plan) virtualFaults() (faults []error) {
	if m := p.sound.model; m.RoundTrip == 0 && (m.ReadTime == 0 || m.WriteTime == 0) {
		at := slices.IndexFunc(p.Scenario.Phases, func(phase scenarios.Phase) bool {
			t := phase.Traffic
			return t != nil && t.FlatOut() && t.Count == 0
		})
		if at >= 0 {
			faults = append(faults, wrong("", "virtual time cannot pass in the phase %s: clients never pause, replies take no time; "+
				"expected think above 0, a count, or a model with a round_trip", p.Scenario.Phases[at].Name))
		}
	}
	if p.MemoryLimit == 0 {
		return faults
	}
	c, err := p.campaign(time.Time{})
	if err != nil {
		return append(faults, err)
	}
	need := c.Footprint(p.data())
	if p.Find == nil {
		p.sound.campaign.Store(c)
	}
	sum, more := need.Total(), ""
	if _, twice := p.rival(); twice {
		sum = min(sum, math.MaxInt64/2) * 2
		more = ", doubled for the other profile (--one-profile avoids that)"
	}
	if sum <= p.MemoryLimit {
		return faults
	}
	if sum < forecastFloor {
		more = ""
	} else {
		more = fmt.Sprintf(": %s waiting operations, %s entities, %s query keys, %s record%s", document.Bytes(need.Waiting),
			document.Bytes(need.Entities), document.Bytes(need.Estimates), document.Bytes(need.Record), more)
	}
	return append(faults, wrong("memory-limit", "the scenario needs %s%s", MemoryText(sum), more))
}

// forecastFloor is the size below which a forecast of memory is no estimate.
const forecastFloor = 64 << 20

// MemoryText returns a forecast of memory as messages show it.
func MemoryText(bytes int64) string {
	if bytes < forecastFloor {
		return "less than " + document.Bytes(forecastFloor)
	}
	return "about " + document.Bytes(bytes)
}

// What the process may let lie before it collects garbage. On two processors the
// collector takes half of them from the load while it marks. The first command of
// the README makes 12,000 attempts a second over 60 MB that live. Collected at the
// runtime's 100 %, it is marking for 11 to 18 % of the time, 9 times a second, for
// 8 µs of every attempt's 110; at 400 %, for 3 to 4 %, twice a second and for 3 µs,
// and the process takes 440 MB in place of 150. At 800 % little more is won.
const (
	usualPercent = 100
	mostPercent  = 400
	// mostGarbage bounds what lies beside what lives, unless as much lives.
	mostGarbage = 640 << 20
	// livesAnyway is what lives beside the entities of an embedded engine.
	livesAnyway = 64 << 20
)

// remoteMemory is the soft limit of the memory of a run against a service: replies without an end leave
// garbage of several times of what lives. A run that is forecast to need more gets as much again.
const remoteMemory = 300 << 20

// easeCollector has garbage collected as seldom as a live run of a campaign can
// afford, and returns what sets that back. GOGC and GOMEMLIMIT in the environment take precedence.
func (p *Plan) easeCollector(c *campaign.Campaign) (restore func()) {
	beforePercent, beforeLimit := debug.SetGCPercent(usualPercent), debug.SetMemoryLimit(-1)
	debug.SetGCPercent(beforePercent)
	need := c.Footprint(p.On != Remote)
	if _, decided := os.LookupEnv("GOMEMLIMIT"); p.On == Remote && !decided {
		debug.SetMemoryLimit(max(remoteMemory, 2*min(math.MaxInt64/2, need.Total())))
	}
	if _, decided := os.LookupEnv("GOGC"); !decided {
		debug.SetGCPercent(collectAt(need.Entities))
	}
	return func() {
		debug.SetGCPercent(beforePercent)
		debug.SetMemoryLimit(beforeLimit)
	}
}

// collectAt returns by how much of what lives, in percent, the heap may grow before
// it is collected, where entities take so many bytes.
func collectAt(entities int64) int {
	if entities >= mostGarbage {
		return usualPercent
	}
	return int(min(mostPercent, max(usualPercent, 100*mostGarbage/(livesAnyway+max(0, entities)))))
}
