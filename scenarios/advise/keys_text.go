package advise

import (
	"fmt"
	"io"
	"strings"
)

// Text writes what the keys come to for a person: the verdict first, then what it
// rests on. Its error is the writer's, wrapped.
func (k *Keys) Text(w io.Writer) error {
	p := new(page)
	p.heading("Will they hold?")
	p.line(k.Verdict)
	p.line(summary(k.Findings))
	p.line("Every number is derived: from shares of what was read, whatever a target makes of it.")
	k.keysOnto(p)
	if len(k.Refused) > 0 {
		p.heading("Keys that no table takes")
		for _, r := range k.Refused {
			p.line(fmt.Sprintf("line %d, %s: %s", r.Line, quoted(r.PartitionKey), r.What))
		}
	}
	findingsOnto(p, k.Findings)
	return p.writeTo(w)
}

func (k *Keys) keysOnto(p *page) {
	const room = len("partitions")
	o := &k.Spread
	p.heading("Keys")
	p.item("rows", room, fmt.Sprintf("%s in %s, %s of them inserts; %s counted",
		count(float64(k.Rows)), k.File, count(float64(k.Inserts)), entities(k.Entities)))
	p.item("partitions", room, about(o.Partitions, o.PartitionsError))
	p.item("like", room, o.like())
	p.item("commonest", room, o.top()+" of all entities")
	p.item("inserts", room, o.Evidence)
	if len(k.Ignored) > 0 {
		p.item("columns", room, "not looked at: "+strings.Join(k.Ignored, ", "))
	}
	if len(o.Top) == 0 {
		return
	}
	p.text.WriteByte('\n')
	rows := [][]string{{"PartitionKey", "at least", "at most", "full when all are"}}
	for _, one := range o.Top {
		full := "–"
		if one.Most > 0 && k.Targets.Partition > 0 {
			full = count(float64(k.Targets.Partition)/one.Most) + "/s"
		}
		rows = append(rows, []string{short(one.PartitionKey, keyWidth), percent(one.Least), percent(one.Most), full})
	}
	p.table(1, false, rows)
	if k.Unlisted > 0 {
		p.line(fmt.Sprintf("A partition that is not listed has at most %s.", percent(k.Unlisted)))
	}
}

// like says of how many equal partitions the keys are as uneven.
func (s *Spread) like() string {
	if s.Effective == 1 && s.EffectiveError == 0 {
		return "one"
	}
	return about(s.Effective, s.EffectiveError) + " equal ones"
}

func entities(n int64) string {
	if n == 1 {
		return "one entity"
	}
	return count(float64(n)) + " entities"
}

// top writes the share of the commonest partition, between its bounds if they are
// apart.
func (s *Spread) top() string {
	least, most := percent(s.TopLeast), percent(s.TopMost)
	if least == most {
		return most
	}
	return least + " to " + most
}
