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
	"loadgen/scenarios/fields"
)

// Bounds of what designs are proposed from: how many values of an attribute are told apart,
// and how many keys of the log are looked at.
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
	proposal, err := suggest.Designs(s, suggest.Options{Beside: true})
	if errors.Is(err, suggest.ErrUnsuited) {
		p.unsuggested = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	for i := range proposal.Candidates {
		d := &proposal.Candidates[i].Design
		// What tells entities apart is the RowKey that they have, and the end of it most.
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

// seenValues are those of an attribute, how often each occurs, and whether each is a number.
type seenValues struct {
	counts  map[string]int
	order   []string
	numbers bool
}

// distributions returns the values of attributes as a scenario has them: few of them by their
// weights, many numbers as a sequence, many texts as the most frequent.
func (p *playing) distributions(f *forming, attributes []string) (map[string]string, error) {
	seen := make(map[string]*seenValues)
	for _, name := range attributes {
		seen[name] = &seenValues{counts: make(map[string]int), numbers: true}
	}
	for i := 0; i < len(p.table.singles); i += 1 + len(p.table.singles)/maxLooked {
		key := p.table.singles[i].Key
		if f.apart(key.Partition, &key.Row) != nil {
			continue
		}
		for _, name := range attributes {
			v, value := seen[name], f.attribute[name]
			if _, err := strconv.ParseInt(value, 10, 64); err != nil {
				v.numbers = false
			}
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
		if texts[name] = "{sequence: 1}"; v.numbers && len(v.order) > maxValues {
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
	attributes := f.partition.Attributes()
	for _, name := range f.row.Attributes() {
		if !slices.Contains(attributes, name) {
			attributes = append(attributes, name)
		}
	}
	values, err := p.distributions(f, attributes)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	line := func(format string, details ...any) { fmt.Fprintf(&text, format+"\n", details...) }
	line("name: like-the-log\nattributes:\n  number_of_entity: {sequence: 1}")
	for _, name := range attributes {
		line("  %s: %s", name, values[name])
	}
	line("entity: {size: %d, properties: [", p.Operations.size())
	for i, name := range attributes {
		line(`    {name: V%d, type: String, value: "{%s}"},`, i, name)
	}
	line("  ]}\nuse: own\ndesigns:\n  - {name: own, partition_key: %q, row_key: %q}", p.Pattern.PartitionKey, p.Pattern.RowKey+"{number_of_entity}")
	line("phases:\n  - {name: load, load: {entities: 1000}}\n  - name: log\n    traffic:\n      arrivals: {constant: %d}\n      for: 10s\n      operations:", p.trace.Busiest())
	p.asked(f, attributes, line)
	s, err := scenarios.Parse("like-the-log", []byte(text.String()))
	if err != nil {
		return nil, fmt.Errorf("%w: nothing can be proposed: %w", ErrKeys, err)
	}
	if err := s.SetAll(scenarios.Settings(p.Set...)); err != nil {
		return nil, err
	}
	p.limit(s, p.profile)
	return s, fields.FaultsOf(s.Validate())
}

// asked writes the operations of the scenario: queries by what they know.
func (p *playing) asked(f *forming, attributes []string, line func(string, ...any)) {
	for _, verb := range p.Operations.offered() {
		n := p.Operations.Counts[verb]
		switch verb {
		case entity.Query:
		case entity.Batch:
			line("        - {verb: batch, change: insert, entities: %d, together: [%s], weight: %d}", max(1, p.needs().Entities[verb.String()]), strings.Join(f.partition.Attributes(), ", "), p.Operations.weight(n))
		case entity.Merge, entity.InsertOrMerge:
			line(`        - {verb: %s, weight: %d, properties: [{name: Z, type: Int32, value: "1"}]}`, verb, p.Operations.weight(n))
		case entity.Get:
			// Who reads one entity knows what its keys are made of.
			line("        - {name: one, verb: query, by: [%s], weight: %d}", strings.Join(attributes, ", "), p.Operations.weight(n))
		default:
			line("        - {verb: %s, weight: %d}", verb, p.Operations.weight(n))
		}
	}
	by := make(map[string]int)
	for i := range p.Operations.List {
		if p.Operations.List[i].Query == nil {
			continue
		}
		span := p.Operations.List[i].Query.span()
		if f.know(span); span.Class() == filter.ClassTableScan {
			continue
		}
		var known []string
		for _, name := range attributes {
			if _, some := f.attribute[name]; some {
				known = append(known, name)
			}
		}
		if len(known) > 0 {
			by[strings.Join(known, ", ")]++
		}
	}
	n := 0
	for _, known := range slices.Sorted(maps.Keys(by)) {
		n++
		line("        - {name: query-%d, verb: query, by: [%s], weight: %d}", n, known, p.Operations.weight(by[known]))
	}
}
