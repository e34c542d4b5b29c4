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
	"strings"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/report/compare/contest"
	"loadgen/report/document"
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

// ContestPlan is a contest as data: which designs of a scenario are compared, and by how many
// runs.
type ContestPlan struct {
	// Run is the plan of each run, and of all of them together: the scenario, which may have
	// faults under some of its designs, its seed, from which those of the runs are derived, the
	// folder (Out or Runs), the Budget, the Consent, and the MemoryLimit. With Rival, simulations
	// are repeated under another of the model's profiles.
	Run run.Plan
	// Designs are the names of those that take part, in any order; none for all of the
	// scenario.
	Designs []string `flag:"designs" split:","`
	// Seeds is the number of runs of each design, each with its own seed, 1 to 100.
	Seeds int `flag:"count" rare:"yes"`
	// Source is the folder of relative paths in the scenario.
	Source string
	// Alpha and Price are those of [loadgen/report/compare/contest.Options].
	Alpha float64
	Price results.Price
	// Suggest adds designs that are derived from the operations, and writes the scenario with the
	// winner in use: to Write, or if it is empty to suggested.yaml in the folder.
	Suggest bool   `flag:"suggest"`
	Write   string `flag:"write" rare:"yes" requires:"suggest"`
	// Repeat returns the command that repeats a contest of named designs, if some were named,
	// Alone that of a run of a design by a seed. Both may be nil.
	Repeat func(named []string) string
	Alone  func(design string, seed uint64) []string
	// Progress gets a line at most once a second; it may be nil.
	Progress io.Writer
	// Watch shows the contest in progress; it may be nil.
	Watch Watch
}

// MaxSeeds is the maximum number of runs of each design.
const MaxSeeds = 100

// Validate returns the faults of the plan without its scenario, each a [fields.Fault] with its
// field.
func (p *ContestPlan) Validate() []error {
	var faults []error
	if p.Seeds < 1 || p.Seeds > MaxSeeds {
		faults = append(faults, wrong("count", "expected 1 to %d", MaxSeeds))
	}
	for _, err := range (contest.Options{Alpha: p.Alpha, Price: p.Price}).Validate() {
		faults = append(faults, wrong("", "%v", err))
	}
	return faults
}

// Contested is the result of a contest.
type Contested struct {
	*contest.Contest
	// Folder has contest.json, the pictures, and the records of the runs: in virtual time that of
	// each design's first run.
	Folder results.Dir
	// Proposal is what was suggested, Written the file of the scenario with the winner in use:
	// nil and empty without suggestions or a winner.
	Proposal *suggest.Proposal
	Written  string
}

// contestRun is a contest in progress.
type contestRun struct {
	plan     ContestPlan
	scenario *scenarios.Scenario
	files    *scenarios.Files
	needs    figure.Needs
	arms     []*arm
	// other is the profile that the result is compared with, empty for none.
	other    string
	warnings []string
	proposal *suggest.Proposal
	folder   results.Dir
	clock    clock.Real
	// all is the number of runs, begun the time of the first.
	all   int
	begun clock.Instant

	// mu guards the trials of the arms, the runs in progress, how many are done, and the time of the
	// last line of progress; over means that no run is left.
	mu       sync.Mutex
	underWay []*liveRun
	done     int
	over     bool
	last     time.Duration
	// left is the number of attempts that the other runs may send if there is a budget: runs are
	// then made one after another.
	left int64
}

// Contest makes the runs of a plan, ranks the designs and stores the result. A contest that
// ended early is ranked by the same number of runs of each design; the error is then the cause,
// [run.ErrBudget] itself for a spent budget. Without a result it is a [fields.Fault] of the plan
// or several joined, [fields.Faults] of the scenario, that of Consent, or one of [run.Run].
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
	if plan.Run.Rival && !c.isLive() {
		c.other = run.OtherProfile(c.scenario.Model.Name())
	}
	atOnce, err := c.prepare(ctx)
	if err != nil {
		return nil, err
	}
	if c.folder, err = results.NewDir(plan.Run.Out, plan.Run.Runs, c.clock.Started().UTC(), "contest-"+c.scenario.Name); err != nil {
		return nil, fmt.Errorf("%w: %w", run.ErrFolder, err)
	}
	ended := c.runAll(ctx, atOnce)
	contested := &Contested{Contest: c.ranked(ended), Folder: c.folder, Proposal: c.proposal}
	if err = c.store(contested.Contest); err == nil {
		contested.Written, err = c.writeScenario(contested.Contest)
	}
	switch {
	case err == nil:
		return contested, ended
	case ended == nil:
		return nil, err
	default:
		return nil, errors.Join(ended, err)
	}
}

// prepare sets the designs and returns how many runs may be made at once.
func (c *contestRun) prepare(ctx context.Context) (atOnce int, err error) {
	if err := c.suggest(ctx); err != nil {
		return 0, err
	}
	names, err := c.chosenDesigns()
	if err != nil {
		return 0, err
	}
	if err := c.addDesigns(names); err != nil {
		return 0, err
	}
	return c.forecast(ctx)
}

// isLive reports whether the runs take place in real time.
func (c *contestRun) isLive() bool { return c.plan.Run.On != run.Simulated }

// chosenDesigns returns the designs that take part, in the order of the scenario, so that the order of
// the names has no effect.
func (c *contestRun) chosenDesigns() ([]string, error) {
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

// forecast returns how many runs may be made at once. It returns the faults of all runs before the
// first, and asks for consent to the requests of all.
func (c *contestRun) forecast(ctx context.Context) (atOnce int, err error) {
	var sum campaign.Forecast
	maxMemory, design := int64(1), ""
	for _, one := range c.runnable() {
		p := c.plan.Run
		p.Scenario, p.Rival, p.MemoryLimit = one.scenario, false, 0
		var forecast campaign.Forecast
		var memory int64
		if c.isLive() {
			forecast, err = p.Forecast(ctx)
		} else {
			memory, err = p.Footprint()
		}
		if err != nil {
			return 0, wrong("", "design %s: %v", one.Design, err)
		}
		if err := errors.Join(p.Validate()...); err != nil {
			return 0, err
		}
		results.AddTimes(&sum, &forecast, int64(c.plan.Seeds))
		if memory > maxMemory {
			maxMemory, design = memory, one.Design
		}
	}
	if c.isLive() {
		p := c.plan.Run
		p.Scenario = c.scenario
		return 1, p.Agree(sum, run.TablePrefix+c.scenario.Table+"…, new per run")
	}
	limit := cmp.Or(c.plan.Run.MemoryLimit, math.MaxInt64)
	if maxMemory > limit {
		return 0, wrong("memory-limit", "a run of the design %s needs %s", design, run.MemoryText(maxMemory))
	}
	return int(min(int64(runtime.GOMAXPROCS(0)), limit/maxMemory)), nil
}

// The exit codes of runs, of this build and of others.
const (
	codeOk          = 0
	codeUsage       = 2
	codeExpectation = 10
	codeUntold      = 12
	codeInvalid     = 13
)

// wrong returns a fault of a field of a plan, of no field if it is empty.
func wrong(field, format string, args ...any) error {
	return fields.Fault{Path: field, What: fmt.Sprintf(format, args...)}
}

// reason returns an error of a file or a program without its name.
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

// arm is one design that takes part. Its record is that of its first run.
type arm struct {
	contest.Arm
	// scenario is the one with the design in use, its files read.
	scenario *scenarios.Scenario
	// trials are the results of its runs, by profile and by the number of the run; nil if a run
	// is not over.
	trials [2][]*contest.Trial
}

// The profiles of trials.
const (
	ownProfile = iota
	otherProfile
)

// runnable returns the designs that can be run.
func (c *contestRun) runnable() []*arm {
	return slices.DeleteFunc(slices.Clone(c.arms), func(one *arm) bool { return len(one.Cannot) > 0 })
}

// addDesigns adds the designs, with the operations that they cannot serve. The error has the faults
// of the scenario under all designs.
func (c *contestRun) addDesigns(names []string) error {
	var unread []fields.Faults
	for _, name := range names {
		s, err := c.scenario.WithDesign(name)
		if err != nil {
			return err
		}
		one := &arm{scenario: s, trials: [2][]*contest.Trial{make([]*contest.Trial, c.plan.Seeds), make([]*contest.Trial, c.plan.Seeds)},
			Arm: contest.Arm{Design: name, PartitionKey: s.Design.PartitionKey, RowKey: s.Design.RowKey, Copies: len(s.Design.Copies)}}
		c.arms = append(c.arms, one)
		obstacles := c.scenario.Obstacles(name)
		if len(obstacles) == 0 {
			err = c.files.Read(one.scenario)
			var faults fields.Faults
			if err != nil && !errors.As(err, &faults) {
				return err
			}
			obstacles, unread = c.scenario.ObstaclesOf(faults), append(unread, faults)
		}
		for _, obstacle := range obstacles {
			one.Cannot = append(one.Cannot, contest.Obstacle(obstacle))
		}
	}
	if len(unread) > 0 && len(unread[0]) > 0 && !slices.ContainsFunc(unread, func(f fields.Faults) bool { return !slices.Equal(f, unread[0]) }) {
		return unread[0] // the files are unreadable whatever the design
	}
	c.needs = needsOf(c.scenario)
	for i, one := range c.runnable() {
		if times := one.scenario.IgnoredTimes(); i == 0 && len(times) > 0 {
			rows := one.scenario.Rows.File
			c.warnings = append(c.warnings, fmt.Sprintf("the times of the rows (%s) are ignored: events are due at the rates of the phases; "+
				"arrivals {trace: %s, time: %s} keeps the times", strings.Join(times, ", "), rows, times[0]))
		}
		order, err := advise.OrderOf(advise.Options{Scenario: one.scenario, Read: c.files.Read})
		switch {
		case err != nil, order == keystatistics.Unknown.String():
		case order == keystatistics.OnePartition.String():
			one.Order = results.OnePartition
		default:
			one.Order = order
		}
	}
	return nil
}

// needsOf returns what operations are about, and how long they may take by the scenario's checks.
func needsOf(s *scenarios.Scenario) figure.Needs {
	n := figure.Needs{Within: make(map[string]int64), Entities: make(map[string]int64), Reads: make(map[string]bool)}
	for p, o := range s.EachOperation {
		n.Entities[o.Name] = int64(max(1, o.Entities))
		if o.Workflow == "" && (o.Verb == entity.Get || o.Verb == entity.Query) {
			n.Reads[o.Name] = true
		}
		if limit, found := responseLimit(s, p, o.Name); found {
			n.Within[o.Name] = limit
		}
	}
	return n
}

// responseLimit returns the maximum response time of an operation of a phase, in microseconds, by
// the checks of the scenario: the lowest bound of the first of these quantiles that has one.
func responseLimit(s *scenarios.Scenario, p *scenarios.Phase, operation string) (int64, bool) {
	quantiles := []float64{.99, .999, .95, .9, 1}
	place, limit := len(quantiles), 0.0
	for _, text := range s.Expect {
		claim, err := figure.ParseClaim(text)
		if err != nil {
			continue
		}
		of, below, hasBound := claim.Bound()
		d, _ := figure.Find(of.Name)
		at := slices.Index(quantiles, d.Quantile)
		if !hasBound || d.Times != "response" || at < 0 || at > place || !isAbout(&of, p, operation) {
			continue
		}
		if at < place || below < limit {
			place, limit = at, below
		}
	}
	return int64(limit / float64(time.Microsecond)), place < len(quantiles)
}

// isAbout reports whether a figure is of an operation of a phase, perhaps among others.
func isAbout(f *figure.Reference, p *scenarios.Phase, operation string) bool {
	return f.Part == figure.Whole && (f.Of == "" || f.Of == operation || p.Is(f.Of)) &&
		(f.Operation == "" || f.Operation == operation) && (f.Phase == "" || p.Is(f.Phase))
}

// ranked returns the contest of the runs that are over, by the same number of each design that
// has any. Ended is why others were not made.
func (c *contestRun) ranked(ended error) *contest.Contest {
	o := contest.Options{Scenario: c.scenario.Name, Profile: c.scenario.Model.Name(), Other: c.other, Alpha: c.plan.Alpha, Price: c.plan.Price,
		Warnings: c.warnings}
	if c.plan.Run.On == run.Remote {
		o.Profile = ""
	}
	runs, others := c.evenRuns(ownProfile), c.evenRuns(otherProfile)
	var arms []contest.Arm
	var named, idle []string
	done := 0
	for _, arm := range c.arms {
		one := arm.Arm
		one.Trials, one.Others = firstRuns(arm.trials[ownProfile], runs), firstRuns(arm.trials[otherProfile], others)
		arms = append(arms, one)
		if len(c.plan.Designs) > 0 {
			named = append(named, one.Design)
		}
		if len(one.Cannot) == 0 && len(one.Trials) == 0 {
			idle = append(idle, one.Design)
		}
		done += len(one.Trials)
	}
	if c.plan.Repeat != nil {
		o.Repeat = c.plan.Repeat(named)
	}
	ranked := contest.Rank(arms, o)
	if ended != nil {
		able := len(c.runnable())
		if able-len(idle) > 1 {
			idle = nil // the verdict names them
		}
		ranked.Ended = endedEarly(ended, done, c.plan.Seeds*able, idle)
		ranked.Verdict = ranked.Ended + " " + ranked.Verdict
	}
	return ranked
}

// endedEarly returns why a contest ended early, with the designs that have no run.
func endedEarly(ended error, done, all int, idle []string) string {
	why := results.OneLine(ended)
	if errors.Is(ended, context.Canceled) {
		why = "it was interrupted"
	}
	text := fmt.Sprintf("Ended early after %d of %d runs: %s.", done, all, why)
	if len(idle) > 0 {
		text += fmt.Sprintf(" Not run: %s.", strings.Join(idle, ", "))
	}
	return text
}

// evenRuns returns how many runs of each design count: the minimum of those that have any.
func (c *contestRun) evenRuns(profile int) int {
	least := 0
	for _, one := range c.arms {
		if n := len(firstRuns(one.trials[profile], c.plan.Seeds)); n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// firstRuns returns the first of the runs that are over.
func firstRuns(list []*contest.Trial, limit int) []contest.Trial {
	var runs []contest.Trial
	for _, one := range list {
		if one != nil && len(runs) < limit {
			runs = append(runs, *one)
		}
	}
	return runs
}

// store writes the contest and its pictures into its folder.
func (c *contestRun) store(ranked *contest.Contest) error {
	kept := contest.Kept{Contest: ranked, Records: make(map[string]*results.Record)}
	for _, one := range c.arms {
		kept.Records[one.Design] = one.Record
	}
	return kept.Write(c.folder)
}

// Document reports the contest and what was suggested.
func (c *Contested) Document() *document.Document {
	d := contest.Document(c.Contest)
	if c.Proposal == nil {
		return d
	}
	proposal := c.Proposal.Document()
	d.Screen = slices.Insert(d.Screen, 0, document.Block(document.Facts{Lines: []string{proposal.Answer.Claim}}))
	d.Screen = append(d.Screen, proposal.Screen...)
	d.Sections = append(d.Sections, proposal.Sections...)
	return d
}
