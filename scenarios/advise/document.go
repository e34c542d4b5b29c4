package advise

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
)

// keyWidth is how much of a key is shown, in characters.
const keyWidth = 40

const (
	// mostChanges is how many of the findings that ask for a change one screen shows.
	mostChanges = 4
	// lineWidth is how much of a change one line of the screen shows, in characters.
	lineWidth = 77
)

// Document says what a scenario comes to: its designs and what is to be changed on one
// screen, then all that this rests on. It shares no memory that is altered.
func (e *Explanation) Document() *document.Document {
	d := &document.Document{Title: "explain " + e.Scenario, Subtitle: "simulated, limits modelled", Answer: e.claim(), Data: e}
	if e.Profile != "" {
		d.Subtitle = "simulated, limits of profile " + e.Profile
	}
	ran := ""
	if r := e.Used().Rehearsal; r != nil {
		looked := document.Counted(int(r.Operations), "operation")
		if !r.Whole {
			looked = "the first " + looked
		}
		d.Subtitle += " · " + looked
		ran = fmt.Sprintf("Nothing was sent: %s, %s, %s on the virtual clock.", looked, document.Counted(int(r.Attempts), "attempt"), document.Counted(r.Seeds, "seed"))
	}
	d.Add("basis", "Basis", document.Paragraph{Text: summary(e.Findings)}, document.Paragraph{Text: ran})
	designs := e.compared()
	d.Add("designs", "Designs", designs.WithoutBars())
	designs.Notes = nil
	// What the gravest findings ask for beside what the answer says, a line each.
	var changes []string
	for _, v := range asking() {
		for _, f := range e.Findings {
			if f.Verdict == v && f.Change != "" && !slices.Contains(d.Answer.Says, f.Change) && len(changes) < mostChanges {
				changes = append(changes, document.Cut(fmt.Sprintf("%s %s: %s", cmp.Or(v.tone().Sign(), "·"), f.ID, f.Change), lineWidth))
			}
		}
	}
	c := &e.Cost
	d.Show(designs, document.Facts{Lines: changes}, document.Facts{Lines: append(document.SpreadNote(e.SpreadOver), summary(e.Findings),
		fmt.Sprintf("A run: %s requests, %s entities counted, about %s sent, %s", document.Count(c.Requests), document.Count(c.Entities),
			document.Bytes(c.Sent), document.Span(seconds(c.Seconds))))})
	for i := range e.Designs {
		e.Designs[i].describe(d, fmt.Sprintf("design-%d", i+1))
	}
	items := []string{fmt.Sprintf("requests: %s, each a billed transaction; at most %s if all are throttled as often as the policy goes on",
		document.Count(c.Requests), document.Count(c.AtMost))}
	if c.PerMillion > 0 {
		items = append(items, fmt.Sprintf("a million operations of the load take %s requests", document.Count(c.PerMillion)))
	}
	items = append(items, fmt.Sprintf("entities: %s counted by the documented rule", document.Count(c.Entities)),
		fmt.Sprintf("bytes: about %s sent and %s received, without retries", document.Bytes(c.Sent), document.Bytes(c.Received)),
		fmt.Sprintf("it lasts %s, and as long as loading and counting take", document.Span(seconds(c.Seconds))))
	d.Add("cost", "A run with the design in use", document.List{Items: items})
	d.Add("findings", "Findings by the documented performance checklist", findingsTable(e.Findings))
	return d
}

// compared puts the designs side by side.
func (e *Explanation) compared() document.Table {
	phase := "phase|cut=20"
	if !slices.ContainsFunc(e.Designs, func(d Design) bool { return len(d.Loads) > 1 }) {
		phase += "|spare=9"
	}
	t := document.NewTable("designs", "Designs by phase, at the busiest", "design|words", phase, "hottest/s|unit=entities/s", "",
		"of target|part|spare=3", "account/s|rate|unit=entities/s|spare=2", "partitions", "like|rate|spare=6", "commonest|share|spare=5",
		"inserts come|words|spare=1")
	offers, full := false, float64(e.Targets.Partition)
	for i := range e.Designs {
		for j := range e.Designs[i].Loads {
			offers, full = true, max(full, e.Designs[i].Loads[j].Hottest.Value)
		}
	}
	if !offers {
		return document.Table{}
	}
	for i := range e.Designs {
		d := &e.Designs[i]
		name := "the only one"
		if d.Name != "" {
			name = document.Cut(d.Name, keyWidth/2)
		}
		if d.InUse && len(e.Designs) > 1 {
			name += " *"
		}
		if len(d.Cannot) > 0 {
			t.Add(document.Bad, name+" cannot serve it")
		}
		for j := range d.Loads {
			t.Add(e.row(name, d, &d.Loads[j], full)...)
		}
	}
	legend := "like: of how many equal partitions it is as uneven. commonest: its share of all entities."
	if len(e.Designs) > 1 {
		legend = "*: in use; --use takes another. " + legend
	}
	t.Notes = []string{legend}
	return t
}

// row is what a design makes of a phase, with what its hottest partition counts as a bar.
// It is marked bad where it is not sustained, or where a check fails though all loads are.
func (e *Explanation) row(name string, d *Design, l *Load, full float64) []any {
	k, limit, order := &l.Keys, float64(e.Targets.Partition), l.Keys.Order
	bar := &document.Bar{Solid: l.Hottest.Value, Full: full}
	if limit > 0 {
		bar.Mark, bar.Solid, bar.Hollow = limit, min(bar.Solid, limit), max(0, bar.Solid-limit)
	}
	if !l.Events {
		order = "by name"
	}
	tone := document.Good
	switch r := d.Rehearsal; {
	case r.failing[l.Phase], r.State() == results.Holds && r.checkState() == results.DoesNotHold:
		tone = document.Bad
	case r.State() != results.Holds && len(r.failing) == 0, d.untried(e.Targets.Partition, e.warm) != "":
		tone = document.Doubtful
	}
	hottest := document.Rate(l.Hottest.Value)
	if l.Scans.Value > 0 {
		hottest += "+"
	}
	return []any{tone, name, l.Phase, hottest, bar, document.Ratio{Part: l.Hottest.Value, Whole: limit}, l.Account.Value,
		about(k.Partitions, k.PartitionsError), k.Effective, k.TopMost, order}
}

// about writes an estimate with its standard error, if it has one.
func about(value, deviation float64) string {
	if deviation == 0 {
		return document.Rate(value)
	}
	return document.Rate(value) + " ± " + document.Rate(2*deviation)
}
