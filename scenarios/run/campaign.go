package run

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/backoff"
	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/fields"
	"loadgen/target"
	"loadgen/target/azure"
)

// carried returns the scenario that runs: a search and vegeta's driver do not retry unless the user chose the retries.
func (p *Plan) carried() *scenarios.Scenario {
	s := *p.Scenario
	if !p.RetryChosen && p.Find != nil || p.Driver == Vegeta {
		s.RetryAll("none")
	}
	s.Workers = p.workers()
	return &s
}

// options returns the options of the campaign without those that depend on its start.
func (p *Plan) options(table string) campaign.Options {
	// The codes of a busy target, in addition to those of every service.
	var codes []int
	if slices.ContainsFunc(p.Accounts, func(e Endpoint) bool { return e.Cosmos() }) {
		codes = []int{backoff.TooManyRequests}
	}
	m, _ := p.model() // without a model nothing is predicted
	return campaign.Options{Scenario: p.carried(), Model: m, Table: table, NewName: p.Table == "", Reuse: p.Reuse, Keep: p.Keep, Find: p.Find, Peak: p.Peak,
		RetryCodes: codes, Verify: p.verify(), RunMark: "run", Blank: !p.live(), Script: p.Script}
}

func (p *Plan) campaign(started time.Time) (*campaign.Campaign, error) {
	if p.validated() {
		if c := p.sound.campaign.Swap(nil); c != nil {
			p.attend(&c.Options)
			return c, nil
		}
	}
	table := p.Table
	if table == "" {
		table = TablePrefix + p.Scenario.Table
		if p.live() {
			table += strconv.FormatInt(started.UnixNano()/int64(time.Millisecond), 36)
		}
	}
	o := p.options(table)
	o.RunMark = ""
	if p.live() {
		o.RunMark = strconv.FormatInt(started.UnixNano(), 36)
	}
	p.attend(&o)
	if p.live() {
		o.Clock = clock.NewReal()
	}
	if p.On == Remote { // resources of other runs end with this process
		o.OnResource = func(made campaign.Resource, there bool) {
			// The first account has the queues and containers.
			where := p.Accounts[made.Account].String()
			if one, beside := map[string]azure.Neighbour{campaign.ResourceQueue: azure.Queue, campaign.ResourceContainer: azure.Blob}[made.What]; beside {
				where, _ = p.Accounts[0].Neighbour(one)
			}
			p.Remains.Set(Remain{Resource: made, Where: where, Kept: p.Keep && !made.Doubtful}, there)
		}
	}
	p.together(&o)
	return campaignOf(o)
}

// attend sets the observer and the faults of a campaign.
func (p *Plan) attend(o *campaign.Options) {
	if p.Progress != nil {
		o.OnStage = p.Progress.Enters
	}
	if p.injector != nil {
		o.Faults = p.injector
	}
}

// campaignOf returns the stages of a run. Its error is a fault of the plan.
func campaignOf(o campaign.Options) (*campaign.Campaign, error) {
	made, err := campaign.NewCampaign(o)
	if err != nil {
		return nil, wrong("", "%v", err)
	}
	return made, nil
}

// Agree asks for consent to a forecast of load on a table of a remote target; other targets need none. The error is that
// of Consent, or [ErrConsent] if that is nil.
func (p *Plan) Agree(f campaign.Forecast, table string) error {
	if p.On != Remote {
		return nil
	}
	if p.Consent == nil {
		return ErrConsent
	}
	var beside []string
	for _, one := range neighboursOf(p.Scenario) {
		if address, known := p.Accounts[0].Neighbour(one); known {
			beside = append(beside, address)
		}
	}
	return p.Consent(Ask{Forecast: f, Where: p.where(), Table: table, Beside: strings.Join(beside, serviceAnd)})
}

// consent asks for consent to a run of the plan if its target is remote.
func (p *Plan) consent(ctx context.Context, c *campaign.Campaign) error {
	if p.On != Remote || p.Member != nil { // the leader has asked
		return nil
	}
	f, err := p.forecast(ctx, c)
	if err != nil {
		return err
	}
	return p.Agree(f, c.Table)
}

// Run runs a plan and returns its sealed record, which is partial if an error ended the run, and nil if the run did not
// begin. The record is complete if the context ends after the measurement. The error is [ErrBudget] itself if only a spent
// budget ended the run; others are a context's, [fields.Faults] of the plan, or wrap [ErrTarget], [ErrFolder],
// [drive.ErrStopped], an error of drive or results.ErrWrite.
func Run(ctx context.Context, p Plan) (*results.Record, error) {
	if !p.validated() {
		if err := fields.FaultsOf(p.Validate()); err != nil {
			return nil, err
		}
	}
	if p.Progress == nil {
		p.Progress = Observers(nil)
	}
	if rules := p.Scenario.Faults; len(rules) > 0 {
		p.injector = target.NewInjector(engine.FaultPlan{Rules: rules}, p.Scenario.Seed, p.Injected)
	}
	if p.Elsewhere != nil {
		p.handed = new(handed)
	}
	if p.live() {
		return p.inRealTime(ctx)
	}
	return p.simulated(ctx)
}

// Observers are a [Progress] that only observes attempts.
type Observers []drive.Observer

// Begins implements [Progress].
func (o Observers) Begins(Begun) []drive.Observer { return o }

// Enters implements [Progress].
func (Observers) Enters(campaign.Progress) {}

// Ends implements [Progress].
func (Observers) Ends(error) {}

// Remains lists what remote runs created and have not dropped yet. It is safe for concurrent use; the zero value is empty,
// and a nil one stores nothing.
type Remains struct {
	mu   sync.Mutex
	list []Remain
}

// Remain is a table, a queue or a blob container that a run created or is about to create.
type Remain struct {
	campaign.Resource
	// Where is the address of its account.
	Where string
	// Kept reports that the user wants it to stay.
	Kept bool
}

// String returns what it is, its name and its account.
func (r Remain) String() string { return fmt.Sprintf("%s %s at %s", r.What, r.Name, r.Where) }

// List returns all of them, the oldest first.
func (r *Remains) List() []Remain {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Set records that something exists, or that it is gone.
func (r *Remains) Set(one Remain, there bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(other Remain) bool { return other.String() == one.String() })
	if there {
		r.list = append(r.list, one)
	}
}
