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

// Footprint returns the predicted peak memory of a simulation of the plan, in bytes of live heap: within a factor of 1.5
// from 64 MiB. Its error is that of an invalid scenario.
func (p *Plan) Footprint() (int64, error) {
	campaign, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return 0, err
	}
	return campaign.Footprint(p.data()).Total(), nil
}

// virtualFaults returns why a valid plan cannot be simulated: clients never pause and the model answers at once, so that
// time would not pass; or the memory exceeds the limit. Two simultaneous runs need twice the memory.
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

// forecastFloor is the minimum size of a useful prediction.
const forecastFloor = 64 << 20

// MemoryText returns predicted memory for messages.
func MemoryText(bytes int64) string {
	if bytes < forecastFloor {
		return "less than " + document.Bytes(forecastFloor)
	}
	return "about " + document.Bytes(bytes)
}

// The growth of the heap between garbage collections. On two processors the collector takes half of the CPU while it marks.
// The first command of the README makes 12,000 attempts/s over 60 MB of live heap. At the default of 100%, the collector
// marks for 11 to 18% of the time, 9 times a second, and takes 8 µs of the 110 µs of an attempt; at 400%, for 3 to 4%, twice
// a second and 3 µs, and the process uses 440 MB instead of 150. 800% improves little more.
const (
	defaultPercent = 100
	maxPercent     = 400
	// maxGarbage limits the garbage, unless the live heap is as large.
	maxGarbage = 640 << 20
	// otherHeap is the live heap without the entities of an embedded engine.
	otherHeap = 64 << 20
)

// remoteMemory is the soft memory limit of a run against a service: endless replies leave garbage of several times the live
// heap. A run with a higher prediction gets twice that.
const remoteMemory = 300 << 20

// easeCollector sets the garbage collection for a live run of a campaign, and returns a function that restores it. GOGC and
// GOMEMLIMIT in the environment take precedence.
func (p *Plan) easeCollector(c *campaign.Campaign) (restore func()) {
	beforePercent, beforeLimit := debug.SetGCPercent(defaultPercent), debug.SetMemoryLimit(-1)
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

// collectAt returns the growth of the heap between collections, in percent of the live heap, for entities of this many bytes.
func collectAt(entities int64) int {
	if entities >= maxGarbage {
		return defaultPercent
	}
	return int(min(maxPercent, max(defaultPercent, 100*maxGarbage/(otherHeap+max(0, entities)))))
}
