package advise

import (
	"fmt"
	"strings"

	"loadgen/report/document"
)

// describe adds a section of all that is known of a design.
func (d *Design) describe(to *document.Document, id string) {
	title := "The design"
	if d.Name != "" {
		title = "Design " + d.Name
	}
	if d.InUse && d.Name != "" {
		title += ", which is in use"
	}
	blocks := []document.Block{document.Paragraph{Text: "PartitionKey " + d.PartitionKey}, document.Paragraph{Text: "RowKey " + d.RowKey}}
	for _, reason := range d.Cannot {
		blocks = append(blocks, document.Paragraph{Text: "It cannot serve the scenario: " + reason})
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

// tellable is the share from which the commonest partitions are told.
const tellable = 0.01

// table is what each operation of a load does, and below it what else is known of it.
func (l *Load) table(id string) document.Table {
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
	if len(l.Keys.Top) > 1 && l.Keys.Top[0].Most >= tellable {
		var top []string
		for _, one := range l.Keys.Top {
			top = append(top, document.Key(one.PartitionKey, keyWidth)+" "+document.Share(one.Most))
		}
		t.Notes = append(t.Notes, "Commonest: "+strings.Join(top, ", ")+".")
	}
	if l.Clients > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s ask %s times a second, each waiting %s for an answer by the times given.",
			document.Counted(l.Clients, "client"), document.Rate(l.PerSecond), document.Span(seconds(l.Answer))))
	}
	if l.Scans.Value > 0 {
		t.Notes = append(t.Notes, "Queries of several partitions count "+l.Scans.text()+
			" entities/s; which partitions have them is not told apart (+).")
	}
	return t
}

// unknown tells what cannot be told of an operation before it runs, and what a better one
// would need.
func (one *Operation) unknown() (list []string) {
	if one.AtLeast {
		list = append(list, one.Name+": what its queries read is known when they are answered.")
	}
	if one.Beside > 0 {
		list = append(list, fmt.Sprintf("%s: of its requests %s go to a queue or to blobs.", one.Name, document.Rate(one.Beside)))
	}
	if one.rank > 1 && one.Why != "" {
		list = append(list, one.Name+": "+one.Why+".")
	}
	return list
}
