package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// told is what of a run's plan a member is told beside its charge.
type told struct {
	campaign.From
	// Mark marks what is written; Client is what sends, Budget how many billed transactions the
	// member's own run may have, 0 for any.
	Mark   string `json:"mark"`
	Client string `json:"client,omitempty"`
	Budget int64  `json:"budget,omitempty"`
	// NoProbe leaves out what is tried before the run.
	NoProbe bool `json:"no_probe,omitempty"`
	// Find is the search that the run is, nil for any other, RetryChosen that somebody chose what
	// it tries again.
	Find        *campaign.Find `json:"find,omitempty"`
	RetryChosen bool           `json:"retry_chosen,omitempty"`
	// Folder is what the paths in the scenario count from; Where are the accounts that all have
	// to send to, by their addresses, none where the target is the leader's engine.
	Folder string   `json:"folder,omitempty"`
	Where  []string `json:"where,omitempty"`
}

// Own is what a member has of its own, and no other is told.
type Own struct {
	// Accounts are the services that it sends to, with what proves them its; none for the
	// leader's engine.
	Accounts []run.Endpoint
}

// Carry makes a member offer its share of its charge.
func (o *Own) Carry(ctx context.Context, c protocol.Charge, l Leading) (*results.Record, error) {
	var more told
	if err := json.Unmarshal(c.Options, &more); err != nil {
		return nil, fmt.Errorf("invalid message of the leader: %w", err)
	}
	s, err := scenarios.Parse("the leader's scenario", c.Scenario)
	if err == nil {
		err = s.ReadFrom(more.Folder)
	}
	if err != nil {
		return nil, err
	}
	p := run.Plan{Scenario: s, On: run.Embedded, Table: c.Table, Client: more.Client, Budget: more.Budget, NoProbe: more.NoProbe, Find: more.Find, RetryChosen: more.Find == nil || more.RetryChosen,
		Member: &run.Member{Share: drive.Share{Index: c.Index, Of: c.Of}, From: more.From, Mark: more.Mark, Engine: c.Target}}
	if c.Target == "" {
		p.On, p.Accounts = run.Remote, o.Accounts
	}
	switch {
	case c.Target != "" && len(o.Accounts) > 0:
		return nil, fmt.Errorf("%w: the target is the leader's engine; remove --target", errTarget)
	case c.Target == "" && len(o.Accounts) != len(more.Where):
		return nil, fmt.Errorf("%w: %d given, %d expected, like the leader's --target", errTarget, len(o.Accounts), len(more.Where))
	}
	for i, one := range p.Accounts {
		if one.String() != more.Where[i] {
			return nil, fmt.Errorf("%w: %s, and the leader's is %s; expected the same", errTarget, one, more.Where[i])
		}
	}
	p.Member.Ready, p.Member.Search = l.Ready, tries{l}
	// The first second that is told says how late the member began.
	var mu sync.Mutex
	var late *time.Duration
	p.Member.Began = func(by time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		late = new(max(0, by))
	}
	p.Member.Second = func(of *results.Interval, response []*results.Histogram) {
		one := protocol.Second{Interval: *of, Response: response}
		mu.Lock()
		one.BeganLate, late = late, nil
		mu.Unlock()
		if of.Generator != nil {
			one.Stall = of.Generator.StoodStill
		}
		l.Tell(one)
	}
	return run.Run(ctx, p)
}

// tries are the steps of a search, each a turn of the fleet.
type tries struct{ leading Leading }

// Next implements [run.Searching].
func (t tries) Next(ctx context.Context) (one campaign.SearchStep, begins time.Time, more bool, err error) {
	turn, begins, err := t.leading.Next(ctx)
	if err != nil || turn.What == nil {
		return one, begins, false, err
	}
	err = json.Unmarshal(turn.What, &one)
	return one, begins, err == nil, err
}

// Report implements [run.Searching].
func (t tries) Report(one campaign.SearchStep, m *campaign.Measured) {
	// Numbers and a histogram can always be written.
	text, _ := json.Marshal(m)
	t.leading.Came(one.Number, text)
}
