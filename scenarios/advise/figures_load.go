package advise

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/keystatistics"
	"loadgen/scenarios/keys"
)

// isPlaced reports whether any operation goes to one partition.
func (l *Load) isPlaced() bool { return l.Hottest.Value > 0 || l.Keys.Partitions > 0 }

// placement sets where the load goes.
func (s *subject) placement(f figures) {
	t := &s.targets
	f["load"], f["cold"], f["target"], f["account"], f["accounts"] = s.hottest != nil, s.Start == scenarios.StartCold, t.Partition, t.Account, max(1, t.Accounts)
	f["all-accounts"], f["all-targets"] = document.Counted(max(1, t.Accounts), "account"), t.ofAll()
	for i := range s.Phases {
		if one := s.Phases[i].Traffic; f["burst"] == nil && one != nil && one.Arrivals != nil && one.Arrivals.Burst != nil {
			b := one.Arrivals.Burst
			f["burst"], f["burst-base"], f["burst-peak"], f["burst-every"], f["burst-length"] = s.Phases[i].Name, b.Base, b.Peak, b.Every, b.Length
		}
	}
	if s.hottest == nil {
		return
	}
	h, busy := s.hottest, s.busiest
	f["placed"], f["named"], f["scans"], f["hot-phase"] = h.isPlaced(), !h.Events, h.Scans.Value, h.Phase
	f["hot"], f["hot-key"], f["hot-part"] = h.Hottest.Value, h.Hottest.PartitionKey, h.Hottest.ofTarget(t.Partition)
	f["hot-and-scans"] = share(h.Hottest.Value+h.Scans.Value, t.Partition)
	f["busy"], f["busy-phase"], f["busy-part"] = busy.Account.Value, busy.Phase, busy.Account.ofTarget(t.Account)
	// A new account is worth it near the target.
	f["accounts-needed"] = int(share(busy.Account.Value, t.Account)/0.8) + 1
	if l, one, most := s.design.worst((*Load).counts); l == busy && one.rank > 1 && most > busy.Account.Value/2 {
		f["most-read"], f["most-read-rate"] = one.Name, most
	}
	if d := s.sustaining(); d != nil {
		other, _ := d.peaks()
		f["other"], f["other-hot"] = d.Name, other.Hottest.Value
	}
	h.Keys.figures(f, "phase "+h.Phase, t)
}

// sustaining returns another design that sustains the load, nil for none.
func (s *subject) sustaining() *Design {
	for i := range s.others {
		d := &s.others[i]
		if r := d.Rehearsal; !d.InUse && r != nil && r.State() == results.Holds && cmp.Or(r.checkState(), results.Holds) == results.Holds &&
			d.untried(s.targets.Partition, s.Start != scenarios.StartCold) == "" {
			return d
		}
	}
	return nil
}

// figures sets how keys spread; of names what they are of.
func (s *Spread) figures(f figures, of string, t *Targets) {
	f["partitions"], f["skew-of"], f["top"], f["top-least"], f["partition-count"], f["like"] = s.Partitions, of, s.top(), s.TopLeast, s.count(), s.like()
	if s.TopMost > 0 && t.Partition > 0 {
		full := Rate{Least: float64(t.Partition) / s.TopMost, Most: float64(t.Partition) / cmp.Or(s.TopLeast, s.TopMost)}
		f["full-at-all"], f["full-below-account"], f["skew-full"] = true, full.Least < float64(t.ofAll()), full.between()
	}
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

func (s *subject) insertOrder(f figures) {
	l, target := s.inserting(), s.targets.Partition
	if f["inserting"] = l != nil; l == nil {
		return
	}
	l.Keys.orderFigures(f, &s.targets)
	f["inserts"], f["insert-phase"] = l.Inserts, l.Phase
	// After load balancing each tail has a range, and a partition's target, of its own.
	f["tail-part"], f["once-part"] = share(l.onTail(), target), share(l.atOnce(), target)
}

// orderFigures sets the order of inserts.
func (s *Spread) orderFigures(f figures, t *Targets) {
	verdict := s.order.Verdict
	f["order"], f["order-hot"], f["order-capacity"] = s.Evidence, s.Hot, s.order.Capacity(t.Partition, t.ofAll())
	f["order-unknown"], f["tails"] = verdict == keystatistics.Unknown, verdict == keystatistics.SeveralTails
}

// keyTemplate is the template of one key of the entities or of a copy.
type keyTemplate struct {
	name, template string
	isRowKey       bool
}

// padding finds the first number in keys that does not sort in its order as text, and a query that reads in it;
// one without such a query if there is no other.
func (s *subject) padding(f figures) {
	var list []keyTemplate
	add := func(of, row, partition string) {
		list = append(list, keyTemplate{"the RowKey" + of, row, true}, keyTemplate{"the PartitionKey" + of, partition, false})
	}
	add("", s.design.RowKey, s.design.PartitionKey)
	for i := range s.Design.Copies {
		one := &s.Design.Copies[i]
		add(" of the copy "+one.Name, one.RowKey, one.PartitionKey)
	}
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
			if f["unpadded"] != nil && reader == "" {
				continue
			}
			f["unpadded"], f["pad-template"], f["placeholder"], f["larger"], f["smaller"] = one.name, one.template, d.Placeholder, strconv.Quote(d.Larger), strconv.Quote(d.Smaller)
			f["padded"], f["pad-room"] = strings.Replace(one.template, d.Placeholder, d.Padded, 1), d.Greatest
			f["reader"], f["read-in-order"] = cmp.Or(reader, "no query"), reader
			if reader != "" {
				return
			}
		}
	}
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
