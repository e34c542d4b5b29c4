package scenarios

import (
	"cmp"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// Plan returns what the design in use makes of what an operation knows, and of which
// home of its entities that is: the one where what is known gets furthest, that is to
// the best class of query, by the fewest queries, and by most of what is known; of
// several alike the first. A query that knows all but the buckets of a PartitionKey asks
// each of them, unless it stops at some rows; what finds a key reads by one query alone.
// Homes are the generators of an entity's own key and of its copies,
// in the order of the design; one that is nil is passed over, but for the first.
func (s *Scenario) Plan(o *OperationSpec, homes []*keys.Generator) (best keys.Plan, home int) {
	planned := (*keys.Generator).Plan
	if o.Verb == entity.Query && o.Rows == 0 {
		planned = (*keys.Generator).FannedPlan
	}
	best = planned(homes[0], o.By, o.Span)
	for i, g := range homes[1:] {
		if g == nil || !s.Design.Copies[i].Answers(o) {
			continue
		}
		plan := planned(g, o.By, o.Span)
		if cmp.Or(cmp.Compare(plan.Class, best.Class), cmp.Compare(plan.Queries(), best.Queries()),
			cmp.Compare(len(best.Tells()), len(plan.Tells()))) < 0 {
			best, home = plan, i+1
		}
	}
	return best, home
}

// Answers reports whether a copy holds all that an operation selects and filters by.
func (one *Copy) Answers(o *OperationSpec) bool {
	return one.Holds(o.Select) && one.Holds(filteredBy(o.Where))
}

// Holds reports whether a copy has all of some properties, those of the system among
// them.
func (one *Copy) Holds(properties []string) bool {
	if len(one.Properties) == 0 {
		return true
	}
	return !slices.ContainsFunc(properties, func(name string) bool {
		return !slices.Contains(one.Properties, name) && !slices.Contains(systemProperties(), name)
	})
}

// systemProperties are those that every entity has.
func systemProperties() []string { return []string{"PartitionKey", "RowKey", "Timestamp"} }

// filteredBy returns the names of the properties in the template of a $filter: the
// words outside its literals and placeholders that are none of its own.
func filteredBy(where string) []string {
	own := []string{"eq", "ne", "gt", "ge", "lt", "le", "and", "or", "not", "true", "false", "datetime", "guid", "binary", "X"}
	var names []string
	for rest := where; rest != ""; {
		at := strings.IndexFunc(rest, func(r rune) bool { return r == '\'' || r == '{' || isWord(r) })
		if at < 0 {
			break
		}
		rest = rest[at:]
		if end := map[byte]string{'\'': "'", '{': "}"}[rest[0]]; end != "" {
			_, rest, _ = strings.Cut(rest[1:], end)
			continue
		}
		word := rest
		if end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) }); end >= 0 {
			word = rest[:end]
		}
		rest = rest[len(word):]
		if digit := word[0] >= '0' && word[0] <= '9'; !digit && !slices.Contains(own, word) {
			names = append(names, word)
		}
	}
	return names
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127
}
