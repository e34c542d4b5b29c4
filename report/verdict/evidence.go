package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// evidence is what the narrative is written of. Its methods return typed values; all wording is in the tables of rules.
type evidence struct {
	*results.Record
	Summary *results.Summary
	State   string

	figures *figure.Figures
	all     *results.KindStats
	steps   []figure.Step
	ladders []figure.Ladder
	strains []Strain
	// waited returns why operations of a second waited for the target, late whether the generator made a step late.
	waited func(second int64) string
	late   func(figure.Step) bool
	// top is the highest step whose last half was reached, its Phase nil if there is none; topRate are its figures.
	top     figure.Step
	topRate results.PhaseOperationSummary
}

func evidenceOf(record *results.Record, summary *results.Summary) *evidence {
	figures, strains := figure.NewFigures(record), Strains(record)
	e := &evidence{Record: record, Summary: summary, figures: figures, steps: figure.Steps(record), ladders: figures.Ladders(), strains: strains,
		waited: waitedIn(record, strains), late: lateIn(strains)}
	if summary != nil {
		e.State, _ = State(summary)
	}
	if top, any := figure.Highest(e.steps); any {
		e.top, e.topRate = top, figures.Step(top, nil)
	}
	return e
}

// holding reports whether a step holds its rate, and why that is unknown.
func (e *evidence) holding(step figure.Step) figure.Holding { return e.figures.Holding(step, e.waited) }

// documentedPartition is the documents' target of a partition in entities per second.
const documentedPartition = 2000

// slack is the part by which a rate may miss a multiple of the saturation: two partitions suffice for 4,000/s at a
// saturation of 1,999.
const slack = 0.01

// partitionsFor returns the number of partitions that a rate needs.
func partitionsFor(rate, limit float64) int { return int(math.Ceil(rate / limit * (1 - slack))) }

// AccountBinds reports whether the account is limited below one partition.
func (e *evidence) AccountBinds() bool {
	t := e.Manifest.Targets
	return t.Account > 0 && (t.Partition == 0 || t.Account < t.Partition)
}

// fillsAccounts reports whether the limit is that of all accounts together.
func (e *evidence) fillsAccounts() bool {
	m, limit := &e.Manifest, e.SaturatesAt()
	return e.Manifest.PartitionKey == "" && m.Targets.Account > 0 && limit != nil && *limit >= almostAll*float64(m.Targets.Account*int64(max(1, m.Accounts)))
}

// almostAll is the part of a limit from which it is called reached.
const almostAll = .98

// limit returns the rate at which the run saturates: that of its highest stretch if its stretches meet several limits.
func (e *evidence) SaturatesAt() *float64 {
	if e.Summary.Saturation != nil {
		return e.Summary.Saturation
	}
	var limit *float64
	for i := range e.Summary.Throttling {
		if rate := e.Summary.Throttling[i].Rate; rate != nil && (limit == nil || *rate > *limit) {
			limit = rate
		}
	}
	return limit
}

// Saturated returns the stretch of load that meets the limit, nil if none does.
func (e *evidence) Saturated() *stretch {
	limit := e.SaturatesAt()
	var met *figure.Ladder
	for i := range e.ladders {
		if limit != nil && e.ladders[i].Saturation().Known && (met == nil || e.ladders[i].Rate == *limit) {
			met = &e.ladders[i]
		}
	}
	if met == nil || e.Capture != nil {
		return nil
	}
	return e.stretch(met)
}

// stretch is a ladder of steps and what its seconds show of a limit.
type stretch struct {
	*figure.Ladder
	// In names the stage if there are several.
	In string
	// Top is the highest step.
	Top figure.Step
}

func (e *evidence) stretch(l *figure.Ladder) *stretch {
	s := &stretch{Ladder: l}
	if len(e.ladders) > 1 {
		s.In = l.Stage
	}
	var any bool
	if s.Top, any = figure.Highest(l.Steps); !any && len(l.Steps) > 0 {
		s.Top = l.Steps[len(l.Steps)-1]
	}
	return s
}

// NextRate is a second rate to offer, in operations per second, 0 if the first is unknown.
func (s *stretch) NextRate() float64 {
	if s.Top.Phase == nil {
		return 0
	}
	return 1.5 * s.Top.Phase.Rate
}

// LowerRate is a rate to offer below all that were refused, in operations per second; 0 if some rate was not refused.
func (s *stretch) LowerRate() float64 {
	if !s.RefusesEveryRate() {
		return 0
	}
	lowest := slices.MinFunc(s.Steps, func(a, b figure.Step) int { return cmp.Compare(a.Phase.Rate, b.Phase.Rate) })
	return lowest.Phase.Rate * max(1-s.Share, 0.001)
}

// Short reports whether too few seconds were throttled to show a limit.
func (s *stretch) Short() bool { return s.Seconds < figure.MinSeconds }

// Queues reports whether the target delays requests instead of refusing them.
func (s *stretch) Queues() bool { return s.Throttling == figure.Queued }

// Varies reports whether the limit changes from second to second.
func (s *stretch) Varies() bool {
	const varies = 1.05
	return s.Throttling == figure.Limited && s.High > varies*s.Rate && s.Low < s.Rate/varies
}

// Throttled returns the stretches with one kind of throttling.
func (e *evidence) Throttled(kind string) (list []*stretch) {
	for i, met := range e.Summary.Throttling {
		if met.Kind != kind || e.Limit != nil || e.Summary.Balance != nil {
			continue
		}
		s := &stretch{Ladder: &figure.Ladder{}, Top: e.top}
		if i < len(e.ladders) {
			s = e.stretch(&e.ladders[i])
		}
		s.Share, s.Seconds, s.From, s.To = met.Share, met.Seconds, met.From, met.To
		list = append(list, s)
	}
	return list
}

// loss is what the highest step of a saturated stretch loses, and what raises its limit.
type loss struct {
	*stretch
	// Offered is in entities per second: in the busiest second of a varying load. Lost is the share of the operations
	// due, nil if unknown.
	Offered float64
	Lost    *float64
	// Late reports that a part was sent later and met less load.
	Late bool
	// Partitions is the number of partitions that the offered rate needs, 0 if that is unknown; Account reports that the
	// limit is that of accounts, Shared that other partitions may share it.
	Partitions      int
	Account, Shared bool
}

func (e *evidence) Loss() *loss {
	s := e.Saturated()
	if s == nil || s.Top.Phase == nil || e.State != results.Saturates && e.State != results.DoesNotHold {
		return nil
	}
	figures := e.figures.Step(s.Top, nil)
	l := &loss{stretch: s, Offered: figures.Offered, Lost: figures.ShareLostSettled, Account: e.AccountBinds() || e.fillsAccounts()}
	l.Late = e.holding(s.Top).Unsent != ""
	if len(s.Kinds) > 0 {
		l.Offered = e.figures.Step(s.Top, func(kind results.Kind) bool { return slices.Contains(s.Kinds, kind.Name) }).Offered
	}
	if s.Top.Phase.Varying {
		l.Offered, l.Lost, l.Late = e.busiestSecond(s.Top), figures.ShareLost, false
	}
	l.Shared = !l.Account && !e.knowsPartitionLimit()
	if partitions := partitionsFor(l.Offered, *e.SaturatesAt()); !l.Account && !l.Shared && e.Manifest.PartitionKey != "" && partitions >= 2 {
		l.Partitions = partitions
	}
	return l
}

// busiestSecond returns the entities that a whole second of a step was offered at most.
func (e *evidence) busiestSecond(step figure.Step) float64 {
	busiest := 0.0
	for i := range e.Intervals {
		row := &e.Intervals[i]
		if begin, end := row.Span(); begin >= step.Phase.Begin && end <= step.Phase.End {
			busiest = max(busiest, row.PerSecond(row.Offered))
		}
	}
	return busiest
}

// knowsPartitionLimit reports whether the limit is known to be that of one partition: refusals of the service itself,
// of a model, or of an emulator with a partition target.
func (e *evidence) knowsPartitionLimit() bool {
	m := &e.Manifest
	queued := slices.ContainsFunc(e.ladders, func(l figure.Ladder) bool { return l.Throttling == figure.Queued })
	return !queued && (m.Modelled() || m.Genuine || m.Emulator && m.Targets.Partition > 0)
}

// OneStretch reports whether the load has a highest step that offered entities, and no other stretch.
func (e *evidence) OneStretch() bool {
	return e.top.Phase != nil && e.Capture == nil && len(e.ladders) < 2 && e.topRate.Offered > 0
}

// recovery is trouble at the begin of the only step, after which the load is sustained.
type recovery struct {
	Until float64 // seconds
	Lost  *float64
}

func (e *evidence) Recovery() *recovery {
	if b := e.Summary.Balance; b != nil && b.Relieved != nil {
		return &recovery{*b.Relieved, e.figures.Named("share_lost").Pointer()}
	}
	if e.Summary.Balance == nil && len(e.steps) == 1 && e.top.Phase != nil {
		if until, clean := e.figures.Trouble(e.top); clean {
			return &recovery{until.Seconds(), e.figures.OfStep("share_lost", e.top, nil).Pointer()}
		}
	}
	return nil
}

// UnknownPhase returns the first phase with an unknown result, for a run that cannot tell.
func (e *evidence) UnknownPhase() *results.PhaseSummary {
	if e.State != results.CannotTell || e.Summary.Validity != results.Valid || e.Capture != nil {
		return nil
	}
	at := slices.IndexFunc(e.Summary.Phases, func(p results.PhaseSummary) bool { return p.Why != "" })
	if at < 0 {
		return nil
	}
	return &e.Summary.Phases[at]
}

// peak is the check of the peak that was asked about.
type peak struct {
	results.Check
	// Headroom is the saturation as a multiple of what the peak offers, or the highest rate that holds as a multiple of
	// the peak if AtLeast; 0 if unknown.
	Headroom float64
	AtLeast  bool
	// IsHighest reports that no step had a higher rate.
	IsHighest bool
}

func (e *evidence) Peak() *peak {
	list := e.peakCheck()
	if len(list) == 0 || e.Summary.Validity != results.Valid || e.UnknownPhase() != nil {
		return nil
	}
	p := &peak{Check: list[0]}
	step, found := atPeak(e.Manifest.PeakAsked, e.steps)
	if !found {
		return p
	}
	switch offered := e.figures.Step(step, nil).Offered; {
	case offered <= 0:
	case e.Summary.Saturation != nil:
		p.Headroom = *e.Summary.Saturation / offered
	case e.holding(step).Holds:
		p.AtLeast, p.IsHighest = true, true
		for _, other := range e.steps {
			p.IsHighest = p.IsHighest && other.Phase.Rate <= step.Phase.Rate
			if e.holding(other).Holds && !other.Phase.Varying {
				p.Headroom = max(p.Headroom, other.Phase.Rate/step.Phase.Rate)
			}
		}
	}
	return p
}

// peakCheck returns the check of the peak, which comes before those of the scenario; empty without a peak.
func (e *evidence) peakCheck() []results.Check {
	if e.Summary.PeakState == "" {
		return nil
	}
	return e.Summary.Checks[:min(1, len(e.Summary.Checks))]
}

// scenarioChecks returns the checks of the scenario.
func (e *evidence) scenarioChecks() []results.Check { return e.Summary.Checks[len(e.peakCheck()):] }

// DecidingCheck returns the first check that fails, else the first that is unknown, else the only one.
func (e *evidence) DecidingCheck() *results.Check {
	checks := e.scenarioChecks()
	held, told := results.HeldOf(checks)
	for i := range checks {
		if c := &checks[i]; c.Fails() || held == told && (!c.IsJudged() || len(checks) == 1) {
			return c
		}
	}
	return nil
}

// broken returns the first invariant with violations, nil if there is none.
func broken(invariants []results.Invariant) *results.Invariant {
	at := slices.IndexFunc(invariants, func(one results.Invariant) bool { return one.Faults > 0 })
	if at < 0 {
		return nil
	}
	return &invariants[at]
}

// shares are attempts of some causes, as a share of all.
type shares struct {
	Share float64
	// Causes have the two most frequent causes, each with its share or count if there are several.
	Causes []sharedCause
	More   bool
}

type sharedCause struct {
	Name  string
	Share float64
	Count int64
}

// minFailedShare is the share of failed attempts from which they are on the first screen.
const minFailedShare = 0.01

// reportedCounts returns the counts of the reported phases; of a run that was killed, or that reports nothing, all.
func (e *evidence) reportedCounts() results.KindStats {
	if e.Summary.Killed != nil {
		return inSeconds(e.Record)
	}
	sum := e.Counts(results.Reported)
	if sum.Attempts == 0 {
		sum = e.Counts(results.Everything)
	}
	return sum
}

// Failures returns the share of failed attempts if there are many.
func (e *evidence) Failures() *shares {
	sum := e.reportedCounts()
	if failedShare(&sum) <= minFailedShare || e.Capture != nil {
		return nil
	}
	return failureShares(&sum)
}

func failureShares(sum *results.KindStats) *shares {
	found := &shares{Share: failedShare(sum)}
	const shown = 2
	for _, one := range sum.Causes.Only(results.Failed).Frequent() {
		if found.More = len(found.Causes) == shown; found.More {
			break
		}
		found.Causes = append(found.Causes, sharedCause{one.String(), figure.ShareOf(one.Attempts, sum.Attempts), one.Attempts})
	}
	return found
}

// failedShare returns the share of attempts that failed for other reasons than load.
func failedShare(sum *results.KindStats) float64 { return figure.ShareOf(sum.Failed, sum.Attempts) }

// ManyFailed reports whether enough attempts of a run failed to show their causes first: more than 1% of all, or
// of those of the reported phases.
func ManyFailed(record *results.Record, summary *results.Summary) bool {
	reported, all := (&evidence{Record: record, Summary: summary}).reportedCounts(), record.Counts(results.Everything)
	return max(failedShare(&all), failedShare(&reported)) > minFailedShare
}

// Injected returns the share of attempts with an injected fault, nil if faults were not configured. Its share is 0 if
// no attempt met one.
func (e *evidence) Injected() *shares {
	found, sum := &shares{}, int64(0)
	for _, one := range results.InjectedIn(e.Intervals) {
		name := one.Kind
		if one.Kind == "refuse" {
			name = strings.TrimSpace(fmt.Sprintf("%d %s", one.Status, one.Code))
		}
		sum += one.Attempts
		if at := slices.IndexFunc(found.Causes, func(c sharedCause) bool { return c.Name == name }); at >= 0 {
			found.Causes[at].Count += one.Attempts
			continue
		}
		found.Causes = append(found.Causes, sharedCause{Name: name, Count: one.Attempts})
	}
	if sum == 0 && len(e.Manifest.Faults) == 0 {
		return nil
	}
	found.Share = figure.ShareOf(sum, inSeconds(e.Record).Attempts)
	return found
}

// minThrottledShare is the share of throttled attempts from which a step or partition counts as throttled.
const minThrottledShare = 0.01

// lateness is the share of operations that were sent late.
type lateness struct {
	Share  float64
	Millis int64
	// Target is what the target did meanwhile, empty if the generator is the cause.
	Target string
}

func (e *evidence) Lateness() *lateness {
	l := &lateness{Share: e.figures.Share("late").Value, Millis: results.LateAfter.Milliseconds()}
	if e.Capture != nil || l.Share <= results.MaxLateShare {
		return nil
	}
	sum, waited := e.Counts(results.Reported), int64(0)
	for i := range e.Intervals {
		row := &e.Intervals[i]
		if reason := e.waited(row.Second); row.Late > 0 && reason != "" {
			waited, l.Target = waited+row.Late, cmp.Or(l.Target, reason)
		}
	}
	if own := figure.ShareOf(sum.Late-waited, sum.Sent); own > results.MaxLateShare {
		l.Share, l.Target = own, ""
	}
	return l
}

// shortened cuts a text that would fill a sentence of its own.
func shortened(text string) string { return document.Cut(text, 60) }

// Question returns what the run answers, as the narrative names it.
func (e *evidence) Question() string { return strings.Join(narrative().Phrases(e, question), "") }

// Violated returns the first invariant with violations.
func (e *evidence) Violated() *results.Invariant { return broken(e.Summary.Invariants) }

// Top is the highest step.
func (e *evidence) Top() figure.Step { return e.top }

// TopRate are its figures.
func (e *evidence) TopRate() *results.PhaseOperationSummary { return &e.topRate }

// failedPhase is a reported phase that does not hold.
type failedPhase struct {
	*results.PhaseSummary
	// Rate is what was asked of it, in operations/s, 0 if it is unknown.
	Rate float64
}

// FailingPhase returns the phase that decides that the load is not sustained: that with the lowest rate.
func (e *evidence) FailingPhase() *failedPhase {
	if e.State != results.DoesNotHold || e.Question() != "load" || e.Recovery() != nil {
		return nil
	}
	var worst *failedPhase
	steps := figure.Reported(e.Record)
	for i := range e.Summary.Phases {
		p := &e.Summary.Phases[i]
		if p.Holds == nil || *p.Holds || worst != nil && p.Offered >= worst.Offered {
			continue
		}
		worst = &failedPhase{PhaseSummary: p}
		if i < len(steps) && steps[i].Phase.Name == p.Name {
			worst.Rate = steps[i].Phase.Rate
		}
	}
	return worst
}

// Varies reports whether the rate of a step varies.
func (e *evidence) Varies() bool {
	return slices.ContainsFunc(e.steps, func(s figure.Step) bool { return s.Phase.Varying })
}

// HasTarget reports whether a target is known.
func (e *evidence) HasTarget() bool { return e.ComparesAccount() || e.Manifest.Targets.Partition > 0 }

// ComparesAccount reports whether the headline compares with the target of the account.
func (e *evidence) ComparesAccount() bool {
	searched := e.Limit != nil && e.Limit.Of == results.LimitAccount
	return (searched || e.AccountBinds() || e.Limit == nil && e.fillsAccounts()) && e.Manifest.Targets.Account > 0
}

// FirstProblem returns the problem with the largest share, if it is of a kind.
func (e *evidence) FirstProblem(kind results.ProblemKind) *problem {
	if list := e.Problems(); len(list) > 0 && list[0].Kind == kind {
		return list[0]
	}
	return nil
}

// Promise are the checks that the anti-pattern must fail.
func (e *evidence) Promise() promise { return promiseOf(e.Record, e.Summary) }

// ChecksHold reports whether there are checks and all hold.
func (e *evidence) ChecksHold() bool { return len(e.Summary.Checks) > 0 && AllChecksHold(e.Summary) }

// TooFewWorkers reports whether seconds were late for lack of workers.
func (e *evidence) TooFewWorkers() bool {
	return slices.ContainsFunc(e.strains, func(s Strain) bool { return s.Cause == TooFewWorkers })
}

// UserBound names the workers that the user chose if all of them were busy. It is empty if the user chose none, or if
// other causes made most seconds late.
func (e *evidence) UserBound() string {
	env := &e.Manifest.Environment
	if env.WorkersFrom == "" {
		return ""
	}
	list, _ := countCauses(e.strains)
	at := slices.IndexFunc(list, func(one lateSeconds) bool { return one.Cause.Generators() })
	if at < 0 || list[at].Cause != TooFewWorkers {
		return ""
	}
	are := "were all busy"
	if env.Workers == 1 {
		are = "was busy"
	}
	return document.Counted(env.Workers, "worker") + ", from " + env.WorkersFrom + ", " + are
}

// HasSteps reports whether the run reports steps.
func (e *evidence) HasSteps() bool { return len(figure.ShownSteps(e.Record)) > 0 }

// IsCalibrated reports whether parameters of the model were measured at a service.
func (e *evidence) IsCalibrated() bool {
	return slices.ContainsFunc(e.Manifest.Model, func(p results.Parameter) bool { return p.Provenance == "measured" })
}

// IsServer reports whether the target is a server that is neither embedded nor modelled.
func (e *evidence) IsServer() bool {
	return !e.Manifest.Modelled() && e.Manifest.Target != "" && e.Manifest.Target != results.Logged
}

// Stores are the stand-ins for stores other than tables.
func (e *evidence) Stores() []string {
	return slices.DeleteFunc(slices.Clone(e.Manifest.StandIns), func(one string) bool { return one == results.OwnServices })
}

// FilteredKinds are the kinds of operation whose queries have filters, at a target that does not report what they scan.
func (e *evidence) FilteredKinds() (names []string) {
	foreign := e.IsServer() || e.Manifest.Target == results.Logged
	for k, kind := range e.Manifest.Operations {
		sent := func(p results.Phase) bool { return p.Kinds[k].Attempts > 0 }
		if foreign && kind.Filtered && slices.ContainsFunc(e.Phases, sent) {
			names = append(names, document.Printable(shortened(kind.Name)))
		}
	}
	return names
}

// SearchLimit is the search of a run that came to its end, or nil.
func (e *evidence) SearchLimit() *results.Limit {
	if e.Capture != nil || e.Record.Killed() != nil {
		return nil
	}
	return e.Limit
}

// Saturation is where the load saturates, or why that is unknown.
func (e *evidence) Saturation() figure.Value { return e.figures.Named("saturation") }

// Balances reports whether the run is about load balancing.
func (e *evidence) Balances() bool { return figure.Spreads(e.Record) }

// OnlyWaits reports whether the only load is that of clients that wait for each reply.
func (e *evidence) OnlyWaits() bool {
	return len(e.ladders) == 0 && slices.ContainsFunc(figure.ShownSteps(e.Record), figure.Step.Closed)
}

// closedLoop is what clients that wait for their replies were served, in entities per second.
type closedLoop struct{ Served, Throttled float64 }

// ClosedLoop returns the first closed loop, if there is no other load.
func (e *evidence) ClosedLoop() *closedLoop {
	if e.Summary.Validity != results.Valid || e.Limit != nil || e.Capture != nil || e.Summary.Balance != nil || e.topRate.Offered > 0 {
		return nil
	}
	for _, step := range figure.ShownSteps(e.Record) {
		if share, known := step.ThrottledShare(); step.Closed() && known {
			return &closedLoop{e.figures.Step(step, nil).Served, share}
		}
	}
	return nil
}

// Reported are the counts of the reported phases.
func (e *evidence) Reported() *results.KindStats { return new(e.Counts(results.Reported)) }

// cutShort are Cut of Lost operations of the reported phases.
type cutShort struct{ Cut, Lost int64 }

// CutShort returns the operations that still waited for a retry or a rate limit when their phase ended, nil unless these
// are most of the lost ones: a longer drain may save them.
func (e *evidence) CutShort() *cutShort {
	sum := e.Reported()
	c := &cutShort{sum.Cut, sum.Scheduled - sum.Succeeded}
	if e.State != results.DoesNotHold || e.Summary.Validity != results.Valid || c.Cut == 0 || 2*c.Cut <= c.Lost {
		return nil
	}
	return c
}

// CountsNothing reports whether operations succeeded that count no entities.
func (e *evidence) CountsNothing() bool {
	sum := e.Reported()
	return e.Summary.Validity == results.Valid && e.Capture == nil && sum.Succeeded > 0 && sum.Offered == 0 && e.ClosedLoop() == nil
}

// HeldEntities is the rate that a search found in entities per second, 0 if operations have one entity each.
func (e *evidence) HeldEntities() float64 {
	l := e.Limit
	if step := l.Step(l.Held); step != nil && math.Abs(step.Offered-*l.Held) > .005**l.Held {
		return step.Offered
	}
	return 0
}

// WholeSeconds is the number of whole seconds of the run, MissingSeconds of those that the record lacks.
func (e *evidence) WholeSeconds() int64 { return int64(e.Duration / time.Second) }

// MissingSeconds is described with WholeSeconds.
func (e *evidence) MissingSeconds() int64 {
	missing := e.WholeSeconds() - e.IdleSeconds()
	for i := range e.Intervals {
		missing -= e.Intervals[i].Seconds()
	}
	return max(0, missing)
}
