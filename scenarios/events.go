package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

func (c *checker) event(phase int, o *OperationSpec, path string) {
	c.attributeNames(o.By, path+".by")
	c.attributeNames(o.Together, path+".together")
	if o.Verb == entity.Query && len(o.By) > 0 {
		c.answered(o, path)
	}
	unloaded := c.loadsSound(phase) && c.Loaded(phase) == 0
	copied := slices.ContainsFunc(append(slices.Clone(c.Designs), c.Design), func(d Design) bool { return len(d.Copies) > 0 })
	batch, by := o.Verb == entity.Batch, len(o.By) > 0
	switch {
	case c.reportFirst(path, []rule{
		{(o.Of.Kind == AccessZipf || o.Of.Kind == AccessHot) && unloaded, "of", o.Of.Kind + " needs loaded entities; expected a load first, or latest"},
		{by && o.Updates() && unloaded, "by", "by needs loaded entities here; expected a load first, or no by"},
		{o.Span > 0 && len(c.times()) == 0, "span", "a span needs an attribute of time; expected one such as at: {time: 2026-01-01T00:00:00Z}"},
		{o.Span > 0 && o.Class != ClassBy, "span", "a span belongs to a query by attributes; expected by"},
		{o.Killed > 0 && !copied, "killed", "killed needs a design with copies; expected none, or copies"},
		{batch && !o.Inserts(), "change",
			"a batch of events writes new entities; expected insert, insert-or-replace or insert-or-merge, or partitions"},
		{o.Class == ClassPartitionRange, "class", "partition-range needs partitions; expected another class, by, or partitions"},
		{o.Save != "", "save", "a token needs one repeated query; expected none, or partitions"},
		{o.From.IsGiven(), "from", "a token needs one repeated query; expected none, or partitions"},
		{o.ReadFirst && len(c.Design.Copies) > 0, "read_first", "read_first ignores copies; expected none, or a design without copies"},
		{o.ReadFirst && by, "by", "by and read_first are mutually exclusive; expected one of them"},
	}...):
	case batch:
		c.together(o, path)
	case o.Verb == entity.Get && by:
		c.pointed(o, path)
	}
}

// times returns the names of the attributes that are the time of an event.
func (s *Scenario) times() []string {
	var names []string
	for _, a := range s.Attributes {
		if keys.IsTime(a.Values) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Time returns the name of the first attribute that is the time of an event, empty where
// there is none.
func (s *Scenario) Time() string {
	if times := s.times(); len(times) > 0 {
		return times[0]
	}
	return ""
}

// attributeNames checks that attributes exist, each named once.
func (c *checker) attributeNames(names []string, path string) {
	if !c.nameless() {
		c.among("attribute", names, nearest.NamesOf(c.Attributes, func(a keys.Attribute) string { return a.Name }), path)
	}
}

// pointed checks that the design in use forms both keys of an entity, or of a copy of
// it, from what the reader of a point knows.
func (c *checker) pointed(o *OperationSpec, path string) {
	if !c.sound(path + ".by") {
		return
	}
	if plan, _, known := c.plan(o); known && plan.Class != filter.ClassPoint {
		c.add(path+".by", "a get needs both keys, and %s; expected attributes that form them, a query, or another design", plan.Why)
	}
}

// together checks that the entities of a batch fall into one partition under the
// design in use: all that its PartitionKey is formed from has to be shared.
func (c *checker) together(o *OperationSpec, path string) {
	if !c.sound(path+".together", "attributes", c.designPath()) {
		return
	}
	c.apartInBatch(o, &c.Design, "", path)
	for i := range c.Design.Copies {
		one := c.Design.Copies[i].keys()
		c.apartInBatch(o, &one, fmt.Sprintf(" in the copy %q", c.Design.Copies[i].Name), path)
	}
	options, faults := c.keyOptions()
	partition, err := keys.ParseTemplate(c.Design.PartitionKey)
	if len(faults) > 0 || err != nil {
		return
	}
	// What one operation writes comes about at one instant.
	if apart := options.Differing(partition, append(c.times(), o.Together...)); len(apart) > 0 {
		c.add(path+".together", "PartitionKey %s holds {%s}, which differs within a transaction; expected those in together, or another design",
			fields.TextNode(c.Design.PartitionKey).ShortText(), strings.Join(apart, "}, {"))
	}
}

// apartInBatch checks that entities which share values have keys that differ.
func (c *checker) apartInBatch(o *OperationSpec, d *Design, where, path string) {
	shared := keys.Options{Attributes: c.Attributes}.WholeRows(o.Together)
	unique := slices.DeleteFunc(c.sequences(d.PartitionKey+d.RowKey, ""),
		func(name string) bool { return slices.Contains(shared, name) })
	if len(unique) == 0 {
		c.add(path+".together", "entities that share %s have the same key%s; expected none that makes keys unique", strings.Join(o.Together, ", "), where)
	}
}

// partitioned refuses what only event traffic has, and what would leave copies
// behind.
func (c *checker) partitioned(list []OperationSpec, path string) {
	for j := range list {
		o := &list[j]
		if at := fmt.Sprintf("%s.%d.verb", path, j); len(c.Design.Copies) > 0 && o.Writes().IsChange() {
			c.add(at, "writes cannot maintain copies in named partitions; expected no partitions, or a design without copies")
		}
		if o.Workflow == "" && o.Inserts() && c.sound(c.designPath(), "attributes") && len(c.sequences(c.Design.RowKey, c.Design.PartitionKey)) == 0 {
			c.add(fmt.Sprintf("%s.%d.verb", path, j), "%s needs new keys within a partition; expected an attribute with a sequence in row_key alone, such as {bib}", o.Verb)
		}
		c.eventsAlone(o, fmt.Sprintf("%s.%d", path, j), "the phase names partitions; expected none, or no partitions")
	}
}

// eventsAlone refuses what only an operation about an event has, and says why.
func (c *checker) eventsAlone(o *OperationSpec, path, why string) {
	for _, part := range []struct {
		field string
		given bool
	}{
		{"of", o.Of != Access{}},
		{"by", len(o.By) > 0},
		{"span", o.Span > 0},
		{"together", len(o.Together) > 0},
		{"workflow", o.Workflow != ""},
	} {
		if part.given {
			c.add(path+"."+part.field, "%s belongs to event traffic, and %s", part.field, why)
		}
	}
}
