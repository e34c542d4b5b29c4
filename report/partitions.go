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

// place is a partition: the key, and what its table's name adds to the test table's.
type place struct{ table, key string }

// hot is a partition in the step in which it was the busiest.
type hot struct {
	place   place
	step    figure.Step
	phase   int
	row     int
	seconds float64
	served  int64
}

func (h *hot) rate() float64 { return float64(h.served) / h.seconds }

// partitions shows the hottest partitions of the steps against a partition's target.
// Of traffic that a server saw there is another account.
func (a *author) partitions() {
	if a.record.Capture != nil {
		return
	}
	best := make(map[place]hot)
	for _, step := range figure.Reported(a.record) {
		for i, one := range step.Phase.Partitions {
			h := hot{place{one.Table, one.Key}, step, a.phaseOf(step), i, 1, one.Busiest}
			if other, some := best[h.place]; !some || h.rate() > other.rate() {
				best[h.place] = h
			}
		}
	}
	list := slices.SortedFunc(maps.Values(best), func(x, y hot) int {
		return cmp.Or(cmp.Compare(y.rate(), x.rate()), strings.Compare(x.place.key, y.place.key), strings.Compare(x.place.table, y.place.table))
	})
	list = list[:min(len(list), mostShown)]
	target := a.record.Manifest.Targets.Partition
	t := document.Table{ID: "hottest", Caption: a.caption("The partitions that were served most in a second, each in the step in which it was"),
		Columns: []document.Column{{Title: "served", Unit: "entities/s"}, {Title: "offered", Unit: "entities/s"}, {Title: "of target"},
			{Title: "step", Words: true}, {Title: "PartitionKey", Words: true}}}
	if target <= 0 {
		t.Columns = slices.Delete(t.Columns, 2, 3)
	}
	for i := range list {
		h := &list[i]
		served := pointer("phases", h.phase, "partitions", h.row, "busiest_second_entities")
		offered := document.Cell{Text: untold}
		for i, one := range h.step.Phase.Offered {
			if (place{one.Table, one.Key}) == h.place {
				offered = perSecondCell(one.Busiest, 1, pointer("phases", h.phase, "offered_partitions", i, "busiest_second_entities"))
				break
			}
		}
		row := []document.Cell{perSecondCell(h.served, h.seconds, served), offered}
		if target > 0 {
			row = append(row, ofCell(h.rate(), float64(target), served, 1/h.seconds))
		}
		t.Rows = append(t.Rows, append(row, wordsCell(h.step.Phase.Name), wordsCell(strconv.Quote(results.PartitionName(h.place.table, h.place.key)))))
	}
	note := "served: entities counted for successes in the busiest second of the partition; offered: those that " +
		"operations due in the busiest second of that step were to touch there"
	if target > 0 {
		note += fmt.Sprintf("; target: %s entities/s, %s", document.Count(target), a.whoseTargets())
	}
	var hit, over int64
	for _, step := range figure.Reported(a.record) {
		hit, over = max(hit, step.Phase.PartitionsHit), max(over, step.Phase.OfferedOver, step.Phase.PartitionsOver)
	}
	if hit > int64(len(list)) || over > 0 {
		note += fmt.Sprintf("; of %s partitions in a step, the others served less in each of their seconds", atLeast(hit, over))
	}
	t.Notes = []string{note}
	a.table("Hottest partitions", t)
}

func (a *author) whoseTargets() string {
	if a.record.Manifest.Targets.Documented {
		return "the documents'"
	}
	if a.record.Manifest.Emulator {
		return "the emulator's, not the documents'"
	}
	return "the model's, not the documents'"
}

// accounts holds what each account served against an account's target, in the step in
// which it was the busiest.
func (a *author) accounts() {
	target := float64(a.record.Manifest.Targets.Account)
	if target <= 0 || a.record.Capture != nil {
		return
	}
	t := document.Table{ID: "accounts", Caption: a.caption("Each account"), Columns: []document.Column{{Title: "served", Unit: "entities/s"}, {Title: "of target"},
		{Title: "offered", Unit: "entities/s"}, {Title: "throttled", Unit: "attempts/s"}, {Title: "step", Words: true}, {Title: "account", Words: true}}}
	if a.record.Manifest.Accounts > 1 {
		most := 0
		for p := range a.record.Phases {
			most = max(most, len(a.record.Phases[p].Accounts))
		}
		best := make([]*hot, most)
		for _, step := range figure.Reported(a.record) {
			for i := range step.Phase.Accounts {
				h := &hot{step: step, phase: a.phaseOf(step), seconds: step.Seconds(), served: step.Phase.Accounts[i].Served}
				if best[i] == nil || h.rate() > best[i].rate() {
					best[i] = h
				}
			}
		}
		for i, h := range best {
			if h == nil {
				continue
			}
			of, from := &h.step.Phase.Accounts[i], pointer("phases", h.phase, "accounts", i)
			served := below(from, "served_entities")
			t.Rows = append(t.Rows, []document.Cell{perSecondCell(of.Served, h.seconds, served), ofCell(h.rate(), target, served, 1/h.seconds),
				perSecondCell(of.Offered, h.seconds, below(from, "offered_entities")), perSecondCell(of.Throttled, h.seconds, below(from, "throttled")),
				wordsCell(h.step.Phase.Name), wordsCell(fmt.Sprintf("%d of %d", i+1, most))})
		}
	} else {
		// The only account has all that a step served.
		var best figure.Step
		var most float64
		for _, step := range figure.Reported(a.record) {
			if figures, _ := a.wholeStep(step); figures.Served > most {
				best, most = step, figures.Served
			}
		}
		if best.Phase != nil {
			figures, from := a.wholeStep(best)
			served := below(from, "served_entities_per_second")
			t.Rows = [][]document.Cell{{rateCell(figures.Served, served), ofCell(figures.Served, target, served, 1),
				rateCell(figures.Offered, below(from, "offered_entities_per_second")),
				rateCell(figures.ThrottledPerSecond, below(from, "throttled_per_second")),
				wordsCell(best.Phase.Name), wordsCell("the account")}}
		}
	}
	t.Notes = []string{fmt.Sprintf("in the step in which each was the busiest; target: %s entities/s, %s",
		document.Count(a.record.Manifest.Targets.Account), a.whoseTargets())}
	a.table("Accounts", t)
}

// mostEvents is how many decisions of load balancing are shown one by one.
const mostEvents = 20

// events shows what the partition layer decided, one by one, from events.ndjson.
func (a *author) events() {
	t := document.Table{ID: "events", Caption: "Each decision, as the model took it", Columns: []document.Column{{Title: "at", Unit: "s"}, {Title: "what", Words: true},
		{Title: "server", Words: true}, {Title: "offered", Unit: "entities/s"}, {Title: "served", Unit: "entities/s"}, {Title: "offline", Unit: "s"},
		{Title: "PartitionKey, and why", Words: true}}}
	more := int64(0)
	for i := range a.record.Events {
		e := &a.record.Events[i]
		if d := e.Decision; d != nil && len(t.Rows) < mostEvents {
			at, servers := time.Duration(e.At), strconv.Itoa(d.From)
			if d.From != d.To {
				servers = fmt.Sprintf("%d → %d", d.From, d.To)
			}
			t.Rows = append(t.Rows, []document.Cell{{Text: document.Seconds(at)}, wordsCell(e.What), wordsCell(servers),
				rateCell(float64(d.Offered), ""),
				rateCell(float64(d.Served), ""), {Text: document.Seconds(max(0, d.Until-at))}, wordsCell(strconv.Quote(d.Key) + ": " + d.Reason)})
		} else if d != nil {
			more++
		}
	}
	note := "at: since the start of the run; offered, served: entities/s of the range, averaged; offline: until all of it is served again"
	if more > 0 {
		note += fmt.Sprintf("; events.ndjson has %s more", document.Count(more))
	}
	t.Notes = []string{note}
	a.table("What the partition layer did", t)
}
