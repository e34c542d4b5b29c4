package run

import (
	"math"
	"os"
	"runtime/debug"

	"loadgen/report/document"
	"loadgen/scenarios/campaign"
)

// Footprint returns how much memory a simulation of the plan takes, in bytes. Its error is
// that of a scenario which cannot be run.
func (p *Plan) Footprint() (int64, error) {
	campaign, err := campaignOf(p.options(TablePrefix + p.Scenario.Table))
	if err != nil {
		return 0, err
	}
	return campaign.Footprint(p.data()).Total(), nil
}

// fits reports a simulation that would take more memory than it may, before
// anything is run. Two runs beside each other take twice as much.
func (p *Plan) fits(c *campaign.Campaign) error {
	if p.MemoryLimit == 0 {
		return nil
	}
	need := c.Footprint(p.data())
	sum, more := need.Total(), ""
	if _, twice := p.rival(); twice {
		sum = min(sum, math.MaxInt64/2) * 2
		more = ", twice since another profile runs beside it (--one-profile spares that)"
	}
	if sum <= p.MemoryLimit {
		return nil
	}
	if need.Holdings > 0 {
		more = ", " + document.Bytes(need.Holdings) + " of keys that tell what queries read" + more
	}
	return wrong("memory-limit", "the scenario would take about %s: %s of operations that wait, "+
		"%s of stored entities, %s of histograms%s", document.Bytes(sum),
		document.Bytes(need.Waiting), document.Bytes(need.Entities), document.Bytes(need.Histograms), more)
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

// easeCollector has garbage collected as seldom as a live run of a campaign can
// afford, and returns what sets that back. Whoever has set GOGC has decided.
func (p *Plan) easeCollector(c *campaign.Campaign) (restore func()) {
	if _, decided := os.LookupEnv("GOGC"); decided {
		return func() {}
	}
	before := debug.SetGCPercent(collectAt(c.Footprint(p.On != Remote).Entities))
	return func() { debug.SetGCPercent(before) }
}

// collectAt returns by how much of what lives, in percent, the heap may grow before
// it is collected, where entities take so many bytes.
func collectAt(entities int64) int {
	if entities >= mostGarbage {
		return usualPercent
	}
	return int(min(mostPercent, max(usualPercent, 100*mostGarbage/(livesAnyway+max(0, entities)))))
}
