package replay

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
)

// Bounds of what designs are proposed from: the maximum number of distinguished values of an attribute,
// and of examined keys of the log.
const (
	maxValues = 1000
	maxLooked = 200_000
	// maxSuggested is how many proposals take part.
	maxSuggested = 4
)

// suggest adds the designs that package suggest proposes for a scenario with the attributes of
// the log's keys, the mix of its operations, and the rate of its busiest second. Those with
// copies are left out: no line says what a copy would hold.
func (p *playing) suggest() error {
	s, err := p.likened()
	if err != nil {
		return err
	}
	proposal, err := suggest.Designs(s, nil)
	if errors.Is(err, suggest.ErrUnsuited) {
		p.unsuggested = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	for i := range proposal.Candidates {
		d := &proposal.Candidates[i].Design
		// Entities differ in their RowKey, mostly in its end.
		d.RowKey = strings.ReplaceAll(d.RowKey, "{number_of_entity}", p.Pattern.RowKey)
		if ends := s.Attributes[len(s.Attributes)-1].Name; ends != "number_of_entity" {
			d.PartitionKey, d.RowKey = strings.ReplaceAll(d.PartitionKey, "number_of_entity", ends), strings.ReplaceAll(d.RowKey, "number_of_entity", ends)
		}
		same := func(other Design) bool {
			return other.PartitionKey == d.PartitionKey && other.RowKey == d.RowKey || other.Name == d.Name
		}
		if len(d.Copies)+len(d.Places) > 0 || d.PartitionKey == p.Pattern.PartitionKey && d.RowKey == p.Pattern.RowKey || slices.ContainsFunc(p.Designs, same) {
			continue
		}
		if p.suggested++; p.suggested <= maxSuggested {
			p.Designs = append(slices.Clone(p.Designs), Design{Name: d.Name, PartitionKey: d.PartitionKey, RowKey: d.RowKey})
		}
	}
	if p.suggested == 0 {
		p.unsuggested = proposal.Verdict()
	}
	return nil
}

// seenValues are those of an attribute, and how often each occurs.
type seenValues struct {
	counts map[string]int
	order  []string
}

// distributions returns the values of attributes as a scenario has them: the most frequent by their
// weights, and those that differ for any two keys as a sequence.
func (p *playing) distributions(f *forming, attributes []string) (map[string]string, error) {
	seen := make(map[string]*seenValues)
	for _, name := range attributes {
		seen[name] = &seenValues{counts: make(map[string]int)}
	}
	distinct := make(map[entity.Key]bool)
	for i := 0; i < len(p.table.singles); i += 1 + len(p.table.singles)/maxLooked {
		key := p.table.singles[i].Key
		if f.parseKeys(key.Partition, &key.Row) != nil {
			continue
		}
		distinct[key] = true
		for _, name := range attributes {
			v, value := seen[name], f.attribute[name]
			if v.counts[value] == 0 {
				v.order = append(v.order, value)
			}
			v.counts[value]++
		}
	}
	texts := make(map[string]string)
	for name, v := range seen {
		if len(v.order) == 0 {
			return nil, fmt.Errorf("%w: no key of the log fits the pattern", ErrKeys)
		}
		if texts[name] = "{sequence: 1}"; len(v.order) == len(distinct) && len(distinct) > 1 {
			continue
		}
		list := slices.Clone(v.order)
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(v.counts[b], v.counts[a]) })
		list = list[:min(len(list), maxValues)]
		slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(slices.Index(v.order, a), slices.Index(v.order, b)) })
		var names, weights []string
		for _, one := range list {
			names, weights = append(names, strconv.Quote(one)), append(weights, strconv.Itoa(min(1_000_000, v.counts[one])))
		}
		texts[name] = "{list: [" + strings.Join(names, ", ") + "], weights: [" + strings.Join(weights, ", ") + "]}"
	}
	return texts, nil
}

// likened returns the scenario that designs are proposed for.
func (p *playing) likened() (*scenarios.Scenario, error) {
	f, err := newForming(p.Pattern, Design{Name: "the pattern", PartitionKey: p.Pattern.PartitionKey, RowKey: p.Pattern.RowKey})
	if err != nil {
		return nil, err
	}
	attributes := f.attributes()
	values, err := p.distributions(f, attributes)
	if err != nil {
		return nil, err
	}
	s, err := p.parse("suggest.yaml", p.profile, map[string]any{"Attributes": attributes, "Values": values, "Size": p.Operations.size(), "Pattern": p.Pattern,
		"Rate": p.trace.Busiest(), "Weights": p.Operations.weights(), "Transaction": max(1, p.needs().Entities[entity.Batch.String()]),
		"Together": strings.Join(f.partition.Attributes(), ", "), "Known": strings.Join(attributes, ", "), "Queries": p.queries(f, attributes)})
	if err != nil {
		return nil, fmt.Errorf("%w: nothing can be proposed: %w", ErrKeys, err)
	}
	return s, nil
}

// knownQueries are queries that know the same attributes.
type knownQueries struct {
	Number, Weight int
	Known          string
}

// queries returns the queries by what they know.
func (p *playing) queries(f *forming, attributes []string) (list []knownQueries) {
	by := make(map[string]int)
	for i := range p.Operations.List {
		if p.Operations.List[i].Query == nil {
			continue
		}
		span := p.Operations.List[i].Query.span()
		if f.know(span); span.Class() == filter.ClassTableScan {
			continue
		}
		known := slices.DeleteFunc(slices.Clone(attributes), func(name string) bool {
			_, some := f.attribute[name]
			return !some
		})
		if len(known) > 0 {
			by[strings.Join(known, ", ")]++
		}
	}
	for i, known := range slices.Sorted(maps.Keys(by)) {
		list = append(list, knownQueries{i + 1, p.Operations.weight(by[known]), known})
	}
	return list
}
