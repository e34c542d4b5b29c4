package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// Answer says in a few words what a judged run came to: what was asked of it first, then
// the limit that it met, then what it holds. Its state is that of [State].
func Answer(record *results.Record, summary *results.Summary) document.Answer {
	state, ok := State(summary)
	a := answer{story{record: record, summary: summary, figures: figure.Of(record), steps: figure.Steps(record)},
		document.Answer{State: state}}
	a.top, _ = figure.Highest(a.steps)
	if summary.Killed != nil || summary.Validity == results.Invalid {
		a.cannotTell()
	} else {
		a.tell()
	}
	// These come right behind what the answer is about.
	second := func(sentence string) {
		if sentence != "" {
			a.Says = slices.Insert(a.Says, min(1, len(a.Says)), strings.ToUpper(sentence[:1])+sentence[1:])
		}
	}
	second(injected(record))
	second(a.failed())
	if summary.Killed == nil {
		second(Bucket(record))
	}
	a.Says = a.Says[:min(len(a.Says), mostSaid)]
	a.Mark = document.MarkOf(state, Asked(summary), ok)
	a.Says = append(a.example(), a.Says...)
	return a.Answer
}

// mostSaid is how many sentences follow an answer at most.
const mostSaid = 4

// answer is the first screen's share of a story.
type answer struct {
	story
	document.Answer
}

// claim enters the claim: the state in capitals, then the number with its unit, each
// parted by a space.
func (a *answer) claim(before, number, unit, after string) {
	claimed := document.Claimed(a.State, before, number, unit, after)
	a.Claim, a.Number, a.Unit = claimed.Claim, number, unit
}

func (a *answer) says(sentence string) {
	if sentence != "" {
		a.Says = append(a.Says, strings.ToUpper(sentence[:1])+sentence[1:])
	}
}

func (a *answer) tell() {
	s := a.summary
	switch {
	case !s.Audit.Kept():
		a.claim(":", document.Count(s.Audit.Lost+s.Audit.Doubled), "writes lost or doubled", "")
		a.says(audited(s.Audit))
	case len(s.Checks) == 0 && broken(s.Invariants) != nil:
		one, unit := broken(s.Invariants), "violations"
		if one.Faults == 1 {
			unit = "violation"
		}
		a.claim(":", document.Count(one.Faults), unit, "")
		a.Beside = document.Count(one.Looked) + " looked at"
		a.says("not so: " + shortened(one.Name) + ".")
	case a.record.Limit != nil:
		a.searched(a.record.Limit)
	case a.record.Manifest.PeakAsked > 0:
		whether := ""
		if a.State == results.CannotTell {
			whether = " whether it holds"
		}
		a.claim(whether, document.Rate(a.record.Manifest.PeakAsked), "operations/s", "")
		beside := []string{a.against(false)}
		if s.Saturation != nil {
			beside = append(beside, fmt.Sprintf("saturates at %s entities/s", document.Rate(*s.Saturation)))
		}
		a.Beside = strings.Join(spoken(beside...), " · ")
		a.names()
		for _, c := range a.ofPeak() {
			if !c.Holds() {
				a.says(c.Said() + ".")
			}
		}
		if a.State == results.DoesNotHold && s.Saturation != nil {
			a.spread()
		}
		a.remedy()
	default:
		a.claimLoad()
	}
	a.addChecks()
	a.says(trafficBalance(a.record))
}

// claimLoad claims whether the load is sustained, for a run without a peak or a search.
func (a *answer) claimLoad() {
	s := a.summary
	switch {
	case len(s.Phases) == 0 && len(s.Checks) > 0:
		a.claim("", "", "", "")
	case a.State == results.Saturates:
		a.saturates()
	case s.Balance != nil && s.Balance.Outcome == results.LoadRelieved && s.Balance.Relieved != nil:
		a.claimRecovery(document.Minutes(*s.Balance.Relieved), a.figures.Named("share_lost"))
	case s.Balance != nil:
		if s.Balance.Outcome == results.LoadHeld {
			a.claim(" this load", "", "", "")
		} else {
			a.claim(":", "", "load balancing does not relieve it", "")
		}
		a.Beside = a.against(false)
		a.sayFirst(a.balanced())
	case a.State == results.CannotTell:
		a.cannotTell()
	case a.State == results.Holds:
		a.holds()
	default:
		a.fails()
	}
	switch {
	case !s.Audit.Sound():
		a.Claim += fmt.Sprintf("; %s writes overwritten by the client", document.Count(s.Audit.Lost))
		says := a.Says
		a.Says = nil
		a.says(audited(s.Audit))
		a.Says = append(a.Says, says...)
	case s.Audit != nil:
		a.says(document.Count(s.Audit.Acknowledged) + " acknowledged writes found again.")
	}
}

// names says what the answer is about.
func (a *answer) names() {
	m, hot := &a.record.Manifest, a.summary.Hottest
	switch {
	case a.record.Capture != nil && hot != nil:
		a.says(fmt.Sprintf("PartitionKey %s, the hottest of the traffic", document.Key(hot.Key, longestKey)))
	case a.accountBinds():
		if m.Accounts > 1 {
			a.says(a.accounts() + ".")
		}
	case a.aimed():
		a.says("PartitionKey " + document.Key(m.PartitionKey, longestKey))
	case hot != nil:
		most := ""
		if hot.AtLeast {
			most = "at least "
		}
		a.says(fmt.Sprintf("the busiest PartitionKey, %s, counted %s%s entities in one second", document.Key(hot.Key, longestKey), most,
			document.Rate(hot.EntitiesPerSecond)))
	}
}

// longestKey is how much of a key the first screen shows, in characters.
const longestKey = 54

// cannotTell says why nothing can be told, and what would.
func (a *answer) cannotTell() {
	a.claim("", "", "", "")
	s := a.summary
	why := ""
	switch {
	case s.Killed != nil:
		why = a.killed()[0]
	case len(s.Reasons) > 0 && s.Validity != results.Valid:
		why = fmt.Sprintf("this run is %s: %s", s.Validity, s.Reasons[0])
	default:
		for i := range s.Phases {
			if why = cmp.Or(why, s.Phases[i].Why); why != "" {
				why = strings.TrimSuffix(s.Phases[i].Name+": "+why, ".")
				break
			}
		}
	}
	switch {
	case why == "" && a.throttling():
	case why == "":
		a.opening(1)
	default:
		a.says(strings.TrimSuffix(why, ".") + ".")
	}
	a.remedy()
}

// remedy says what to do where an answer cannot be told.
func (a *answer) remedy() {
	s := a.summary
	switch {
	case a.State != results.CannotTell:
	case s.Killed != nil:
		a.says("run it again, to its end.")
	case s.Validity == results.Invalid:
		a.says("nothing that it shows proves anything: mend that, and run it again.")
	case s.Validity == results.Partial && a.record.EndedBy == results.EndedByStopOn:
		a.says("offer less, or raise what stop_on allows.")
	case s.Validity == results.Partial && a.record.EndedBy == results.EndedByTarget:
		a.says("look at the target first.")
	case s.Validity == results.Partial:
		a.says("run it again, to its end.")
	case lineLimit(a.record) != "":
		a.says("more or larger client machines, or fewer bytes: " + lineLimit(a.record) + ".")
	case len(s.ClientLimited) > 0 && slices.ContainsFunc(Strains(a.record), func(s Strain) bool { return s.Cause == TooFewWorkers }):
		a.says("raise --workers: " + s.ClientLimited[0])
	case len(s.ClientLimited) > 0:
		a.says("leave the machine to it, or offer less: " + s.ClientLimited[0])
	case a.top.Phase == nil && a.record.Capture == nil:
		a.says("give each step 2 s at least.")
	}
}

// opening adds the first sentences of the verdict.
func (a *answer) opening(most int) {
	rest := a.summary.Verdict
	for range most {
		at := strings.Index(rest, ". ")
		if at < 0 {
			a.says(rest)
			return
		}
		a.says(rest[:at+1])
		rest = rest[at+2:]
	}
}

// throttling adds one sentence about refusals, and reports whether there were any.
func (a *answer) throttling() bool {
	for i := range a.summary.Throttling {
		t := &a.summary.Throttling[i]
		share, says := document.Share(t.Share), ""
		switch figure.Throttling(t.Kind) {
		case figure.Moving:
			says = share + " of the attempts throttled, by no one limit: it changes from second to second."
		case figure.Sporadic:
			says = share + " of the attempts refused at every rate: sporadic, and no limit."
		case figure.Brief:
			says = fmt.Sprintf("throttled in %s, between second %d and %d: no limit shows.", counted(t.Seconds, "second"), t.From, t.To)
		case figure.Outage:
			says = fmt.Sprintf("nothing served between second %d and %d: an outage, and no limit.", t.From, t.To)
		case figure.Carried:
			says = share + " of the attempts throttled, and carried by retries: about at its limit, which cannot be told."
		case figure.Bursts:
			says = share + " of the attempts throttled, in bursts of a second: each spends what was saved up, and shows no limit; " +
				"bursts of 2 s and more would."
		case figure.Undecided:
			second := ""
			if a.top.Phase != nil {
				second = fmt.Sprintf("; %s operations/s would", document.Rate(1.5*a.top.Phase.Rate))
			}
			says = fmt.Sprintf("%s of the attempts throttled: one rate alone does not tell a limit from sporadic throttling%s.", share, second)
		default:
			continue
		}
		if len(a.summary.Throttling) > 1 {
			says = "in " + shortened(t.Stage) + " " + says
		}
		a.says(says)
		return true
	}
	return false
}

// injected says how many attempts met a fault that was asked for, and which; empty where
// none was asked for.
func injected(record *results.Record) string {
	var names []string
	counts := make(map[string]int64)
	var sum, attempts int64
	for i := range record.Intervals {
		attempts += record.Intervals[i].Attempts
	}
	for _, one := range results.InjectedIn(record.Intervals) {
		name := one.Kind
		if one.Kind == "refuse" {
			name = strings.TrimSpace(strconv.Itoa(one.Status) + " " + one.Code)
		}
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name] += one.Attempts
		sum += one.Attempts
	}
	if sum == 0 {
		if len(record.Manifest.Faults) > 0 {
			return "faults were asked for, and no attempt met one."
		}
		return ""
	}
	for i, name := range names {
		names[i] = document.Count(counts[name]) + " " + printable(shortened(name))
	}
	return fmt.Sprintf("%s of the attempts met a fault that was injected (%s).", document.Share(figure.ShareOf(sum, attempts)), strings.Join(names, ", "))
}
