package verdict

import (
	"fmt"
	"math"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// story is what the sentences of a verdict are told from.
type story struct {
	record  *results.Record
	summary *results.Summary
	steps   []Step
	// top is the highest step that the run came to, with its figures.
	top     Step
	topRate results.PhaseOperationSummary
}

// sentences returns the verdict in words: three sentences, four where a peak
// was asked about.
func sentences(record *results.Record, summary *results.Summary, steps []Step) string {
	s := story{record: record, summary: summary, steps: steps}
	top, any := highest(steps)
	var told []string
	switch {
	case record.Limit != nil:
		told = append(told, s.found()...)
	case summary.Validity != results.Valid:
		told = append(told, s.worth())
		if served := math.Floor(mostServed(record, steps)); served > 0 {
			told = append(told, fmt.Sprintf("All it shows is that %s served at least %s entities/s.", s.subject(), Rate(served)))
		}
		if asked := record.Manifest.PeakAsked; asked > 0 {
			told = append(told, fmt.Sprintf("Whether a peak of %s operations/s holds, it cannot say.", Rate(asked)))
		}
	case summary.Balance != nil:
		told = append(told, s.balanced()...)
	case !any || top.Figures(nil).Offered <= 0:
		told = append(told, s.closed())
	default:
		s.top, s.topRate = top, top.Figures(nil)
		told = append(told, s.peak(), s.load(), s.key())
	}
	if summary.Validity == results.Valid {
		told = append(told, s.rival())
	}
	told = append(told, audited(record.Audit), upheld(record.Invariants), s.unknown())
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
		text += fmt.Sprintf("; and %s more", Count(int64(more)))
	}
	return text + "."
}

// mostServed returns the most that was served in the typical second of a step,
// 0 where no step has a whole second after its first. What the operations of a
// step were served in all would be too much: some are served after it.
func mostServed(record *results.Record, steps []Step) float64 {
	most := 0.0
	for _, step := range steps {
		if served := step.servedPerSecond(record.Intervals); len(served) > 0 {
			// What was held back and then sent at once is no rate that could last.
			typical := statistics.Median(served)
			if offered := step.Figures(nil).Offered; offered > 0 {
				typical = min(typical, offered)
			}
			most = max(most, typical)
		}
	}
	return most
}

// peak answers whether the peak that was asked for holds.
func (s *story) peak() string {
	asked := s.record.Manifest.PeakAsked
	if asked <= 0 {
		return ""
	}
	step, found := atPeak(asked, s.steps)
	offered := 0.0
	if found {
		offered = step.Figures(nil).Offered
	}
	if offered <= 0 {
		return fmt.Sprintf("whether a peak of %s operations/s holds was not measured.", Rate(asked))
	}
	verb := "does not hold"
	if allPass(s.ofPeak()) {
		verb = "holds"
	}
	headroom := "more than " + factor(s.topRate.Served/offered)
	if s.summary.Saturation != nil {
		headroom = factor(*s.summary.Saturation / offered)
	} else if overloaded(s.steps) {
		headroom = "not known, the steps being too short"
	}
	refused, _ := step.refusedShare()
	text := fmt.Sprintf("a peak of %s operations/s %s: %s of its attempts were refused and %s of its load was lost; "+
		"its headroom factor is %s", Rate(asked), verb, Share(refused), s.lostOf(step), headroom)
	if s.borrowed() {
		text += ", and only what the partition had saved up while idle carried it through its step"
	}
	return text + "."
}

// borrowed says whether the peak fails for nothing but lying beyond saturation:
// its step was too short for what an idle partition has saved up to run out.
func (s *story) borrowed() bool {
	asked := s.ofPeak()
	for i, expectation := range asked {
		if expectation.Pass == (i == len(asked)-1) {
			return false
		}
	}
	return len(asked) > 0
}

// ofPeak returns what was asked of the peak; what the scenario claims comes after it.
func (s *story) ofPeak() []results.Expectation {
	claimed := min(len(s.record.Manifest.Expectations), len(s.summary.Expectations))
	return s.summary.Expectations[:len(s.summary.Expectations)-claimed]
}

// lostOf tells the share of a step's load that was lost.
func (s *story) lostOf(step Step) string {
	if share := step.Figures(nil).ShareLost; share != nil {
		return Share(*share)
	}
	return "an unknown share"
}

// load says where what was loaded saturates, and what the highest step loses.
func (s *story) load() string {
	var text string
	refused, _ := s.top.refusedShare()
	byHighest := ""
	if len(s.steps) > 1 {
		byHighest = " by the highest step"
	}
	switch saturation, interval := s.summary.Saturation, s.summary.SaturationInterval; {
	case saturation != nil:
		text = fmt.Sprintf("%s saturates at %s entities/s (%s to %s in single seconds), %s; "+
			"of the %s/s offered%s %s is lost%s", s.subject(), Rate(*saturation), Rate(interval[0]), Rate(interval[1]),
			s.target(), Rate(s.topRate.Offered), byHighest, s.lostOf(s.top), s.lasting())
	case overloaded(s.steps):
		text = fmt.Sprintf("%s is overloaded, but no step is long enough to tell where it saturates: "+
			"of %s entities/s offered by the highest it served %s/s and lost %s, with %s of the attempts refused, %s",
			s.subject(), Rate(s.topRate.Offered), Rate(s.topRate.Served), s.lostOf(s.top), Share(refused), s.target())
	default:
		text = fmt.Sprintf("%s is not saturated%s: of %s entities/s offered it served %s/s and lost %s, "+
			"with %s of the attempts refused, %s", s.subject(), byHighest, Rate(s.topRate.Offered), Rate(s.topRate.Served),
			s.lostOf(s.top), under(refused, refusedEnough), s.target())
	}
	if all := s.record.Total(results.Reported); all.Failed > 0 {
		text += fmt.Sprintf("; %s of the attempts failed for other reasons than load",
			Share(float64(all.Failed)/float64(max(1, all.Attempts))))
	}
	return text + "."
}

// closed says what the clients of a closed loop were served, where there was no
// other load.
func (s *story) closed() string {
	for _, step := range Shown(s.record) {
		if refused, told := step.refusedShare(); step.Closed() && told {
			return fmt.Sprintf("clients that wait for each reply were served %s entities/s, with %s of the attempts refused: "+
				"they offer no more than is answered, so that this is no limit of what they load.",
				Rate(step.Figures(nil).Served), Share(refused))
		}
	}
	if sum := s.record.Total(results.Reported); sum.Succeeded > 0 && sum.Offered == 0 {
		return fmt.Sprintf("the load counts no entity: of %s operations %s succeeded, and of partitions nothing can be said.",
			Count(sum.Operations), Count(sum.Succeeded))
	}
	return "Nothing can be said: no step of load was reported."
}

// lasting adds what a lasting peak loses where retries wait so long that those of
// the step met a load that their own kind had not yet added to.
func (s *story) lasting() string {
	waits, saturation := s.record.RetryWaits.Max(), *s.summary.Saturation
	if half := s.top.Phase.Seconds() / 2; float64(waits) < half*1e6 || saturation >= s.topRate.Offered {
		return ""
	}
	return fmt.Sprintf(", and %s of a peak that outlasts its retries, which wait up to %s",
		Share(1-saturation/s.topRate.Offered), duration(waits))
}

// doubt is by how much a rate may miss a whole number of partitions and still
// be held by that many: where 4,000/s meet a saturation of 1,999, two will do.
const clientSaturation = 0.01

func (s *story) key() string {
	saturation := s.summary.Saturation
	switch {
	case s.accountBinds():
		return "the model holds the account to less than a partition, so this says nothing of the PartitionKey."
	case !s.aimed() && s.summary.Hottest != nil:
		return fmt.Sprintf("the busiest partition, %q, counted %s entities/s.",
			shortened(results.PartitionName(s.summary.Hottest.Table, s.summary.Hottest.Key)), Rate(s.summary.Hottest.EntitiesPerSecond))
	case !s.aimed():
		return ""
	case s.record.Manifest.Emulator:
		return ""
	case s.record.Manifest.Modelled() && s.record.Manifest.Targets.Partition == 0:
		return "a model without a target for a partition says nothing of the PartitionKey."
	case saturation == nil && overloaded(s.steps):
		return "every operation of this PartitionKey goes to one partition, which the load overwhelms."
	case saturation == nil:
		return fmt.Sprintf("this PartitionKey bears a peak of at least %s/s on one partition; more was not tried.",
			Rate(math.Floor(s.topRate.Served)))
	case *saturation <= 0:
		return "every operation of this PartitionKey goes to one partition, which served nothing."
	}
	text := fmt.Sprintf("every operation of this PartitionKey goes to one partition: a peak above %s/s needs keys that spread it",
		Rate(*saturation))
	if partitions := math.Ceil(s.topRate.Offered / *saturation * (1 - clientSaturation)); partitions >= 2 {
		text += fmt.Sprintf(", one of %s/s over at least %s partitions", Rate(s.topRate.Offered), Rate(partitions))
	}
	return text + "."
}

// unknown says what an embedded run, or one against an emulator, cannot tell.
func (s *story) unknown() string {
	switch {
	case s.record.Manifest.Emulator:
		return "What was measured is an emulator, which keeps none of the service's limits: it says nothing of the PartitionKey."
	case !s.record.Manifest.Modelled():
		return ""
	case s.record.Manifest.Profile == off:
		return "Nothing of the service is modelled here: the figures are those of the embedded engine and of this generator."
	case s.record.Manifest.Start == "cold":
		return "When the real service splits and moves, and what it grants beyond its targets, a model cannot tell: " +
			"the times of load balancing rest on the assumptions listed below."
	default:
		return "An embedded run cannot tell how the real service balances its partitions and what it grants beyond its targets: " +
			"limits and times are modelled."
	}
}
