package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// The classes of queries that the documents distinguish, from best to worst.
const (
	// ClassPoint is the query for one existing entity by both keys.
	ClassPoint = "point"
	// ClassRows reads Rows entities of a partition from an existing one on; where
	// the partition ends before, fewer. It is what a query does unless the file says
	// otherwise.
	ClassRows = "rows"
	// ClassPartitionScan reads a whole partition.
	ClassPartitionScan = "partition-scan"
	// ClassPartitionRange reads Partitions whole partitions that follow one another
	// in the index, the operation's own among them, the first of them as a rule.
	ClassPartitionRange = "partition-range"
	// ClassTableScan reads the whole table.
	ClassTableScan = "table-scan"
	// ClassBy reads whatever the design in use makes of what the application knows.
	// It is that of a query with [OperationSpec.By], and not one that a file names.
	ClassBy = "by"
)

// classes are those that a file can name, from best to worst.
var classes = []string{ClassPoint, ClassRows, ClassPartitionScan, ClassPartitionRange, ClassTableScan}

const defaultPartitions = 2

// defaultClass is that of a query unless the file says otherwise, empty for any
// other verb.
func (o *OperationSpec) defaultClass() string {
	if o.Verb != entity.Query {
		return ""
	}
	if len(o.By) > 0 {
		return ClassBy
	}
	return ClassRows
}

// Scans reports whether the operation reads whole partitions, whatever it keeps of
// them.
func (o *OperationSpec) Scans() bool {
	return slices.Contains([]string{ClassPartitionScan, ClassPartitionRange, ClassTableScan, ClassBy}, o.Class)
}

// settleQuery fills in what follows from the class of a query and refuses what
// does not belong to it.
func (o *OperationSpec) settleQuery(r *fields.Reader, path string, n *fields.Node) {
	check(r, path, n, rule{n.Has("class") && len(o.By) > 0, "class", "the design decides what by reads; expected no class with by"})
	if o.Class == "" {
		o.Class = o.defaultClass()
	}
	if o.Class == ClassRows && o.Rows == 0 {
		o.Rows = defaultRows
	}
	if o.Class == ClassPartitionRange && o.Partitions == 0 {
		o.Partitions = defaultPartitions
	}
	scans := "partition-scan, partition-range and table-scan"
	misplaced(r, path, n, "of class "+o.Class, []owned{
		{"rows", "class rows", o.Class == ClassRows || o.Class == ClassBy},
		{"partitions", "class partition-range", o.Class == ClassPartitionRange},
		{"where", "the classes " + scans, o.Scans()},
		{"top", "the classes rows, " + scans, o.Class != ClassPoint},
		{"pages", "the classes rows, " + scans, o.Class != ClassPoint},
		{"from", "the classes rows, " + scans, o.Class != ClassPoint},
		{"save", "the classes " + scans, o.Scans()},
	}...)
	check(r, path, n, rule{n.Has("save") && o.Pages == 0 && o.Save != "" && o.Scans(), "save",
		"a query of all pages saves no token; expected pages"})
}

// Narrow returns the $filter of a range of keys within which another one holds.
func Narrow(within, where string) string {
	if within == "" || where == "" {
		return within + where
	}
	return within + " and (" + where + ")"
}

// Wanted returns the operation's filter for an entity: its template with what each
// placeholder comes to, in which quotes are doubled.
func (o *OperationSpec) Wanted(where keys.Template, value func(attribute string) string) string {
	return where.ExpandAs(value, func(text string) string { return strings.ReplaceAll(text, "'", "''") })
}

// maxTexts bounds how many texts of one filter are tried ahead of time, maxTried
// how many bytes those of all filters of a scenario have.
const (
	maxTexts = 10_000
	maxTried = 4 << 20
)

// Untold returns the attributes of By that neither the keys of a home nor a property there
// tells exactly. Homes are as [Scenario.Plan] has them. By both keys it is the one entity
// that is read, or none. A Span is always exact: every entity has a Timestamp.
func (s *Scenario) Untold(o *OperationSpec, plan *keys.Plan, home int) []string {
	if plan.Class == filter.ClassPoint {
		return nil
	}
	told := plan.Tells()
	for _, name := range o.By {
		if _, held := s.Holder(name, home); held {
			told = append(told, name)
		}
	}
	options := keys.Options{Attributes: s.Attributes}
	return slices.DeleteFunc(slices.Clone(o.By), func(name string) bool {
		of, err := keys.ParseTemplate("{" + name + "}")
		if slices.Contains(told, name) || err != nil || len(options.Differing(of, told)) == 0 {
			return true
		}
		// Of an attribute that has one value alone there is nothing to tell.
		at := slices.IndexFunc(s.Attributes, func(a keys.Attribute) bool { return a.Name == name })
		return at >= 0 && s.Attributes[at].Values != nil && len(s.Attributes[at].Values.Probes()) == 1
	})
}

// Holder returns the property of the entities of a home that has the values of an
// attribute, and false where none has.
func (s *Scenario) Holder(attribute string, home int) (PropertySpec, bool) {
	for _, p := range s.Entity.Properties {
		_, known := entity.ParseType(p.Type)
		if known && p.Value == "{"+attribute+"}" && (home == 0 || s.Design.Copies[home-1].HasAll([]string{p.Name})) {
			return p, true
		}
	}
	return PropertySpec{}, false
}

// answered checks that the design in use can separate what a query asks for from all
// in use.
func (c *checker) answered(o *OperationSpec, path string) {
	if !c.sound(path+".by", path+".span") {
		return
	}
	plan, home, known := c.plan(o)
	if !known {
		return
	}
	for _, name := range c.Untold(o, &plan, home) {
		c.add(fmt.Sprintf("%s.by.%d", path, slices.Index(o.By, name)), "neither keys nor properties determine %s; expected a property with {%s}, or a RowKey with it", name, name)
	}
}

// properties returns the names of all properties that the scenario's entities can
// have, those of the system among them.
func (c *checker) properties() []string {
	names := systemProperties()
	add := func(list []PropertySpec) {
		for i := range list {
			if !slices.Contains(names, list[i].Name) {
				names = append(names, list[i].Name)
			}
		}
	}
	add(c.Entity.Properties)
	for _, o := range c.EachOperation {
		if add(o.Properties); o.Counter != "" {
			add([]PropertySpec{{Name: o.Counter}})
		}
	}
	if c.Entity.Filler != "" {
		names = append(names, c.Entity.Filler)
	}
	return names
}

// where checks that a filter can be read whatever the values of its attributes,
// and that it leaves the query of its class.
func (c *checker) where(o *OperationSpec, path string) {
	template, sound := c.template(path, o.Where)
	if !sound {
		return
	}
	stretch, want := filter.WholeTable(), filter.ClassTableScan
	switch o.Class {
	case ClassPartitionScan:
		stretch, want = filter.OnePartition("m"), filter.ClassPartitionScan
	case ClassPartitionRange:
		stretch, want = filter.PartitionRange("m", "n"), filter.ClassPartitionRangeScan
	}
	within, _ := stretch.Text()
	texts, all := c.texts(o, template)
	switch {
	case !all && c.tried > maxTried:
		c.add(path, "filters with all attribute values exceed %d MiB; expected fewer values, or shorter filters",
			maxTried>>20)
		return
	case !all:
		c.add(path, "attributes have over %d combinations of values; expected fewer", maxTexts)
		return
	}
	for _, text := range texts {
		where, which := "where", ""
		if text != o.Where {
			where, which = "where can become "+strconv.Quote(text), ", which"
		}
		// Parsed alone first, so that the fault has its offset.
		_, code, detail := filter.Parse(text)
		narrowed := new(filter.Expression)
		if code == entity.OK {
			narrowed, code, detail = filter.Parse(Narrow(within, text))
		}
		if code != entity.OK {
			c.add(path, "%s: %s", where, detail)
			return
		}
		got, reads := narrowed.Range(), "nothing"
		if !got.Empty() {
			reads = "a " + got.Class().String()
		}
		if got.Empty() || got.Class() != want {
			c.add(path, "%s%s narrows the read to %s; expected a filter that leaves a %s", where, which, reads, want)
			return
		}
	}
}

// template reads a template over the attributes that is the value at a path, and
// reports what is wrong with it.
func (c *checker) template(path, text string) (keys.Template, bool) {
	specs, faults := propertySpecs([]PropertySpec{{Name: "Text", Type: keys.TypeName(entity.TypeString), Value: text}})
	options, _ := c.keyOptions()
	c.addEach(append(faults, options.ValidateProperties(specs)...), func(string) string { return path })
	return specs[0].Value, c.sound(path)
}

// texts returns what a filter can come to: every combination of values of its
// attributes; numbers without end give their outermost. It is false if
// there are too many.
func (c *checker) texts(o *OperationSpec, where keys.Template) ([]string, bool) {
	chosen := map[string]string{}
	names := where.Attributes()
	probes := keys.Options{Attributes: c.Attributes}.Probes(names)
	var texts []string
	var fill func(at int) bool
	fill = func(at int) bool {
		if at == len(names) {
			text := o.Wanted(where, func(name string) string { return chosen[name] })
			texts = append(texts, text)
			c.tried += len(text)
			return len(texts) <= maxTexts && c.tried <= maxTried
		}
		for _, value := range probes[names[at]] {
			chosen[names[at]] = value
			if !fill(at + 1) {
				return false
			}
		}
		return true
	}
	all := fill(0)
	return texts, all
}
