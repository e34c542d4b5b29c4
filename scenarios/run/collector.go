package run

import (
	"loadgen/scenarios/campaign"
	"os"
	"runtime/debug"
)

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
