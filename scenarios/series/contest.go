package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/report/compare/contest"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// ContestPlan is a contest as data: which designs of a scenario are held against each
// other, and by how many runs.
type ContestPlan struct {
	// Run is how each run is made, and of all of them together: the scenario, which need
	// not be sound under each of its designs, its seed, from which those of the runs are
	// drawn, the folder (Out or Runs), the Budget, the Consent, and the MemoryLimit. With
	// Rival each simulation is made under another of the model's profiles, too.
	Run run.Plan
	// Designs are the names of those that take part, in any order; none for all of the
	// scenario.
	Designs []string `flag:"designs" split:"," help:"which of the scenario's designs, separated by commas (default: all)"`
	// Seeds is how many runs each design has, each by a seed of its own, 1 to 100.
	Seeds int `flag:"count" rare:"yes" help:"number of runs: per design in a contest, of pairs in a gate; with other seeds in virtual time"`
	// Source is the folder that paths in the scenario count from.
	Source string
	// Alpha and Price are as of [loadgen/report/compare/contest.Options].
	Alpha float64
	Price contest.Price
	// Suggest has designs take part that follow from what the operations ask for, and the
	// scenario written with the winner in use: to Write, or where that is empty to
	// suggested.yaml in the folder.
	Suggest bool   `flag:"suggest" help:"add designs that are derived from the operations"`
	Write   string `flag:"write" rare:"yes" requires:"suggest" help:"new *file* for the scenario"`
	// Repeat returns the command that repeats a contest of designs that were named, if
	// some were, Alone that of a run of a design by a seed. Both may be nil.
	Repeat func(named []string) string
	Alone  func(design string, seed uint64) []string
	// Progress is told how far the contest is, a line at most once a second; it may be nil.
	Progress io.Writer
	// Shown has the contest be looked at while it goes on; it may be nil.
	Shown Shown
}

// MostSeeds is how many runs each design of a contest has at most.
const MostSeeds = 100

// Validate returns what is wrong with the plan as far as it can be told before its scenario
// is looked at, each a [fields.Fault] by the field that it concerns; nil where nothing is.
func (p *ContestPlan) Validate() []error {
	var faults []error
	if p.Seeds < 1 || p.Seeds > MostSeeds {
		faults = append(faults, wrong("count", "expected 1 to %d", MostSeeds))
	}
	for _, err := range (contest.Options{Alpha: p.Alpha, Price: p.Price}).Validate() {
		faults = append(faults, wrong("", "%v", err))
	}
	return faults
}

// Contested is what came of a contest.
type Contested struct {
	*contest.Contest
	// Folder has contest.json, the pictures, and the records of the runs: on a virtual
	// clock that of each design's first.
	Folder results.Dir
	// Proposal is what was suggested, and Written the file of the scenario with the winner
	// in use: nil and empty where that was not asked for, or nobody won.
	Proposal *suggest.Proposal
	Written  string
}

// contestRun is one under way: the designs and what has come of their runs.
type contestRun struct {
	plan     ContestPlan
	scenario *scenarios.Scenario
	files    *scenarios.Files
	needs    figure.Needs
	arms     []*arm
	// other is the profile that the verdict is held against, empty for none.
	other    string
	proposal *suggest.Proposal
	folder   results.Dir
	clock    clock.Real

	// mu guards what the runs come to, those that are looked at, how many were made, and when
	// that was told last; over is that no more will be.
	mu       sync.Mutex
	underWay []*looked
	done     int
	over     bool
	last     time.Duration
	pace     *pace
	// left is what the runs to come may bill, where there is a budget: they are made one
	// after another.
	left int64
}

// Contest carries a plan out, ranks what came of its runs and keeps it. A contest that was
// ended early is ranked by as many runs of each design as all have that have any; the
// error beside it says what ended it, [run.ErrBudget] itself for a spent budget. Where
// nothing was ranked it is a single [fields.Fault] of the plan or several joined,
// [fields.Faults] of the scenario, that of Consent, or one of [run.Run].
func Contest(ctx context.Context, plan ContestPlan) (*Contested, error) {
	if err := errors.Join(plan.Validate()...); err != nil {
		return nil, err
	}
	if plan.Run.Scenario == nil {
		return nil, wrong("scenario", "none; expected several designs")
	}
	if plan.Progress == nil {
		plan.Progress = io.Discard
	}
	c := &contestRun{plan: plan, scenario: plan.Run.Scenario, files: scenarios.FilesIn(plan.Source), clock: clock.NewReal(), left: plan.Run.Budget}
	if plan.Run.Rival && !c.live() {
		c.other = run.OtherProfile(c.scenario.Model.Name())
	}
	if err := c.suggest(ctx); err != nil {
		return nil, err
	}
	names, err := c.chosen()
	if err != nil {
		return nil, err
	}
	if err := c.enter(names); err != nil {
		return nil, err
	}
	atOnce, err := c.foresee(ctx)
	if err != nil {
		return nil, err
	}
	if c.folder, err = results.NewDir(plan.Run.Out, plan.Run.Runs, c.clock.Started().UTC(), "contest-"+c.scenario.Name); err != nil {
		return nil, fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	ended := c.carryOut(ctx, atOnce)
	told := &Contested{Contest: c.ranked(ended), Folder: c.folder, Proposal: c.proposal}
	err = c.keep(told.Contest)
	if err == nil {
		told.Written, err = c.write(told.Contest)
	}
	switch {
	case err == nil:
		return told, ended
	case ended == nil:
		return nil, err
	default:
		return nil, errors.Join(ended, err)
	}
}

// live reports whether the runs take place in real time.
func (c *contestRun) live() bool { return c.plan.Run.On != run.Simulated }

// chosen returns the designs that take part, in the order of the scenario: in which they
// were named changes nothing, the command to repeat it included.
func (c *contestRun) chosen() ([]string, error) {
	all, named := c.scenario.Alternatives(), c.plan.Designs
	if len(named) == 0 {
		if len(all) < 2 {
			return nil, wrong("", "scenario %s has one design; expected several: "+
				"list them under designs, or use --suggest", c.scenario.Name)
		}
		return all, nil
	}
	var faults []error
	for i, name := range named {
		path := fmt.Sprintf("designs.%d", i)
		switch {
		case !slices.Contains(all, name):
			faults = append(faults, wrong(path, "%s", nearest.Unknown("design", name, all)))
		case slices.Contains(named[:i], name):
			faults = append(faults, wrong(path, "%s occurs twice; expected once", name))
		}
	}
	if len(faults) == 0 && len(named) < 2 {
		faults = append(faults, wrong("designs", "one design; expected two or more, of %s", nearest.Choice(all)))
	}
	return slices.DeleteFunc(all, func(name string) bool { return !slices.Contains(named, name) }), errors.Join(faults...)
}

// foresee returns how many runs may be carried out at once. What keeps one from being made
// is told before the first, and consent asked for what all of them will send.
func (c *contestRun) foresee(ctx context.Context) (atOnce int, err error) {
	var sum campaign.Forecast
	most, design := int64(1), ""
	for _, one := range c.able() {
		p := c.plan.Run
		p.Scenario, p.Rival, p.MemoryLimit = one.scenario, false, 0
		var forecast campaign.Forecast
		var need int64 // in bytes
		if p.On == run.Simulated {
			need, err = p.Footprint()
		} else {
			forecast, err = p.Forecast(ctx)
		}
		if err != nil {
			return 0, wrong("", "design %s: %v", one.design, err)
		}
		if err := errors.Join(p.Validate()...); err != nil {
			return 0, err
		}
		times := int64(c.plan.Seeds)
		sum.Requests, sum.AtMost, sum.Beside = sum.Requests+times*forecast.Requests, sum.AtMost+times*forecast.AtMost, sum.Beside+times*forecast.Beside
		sum.Entities, sum.Sent, sum.Received = sum.Entities+times*forecast.Entities, sum.Sent+times*forecast.Sent, sum.Received+times*forecast.Received
		sum.Lasts += time.Duration(times) * forecast.Lasts
		if need > most {
			most, design = need, one.design
		}
	}
	if c.live() {
		p := c.plan.Run
		p.Scenario = c.scenario
		return 1, p.Agree(sum, run.TablePrefix+c.scenario.Table+"…, new per run")
	}
	limit := cmp.Or(c.plan.Run.MemoryLimit, math.MaxInt64)
	if most > limit {
		return 0, wrong("memory-limit", "a run of the design %s needs %s", design, run.MemoryText(most))
	}
	return int(min(int64(runtime.GOMAXPROCS(0)), limit/most)), nil
}

// The exit codes of runs, of this build and of others.
const (
	codeOk          = 0
	codeUsage       = 2
	codeExpectation = 10
	codeUntold      = 12
	codeInvalid     = 13
)

// wrong is what is wrong with a field of a series, none of its own where that is empty.
func wrong(field, format string, args ...any) error {
	return fields.Fault{Path: field, What: fmt.Sprintf(format, args...)}
}

// reason returns what is wrong with a file or a program, without its name.
func reason(err error) error {
	var program *exec.Error
	if errors.As(err, &program) {
		err = program.Err
	}
	var file *fs.PathError
	if errors.As(err, &file) {
		err = file.Err
	}
	return err
}

// arm is one design that takes part.
type arm struct {
	design string
	// scenario is the one with the design in use, its files read.
	scenario *scenarios.Scenario
	cannot   []contest.Obstacle
	order    string
	// trials and others are what its runs came to, by the number of the run; nil where
	// it has not come to its end.
	trials, others []*contest.Trial
	// first is the record of the first of its runs that did, number that run's number;
	// memory holds it where nothing else does.
	first  *results.Record
	number int
	memory *results.Memory
}

// able returns the designs that can be run.
func (c *contestRun) able() []*arm {
	return slices.DeleteFunc(slices.Clone(c.arms), func(one *arm) bool { return len(one.cannot) > 0 })
}

// enter enters the designs: each with what it cannot do, or ready to run. Faults that
// are the scenario's own are the error.
func (c *contestRun) enter(names []string) error {
	var unread []fields.Faults
	for _, name := range names {
		one := &arm{design: name, trials: make([]*contest.Trial, c.plan.Seeds), others: make([]*contest.Trial, c.plan.Seeds)}
		c.arms = append(c.arms, one)
		var err error
		if one.scenario, err = c.scenario.Under(name); err != nil {
			return err
		}
		if one.cannot = obstacles(c.scenario.Obstacles(name)); len(one.cannot) > 0 {
			continue
		}
		err = c.files.Read(one.scenario)
		var faults fields.Faults
		if err != nil && !errors.As(err, &faults) {
			return err
		}
		one.cannot = obstacles(c.scenario.ObstaclesOf(faults))
		unread = append(unread, faults)
	}
	if len(unread) > 0 && len(unread[0]) > 0 && !slices.ContainsFunc(unread, func(f fields.Faults) bool { return !slices.Equal(f, unread[0]) }) {
		// Whatever the design, the files cannot be read.
		return unread[0]
	}
	c.needs = needsOf(c.scenario)
	for _, one := range c.able() {
		// How new PartitionKeys come, as explain tells it: empty where it cannot.
		told, err := advise.OrderOf(advise.Options{Scenario: one.scenario, Read: c.files.Read})
		switch {
		case err != nil, told == keystatistics.Unknown.String():
		case told == keystatistics.OnePartition.String():
			one.order = results.OnePartition
		default:
			one.order = told
		}
	}
	return nil
}

func obstacles(list []scenarios.Obstacle) []contest.Obstacle {
	var all []contest.Obstacle
	for _, one := range list {
		all = append(all, contest.Obstacle(one))
	}
	return all
}

// needsOf returns what the application asks of its operations: what they are about, and
// how long they may take by what the scenario expects.
func needsOf(s *scenarios.Scenario) figure.Needs {
	n := figure.Needs{Within: make(map[string]int64), Entities: make(map[string]int64), Reads: make(map[string]bool)}
	for p, o := range s.EachOperation {
		n.Entities[o.Name] = int64(max(1, o.Entities))
		if o.Workflow == "" && (o.Verb == entity.Get || o.Verb == entity.Query) {
			n.Reads[o.Name] = true
		}
		if within, some := withinOf(s, p, o.Name); some {
			n.Within[o.Name] = within
		}
	}
	return n
}

// bounding are the quantiles of response times that say how long an operation may take,
// the most telling first: of several bounds that of the first counts.
func bounding() []float64 { return []float64{.99, .999, .95, .9, 1} }

// withinOf returns how long an operation of a phase may take, in microseconds: the least
// bound of the most telling quantile that the scenario expects to lie below one.
func withinOf(s *scenarios.Scenario, p *scenarios.Phase, operation string) (int64, bool) {
	place, least := len(bounding()), 0.0
	for _, text := range s.Expect {
		claim, err := figure.ParseClaim(text)
		if err != nil {
			continue
		}
		of, below, some := claim.Bound()
		d, _ := figure.Find(of.Name)
		at := slices.Index(bounding(), d.Quantile)
		if !some || d.Times != "response" || at < 0 || at > place || !concerns(&of, p, operation) {
			continue
		}
		if at < place || below < least {
			place, least = at, below
		}
	}
	return int64(least / float64(time.Microsecond)), place < len(bounding())
}

// concerns reports whether a figure is of an operation of a phase, perhaps among others.
func concerns(f *figure.Reference, p *scenarios.Phase, operation string) bool {
	if f.Part != figure.Whole {
		return false
	}
	return (f.Of == "" || f.Of == operation || p.Is(f.Of)) &&
		(f.Operation == "" || f.Operation == operation) && (f.Phase == "" || p.Is(f.Phase))
}
