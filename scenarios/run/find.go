package run

import (
	"math"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// burstsPerStep is how many times as long as the allowance that an idle target has
// saved up a step lasts, so that a hundredth of its rate can come from there.
const burstsPerStep = 100

// NewFind returns the search for what one partition or the account holds,
// results.LimitPartition or results.LimitAccount, over a sound scenario: from its first
// rate, by steps that suit its model. Its error is that of a model that is none.
func NewFind(s *scenarios.Scenario, of string) (*campaign.Find, error) {
	m, err := modelOf(s)
	if err != nil {
		return nil, err
	}
	f := &campaign.Find{Of: of, MaxThrottled: .005, From: documentedPartition / 4, Burst: m.PartitionBurst}
	if of == results.LimitAccount {
		f.From, f.Burst = documentedAccount/4, m.AccountBurst
	} else {
		// At the first rate of the scenario.
		for i := range s.Phases {
			t := s.Phases[i].Offered()
			if len(t.Keys) == 1 && len(t.Ladder()) > 0 {
				f.From = max(t.Ladder()[0].Rate, campaign.LowestRate)
				break
			}
			if t.Unit == scenarios.UnitEach && t.Arrivals != nil {
				f.From = max(t.Arrivals.Constant, campaign.LowestRate)
				break
			}
		}
	}
	f.UpTo = HighestTried(of, f.From)
	f.Step = min(max(time.Duration(burstsPerStep)*f.Burst, campaign.ShortestStep), campaign.LongestStep)
	return f, nil
}

// HighestTried returns how far up a search goes from its first rate, in operations per
// second, unless it is told: from the usual ones that is far above the documented targets.
func HighestTried(of string, from float64) float64 {
	times := 16.0
	if of == results.LimitAccount {
		times = 8
	}
	return min(times*from, campaign.HighestRate)
}

// enoughPartitions refuses the search of an account whose partitions bind before it
// does.
func (p *Plan) enoughPartitions() error {
	c, err := campaignOf(p.options(TablePrefix))
	if err != nil {
		return err
	}
	partitions, err := c.FindOver()
	switch {
	case err != nil:
		return wrong("", "%v", err)
	case p.Find.Of == results.LimitPartition:
		return nil
	}
	one, account := p.sound.model.PartitionTarget, p.sound.model.AccountTarget
	if p.On == Remote {
		one, account = documentedPartition, documentedAccount
	}
	// So many bear an account's and a tenth more: none of them binds at what the account holds.
	switch needed := int64(math.Ceil(1.1 * float64(account) / float64(max(1, one)))); {
	case one == 0 || account > 0 && int64(len(partitions)) >= needed:
		return nil
	case account == 0:
		return wrong("find-limit", "the model limits partitions to %d, not the account; "+
			"expected --find-limit partition", one)
	default:
		return wrong("find-limit", "%d partitions of %d entities/s each bind before the account's %d; "+
			"expected a scenario of %d partitions or more", len(partitions), one, account, needed)
	}
}
