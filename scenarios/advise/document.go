package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

const (
	// keyWidth is the maximum length of a key, in characters.
	keyWidth = 40
	// maxChanges is the number of changes on one screen, lineWidth the length of each in characters.
	maxChanges = 4
	lineWidth  = 77
)

// Document returns the explanation as a document. It shares no memory that is altered.
func (e *Explanation) Document() *document.Document {
	d := &document.Document{Title: "explain " + e.Scenario, Subtitle: "simulated, limits modelled", Answer: e.claim(), Data: e}
	if e.Profile != "" {
		d.Subtitle = "simulated, limits of profile " + e.Profile
	}
	ran := ""
	if r := e.Used().Rehearsal; r != nil {
		rehearsed := document.Counted(int(r.Operations), "operation")
		if !r.Whole {
			rehearsed = "the first " + rehearsed
		}
		d.Subtitle += " · " + rehearsed
		ran = sentence("basis/run", rehearsed, document.Counted(int(r.Attempts), "attempt"), document.Counted(r.Seeds, "seed"))
	}
	d.Add("basis", "Basis", document.Paragraph{Text: summary(e.Findings)}, document.Paragraph{Text: ran})
	designs := e.designs()
	d.Add("designs", "Designs", designs.WithoutBars())
	designs.Notes = nil
	var changes []string
	for _, f := range changing(e.Findings) {
		if !slices.Contains(d.Answer.Says, f.Change) && len(changes) < maxChanges {
			changes = append(changes, document.Cut(fmt.Sprintf("%s %s: %s", cmp.Or(f.Verdict.tone().Sign(), "·"), f.ID, f.Change), lineWidth))
		}
	}
	c := &e.Cost
	length := seconds(c.Seconds)
	d.Show(designs, document.Facts{Lines: changes}, document.Facts{Lines: append(append(document.SpreadNote(e.SpreadOver), e.InputNotes...), summary(e.Findings),
		sentence("screen/run", c.Requests, c.Entities, c.Sent, length))})
	for i := range e.Designs {
		e.Designs[i].describe(d, fmt.Sprintf("design-%d", i+1))
	}
	items := []string{sentence("cost/requests", c.Requests, c.AtMost)}
	if c.PerMillion > 0 {
		items = append(items, sentence("cost/million", c.PerMillion))
	}
	items = append(items, sentence("cost/entities", c.Entities), sentence("cost/bytes", c.Sent, c.Received), sentence("cost/length", length))
	if m := c.Money; m != nil {
		items = append(items, sentence("cost/money", m.Total, m.Transactions, m.Egress))
	}
	d.Add("cost", "A run with the design in use", document.List{Items: items})
	d.Add("findings", "Findings by the performance checklist", findingsTable(e.Findings))
	return d
}

// designs compares the designs.
func (e *Explanation) designs() document.Table {
	phase := "phase|cut=20"
	if !slices.ContainsFunc(e.Designs, func(d Design) bool { return len(d.Loads) > 1 }) {
		phase += "|spare=9"
	}
	t := document.NewTable("designs", "Designs by phase, at the busiest", "design|words", phase, "hottest/s|unit=entities/s", "",
		"of target|part|spare=3", "account/s|rate|unit=entities/s|spare=2", "partitions", "most common|share|spare=5",
		"insert order|words|spare=1")
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
	if len(e.Designs) > 1 {
		t.Notes = []string{"*: in use; --use changes it"}
	}
	return t
}

// row describes a phase under a design, with the rate of its hottest partition as a bar. It is marked bad
// if the load is not sustained, or if a check fails though all loads are.
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
		k.cell(), k.TopMost, order}
}

// cell returns the number of partitions for a table.
func (s *Spread) cell() string {
	if s.PartitionsAtLeast {
		return document.LowerBound(int64(s.Partitions), true)
	}
	return s.count()
}

// describe adds a section about a design.
func (d *Design) describe(to *document.Document, id string) {
	title := "The design"
	if d.Name != "" {
		title = "Design " + d.Name
	}
	if d.InUse && d.Name != "" {
		title += ", in use"
	}
	blocks := []document.Block{document.Paragraph{Text: "PartitionKey " + d.PartitionKey}, document.Paragraph{Text: "RowKey " + d.RowKey}}
	for _, reason := range d.Cannot {
		blocks = append(blocks, document.Paragraph{Text: sentence("design/cannot", reason)})
	}
	for i := range d.Loads {
		blocks = append(blocks, d.Loads[i].table(fmt.Sprintf("%s-load-%d", id, i+1)))
	}
	t := document.NewTable(id+"-samples", "Some entities", "entity of|words", "PartitionKey|cut=40", "RowKey|cut=40", "bytes|unit=B")
	for _, one := range d.Samples {
		t.Add(one.Of, one.PartitionKey, one.RowKey, one.Bytes)
	}
	to.Add(id, title, append(blocks, t)...)
}

// table describes the operations of a load, with notes.
func (l *Load) table(id string) document.Table {
	// minTop is the share from which the most common partitions are listed.
	const minTop = 0.01
	t := document.NewTable(id, "The operations of phase "+l.Phase, "phase "+l.Phase+"|words", "share|share", "counts|unit=entities", "requests|rate", "wants|share", "does|words")
	for i := range l.Approaches {
		one := &l.Approaches[i]
		var wants any = one.Density
		does := one.Verb
		if one.Density == nil && one.rank > 1 && !one.Narrowed {
			wants = "all"
		}
		if one.Class != "" {
			does += ", " + one.Class
		}
		entities := document.Rate(one.Entities)
		if one.Workflow != "" {
			does = "workflow " + one.Workflow
		}
		if one.AtLeast {
			entities += "+"
		}
		t.Add(one.Name, one.Share, entities, one.Requests, wants, does)
		t.Notes = append(t.Notes, one.unknown()...)
	}
	if l.Events {
		t.Notes = append(t.Notes, l.Keys.Evidence)
	}
	if len(l.Keys.Top) > 1 && l.Keys.Top[0].Most >= minTop {
		var top []string
		for _, one := range l.Keys.Top {
			top = append(top, document.Key(one.PartitionKey, keyWidth)+" "+document.Share(one.Most))
		}
		t.Notes = append(t.Notes, "Most common: "+strings.Join(top, ", ")+".")
	}
	if l.Clients > 0 {
		t.Notes = append(t.Notes, sentence("load/clients", document.Counted(l.Clients, "client"), l.PerSecond, seconds(l.Answer)))
	}
	if l.Scans.Value > 0 {
		t.Notes = append(t.Notes, sentence("load/scans", l.Scans.Value))
	}
	return t
}

// unknown returns what is not known of an operation before it runs, and what a better class requires.
func (one *Operation) unknown() (list []string) {
	if one.AtLeast {
		list = append(list, sentence("load/unread", one.Name))
	}
	if one.Beside > 0 {
		list = append(list, sentence("load/elsewhere", one.Name, one.Beside))
	}
	if one.rank > 1 && one.Why != "" {
		list = append(list, one.Name+": "+one.Why+".")
	}
	return list
}

// tone returns the tone of a verdict.
func (v Verdict) tone() document.Tone {
	return map[Verdict]document.Tone{Error: document.Bad, Warning: document.Doubtful, CannotTell: document.Doubtful, Good: document.Good}[v]
}

// withVerdict returns the findings with a verdict.
func withVerdict(list []Finding, v Verdict) []Finding {
	return slices.DeleteFunc(slices.Clone(list), func(f Finding) bool { return f.Verdict != v })
}

// changing returns the findings that ask for a change, the worst first.
func changing(list []Finding) (found []Finding) {
	for _, v := range []Verdict{Error, Warning, Note} {
		found = append(found, withVerdict(list, v)...)
	}
	return slices.DeleteFunc(found, func(f Finding) bool { return f.Change == "" })
}

// idsOf returns the points with a verdict.
func idsOf(list []Finding, v Verdict) (ids []string) {
	for _, f := range withVerdict(list, v) {
		ids = append(ids, f.ID)
	}
	return ids
}

// summary counts the errors, warnings and notes, and names the errors.
func summary(list []Finding) string {
	var parts []string
	for _, v := range []Verdict{Error, Warning, Note} {
		ids := idsOf(list, v)
		part := document.Counted(len(ids), string(v))
		if v == Error && len(ids) > 0 {
			part += " (" + strings.Join(ids, ", ") + ")"
		}
		parts = append(parts, part)
	}
	return "Findings: " + strings.Join(parts, ", ") + "."
}

// firstChange returns the remedy for a load that is not sustained, by the worst of the points that can
// cause it; empty for none.
func firstChange(list []Finding) string {
	causes := []string{"unique-keys", "partition-target", "account-target", "insert-order", "cold-start", "skew", "burst", "scans", "density", "bandwidth"}
	for _, f := range changing(list) {
		if slices.Contains(causes, f.ID) {
			return f.Change
		}
	}
	return ""
}

// findingsTable lists the findings, the worst first, and names the points that do not apply.
func findingsTable(list []Finding) document.Table {
	t := document.NewTable("findings", "Findings by point of the performance checklist", "verdict|words", "point|words", "finding|words")
	for _, v := range []Verdict{Error, Warning, Note, CannotTell, Good} {
		for _, f := range withVerdict(list, v) {
			text := f.Evidence
			if f.Change != "" {
				text += " Change: " + f.Change
			}
			t.Add(v.tone(), v, f.ID, text)
		}
	}
	if ids := idsOf(list, NotApplicable); len(ids) > 0 {
		slices.Sort(ids)
		t.Notes = []string{"Does not apply: " + strings.Join(ids, ", ") + "."}
	}
	return t
}
