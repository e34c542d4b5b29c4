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

// carried returns the scenario as it is carried out: a search and vegeta's driver try
// nothing again unless somebody chose the retries.
func (p *Plan) carried() *scenarios.Scenario {
	s := *p.Scenario
	if !p.RetryChosen && p.Find != nil || p.Driver == Vegeta {
		s.RetryAll("none")
	}
	s.Workers = p.workers()
	return &s
}

// options returns what the campaign of the plan is made of, but for what depends on
// when it begins.
func (p *Plan) options(table string) campaign.Options {
	// By which the target says that it is busy, beside the codes that every service has.
	var codes []int
	if slices.ContainsFunc(p.Accounts, func(e Endpoint) bool { return e.Cosmos() }) {
		codes = []int{backoff.TooManyRequests}
	}
	m, _ := p.model() // without one nothing is foreseen
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
	if p.On == Remote { // what any other run makes ends with this process
		o.OnResource = func(made campaign.Resource, there bool) {
			// Of several accounts the first has the queues and containers.
			where := p.Accounts[made.Account].String()
			if one, beside := map[string]azure.Neighbour{campaign.ResourceQueue: azure.Queue, campaign.ResourceContainer: azure.Blob}[made.What]; beside {
				where, _ = p.Accounts[0].Neighbour(one)
			}
			p.Remains.Hold(Remain{Resource: made, Where: where, Kept: p.Keep && !made.Doubtful}, there)
		}
	}
	p.together(&o)
	return campaignOf(o)
}

// attend enters into the options of a campaign who watches it, and what fails on purpose.
func (p *Plan) attend(o *campaign.Options) {
	if p.Progress != nil {
		o.OnStage = p.Progress.Enters
	}
	if p.injector != nil {
		o.Faults = p.injector
	}
}

// campaignOf returns the stages of a run; what is wrong with them is a fault of the plan.
func campaignOf(o campaign.Options) (*campaign.Campaign, error) {
	made, err := campaign.NewCampaign(o)
	if err != nil {
		return nil, wrong("", "%v", err)
	}
	return made, nil
}

// Agree asks for consent to what runs of the plan will send together to a remote target,
// on a table that is called so; nobody is asked for another target. The error is that of
// Consent, [ErrConsent] where there is none.
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

// consent asks for consent to what a run of the plan will send, if its target is remote.
func (p *Plan) consent(ctx context.Context, c *campaign.Campaign) error {
	if p.On != Remote || p.Member != nil { // whoever leads has asked
		return nil
	}
	f, err := p.forecast(ctx, c)
	if err != nil {
		return err
	}
	return p.Agree(f, c.Table)
}

// Run carries a plan out and returns its sealed record, which is partial where the run
// was ended early; the error says why, or that nothing began, with no record then. A run
// whose context is done once all was measured has its whole record, and the error. It is
// [ErrBudget] itself where a spent budget alone ended the run; others are a context's,
// [fields.Faults] of the plan, or wrap [ErrTarget], [ErrFolder], [drive.ErrStopped], one of
// drive's or results.ErrWrite.
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

// Remains are what remote runs have made and not dropped yet: what would be left if the
// process ended now. It is safe for concurrent use; its zero value is empty, and a nil one
// keeps nothing.
type Remains struct {
	mu   sync.Mutex
	list []Remain
}

// Remain is a table, a queue or a container of blobs that a run has made, or is about to.
type Remain struct {
	campaign.Resource
	// Where is the address of its account.
	Where string
	// Kept says that it stays in place because it was asked for.
	Kept bool
}

// String names it and where it is.
func (r Remain) String() string { return fmt.Sprintf("%s %s at %s", r.What, r.Name, r.Where) }

// List returns all that there is, the oldest first.
func (r *Remains) List() []Remain {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Hold takes down that something is there, or is gone.
func (r *Remains) Hold(one Remain, there bool) {
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
