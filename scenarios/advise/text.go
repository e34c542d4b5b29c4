package advise

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Text writes the explanation for a person: the verdict first, then what it rests on.
// Its error is the writer's, wrapped.
func (e *Explanation) Text(w io.Writer) error {
	p := new(page)
	p.heading("Will it hold?")
	p.line(e.Verdict)
	p.line(summary(e.Findings))
	e.basis(p)
	e.compare(p)
	for i := range e.Designs {
		e.Designs[i].onto(p)
	}
	e.Cost.onto(p)
	findingsOnto(p, e.Findings)
	return p.writeTo(w)
}

// basis says where the numbers come from.
func (e *Explanation) basis(p *page) {
	sampled, all := uint64(0), uint64(0)
	for _, l := range e.Used().Loads {
		sampled, all = sampled+l.Sampled, all+l.Operations
	}
	if all == 0 {
		return
	}
	p.line(fmt.Sprintf("Every number is derived: nothing was sent. %s of %s operations were looked at, and windows of "+
		"neighbouring ones; bounds in brackets hold in about 95 of 100 such samples.",
		count(float64(sampled)), count(float64(all))))
}

// compare puts the designs side by side.
func (e *Explanation) compare(p *page) {
	phases := 0
	for i := range e.Designs {
		phases = max(phases, len(e.Designs[i].Loads))
	}
	if phases == 0 {
		return
	}
	p.heading("Designs")
	rows := [][]string{{"design", "phase", "partitions", "like", "commonest", "hottest/s", "of target", "account/s",
		"inserts come"}}
	for i := range e.Designs {
		d := &e.Designs[i]
		name := d.title()
		if d.InUse && len(e.Designs) > 1 {
			name += " *"
		}
		if len(d.Cannot) > 0 {
			rows = append(rows, []string{name, "cannot serve it", "", "", "", "", "", "", ""})
		}
		for j := range d.Loads {
			rows = append(rows, append([]string{name}, e.row(&d.Loads[j])...))
			name = ""
		}
	}
	p.table(2, true, rows)
	legend := "like: of how many equal partitions it is as uneven. commonest: its share of all entities."
	if len(e.Designs) > 1 {
		legend = "*: in use; --use takes another. " + legend
	}
	p.line(legend)
}

func (d *Design) title() string {
	if d.Name == "" {
		return "(the only one)"
	}
	return short(d.Name, keyWidth/2)
}

func (e *Explanation) row(l *Load) []string {
	k := &l.Keys
	target := "–"
	if e.Targets.Partition > 0 {
		target = l.Hottest.ofTarget(e.Targets.Partition)
	}
	order := k.Order
	if !l.Events {
		order = "by name"
	}
	hottest := count(l.Hottest.Value)
	if l.Scans.Value > 0 {
		hottest += "+"
	}
	return []string{short(l.Phase, keyWidth/2), about(k.Partitions, k.PartitionsError), count(k.Effective),
		percent(k.TopMost),
		hottest, target, count(l.Account.Value), order}
}

func (d *Design) onto(p *page) {
	title := "The design"
	if d.Name != "" {
		title = "Design " + d.Name
	}
	if d.InUse && d.Name != "" {
		title += ", which is in use"
	}
	p.heading(title)
	const room = len("PartitionKey")
	p.item("PartitionKey", room, d.PartitionKey)
	p.item("RowKey", room, d.RowKey)
	for _, reason := range d.Cannot {
		p.line("It cannot serve the scenario: " + reason)
	}
	for i := range d.Loads {
		d.Loads[i].onto(p)
	}
	if len(d.Samples) == 0 {
		return
	}
	p.text.WriteByte('\n')
	rows := [][]string{{"entity of", "PartitionKey", "RowKey", "bytes"}}
	for _, s := range d.Samples {
		rows = append(rows, []string{s.Of, short(s.PartitionKey, keyWidth), short(s.RowKey, keyWidth),
			count(float64(s.Bytes))})
	}
	p.table(3, false, rows)
}

// workflowOnto tells what cannot be told of a workflow before it runs.
func (o *Operation) workflowOnto(p *page) {
	switch {
	case o.AtLeast && o.Beside > 0:
		p.line(fmt.Sprintf("%s: what its queries read is known when they are answered, and of its requests %s go to a queue or to blobs.", o.Name, count(o.Beside)))
	case o.AtLeast:
		p.line(o.Name + ": what its queries read is known when they are answered.")
	case o.Beside > 0:
		p.line(fmt.Sprintf("%s: of its requests %s go to a queue or to blobs.", o.Name, count(o.Beside)))
	}
}

// tellable is the share from which the commonest partitions are told.
const tellable = 0.01

func (l *Load) onto(p *page) {
	p.text.WriteByte('\n')
	rows := [][]string{{"phase " + l.Phase, "share", "counts", "requests", "wants", "does"}}
	for i := range l.Approaches {
		one := &l.Approaches[i]
		wants, does := "–", one.Verb
		if one.Density != nil {
			wants = percent(*one.Density)
		} else if one.rank > 1 && !one.Narrowed {
			wants = "all"
		}
		if one.Class != "" {
			does += ", " + one.Class
		}
		entities := count(one.Entities)
		if one.Workflow != "" {
			does = "workflow " + one.Workflow
		}
		if one.AtLeast {
			entities += "+"
		}
		rows = append(rows, []string{one.Name, percent(one.Share), entities, count(one.Requests), wants, does})
	}
	p.table(1, true, rows)
	for i := range l.Approaches {
		l.Approaches[i].workflowOnto(p)
		if one := &l.Approaches[i]; one.rank > 1 && one.Why != "" {
			p.line(one.Name + ": " + one.Why + ".")
		}
	}
	if l.Events {
		p.line(l.Keys.Evidence)
	}
	if len(l.Keys.Top) > 1 && l.Keys.Top[0].Most >= tellable {
		var top []string
		for _, one := range l.Keys.Top {
			top = append(top, fmt.Sprintf("%s %s", quoted(one.PartitionKey), percent(one.Most)))
		}
		p.line("Commonest: " + strings.Join(top, ", ") + ".")
	}
	if l.Clients > 0 {
		p.line(fmt.Sprintf("%s clients ask %s times a second, each waiting %v for an answer by the times given.",
			count(float64(l.Clients)), count(l.PerSecond), milliseconds(l.Answer)))
	}
	if l.Scans.Value > 0 {
		p.line(fmt.Sprintf("Queries of several partitions count %s entities/s; which partitions have them is not told "+
			"apart (+).",
			l.Scans.text()))
	}
}

func (c *Cost) onto(p *page) {
	p.heading("A run with the design in use")
	const room = 8
	p.item("requests", room, fmt.Sprintf("%s, each a billed transaction; at most %s if all are throttled as often as "+
		"the policy goes on",
		count(float64(c.Requests)), count(float64(c.AtMost))))
	if c.PerMillion > 0 {
		p.item("", room, fmt.Sprintf("a million operations of the load take %s requests", count(float64(c.PerMillion))))
	}
	p.item("entities", room, count(float64(c.Entities))+" counted by the documents' rule")
	p.item("bytes", room, fmt.Sprintf("about %s sent and %s received, without retries", size(float64(c.Sent)),
		size(float64(c.Received))))
	p.item("lasts", room, fmt.Sprintf("%s, and as long as loading and counting take", moment(c.Seconds)))
}

// summary says how many findings there are to look at, and which are errors.
func summary(list []Finding) string {
	var errors []string
	number := make(map[Verdict]int)
	for _, f := range list {
		if number[f.Verdict]++; f.Verdict == Error {
			errors = append(errors, f.ID)
		}
	}
	text := "Findings: " + several(number[Error], "error")
	if len(errors) > 0 {
		text += " (" + strings.Join(errors, ", ") + ")"
	}
	return text + ", " + several(number[Warning], "warning") + ", " + several(number[Note], "note") + "."
}

// findingsOnto tells the findings that ask for something first; what does not apply
// goes by its name alone.
func findingsOnto(p *page, list []Finding) {
	p.heading("Findings, by the documents' performance checklist")
	var apart []string
	const room = len(NotApplicable)
	for _, v := range []Verdict{Error, Warning, Note, CannotTell, Good} {
		for _, f := range list {
			if f.Verdict == v {
				p.item(string(v), room, f.ID+": "+f.Evidence)
				if f.Change != "" {
					p.item("", room, "Change: "+f.Change)
				}
			}
		}
	}
	for _, f := range list {
		if f.Verdict == NotApplicable {
			apart = append(apart, f.ID)
		}
	}
	slices.Sort(apart)
	if len(apart) > 0 {
		p.item(string(NotApplicable), room, strings.Join(apart, ", "))
	}
}
