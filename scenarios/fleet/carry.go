package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fleet/protocol"
	"loadgen/scenarios/run"
)

// planOptions are the options of a run's plan that are not fields of an assignment.
type planOptions struct {
	campaign.From
	// Mark marks written entities; Client is the sending client, Budget the maximum number of billed transactions of the
	// member's own run, 0 for any.
	Mark   string `json:"mark"`
	Client string `json:"client,omitempty"`
	Budget int64  `json:"budget,omitempty"`
	// NoProbe skips the probe before the run.
	NoProbe bool `json:"no_probe,omitempty"`
	// Find is the search of the run, nil for any other; RetryChosen says that the user chose the retry policy.
	Find        *campaign.Find `json:"find,omitempty"`
	RetryChosen bool           `json:"retry_chosen,omitempty"`
	// Folder is the base of relative paths in the scenario. Accounts are the addresses of the services that all members
	// send to, none if the target is the leader's engine.
	Folder   string   `json:"folder,omitempty"`
	Accounts []string `json:"accounts,omitempty"`
}

// SendTo returns a [Carry] that sends to accounts with their credentials, or to the leader's engine without any.
func SendTo(accounts []run.Endpoint) Carry {
	return func(ctx context.Context, a protocol.Assignment, m *run.Member) (*results.Record, error) {
		p, err := memberPlan(a, m, accounts)
		if err != nil {
			return nil, err
		}
		return run.Run(ctx, p)
	}
}

// memberPlan returns the plan of a member's run.
func memberPlan(a protocol.Assignment, m *run.Member, accounts []run.Endpoint) (p run.Plan, err error) {
	var o planOptions
	if err := json.Unmarshal(a.Options, &o); err != nil {
		return p, fmt.Errorf("invalid message of the leader: %w", err)
	}
	s, err := scenarios.Parse("the leader's scenario", a.Scenario)
	if err == nil {
		err = s.ReadFrom(o.Folder)
	}
	if err != nil {
		return p, err
	}
	m.Share, m.From, m.Mark, m.Engine = drive.Share{Index: a.Index, Of: a.Of}, o.From, o.Mark, a.Target
	p = run.Plan{Scenario: s, On: run.Embedded, Table: a.Table, Client: o.Client, Budget: o.Budget, NoProbe: o.NoProbe, Find: o.Find, RetryChosen: o.Find == nil || o.RetryChosen, Member: m}
	if a.Target != "" && len(accounts) > 0 {
		return p, fmt.Errorf("%w: the target is the leader's engine; remove --target", errTarget)
	}
	if a.Target == "" {
		p.On, p.Accounts = run.Remote, accounts
		if own := addresses(accounts); !slices.Equal(own, o.Accounts) {
			return p, fmt.Errorf("%w: %q, and the leader's is %q; expected the same", errTarget, own, o.Accounts)
		}
	}
	return p, nil
}

// addresses returns the addresses of accounts.
func addresses(accounts []run.Endpoint) (list []string) {
	for _, account := range accounts {
		list = append(list, account.String())
	}
	return list
}
