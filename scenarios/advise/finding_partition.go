package advise

import (
	"cmp"
	"fmt"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
)

// The shares of a target from which it is near, and from which inserts that all fall
// on one place endanger it.
const (
	near       = 0.8
	endangered = 0.5
)

// What cures inserts that all fall on one place, and a partition that has most of all.
const (
	orderCure = "Begin the PartitionKey with what differs between inserts of one moment (a user, a hash), and keep " +
		"time in the RowKey."
	skewCure = "Part the commonest key: add a bucket ({hash(user,16):02d}), or another attribute, to the PartitionKey."
)

// placed reports whether any operation goes to one partition.
func (l *Load) placed() bool { return l.Hottest.Value > 0 || l.Keys.Partitions > 0 }

func (r Rate) against(target int64) Verdict {
	switch {
	case target == 0:
		return NotApplicable
	case r.Least > float64(target):
		return Error
	case r.Value >= near*float64(target):
		return Warning
	default:
		return Good
	}
}

// text writes a rate with its bounds, if they are apart.
func (r Rate) text() string {
	switch {
	case r.Most-r.Least < 0.01*r.Value:
		return document.Rate(r.Value)
	case r.Value == 0:
		return "at most " + document.Rate(r.Most)
	}
	return fmt.Sprintf("%s (%s to %s)", document.Rate(r.Value), document.Rate(r.Least), document.Rate(r.Most))
}

func (r Rate) ofTarget(target int64) string { return document.PartOf(r.Value, float64(target)) }

func (s *subject) partitionTarget() Finding {
	switch {
	case s.hottest == nil:
		return idle()
	case s.targets.Partition == 0:
		return found(NotApplicable, "The model sets partitions no limit.")
	case !s.hottest.placed():
		return found(NotApplicable, "Every operation reads several partitions, of which none is told apart: see scans.")
	}
	h, scans := &s.hottest.Hottest, s.hottest.Scans
	f := found(h.against(s.targets.Partition), "The hottest partition, %s, counts %s entities/s in phase %s, %s of "+
		"its target of %s.",
		document.Key(h.PartitionKey, keyWidth), h.text(), s.hottest.Phase, h.ofTarget(s.targets.Partition),
		document.Count(s.targets.Partition))
	if scans.Value > 0 {
		f.Evidence += fmt.Sprintf(" Queries of several partitions count %s entities/s beside it, of which it has its "+
			"part.", scans.text())
		if f.Verdict == Good && h.Value+scans.Value > float64(s.targets.Partition) {
			f.Verdict = Note
			return f.but("See scans: what they count of this partition is not told apart.")
		}
	}
	if f.Verdict == Good {
		return f
	}
	// Another design may do that the model holds.
	for i := range s.others {
		d := &s.others[i]
		r := d.Rehearsal
		if d.InUse || r == nil || r.State() != results.Holds || cmp.Or(r.checkState(), results.Holds) != results.Holds ||
			d.untried(s.targets.Partition, s.Start != scenarios.StartCold) != "" {
			continue
		}
		other, _ := d.peaks()
		return f.but(fmt.Sprintf("Use the design %s: it holds, and its hottest partition counts %s entities/s.",
			d.Name, document.Rate(other.Hottest.Value)))
	}
	if !s.hottest.Events {
		return f.but("The phase names its partitions: offer less to each, or choose a PartitionKey of which the peak falls on several.")
	}
	return f.but("Form the PartitionKey from more, or from something finer, so that this load falls on several partitions.")
}

func (s *subject) accountTarget() Finding {
	switch {
	case s.busiest == nil:
		return idle()
	case s.targets.Account == 0:
		return found(NotApplicable, "The model sets accounts no limit.")
	}
	a, which := s.busiest.Account, "The account"
	if s.targets.Accounts > 1 {
		which = fmt.Sprintf("The busiest of %d accounts", s.targets.Accounts)
	}
	f := found(a.against(s.targets.Account), "%s counts %s entities/s in phase %s, %s of its target of %s.",
		which, a.text(), s.busiest.Phase, a.ofTarget(s.targets.Account), document.Count(s.targets.Account))
	if f.Verdict == Good {
		return f
	}
	if l, one, most := s.design.worst((*Load).counts); l == s.busiest && one.rank > 1 && most > a.Value/2 {
		return f.but(fmt.Sprintf("Have %s read less: it counts %s of these entities/s.", one.Name, document.Rate(most)))
	}
	return f.but("Shard over more accounts (accounts: {number: 2}), or have each operation count fewer entities.")
}

// inserting returns the load whose inserts make the hottest place, nil where no design
// decides where inserts fall.
func (s *subject) inserting() (worst *Load) {
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		if l.Events && l.Inserts > 0 && (worst == nil || l.atOnce() > worst.atOnce()) {
			worst = l
		}
	}
	return worst
}

// atOnce is how many entities a second are inserted into the hottest place at any
// moment.
func (l *Load) atOnce() float64 { return l.Inserts * l.Keys.AtOnce }

// onTail is how many the place takes that takes most, be it the only one or the hottest of
// several tails; 0 where inserts are spread.
func (l *Load) onTail() float64 { return l.Inserts * l.Keys.order.Place() }

func (s *subject) insertOrder() Finding {
	l := s.inserting()
	if l == nil {
		return found(NotApplicable, "Nothing inserts new entities where the design puts them.")
	}
	f := found(Good, "%s", l.Keys.Evidence)
	switch {
	case l.Keys.verdict == keystatistics.Unknown:
		f.Verdict = CannotTell
		return f
	case l.Keys.verdict == keystatistics.SeveralTails:
		// Each of the places bears a partition's target, once load balancing has given it a
		// range of its own.
		if s.targets.Partition == 0 {
			return f
		}
		f.Evidence += fmt.Sprintf(" %s At the peak %s entities/s are inserted.",
			l.Keys.order.Bears(s.targets.Partition, s.targets.ofAll()), document.Rate(l.Inserts))
		tail := Rate{l.onTail(), l.onTail(), l.onTail()}
		switch f.Verdict = tail.against(s.targets.Partition); {
		case f.Verdict != Good:
			return f.but(orderCure)
		case l.Inserts > float64(s.targets.Partition):
			f.Verdict = Note
		}
		return f
	case !l.Keys.Hot:
		return f
	}
	f.Verdict = Warning
	f.Evidence += fmt.Sprintf(" At the peak %s entities/s are inserted.", document.Rate(l.Inserts))
	if target := float64(s.targets.Partition); target > 0 && l.atOnce() >= endangered*target {
		f.Verdict = Error
	}
	return f.but(orderCure)
}

func (s *subject) skew() Finding {
	l := s.hottest
	switch {
	case l == nil:
		return idle()
	case !l.Events:
		return found(NotApplicable, "Phase %s names the partitions that it offers to.", l.Phase)
	}
	k := &l.Keys
	if k.Partitions == 1 {
		return found(Warning, "All of the load of phase %s falls on one partition.", l.Phase).but(skewCure)
	}
	f := found(Good, "Of the load of phase %s %s falls on one partition of %s; they are as uneven as %s.",
		l.Phase, k.top(), about(k.Partitions, k.PartitionsError), k.like())
	if k.TopMost <= 0 || s.targets.Partition == 0 {
		return f
	}
	ceiling := float64(s.targets.Partition) / k.TopMost
	if all := float64(s.targets.Account) * float64(s.targets.Accounts); ceiling < all {
		f.Verdict = Note
		f.Evidence += fmt.Sprintf(" It reaches its target when all together count %s entities/s, before the account "+
			"does at %s.",
			document.Rate(ceiling), document.Rate(all))
	}
	if k.TopMost >= endangered {
		f.Verdict = Warning
		return f.but(skewCure)
	}
	return f
}

// accountsOfRegion is how many storage accounts a subscription has in a region by default.
const accountsOfRegion = 250

func (s *subject) sharding() Finding {
	n := s.targets.Accounts
	switch {
	case s.busiest == nil:
		return idle()
	case n > 1:
		return found(Good, "The load is sharded over %d accounts by PartitionKey; the busiest counts %s entities/s.",
			n, document.Rate(s.busiest.Account.Value))
	case s.targets.Account == 0 || s.busiest.Account.Value < near*float64(s.targets.Account):
		return found(NotApplicable, "One account is enough.")
	default:
		need := int(s.busiest.Account.Value/(near*float64(s.targets.Account))) + 1
		return found(Note, "%s accounts would have room for it, if no partition is too hot; a subscription has %d in a region unless it asks for more.",
			document.Count(int64(need)), accountsOfRegion).
			but(fmt.Sprintf("accounts: {number: %d}", need))
	}
}

func (s *subject) coldStart() Finding {
	if s.Start != scenarios.StartCold {
		return found(NotApplicable, "The scenario starts warm: its ranges lie on many servers already. A new table's "+
			"do not.")
	}
	if s.busiest == nil {
		return idle()
	}
	f := found(Note, "A new table is one range on one server until load balancing has acted on minutes of overload.")
	if target := float64(s.targets.Partition); target > 0 && s.busiest.Account.Value > target {
		f.Verdict = Warning
		f.Evidence += fmt.Sprintf(" The %s entities/s of the peak are more than one range bears.",
			document.Rate(s.busiest.Account.Value))
		return f.but("Raise the load slowly, and expect refusals at first; loading the table beforehand does not spare " +
			"them.")
	}
	return f
}

func (s *subject) burst() Finding {
	for i := range s.Phases {
		t := s.Phases[i].Traffic
		if t == nil || t.Arrivals == nil || t.Arrivals.Burst == nil {
			continue
		}
		b := t.Arrivals.Burst
		return found(Note, "Phase %s goes from %s/s to %s/s at once, every %s for %s.",
			s.Phases[i].Name, document.Rate(b.Base), document.Rate(b.Peak), document.Span(b.Every), document.Span(b.Length)).
			but("Expect refusals while the service adapts; where it can be chosen, a ramp does better.")
	}
	if s.busiest == nil {
		return idle()
	}
	return found(Good, "No phase bursts.")
}
