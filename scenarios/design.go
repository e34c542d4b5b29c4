package scenarios

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// Design says how keys are formed: templates over the attributes.
type Design struct {
	_ struct{} `object:"a design"`
	// Name is what [Scenario.Use] and reports call the design. It may be empty
	// where it is the only one.
	Name string `yaml:"name,required" says:"The design's name." form:"name"`
	// PartitionKey and RowKey form the key under which an entity is stored.
	PartitionKey string `yaml:"partition_key,required" says:"PartitionKey template."`
	RowKey       string `yaml:"row_key,required" says:"RowKey template."`
	// Copies are the further keys under which each entity is stored, too.
	Copies []Copy `yaml:"copies" says:"Further keys that store each entity." list:"0..10 copies"`
	// Places are further keys that workflows alone write to and read from.
	Places []Place `yaml:"places" says:"Further keys for workflows only." list:"0..10 places" form:"place"`
}

// Copy is a second home of every entity, for readers who know something else of
// it: a secondary index. Each writer of an entity writes its copies.
type Copy struct {
	_ struct{} `object:"a copy"`
	// Name is unique among the copies of a design.
	Name string `yaml:"name,required" says:"The copy's name." form:"name"`
	// Table is added to the name of the scenario's table to give that of the copy;
	// empty keeps the copy in the same table.
	Table string `yaml:"table,omitempty" says:"Suffix of the copy's table; the same table by default." form:"table suffix"`
	// PartitionKey and RowKey form the copy's key.
	PartitionKey string `yaml:"partition_key,required" says:"The copy's PartitionKey template."`
	RowKey       string `yaml:"row_key,required" says:"The copy's RowKey template."`
	// Properties are the names of the properties that the copy has, none stands for
	// all. A copy of some has no filler.
	Properties []string `yaml:"properties" says:"Properties copied; all by default." list:"0..252 names of properties" max:"255"`
}

// Place is where workflows keep something else than the entity or a copy of it, such
// as a list of entities or an archive: many entities may share one. Its name is unique
// among the places of a design, and it says nothing of properties.
type Place = Copy

// placeValue binds a place: a copy without properties.
func placeValue(into *Place) fields.Binding {
	o := bind(into)
	o.What, o.Fields = "a place", o.Fields[:4]
	for i := range o.Fields {
		o.Fields[i].Says = strings.Replace(o.Fields[i].Description(), "copy", "place", 1)
	}
	return o
}

// copyTableValue is what a copy's table adds to the name of the table.
func copyTableValue(into *string) fields.Text {
	return fields.Text{Into: into, Allow: func(s string) bool { return fields.BaseName.MatchString(s) && len(s) <= maxCopyTable },
		Expected: fmt.Sprintf("a table suffix: a letter, then letters or digits, 3 to %d in all", maxCopyTable)}
}

// maxCopyTable leaves room for the table's own name and its suffix in the 63
// characters of a name.
const maxCopyTable = 12

// Alternatives returns the names of the designs that the scenario can use, in the
// order of the file; none where it has one design without a name. The slice is the
// caller's.
func (s *Scenario) Alternatives() []string {
	return nearest.NamesOf(s.Designs, func(d Design) string { return d.Name })
}

// Choose makes a design of the list the one in use. Whether there is one of that name is
// for [Scenario.Validate].
func (s *Scenario) Choose(design string) {
	s.Use = design
	s.choose()
}

// choose makes the design that is to be used the scenario's own. What cannot be
// chosen leaves the first.
func (s *Scenario) choose() {
	if len(s.Designs) == 0 {
		return
	}
	if s.Use == "" {
		s.Use = s.Designs[0].Name
	}
	s.Design = s.Designs[max(0, s.used())]
}

// used returns the position of the design in use, negative where none of the list
// has its name.
func (s *Scenario) used() int {
	return slices.IndexFunc(s.Designs, func(d Design) bool { return d.Name == s.Use })
}

// designPath returns where the design in use stands.
func (s *Scenario) designPath() string {
	if i := s.used(); i >= 0 {
		return "designs." + strconv.Itoa(i)
	}
	return "design"
}

// copies checks the copies of one design: their names, their tables, and that the
// properties that they keep exist.
func (c *checker) copies(d *Design, path string) {
	known := nearest.NamesOf(c.Entity.Properties, func(p PropertySpec) string { return p.Name })
	seen := map[string]bool{}
	for i := range d.Copies {
		one, at := &d.Copies[i], fmt.Sprintf("%s.copies.%d", path, i)
		c.own("copy", one.Name, seen, at+".name")
		if !c.before.Concern("entity.properties") {
			c.among("property", one.Properties, known, at+".properties")
		}
		for j := range d.Copies[:i] {
			// Names of tables do not tell capitals from small letters.
			if other := d.Copies[j].Table; other != one.Table && strings.EqualFold(other, one.Table) {
				c.add(at+".table", "table %q differs from %q only in case; expected one spelling", one.Table, other)
				break
			}
		}
		same := one.Table == "" && one.PartitionKey == d.PartitionKey && one.RowKey == d.RowKey
		for j := range d.Copies[:i] {
			other := &d.Copies[j]
			same = same || one.Table == other.Table && one.PartitionKey == other.PartitionKey && one.RowKey == other.RowKey
		}
		if same {
			c.add(at, "copy %q repeats the keys of another copy in its table; expected different keys or another table", one.Name)
		}
	}
}

// Generator returns the generator of the copies of what another generates. The error
// wraps [keys.ErrInvalidOptions].
func (c *Copy) Generator(of *keys.Generator) (*keys.Generator, error) {
	partition, err := keys.ParseTemplate(c.PartitionKey)
	if err != nil {
		return nil, err
	}
	row, err := keys.ParseTemplate(c.RowKey)
	if err != nil {
		return nil, err
	}
	g, err := of.Design(partition, row)
	if err != nil || len(c.Properties) == 0 {
		return g, err
	}
	return g.Project(c.Properties)
}

// keys returns a design whose keys are those of a copy.
func (c *Copy) keys() Design { return Design{PartitionKey: c.PartitionKey, RowKey: c.RowKey} }

// Tables returns what is added to the name of the table for each table that the
// design in use has copies or places in, in the order of the file, each once.
func (s *Scenario) Tables() []string {
	var tables []string
	for _, one := range slices.Concat(s.Design.Copies, s.Design.Places) {
		if one.Table != "" && !slices.Contains(tables, one.Table) {
			tables = append(tables, one.Table)
		}
	}
	return tables
}

// Plan returns the plan of the design in use for what an operation knows, and the
// home of its entities that it uses: one that has all that is requested, if there is one, and
// of those the one where what is known gets furthest, that is to
// the best class of query, by the fewest queries, and by most of what is known; of
// several alike the first. A query that knows all but the buckets of a PartitionKey asks
// each of them, unless it stops at some rows; what finds a key reads by one query alone.
// Homes are the generators of an entity's own key and of its copies,
// in the order of the design; one that is nil is passed over, but for the first.
func (s *Scenario) Plan(o *OperationSpec, homes []*keys.Generator) (best keys.Plan, home int) {
	selects := slices.Contains(filteredBy(o.Where), "RowKey")
	planned := func(g *keys.Generator) keys.Plan {
		plan := g.Plan(o.By, o.Span)
		if o.Verb == entity.Query && o.Rows == 0 {
			plan = g.FannedPlan(o.By, o.Span)
		}
		if selects {
			plan = plan.AnyRow()
		}
		return plan
	}
	best = planned(homes[0])
	lacks := len(s.Untold(o, &best, 0))
	for i, g := range homes[1:] {
		if g == nil || !s.Design.Copies[i].Answers(o) {
			continue
		}
		plan := planned(g)
		untold := len(s.Untold(o, &plan, i+1))
		if cmp.Or(cmp.Compare(min(1, untold), min(1, lacks)), cmp.Compare(plan.Class, best.Class), cmp.Compare(plan.Queries(), best.Queries()),
			cmp.Compare(len(best.Tells()), len(plan.Tells()))) < 0 {
			best, home, lacks = plan, i+1, untold
		}
	}
	return best, home
}

// Answers reports whether a copy holds all that an operation selects and filters by.
func (c *Copy) Answers(o *OperationSpec) bool {
	return c.HasAll(o.Select) && c.HasAll(filteredBy(o.Where))
}

// HasAll reports whether a copy has all of some properties, those of the system among
// them.
func (c *Copy) HasAll(properties []string) bool {
	if len(c.Properties) == 0 {
		return true
	}
	return !slices.ContainsFunc(properties, func(name string) bool {
		return !slices.Contains(c.Properties, name) && !slices.Contains(systemProperties(), name)
	})
}

// systemProperties are those that every entity has.
func systemProperties() []string { return []string{"PartitionKey", "RowKey", "Timestamp"} }

// FiltersKeys reports whether the operation's filter has conditions on keys, which can
// narrow what the service reads.
func (o *OperationSpec) FiltersKeys() bool {
	by := filteredBy(o.Where)
	return slices.Contains(by, "PartitionKey") || slices.Contains(by, "RowKey")
}

var (
	// unfiltered are texts and placeholders in the template of a $filter.
	unfiltered = regexp.MustCompile(`'[^']*('|$)|\{[^}]*(\}|$)`)
	// filterWord is a number or a name there.
	filterWord = regexp.MustCompile(`[0-9A-Za-z_\x{80}-\x{10FFFF}]+`)
	ownWords   = []string{"eq", "ne", "gt", "ge", "lt", "le", "and", "or", "not", "true", "false", "datetime", "guid", "binary", "X"}
)

// filteredBy returns the names of the properties in the template of a $filter: the
// words outside its literals and placeholders that are none of its own.
func filteredBy(where string) []string {
	return slices.DeleteFunc(filterWord.FindAllString(unfiltered.ReplaceAllLiteralString(where, " "), -1), func(word string) bool {
		return word[0] >= '0' && word[0] <= '9' || slices.Contains(ownWords, word)
	})
}
