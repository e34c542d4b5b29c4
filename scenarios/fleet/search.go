package fleet

import (
	"encoding/json"
	"fmt"

	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// search leads the search of a plan: its steps are turns, of which each follows from what all
// members measured of the last. It belongs to one goroutine.
type search struct {
	*campaign.Search
	plan    *run.Plan
	members int
	// offered is what its steps have offered so far, as records have it.
	offered []campaign.Offered
}

var _ protocol.Search = (*search)(nil)

// searchOf returns the search of a plan, nil where it has none.
func searchOf(p *run.Plan, members int) (*search, error) {
	if p.Find == nil {
		return nil, nil
	}
	begun, err := p.Searched()
	return &search{Search: begun, plan: p, members: members}, err
}

// Next implements [protocol.Search].
func (s *search) Next(came []json.RawMessage) (json.RawMessage, error) {
	if len(came) > 0 {
		all := new(campaign.Measured)
		for i, text := range came {
			var one campaign.Measured
			if err := json.Unmarshal(text, &one); err != nil {
				return nil, fmt.Errorf("what member %d measured cannot be read: %w", i, err)
			}
			all.Add(&one)
		}
		s.Spend(all)
		s.Tell(all)
	}
	t, more := s.Search.Next()
	if !more {
		return nil, nil
	}
	offered, err := s.plan.OfferedBy(t, s.members)
	if err != nil {
		return nil, err
	}
	s.offered = append(s.offered, offered...)
	return json.Marshal(t)
}
