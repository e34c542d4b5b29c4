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

// wrong is what is wrong with a field of a plan, none of its own where that is empty.
func wrong(field, format string, args ...any) error {
	return fields.Fault{Path: field, What: fmt.Sprintf(format, args...)}
}

// TablePrefix begins the name of every table that this tool makes, and of all
// that it touches on a service that others use, too.
const TablePrefix = "loadgen"

// Validate returns all that is wrong with the plan, each a [fields.Fault] whose path
// is the field of the plan that it concerns, in the words of a command's flag; nil where
// nothing is. Nothing is opened for it.
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
		add(p.enoughPartitions())
	}
	if limit, known := OpenFiles(); p.live() && known {
		add(p.enoughFiles(limit))
	} else if !p.live() {
		faults = append(faults, p.virtualFaults()...)
	}
	if len(faults) > 0 {
		p.sound = nil
	}
	return faults
}

// sound is what [Plan.Validate] has built of a plan that has no faults, for the run of it.
type sound struct {
	scenario *scenarios.Scenario
	model    *model.Model
	// campaign is that of a simulation whose memory was foreseen, nil once a run has it.
	campaign atomic.Pointer[campaign.Campaign]
}

// validated reports whether the plan was found without faults.
func (p *Plan) validated() bool { return p.sound != nil && p.sound.scenario == p.Scenario }

// model returns the partition model that the plan's scenario asks for.
func (p *Plan) model() (*model.Model, error) {
	if p.validated() {
		return p.sound.model, nil
	}
	return modelOf(p.Scenario)
}

// modelOf returns the partition model that a scenario asks for.
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
		return nil // it is whose who leads
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

// spareFiles are those that a run has open beside its connections.
const spareFiles = 64

// How many workers a live run has whose scenario does not say. A target that stalls for
// a quarter of a second at four thousand operations a second does not use them up; each is
// begun when it is first needed, and so is its connection. A connection takes tens of
// kilobytes at either end, a worker alone a few; and beyond a thousand requests at once a
// machine that is short of CPU serves each so slowly that fewer are lost than a generator
// on time would see. vegeta's attack breaks down under more than some
// hundreds, and on the virtual clock the number is never reached.
const (
	fewWorkers    = scenarios.FewestWorkers
	wireWorkers   = 1024
	directWorkers = 16_384
)

// workers returns how many attempts may be under way at once.
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

// workersWithin returns how many workers the files are enough for that a process may have
// open, up to those of a run.
func workersWithin(limit uint64, known bool, on Place, accounts int) int {
	if !known {
		return wireWorkers
	}
	room := (max(limit, spareFiles) - spareFiles) / endsAt(on) / uint64(accounts)
	return int(min(max(room, fewWorkers), wireWorkers))
}

// endsAt returns how many ends of a connection this process has.
func endsAt(on Place) uint64 { return map[Place]uint64{Embedded: 2, Remote: 1}[on] }

// enoughFiles refuses more workers than a process that may have so many files open may have
// connections, of which an embedded engine has the other end, too. Each worker may leave one
// open to each account.
func (p *Plan) enoughFiles(limit uint64) error {
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
