package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// place is a partition: its key, and the suffix of its table's name.
type place struct{ table, key string }

// hot is a partition or an account in the step in which it was the busiest, and its row in the phase.
type hot struct {
	place  place
	step   figure.Step
	row    int
	served float64
}

// partitions shows the hottest partitions of the steps against a partition's target.
// Captured traffic has its own sections.
func (a *author) partitions() {
	if a.Capture != nil {
		return
	}
	best := make(map[place]hot)
	for _, step := range figure.Reported(a.Record) {
		for i, one := range step.Phase.Partitions {
			h := hot{place{one.Table, one.Key}, step, i, float64(one.Busiest)}
			if other, some := best[h.place]; !some || h.served > other.served {
				best[h.place] = h
			}
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(x, y hot) int {
		return cmp.Or(cmp.Compare(y.served, x.served), strings.Compare(x.place.key, y.place.key), strings.Compare(x.place.table, y.place.table))
	})
	list = list[:min(len(list), maxShownRows)]
	target := a.Manifest.Targets.Partition
	t := a.newTable("hottest")
	for _, h := range list {
		phase := a.placeOf(h.step)
		from, offered := phase.Below("partitions", h.row), []any{nil}
		if i := slices.IndexFunc(h.step.Phase.Offered, func(p results.PartitionStats) bool { return place{p.Table, p.Key} == h.place }); i >= 0 {
			offered = []any{phase.Below("offered_partitions", i), float64(h.step.Phase.Offered[i].Busiest)}
		}
		t.Add(from, h.served, offered, from, document.Ratio{Part: h.served, Whole: float64(target)}, h.step.Phase.Name,
			strconv.Quote(results.PartitionName(h.place.table, h.place.key)))
	}
	var hit, over int64
	for _, step := range figure.Reported(a.Record) {
		hit, over = max(hit, step.Phase.PartitionsHit), max(over, step.Phase.OfferedOver, step.Phase.PartitionsOver)
	}
	if hit > int64(len(list)) || over > 0 {
		t.Notes[0] += fmt.Sprintf("; of %s partitions in a step, the others served less", document.AtLeast(hit, over > 0))
	}
	a.table(t.WithoutEmpty())
}

// accounts compares what each account served with an account's target, in the step in which it was the busiest.
func (a *author) accounts() {
	target := float64(a.Manifest.Targets.Account)
	if target <= 0 || a.Capture != nil {
		return
	}
	t := a.newTable("accounts")
	if a.Manifest.Accounts > 1 {
		var best []hot
		for _, step := range figure.Reported(a.Record) {
			for i, one := range step.Phase.Accounts {
				h := hot{step: step, row: i, served: float64(one.Served) / step.Seconds()}
				if i == len(best) {
					best = append(best, h)
				} else if h.served > best[i].served {
					best[i] = h
				}
			}
		}
		for i, h := range best {
			of, from := &h.step.Phase.Accounts[i], a.placeOf(h.step).Below("accounts", i)
			// Rates; run.json has the sums over the step.
			at := func(rate any, member string) any {
				return document.Sourced{Value: rate, At: from.Below(member), Scale: 1 / h.step.Seconds()}
			}
			t.Add(at(h.served, "served_entities"), at(document.Ratio{Part: h.served, Whole: target}, "served_entities"),
				at(float64(of.Offered)/h.step.Seconds(), "offered_entities"), at(float64(of.Throttled)/h.step.Seconds(), "throttled"),
				h.step.Phase.Name, fmt.Sprintf("%d of %d", i+1, len(best)))
		}
	} else {
		// A single account serves everything.
		var best figure.Step
		var most float64
		for _, step := range figure.Reported(a.Record) {
			if figures, _ := a.wholeStep(step); figures.Served > most {
				best, most = step, figures.Served
			}
		}
		if best.Phase != nil {
			figures, from := a.wholeStep(best)
			at := func(value any, member string) any { return document.Sourced{Value: value, At: from.Below(member)} }
			t.Add(at(figures.Served, "served_entities_per_second"), at(document.Ratio{Part: figures.Served, Whole: target}, "served_entities_per_second"),
				at(figures.Offered, "offered_entities_per_second"), at(figures.ThrottledPerSecond, "throttled_per_second"), best.Phase.Name, "the account")
		}
	}
	a.table(t)
}

// maxListedEvents is the maximum number of decisions of load balancing that are listed.
const maxListedEvents = 20

// events lists the decisions of the partition layer from events.ndjson.
func (a *author) events() {
	t := a.newTable("events")
	more := int64(0)
	for i := range a.Events {
		e := &a.Events[i]
		if d := e.Decision; d != nil && len(t.Rows) < maxListedEvents {
			at, servers := time.Duration(e.At), strconv.Itoa(d.From)
			if d.From != d.To {
				servers = fmt.Sprintf("%d → %d", d.From, d.To)
			}
			t.Add(at, e.What, servers, float64(d.Offered), float64(d.Served), max(0, d.Until-at), strconv.Quote(d.Key)+": "+d.Reason)
		} else if d != nil {
			more++
		}
	}
	if more > 0 {
		t.Notes[0] += fmt.Sprintf("; events.ndjson has %s more", document.Count(more))
	}
	a.table(t)
}
