package run

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
)

// wrong returns a fault of a field of a plan, empty for none.
func wrong(field, format string, args ...any) error {
	return fields.Fault{Path: field, What: fmt.Sprintf(format, args...)}
}

// TablePrefix is the prefix of every table that this tool creates, and of all that it changes at a remote service.
const TablePrefix = "loadgen"

// Validate returns the faults of the plan, each a [fields.Fault] with the name of the command's flag. It opens nothing.
func (p *Plan) Validate() []error {
	if p.Scenario == nil {
		return []error{wrong("scenario", "there is none; expected one that is sound")}
	}
	m, err := modelOf(p.Scenario)
	if err != nil {
		return []error{err}
	}
	built := &sound{scenario: p.Scenario, model: m}
	p.sound = nil
	var faults []error
	add := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	if p.Budget < 0 {
		add(wrong("budget", "expected a number of transactions above 0"))
	}
	add(p.driverFault())
	faults = append(faults, p.togetherFaults()...)
	add(p.reaches())
	add(p.tableFault())
	if f := p.Find; f != nil && f.Of == results.LimitAccount && severalOf(p.Scenario) > 0 {
		add(wrong("find-limit", "it searches one account, the scenario %s has %d; "+
			"expected --set accounts.number=1, or --find-limit partition", p.Scenario.Name, severalOf(p.Scenario)))
	} else if f != nil {
		faults = append(faults, f.Validate()...)
	}
	if len(faults) > 0 {
		return faults
	}
	p.sound = built
	if p.Find != nil {
		add(p.checkPartitions())
	}
	if limit, known := OpenFiles(); p.live() && known {
		add(p.checkFiles(limit))
	} else if !p.live() {
		faults = append(faults, p.virtualFaults()...)
	}
	if len(faults) > 0 {
		p.sound = nil
	}
	return faults
}

// sound is what [Plan.Validate] built of a valid plan, for its run.
type sound struct {
	scenario *scenarios.Scenario
	model    *model.Model
	// campaign is that of a simulation whose memory was predicted, nil once a run has it.
	campaign atomic.Pointer[campaign.Campaign]
}

// validated reports whether the plan was validated without faults.
func (p *Plan) validated() bool { return p.sound != nil && p.sound.scenario == p.Scenario }

// model returns the partition model of the plan's scenario.
func (p *Plan) model() (*model.Model, error) {
	if p.validated() {
		return p.sound.model, nil
	}
	return modelOf(p.Scenario)
}

// modelOf returns the partition model of a scenario.
func modelOf(s *scenarios.Scenario) (*model.Model, error) {
	m, err := s.PartitionModel()
	if err != nil {
		err = wrong("", "%v", results.OneLine(err))
	}
	return m, err
}

func (p *Plan) tableFault() error {
	if p.Table == "" {
		return nil
	}
	if code, detail := entity.ValidateTableName(p.Table); code != entity.OK {
		return wrong("table", "%s", detail)
	}
	if p.Member != nil {
		return nil // it is the leader's
	}
	if p.On == Remote && !strings.HasPrefix(strings.ToLower(p.Table), TablePrefix) {
		return wrong("table", "tables of remote targets must begin with %q", TablePrefix)
	}
	if made := campaign.Tables(p.Scenario); len(made) > 0 {
		return wrong("table", "the scenario %s creates and deletes tables such as %s, which could be yours; remove --table",
			p.Scenario.Name, p.Table+made[0])
	}
	return nil
}

// spareFiles is the number of open files of a run in addition to its connections.
const spareFiles = 64

// The default numbers of workers of a live run. They suffice for a target that stalls for a quarter of a second at 4,000
// operations/s; each worker and its connection starts when it is first needed. A connection takes tens of kilobytes at each
// end, a worker a few. With over a thousand concurrent requests a machine with little CPU serves each so slowly that fewer
// are lost than a punctual generator would see. vegeta's attack fails with more than some hundreds, and on the virtual
// clock the number is never reached.
const (
	fewWorkers    = scenarios.MinWorkers
	wireWorkers   = 1024
	directWorkers = 16_384
)

// workers returns the maximum number of concurrent attempts.
func (p *Plan) workers() int {
	switch {
	case p.Scenario.Workers > 0:
		return p.Scenario.Workers
	case p.Driver == Vegeta || !p.live():
		return fewWorkers
	case p.On == InProcess:
		return directWorkers
	}
	limit, known := OpenFiles()
	return workersWithin(limit, known, p.On, max(1, severalOf(p.Scenario)))
}

// workersWithin returns the number of workers that a limit of open files allows, up to the default.
func workersWithin(limit uint64, known bool, on Place, accounts int) int {
	if !known {
		return wireWorkers
	}
	room := (max(limit, spareFiles) - spareFiles) / endsAt(on) / uint64(accounts)
	return int(min(max(room, fewWorkers), wireWorkers))
}

// endsAt returns the number of ends of a connection in this process.
func endsAt(on Place) uint64 { return map[Place]uint64{Embedded: 2, Remote: 1}[on] }

// checkFiles refuses more workers than a limit of open files allows. Each worker can have an open connection to each account,
// and an embedded engine has the other ends as well.
func (p *Plan) checkFiles(limit uint64) error {
	accounts, before := max(1, severalOf(p.Scenario)), ""
	if accounts > 1 {
		before = fmt.Sprintf("%s for each of %s: ", document.Counted(p.workers(), "worker"), document.Counted(accounts, "account"))
	}
	workers, ends := p.workers()*accounts, endsAt(p.On)
	need := uint64(workers) * ends
	if need == 0 || need+spareFiles <= limit {
		return nil
	}
	return wrong("", "%s%s need %s open files, the limit is %s; expected at most %s, or a higher limit (ulimit -n)", before,
		document.Counted(workers, "worker"), document.Count(int64(need+spareFiles)), document.Count(int64(limit)),
		document.Counted(int((max(limit, spareFiles)-spareFiles)/ends), "worker"))
}

// burstsPerStep is the length of a step in bursts of an idle target, so that a hundredth of its rate can be saved-up
// allowance.
const burstsPerStep = 100

// NewFind returns the search for the limit of a partition (results.LimitPartition) or of the account (results.LimitAccount)
// with a valid scenario: from its first rate, with steps that suit its model. Its error is that of an invalid model.
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
	f.Step = min(max(time.Duration(burstsPerStep)*f.Burst, campaign.ShortestStep), campaign.MaxStep)
	return f, nil
}

// HighestTried returns the default maximum rate of a search from its first rate, in operations per second. From usual rates
// it is far above the documented targets.
func HighestTried(of string, from float64) float64 {
	times := 16.0
	if of == results.LimitAccount {
		times = 8
	}
	return min(times*from, campaign.HighestRate)
}

// checkPartitions refuses the search of an account whose partitions reach their limits before it does.
func (p *Plan) checkPartitions() error {
	c, err := campaignOf(p.options(TablePrefix))
	if err != nil {
		return err
	}
	partitions, err := c.SearchedPartitions()
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
	// With a tenth more than the account's limit in total, no partition reaches its own.
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
