package run

import (
	"math"

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
