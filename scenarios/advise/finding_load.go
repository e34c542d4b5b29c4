package advise

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

// isPlaced reports whether any operation goes to one partition.
func (l *Load) isPlaced() bool { return l.Hottest.Value > 0 || l.Keys.Partitions > 0 }

func (s *subject) partitionTarget() Finding {
	switch {
	case s.hottest == nil:
		return newFinding("none", "load")
	case s.targets.Partition == 0:
		return newFinding("none", "limit")
	case !s.hottest.isPlaced():
		return newFinding("partition/unplaced")
	}
	h, scans := &s.hottest.Hottest, s.hottest.Scans
	f := newFinding("partition/rate", h.PartitionKey, h.text(), s.hottest.Phase, h.ofTarget(s.targets.Partition), s.targets.Partition).
		graded(h.against(s.targets.Partition))
	if scans.Value > 0 {
		f = f.extend("partition/scans", scans.text())
		if f.Verdict == Good && h.Value+scans.Value > float64(s.targets.Partition) {
			return f.extend("partition/see-scans")
		}
	}
	if f.Verdict == Good {
		return f
	}
	// Another design may hold.
	for i := range s.others {
		d := &s.others[i]
		r := d.Rehearsal
		if d.InUse || r == nil || r.State() != results.Holds || cmp.Or(r.checkState(), results.Holds) != results.Holds ||
			d.untried(s.targets.Partition, s.Start != scenarios.StartCold) != "" {
			continue
		}
		other, _ := d.peaks()
		return f.extend("partition/design", d.Name, other.Hottest.Value)
	}
	if !s.hottest.Events {
		return f.extend("partition/named")
	}
	return f
}

func (s *subject) accountTarget() Finding {
	switch {
	case s.busiest == nil:
		return newFinding("none", "load")
	case s.targets.Account == 0:
		return newFinding("none", "limit")
	}
	a := s.busiest.Account
	f := newFinding("account/rate", a.text(), s.busiest.Phase, a.ofTarget(s.targets.Account), s.targets.Account,
		document.Counted(max(1, s.targets.Accounts), "account")).
		graded(a.against(s.targets.Account))
	if f.Verdict == Good {
		return f
	}
	if l, one, most := s.design.worst((*Load).counts); l == s.busiest && one.rank > 1 && most > a.Value/2 {
		return f.extend("account/reads", one.Name, most)
	}
	return f.extend("account/shard")
}

// inserting returns the load with most inserts at its hottest place, nil if no design decides where
// inserts fall.
func (s *subject) inserting() (worst *Load) {
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		if l.Events && l.Inserts > 0 && (worst == nil || l.atOnce() > worst.atOnce()) {
			worst = l
		}
	}
	return worst
}

func (s *subject) insertOrder() Finding {
	l, target := s.inserting(), s.targets.Partition
	if l == nil {
		return newFinding("none", "inserts")
	}
	switch k := &l.Keys; {
	case k.order.Verdict == keystatistics.Unknown:
		return newFinding("order/unknown", k.Evidence)
	case k.order.Verdict == keystatistics.SeveralTails && target > 0:
		// After load balancing each place has a range, and a partition's target, of its own.
		verdict := grade(share(l.onTail(), target), share(l.onTail(), target))
		if verdict == Good && l.Inserts > float64(target) {
			verdict = Note
		}
		f := newFinding("order/tails", k.Evidence, l.Inserts, k.order.Capacity(target, s.targets.ofAll())).graded(verdict)
		if verdict == Note {
			f.Change = ""
		}
		return f
	case !k.Hot:
		return newFinding("order/spread", k.Evidence)
	}
	f := newFinding("order/hot", l.Keys.Evidence, l.Inserts)
	if target > 0 && l.atOnce() >= endangered*float64(target) {
		f.Verdict = Error
	}
	return f
}

func (s *subject) skew() Finding {
	l := s.hottest
	switch {
	case l == nil:
		return newFinding("none", "load")
	case !l.Events:
		return newFinding("skew/named", l.Phase)
	default:
		return l.Keys.skew("phase "+l.Phase, &s.targets)
	}
}

// skew judges the share of the most common partition; of names what the keys are of.
func (s *Spread) skew(of string, targets *Targets) Finding {
	if s.Partitions == 1 {
		return newFinding("skew/one", of)
	}
	f := newFinding("skew/share", s.top(), of, s.count(), s.like())
	if s.TopMost <= 0 || targets.Partition == 0 {
		return f
	}
	full := Rate{Least: float64(targets.Partition) / s.TopMost, Most: float64(targets.Partition) / cmp.Or(s.TopLeast, s.TopMost)}
	if full.Least < float64(targets.ofAll()) {
		f = f.extend("skew/limits", full.between(), targets.ofAll())
	}
	if s.TopLeast >= endangered {
		f = f.extend("skew/high")
	}
	return f
}

func (s *subject) sharding() Finding {
	// accountsOfRegion is the default number of storage accounts of a subscription in a region.
	const accountsOfRegion = 250
	switch n := s.targets.Accounts; {
	case s.busiest == nil:
		return newFinding("none", "load")
	case n > 1:
		return newFinding("sharding/several", n, s.busiest.Account.Value)
	case s.targets.Account == 0 || s.busiest.Account.Value < near*float64(s.targets.Account):
		return newFinding("sharding/one")
	default:
		return newFinding("sharding/more", int(s.busiest.Account.Value/(near*float64(s.targets.Account)))+1, accountsOfRegion)
	}
}

func (s *subject) coldStart() Finding {
	switch target := float64(s.targets.Partition); {
	case s.Start != scenarios.StartCold:
		return newFinding("cold/warm")
	case s.busiest == nil:
		return newFinding("none", "load")
	case target > 0 && s.busiest.Account.Value > target:
		return newFinding("cold/range").extend("cold/peak", s.busiest.Account.Value)
	default:
		return newFinding("cold/range")
	}
}

func (s *subject) burst() Finding {
	for i := range s.Phases {
		if t := s.Phases[i].Traffic; t != nil && t.Arrivals != nil && t.Arrivals.Burst != nil {
			b := t.Arrivals.Burst
			return newFinding("burst/some", s.Phases[i].Name, b.Base, b.Peak, b.Every, b.Length)
		}
	}
	if s.busiest == nil {
		return newFinding("none", "load")
	}
	return newFinding("burst/none")
}

// keyTemplate is the template of one key of the entities or of a copy.
type keyTemplate struct {
	name, template string
	isRowKey       bool
}

// padding finds numbers in keys that do not sort in their order as text, and queries that read in it.
func (s *subject) padding() Finding {
	var list []keyTemplate
	add := func(of, row, partition string) {
		list = append(list, keyTemplate{"the RowKey" + of, row, true}, keyTemplate{"the PartitionKey" + of, partition, false})
	}
	add("", s.design.RowKey, s.design.PartitionKey)
	for i := range s.Design.Copies {
		one := &s.Design.Copies[i]
		add(" of the copy "+one.Name, one.RowKey, one.PartitionKey)
	}
	first := newFinding("padding/ordered")
	for _, one := range list {
		t, err := keys.ParseTemplate(one.template)
		if err != nil {
			continue
		}
		for _, d := range (keys.Options{Attributes: s.Attributes}).Disorders(t, s.finalEntities()) {
			reader := ""
			// After an instant a number only distinguishes simultaneous entities.
			before, _, _ := strings.Cut(one.template, d.Placeholder)
			if !strings.Contains(before, ":ticks}") && !strings.Contains(before, ":inverted}") {
				reader = s.orderedRead(one.isRowKey)
			}
			f := newFinding("padding/unordered", one.name, one.template, d.Placeholder, strconv.Quote(d.Larger), strconv.Quote(d.Smaller),
				strings.Replace(one.template, d.Placeholder, d.Padded, 1), d.Greatest, cmp.Or(reader, "no query"))
			if reader != "" {
				return f.graded(Warning)
			}
			if first.Verdict == Good {
				first = f
			}
		}
	}
	return first
}

// finalEntities returns how many entities there are at the end: those that are loaded and inserted.
func (s *subject) finalEntities() uint64 {
	entities := s.Loaded(len(s.Phases))
	for l, one := range s.design.operations {
		if one.spec.Inserts() {
			entities += uint64(float64(l.Operations) * one.Share * float64(max(1, one.spec.Entities)))
		}
	}
	return entities
}

// orderedRead names an operation whose result depends on the order of RowKeys or PartitionKeys: it reads
// from one on, a range, or the first of several. It is empty for none.
func (s *subject) orderedRead(byRow bool) string {
	key := "PartitionKey"
	if byRow {
		key = "RowKey"
	}
	for l, one := range s.design.operations {
		o := one.spec
		if o.Verb != entity.Query {
			continue
		}
		ordered, limited := false, o.Top > 0 || o.Pages > 0 || o.Rows > 0
		switch o.Class {
		case scenarios.ClassPoint:
		case scenarios.ClassTableScan:
			ordered = limited
		case scenarios.ClassPartitionRange:
			ordered = !byRow
		default:
			ordered = byRow && limited
		}
		for _, operator := range []string{" lt ", " le ", " gt ", " ge "} {
			ordered = ordered || strings.Contains(o.Where, key+operator)
		}
		if ordered {
			return fmt.Sprintf("%s of phase %s", o.Name, l.Phase)
		}
	}
	return ""
}

// accountBytes compares what the busiest load sends and receives with the bandwidth of an account.
func (s *subject) accountBytes() Finding {
	in, out, some := s.traffic()
	if !some {
		return newFinding("none", "load")
	}
	// Accounts share the load equally.
	accounts := float64(max(1, s.targets.Accounts))
	in, out = in/accounts, out/accounts
	limit := func(bytes float64, limit int64) string {
		if limit == 0 {
			return sentence("bytes/unlimited")
		}
		return sentence("bytes/limit", document.Ratio{Part: bytes, Whole: float64(limit)}, limit)
	}
	if out == 0 {
		return newFinding("bytes/throttled", int64(in), limit(in, s.targets.Ingress))
	}
	part := max(share(in, s.targets.Ingress), share(out, s.targets.Egress))
	return newFinding("bytes/both", int64(in), limit(in, s.targets.Ingress), int64(out), limit(out, s.targets.Egress)).graded(grade(part, part))
}

// capacity estimates when the accounts are full, by the sizes that the service bills.
func (s *subject) capacity() Finding {
	const soon, later = 30 * 24 * time.Hour, 3 * 365 * 24 * time.Hour
	if s.targets.Capacity == 0 {
		return newFinding("none", "limit")
	}
	mean, sized := 0.0, false
	if g, err := s.Generator(); err == nil {
		mean, sized = g.MeanSize()
	}
	if n := len(s.design.Samples); !sized && n > 0 {
		sum := 0
		for i := range s.design.Samples {
			sum += s.design.Samples[i].Bytes
		}
		mean = float64(sum) / float64(n)
	}
	each, inserts := mean*float64(1+len(s.Design.Copies)), 0.0
	for i := range s.design.Loads {
		inserts = max(inserts, s.design.Loads[i].Inserts)
	}
	room := float64(s.targets.Capacity) * float64(max(1, s.targets.Accounts))
	loaded := float64(s.Loaded(len(s.Phases))) * each
	all := document.Bytes(int64(room)) + " of " + document.Counted(max(1, s.targets.Accounts), "account")
	switch {
	case loaded >= room:
		return newFinding("capacity/loaded", int64(loaded), all)
	case inserts*each == 0:
		return newFinding("capacity/static", int64(loaded), all, document.Ratio{Part: loaded, Whole: room})
	}
	full, verdict := seconds((room-loaded)/(inserts*each)), Good
	switch {
	case full < soon:
		verdict = Warning
	case full < later:
		verdict = Note
	}
	return newFinding("capacity/filled", inserts, int64(each), all, full).graded(verdict)
}
