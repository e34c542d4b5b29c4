package advise

import (
	"fmt"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// screenKeys is how many of the commonest keys one screen shows.
const screenKeys = 4

// Document says what keys come to: the commonest on one screen, then all that this rests
// on.
func (k *Keys) Document() *document.Document {
	d := &document.Document{Title: "explain keys", Subtitle: "derived from " + document.Counted(int(k.Rows), "row") + " of " + k.File, Answer: k.claim(), Data: k}
	commonest := k.commonest()
	short, o := commonest, &k.Spread
	short.Rows, short.Notes = short.Rows[:min(len(short.Rows), screenKeys)], nil
	d.Show(short, document.Facts{Lines: []string{fmt.Sprintf("%s partitions, like %s; inserts: %s", about(o.Partitions, o.PartitionsError), o.like(), o.Order),
		summary(k.Findings)}})
	d.Add("basis", "Basis", document.Paragraph{Text: summary(k.Findings)},
		document.Paragraph{Text: "Every number is derived: from shares of what was read, whatever a target makes of it."})
	d.Add("keys", "Keys", k.facts(), commonest)
	var items []string
	for _, r := range k.Refused {
		items = append(items, fmt.Sprintf("line %d, %s: %s", r.Line, document.Key(r.PartitionKey, keyWidth), r.What))
	}
	d.Add("refused", "Invalid keys", document.List{Items: items})
	d.Add("findings", "Findings by the documented performance checklist", findingsTable(k.Findings))
	return d
}

// claim is the answer in a few words.
func (k *Keys) claim() document.Answer {
	bounded, what := k.carried()
	a, most := document.Answer{}, document.Rate(bounded)
	switch {
	case k.Entities == 0:
		return document.Claimed(k.State, ": there are no keys to judge", "", "", "")
	case k.State == results.DoesNotHold && k.PerSecond <= bounded:
		a = document.Claimed(k.State, ": "+document.Enumerated(named(k.Findings, Error)), "", "", "")
	case k.PerSecond > 0:
		a = document.Claimed(k.State, " at", document.Rate(k.PerSecond), "entities/s", "")
	case k.State == results.CannotTell:
		a = document.Claimed(k.State, ": at most", most, "entities/s", "")
	default:
		a = document.Claimed(k.State, " up to", most, "entities/s", "")
	}
	a.Beside = "where " + what + " is full"
	if k.PerSecond > 0 {
		a.Beside = "at most " + most + "/s, " + a.Beside
	}
	if k.PartitionKey != "" {
		a.Says = append(a.Says, "PartitionKey "+k.PartitionKey+".")
	}
	if o := &k.Spread; len(o.Top) > 0 {
		a.Says = append(a.Says, fmt.Sprintf("The commonest PartitionKey, %s, has %s of all entities.", document.Key(o.Top[0].PartitionKey, keyWidth), o.top()))
	}
	if bears := k.Spread.order.Bears(k.Targets.Partition, k.Targets.ofAll()); bears != "" {
		a.Says = append(a.Says, bears)
	}
	switch change := firstChange(k.Findings); {
	case k.untimed() && k.Timed:
		a.Says = append(a.Says, "Whether inserts all fall on one place is unknown: "+k.Spread.Evidence)
	case k.untimed() && k.InOrder == "":
		a.Says = append(a.Says, "When rows were inserted is unknown: name a column of instants (--time COLUMN).")
	case k.untimed():
		a.Says = append(a.Says, "When rows were inserted is unknown (--time COLUMN); in the order of the file they come "+k.InOrder+".")
	case change != "" && k.State != results.Holds:
		a.Says = append(a.Says, change)
	}
	return a
}

// commonest are the partitions that have most.
func (k *Keys) commonest() document.Table {
	t := document.NewTable("commonest", "Most common partitions by share of all entities", "PartitionKey|cut=40", "at least|share", "at most|share", "full when all are")
	for _, one := range k.Spread.Top {
		full := document.Untold
		if one.Most > 0 && k.Targets.Partition > 0 {
			full = document.Rate(float64(k.Targets.Partition)/one.Most) + "/s"
		}
		t.Add(one.PartitionKey, one.Least, one.Most, full)
	}
	if k.Unlisted > 0 {
		t.Notes = []string{"A partition that is not listed has at most " + document.Share(k.Unlisted) + "."}
	}
	return t
}

// facts say how the keys lie.
func (k *Keys) facts() document.List {
	o := &k.Spread
	items := []string{
		fmt.Sprintf("rows: %s in %s, %s of them inserts; %s counted", document.Count(k.Rows), k.File, document.Count(k.Inserts),
			document.Counted(int(k.Entities), "entity", "entities")),
		"partitions: " + about(o.Partitions, o.PartitionsError) + ", as uneven as " + o.like(),
		"the commonest has " + o.top() + " of all entities",
		"inserts: " + o.Evidence}
	if k.Falling > 0 {
		items = append(items, document.Counted(int(k.Falling), "row")+" earlier than one before: they count at their instants")
	}
	if len(k.Ignored) > 0 {
		items = append(items, "columns that were not looked at: "+strings.Join(k.Ignored, ", "))
	}
	return document.List{Items: items}
}

// like says of how many equal partitions the keys are as uneven.
func (s *Spread) like() string {
	if s.Effective == 1 && s.EffectiveError == 0 {
		return "one"
	}
	return about(s.Effective, s.EffectiveError) + " equal ones"
}

// top writes the share of the commonest partition, between its bounds if they are
// apart.
func (s *Spread) top() string {
	least, most := document.Share(s.TopLeast), document.Share(s.TopMost)
	if least == most {
		return most
	}
	return least + " to " + most
}
