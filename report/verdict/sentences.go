package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// story is what the sentences of a verdict are told from.
type story struct {
	record  *results.Record
	summary *results.Summary
	figures *figure.Figures
	holds   func(figure.Step) figure.Holding
	steps   []figure.Step
	// top is the highest step that the run came to, with its figures.
	top     figure.Step
	topRate results.PhaseOperationSummary
}

// sentences returns the verdict in words: three sentences, four where a peak
// was asked about.
func sentences(record *results.Record, summary *results.Summary, figures *figure.Figures, holds func(figure.Step) figure.Holding) string {
	steps := figure.Steps(record)
	s := story{record: record, summary: summary, figures: figures, holds: holds, steps: steps}
	top, any := figure.Highest(steps)
	var told []string
	switch {
	case summary.Killed != nil:
		told = append(told, s.killed()...)
	case record.Limit != nil:
		l := record.Limit
		if summary.Validity != results.Valid {
			told = append(told, s.worth())
		}
		told = append(told, s.interval(l)+s.unfinished(l)+".")
		if l.Sporadic > 0 {
			told = append(told, sporadicSearch(l))
		}
		if len(l.Steps) > 0 {
			told = append(told, fmt.Sprintf("The search took %s steps of %s or more and counted %s entities.",
				document.Count(int64(len(l.Steps))), seconds(l.StepSeconds), document.Count(l.Entities)))
		}
	case summary.Validity != results.Valid:
		told = append(told, s.worth())
		if asked := record.Manifest.PeakAsked; asked > 0 {
			told = append(told, fmt.Sprintf("Whether a peak of %s operations/s holds, it cannot say.", document.Rate(asked)))
		}
	case summary.Balance != nil:
		told = append(told, s.balanced()...)
	case !any || figures.Step(top, nil).Offered <= 0:
		told = append(told, s.closed())
	default:
		s.top, s.topRate = top, figures.Step(top, nil)
		told = append(told, s.peak(), s.load(), s.key())
	}
	if s.top.Phase == nil {
		told = append(told, s.failed())
	}
	if summary.Validity == results.Valid {
		told = append(told, s.rival())
	}
	told = append(told, audited(record.Audit), upheld(record.Invariants), injected(record), s.unknown())
	return joined(told)
}

// joined joins the sentences that are not empty, each with a capital.
func joined(sentences []string) string {
	kept := spoken(sentences...)
	for i, sentence := range kept {
		kept[i] = strings.ToUpper(sentence[:1]) + sentence[1:]
	}
	return strings.Join(kept, " ")
}

// worth says why a run is not valid.
func (s *story) worth() string {
	const most = 2
	reasons := s.summary.Reasons
	text := fmt.Sprintf("this run is %s", s.summary.Validity)
	for i, reason := range reasons[:min(len(reasons), most)] {
		separator := "; "
		if i == 0 {
			separator = ": "
		}
		text += separator + strings.TrimSuffix(reason, ".")
	}
	if more := len(reasons) - most; more > 0 {
		text += fmt.Sprintf("; and %s more", document.Count(int64(more)))
	}
	return text + "."
}

// peak answers whether the peak that was asked for holds.
func (s *story) peak() string {
	asked := s.record.Manifest.PeakAsked
	if asked <= 0 {
		return ""
	}
	step, found := atPeak(asked, s.steps)
	if !found {
		return fmt.Sprintf("whether a peak of %s operations/s holds was not measured.", document.Rate(asked))
	}
	figures, holding := s.figures.Step(step, nil), s.holds(step)
	if holding.Why != "" && ofAll(s.ofPeak()) != results.DoesNotHold {
		return fmt.Sprintf("whether a peak of %s operations/s holds cannot be told: %s.", document.Rate(asked), holding.Why)
	}
	text := fmt.Sprintf("a peak of %s operations/s %s: %s", document.Rate(asked), ofAll(s.ofPeak()), sustainedBy(s.figures, step))
	if s.summary.Saturation != nil && figures.Offered > 0 {
		text += fmt.Sprintf("; its headroom factor is %s", document.CutFactor(*s.summary.Saturation/figures.Offered))
	} else if holding.Holds && figures.Offered > 0 {
		text += fmt.Sprintf("; its headroom factor is at least %s", document.CutFactor(s.held()/step.Phase.Rate))
	}
	return text + "."
}

// held is the highest rate of a step that holds, in operations per second, 0 where none
// does.
func (s *story) held() float64 {
	most := 0.0
	for _, step := range s.steps {
		if s.holds(step).Holds && !step.Phase.Varying {
			most = max(most, step.Phase.Rate)
		}
	}
	return most
}

// ofAll says what several checks come to together.
func ofAll(list []results.Check) string {
	switch {
	case slices.ContainsFunc(list, func(c results.Check) bool { return c.Fails() }):
		return results.DoesNotHold
	case slices.ContainsFunc(list, func(c results.Check) bool { return !c.Told() }):
		return "may hold or not"
	default:
		return results.Holds
	}
}

// ofPeak returns the check of the peak, which comes before those of the scenario; empty if no
// peak was asked about.
func (s *story) ofPeak() []results.Check {
	if s.summary.PeakState == "" {
		return nil
	}
	return s.summary.Checks[:min(1, len(s.summary.Checks))]
}

// lostShareOf tells the share that was lost of the operations due in the last half of a step.
func lostShareOf(figures results.PhaseOperationSummary) string {
	if figures.ShareLostSettled == nil {
		return "an unknown share"
	}
	return document.Share(*figures.ShareLostSettled)
}

// load says what was met of throttling: a limit, or none.
func (s *story) load() string {
	var told []string
	ladders := s.figures.Ladders()
	for i := range ladders {
		text := s.met(&ladders[i])
		if len(ladders) > 1 {
			text = fmt.Sprintf("in %s %s", shortened(ladders[i].Stage), text)
		}
		told = append(told, text)
	}
	text := strings.Join(told, "; ")
	if all := s.record.Counts(results.Reported); all.Failed > 0 {
		text += "; " + failedOf(&all, "attempts")
	}
	return text + "."
}

// met says what one stretch of load met.
func (s *story) met(l *figure.Ladder) string {
	share := document.Share(l.Share)
	switch l.Throttling {
	case figure.Limited, figure.Queued:
		return s.saturated(l)
	case figure.Moving:
		return fmt.Sprintf("%s had %s of its attempts throttled, and from %s to %s entities/s were served in single seconds meanwhile: "+
			"that is no one limit, %s", s.subject(), share, document.Rate(l.Low), document.Rate(l.High), s.target())
	case figure.Sporadic:
		return fmt.Sprintf("%s refused %s of the attempts at every rate: this is sporadic, and shows no limit, %s", s.subject(), share, s.target())
	case figure.Brief:
		rest := "and bore as much load in others: no limit shows"
		if l.Seconds < figure.FewestSeconds {
			rest = "too briefly to tell: no limit shows"
		}
		return fmt.Sprintf("%s was throttled in %s (between second %d and %d), %s, %s",
			s.subject(), counted(l.Seconds, "second"), l.From, l.To, rest, s.target())
	case figure.Outage:
		return fmt.Sprintf("%s served nothing while it was throttled (between second %d and %d): an outage, which shows no limit",
			s.subject(), l.From, l.To)
	case figure.Carried:
		return fmt.Sprintf("%s had %s of its attempts throttled, and retries carried all but less than 1 %% of the operations: "+
			"it is about at its limit, or throttled in bursts, and where it saturates cannot be told, %s", s.subject(), share, s.target())
	case figure.Bursts:
		return fmt.Sprintf("%s was throttled in %s (%s of its attempts), each behind one of less load: so short a burst spends what was saved up, "+
			"and where it saturates cannot be told; bursts of 2 s and more would show it", s.subject(), counted(l.Seconds, "second"), share)
	case figure.Undecided:
		top, any := figure.Highest(l.Steps)
		if !any {
			top = l.Steps[len(l.Steps)-1]
		}
		return fmt.Sprintf("%s had %s of its attempts throttled, at one rate alone: that does not tell a limit from sporadic throttling; "+
			"a second rate such as %s operations/s would", s.subject(), share, document.Rate(1.5*top.Phase.Rate))
	default:
		top, any := figure.Highest(l.Steps)
		if !any {
			return s.subject() + " was not loaded to the last half of a step"
		}
		figures, says := s.figures.Step(top, nil), "is not saturated"
		if unsent := s.holds(top).Unsent; unsent != "" {
			says = "shows no limit that can be told, for " + unsent
		}
		return fmt.Sprintf("%s %s: of %s entities/s offered it served %s/s and lost %s of the operations, "+
			"with %s of the attempts throttled, %s", s.subject(), says, document.Rate(figures.Offered), document.Rate(figures.Served), lostShareOf(figures),
			document.Share(l.Share), s.target())
	}
}

// saturated says where a stretch of load saturates, and what its highest step loses.
func (s *story) saturated(l *figure.Ladder) string {
	top, any := figure.Highest(l.Steps)
	if !any {
		top = l.Steps[len(l.Steps)-1]
	}
	byHighest := ""
	if len(l.Steps) > 1 {
		byHighest = " by the highest step"
	}
	figures := s.figures.Step(top, nil)
	late := ""
	if !l.OnTime {
		late = "; the generator was late in some of them, and what was throttled is the target's word all the same"
	}
	subject := s.subject() + " saturates"
	if len(l.Kinds) > 0 {
		subject = document.Enumerated(l.Kinds) + " of " + subject
	}
	if len(l.Kinds) > 1 {
		subject = strings.TrimSuffix(subject, "s")
	}
	text := fmt.Sprintf("%s at %s entities/s (%s to %s in %s%s), %s; of the %s/s offered%s %s is lost", subject,
		document.Rate(l.Rate), document.Rate(l.Low), document.Rate(l.High), counted(l.Used, "second"), late, s.target(), document.Rate(figures.Offered), byHighest, lostShareOf(figures))
	if how := howSaturated(l); how != "" {
		text += "; " + how
	}
	return text
}

// howSaturated describes a limit that does not refuse all operations at one fixed rate; empty for
// one that does.
func howSaturated(l *figure.Ladder) string {
	var parts []string
	if len(l.Free) > 0 {
		are := "are"
		if len(l.Free) == 1 {
			are = "is"
		}
		parts = append(parts, document.Enumerated(l.Free)+" "+are+" not limited")
	}
	if l.Throttling == figure.Queued {
		parts = append(parts, fmt.Sprintf("the target queues instead of refusing: the response time grows %s s every second", document.Figures(document.Rounded(l.Slowing, 2))))
	}
	if l.Allowance > 0 {
		parts = append(parts, fmt.Sprintf("an allowance of about %s entities was spent first", document.Rate(document.Rounded(l.Allowance, 1))))
	}
	const varies = 1.05
	if l.Throttling == figure.Limited && l.High > varies*l.Rate && l.Low < l.Rate/varies {
		parts = append(parts, fmt.Sprintf("the limit varies from second to second between %s and %s/s", document.Rate(l.Low), document.Rate(l.High)))
	}
	return strings.Join(parts, "; ")
}

// closed says what the clients of a closed loop were served, where there was no
// other load.
func (s *story) closed() string {
	for _, step := range figure.Shown(s.record) {
		if throttled, told := step.ThrottledShare(); step.Closed() && told {
			return fmt.Sprintf("clients that wait for each reply were served %s entities/s, with %s of the attempts throttled: "+
				"they offer no more than is answered, so that this is no limit of what they load.",
				document.Rate(s.figures.Step(step, nil).Served), document.Share(throttled))
		}
	}
	if sum := s.record.Counts(results.Reported); sum.Succeeded > 0 && sum.Offered == 0 {
		return fmt.Sprintf("the load counts no entity: of %s operations %s succeeded, and of partitions nothing can be said.",
			document.Count(sum.Operations), document.Count(sum.Succeeded))
	}
	return "Nothing can be said: no step of load was reported."
}

// slack is by how much a rate may miss a whole number of partitions and still
// be held by that many: where 4,000/s meet a saturation of 1,999, two will do.
const slack = 0.01

func (s *story) key() string {
	saturation := s.summary.Saturation
	switch {
	case s.accountBinds():
		return "the model holds the account to less than a partition, so this says nothing of the PartitionKey."
	case !s.aimed() && s.summary.Hottest != nil:
		return fmt.Sprintf("the busiest partition, %q, counted %s entities in its busiest second and %s/s over its step.",
			shortened(results.PartitionName(s.summary.Hottest.Table, s.summary.Hottest.Key)), document.Rate(s.summary.Hottest.EntitiesPerSecond),
			document.Rate(s.summary.Hottest.Mean))
	case !s.aimed(), s.record.Manifest.Emulator && s.record.Manifest.Targets.Partition == 0:
		return ""
	case s.record.Manifest.Modelled() && s.record.Manifest.Targets.Partition == 0:
		return "a model without a target for a partition says nothing of the PartitionKey."
	case saturation == nil:
		return s.bears()
	}
	if !s.knowsPartitionLimit() {
		return sharedLimitUnknown
	}
	text := fmt.Sprintf("every operation of this PartitionKey goes to one partition: a peak above %s/s needs keys that spread it",
		document.Rate(*saturation))
	if partitions := math.Ceil(s.topRate.Offered / *saturation * (1 - slack)); partitions >= 2 {
		text += fmt.Sprintf(", one of %s/s over at least %s partitions", document.Rate(s.topRate.Offered), document.Rate(partitions))
	}
	return text + "."
}

// knowsPartitionLimit reports whether the limit is known to be that of one partition: refusals of
// the service itself, of a model, or of an emulator with a partition target.
func (s *story) knowsPartitionLimit() bool {
	m := &s.record.Manifest
	queued := slices.ContainsFunc(s.figures.Ladders(), func(l figure.Ladder) bool { return l.Throttling == figure.Queued })
	return !queued && (m.Modelled() || m.Genuine || m.Emulator && m.Targets.Partition > 0)
}

// sharedLimitUnknown replaces the advice to spread the key if other partitions may share the limit.
const sharedLimitUnknown = "whether other partitions share this limit was not measured: offer the load to two keys before you spread it."

// bears says what a PartitionKey bears whose limit was not met.
func (s *story) bears() string {
	held := s.held()
	holding := s.holds(s.top)
	switch {
	case held > 0 && held == s.top.Phase.Rate:
		return fmt.Sprintf("this PartitionKey holds %s operations/s on one partition; more was not tried.", document.Rate(held))
	case held > 0 && holding.Why != "":
		return fmt.Sprintf("this PartitionKey holds %s operations/s on one partition; whether it holds %s cannot be told: %s.",
			document.Rate(held), document.Rate(s.top.Phase.Rate), holding.Why)
	case held > 0:
		return fmt.Sprintf("this PartitionKey holds %s operations/s on one partition, and does not hold %s.", document.Rate(held), document.Rate(s.top.Phase.Rate))
	case holding.Why != "":
		return fmt.Sprintf("whether this PartitionKey holds %s operations/s cannot be told: %s.", document.Rate(s.top.Phase.Rate), holding.Why)
	case holding.Holds:
		return fmt.Sprintf("this PartitionKey holds this load, of %s operations/s on average, on one partition; more was not tried.", document.Rate(s.top.Phase.Rate))
	default:
		return fmt.Sprintf("this PartitionKey does not hold %s operations/s: operations were lost or throttled, or a queue grew.",
			document.Rate(s.top.Phase.Rate))
	}
}

// unknown says what an embedded run, or one against an emulator, cannot tell.
func (s *story) unknown() string {
	switch {
	case s.record.Manifest.Emulator && s.record.Manifest.Targets.Partition > 0:
		return "What was measured is an emulator that keeps limits: how the real service balances its partitions, and what it grants beyond, it cannot tell."
	case s.record.Manifest.Emulator && s.record.Manifest.LimitsKnown:
		return "What was measured is an emulator, which keeps none of the service's limits: it says nothing of the PartitionKey."
	case s.record.Manifest.Emulator:
		return "What was measured is an emulator, of which no limit of a partition is known that it holds hard: " +
			"it says nothing of the PartitionKey."
	case s.record.Manifest.Target == results.Logged && !s.record.Manifest.Genuine:
		return "The log is that of a host which is not the table service's."
	case !s.record.Manifest.Modelled() && !s.record.Manifest.Genuine && s.record.Manifest.Target != "":
		return "What answers does not say what it is, so that nothing is said of the table service."
	case !s.record.Manifest.Modelled():
		return ""
	case s.record.Manifest.Profile == off:
		return "Nothing of the service is modelled here: the figures are those of the embedded engine and of this generator."
	case calibrated(&s.record.Manifest):
		return "Limits of profile " + printable(document.Cut(s.record.Manifest.Profile, mostProfile)) + ": how the real service balances its partitions, it cannot tell."
	case s.record.Manifest.Start == "cold":
		return "When the real service splits and moves, and what it grants beyond its targets, a model cannot tell: " +
			"the times of load balancing rest on the assumptions listed below."
	default:
		return "An embedded run cannot tell how the real service balances its partitions and what it grants beyond its targets: " +
			"limits and times are modelled."
	}
}
