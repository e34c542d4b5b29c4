package keys

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// maxExpansions bounds how many texts of one template are tried ahead of time.
const maxExpansions = 10_000

// expansions yields possible texts of a template: every combination of its
// attributes' probes if they are not too many, otherwise each probe of each
// attribute with the first of the others. Derived attributes follow from them.
func (c *check) expansions(t Template) iter.Seq[string] {
	names := c.bases(t)
	combinations := 1
	for _, name := range names {
		if combinations *= len(c.sound[name].probes); combinations > maxExpansions {
			break
		}
	}
	return func(yield func(string) bool) {
		chosen := map[string]string{}
		for _, name := range names {
			chosen[name] = c.sound[name].probes[0]
		}
		for i := 0; combinations <= maxExpansions && i < combinations; i++ {
			// i counts in a number system with one digit for each attribute.
			digits := i
			for _, name := range names {
				probes := c.sound[name].probes
				chosen[name] = probes[digits%len(probes)]
				digits /= len(probes)
			}
			if !yield(c.expand(t, chosen)) {
				return
			}
		}
		for _, name := range names {
			for i := 0; combinations > maxExpansions && i < len(c.sound[name].probes); i++ {
				chosen[name] = c.sound[name].probes[i]
				if !yield(c.expand(t, chosen)) {
					return
				}
			}
			chosen[name] = c.sound[name].probes[0]
		}
	}
}

// bases returns the names of the attributes that a sound template is formed from in
// the end, each once, in the order of their first use.
func (c *check) bases(t Template) []string {
	var names []string
	for _, name := range t.Attributes() {
		found := []string{name}
		if derived, is := c.sound[name].values.(Text); is {
			found = c.bases(derived.Template)
		}
		for _, base := range found {
			if !slices.Contains(names, base) {
				names = append(names, base)
			}
		}
	}
	return names
}

func (c *check) expand(t Template, chosen map[string]string) string {
	return t.Expand(func(name string) string {
		if derived, is := c.sound[name].values.(Text); is {
			return c.expand(derived.Template, chosen)
		}
		return chosen[name]
	})
}

// widest returns a text as long as the longest that a sound template can come to.
func (c *check) widest(t Template) string {
	var text strings.Builder
	for i := range t.parts {
		text.WriteString(c.widestPart(&t.parts[i]))
	}
	return text.String()
}

func (c *check) widestPart(p *part) string {
	switch {
	case p.attribute == "":
		return p.literal
	case p.isPlain():
		return c.sound[p.attribute].widest
	case p.call.kind == toHash:
		return string(p.format.apply(strconv.AppendInt(nil, int64(p.call.n-1), 10), 0))
	default:
		return widest(c.outcomes(p))
	}
}

// maxOutcomes bounds how many bytes of texts of one placeholder are tried.
const maxOutcomes = 4 << 20

// outcomes returns texts that stand for all that a placeholder can come to.
func (c *check) outcomes(p *part) []string {
	a := c.sound[p.attribute]
	derived, is := a.values.(Text)
	if !is {
		outcomes := make([]string, len(a.probes))
		for i, value := range a.probes {
			outcomes[i] = p.apply(value)
		}
		return outcomes
	}
	outcomes := []string{p.apply(a.widest)}
	bytes := 0
	for value := range c.expansions(derived.Template) {
		outcomes = append(outcomes, p.apply(value))
		if bytes += len(value); bytes > maxOutcomes {
			break
		}
	}
	return outcomes
}

// widest returns the longest of texts, in UTF-16 code units.
func widest(texts []string) string {
	longest, most := "", 0
	for _, text := range texts {
		if size := entity.String(text).Size(); size > most {
			longest, most = text, size
		}
	}
	return longest
}

func (c *check) filler() {
	if c.Filler == "" {
		return
	}
	if what := nameFault(c.Filler); what != "" {
		c.add("filler", "%s", what)
		return
	}
	pieces := pad(nil, c.Filler, c.Size)
	if all := len(c.Properties) + len(pieces); all > entity.MaxProperties {
		c.add("properties", "an entity has %d properties; expected at most %d", all, entity.MaxProperties)
	}
	for i, spec := range c.Properties {
		for _, piece := range pieces {
			if spec.Name == piece.name {
				c.add(fmt.Sprintf("properties.%d.name", i), "property %q is the filler, too; expected another name", spec.Name)
			}
		}
	}
}

// Disorder is a placeholder of a key under which whole numbers do not lie in their order:
// "10" comes before "9", for keys are compared as texts.
type Disorder struct {
	// Placeholder is what stands in the template, with its braces; Padded is the same
	// with room for Greatest, the greatest number that there is.
	Placeholder, Padded string
	Greatest            int64
	// Smaller is a number that comes behind Larger, each as the key has it.
	Smaller, Larger string
}

// Disorders returns the placeholders of a template whose texts do not sort in the order of the numbers of a number
// of entities; none if the order does not matter, as with a hash. Attributes must have no faults, and their files
// have been read.
func (o Options) Disorders(t Template, entities uint64) []Disorder {
	var list []Disorder
	for i := range t.parts {
		p := &t.parts[i]
		if p.attribute == "" || p.call.kind != asIs || p.format.kind != asIs && p.format.kind != toPadded {
			continue
		}
		behind := ""
		if i+1 < len(t.parts) {
			behind = t.parts[i+1].literal
		}
		numbers := o.numbers(p.attribute, entities)
		for j := 1; j < len(numbers); j++ {
			smaller, larger := p.apply(strconv.FormatInt(numbers[j-1], 10)), p.apply(strconv.FormatInt(numbers[j], 10))
			if smaller+behind < larger+behind {
				continue
			}
			greatest := numbers[len(numbers)-1]
			list = append(list, Disorder{Placeholder: p.source, Greatest: greatest, Smaller: smaller, Larger: larger,
				Padded: fmt.Sprintf("{%s:0%dd}", p.attribute, len(strconv.FormatInt(greatest, 10)))})
			break
		}
	}
	return list
}

// numbers returns those of an attribute's values, in their order, that stand for all of so
// many entities: every one of a list, and of a range its ends and where it has another
// number of digits. There are none where some value is no such number, or below 0.
func (o Options) numbers(attribute string, entities uint64) []int64 {
	at := slices.IndexFunc(o.Attributes, func(a Attribute) bool { return a.Name == attribute })
	var of Distribution = Sequence{}
	if at >= 0 {
		of = o.Attributes[at].Values
	}
	if at < 0 && attribute != nameNumber || of == nil || entities == 0 {
		return nil
	}
	var all []int64
	for _, text := range of.Probes() {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
			return nil
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	switch own := of.(type) {
	case ValueList, CSV, ValueColumn:
		return slices.Compact(all)
	case Zipf:
		if own.List != nil {
			return slices.Compact(all)
		}
	case HotSet:
		if own.List != nil {
			return slices.Compact(all)
		}
	case Sequence:
		all = []int64{own.Start, own.Start + int64(entities-1)}
	case Latest:
		all = []int64{own.Start, own.Start + int64((entities-1)/uint64(max(1, own.Every)))}
	}
	for edge, last := int64(10), all[len(all)-1]; edge <= last && edge > 0; edge *= 10 {
		if edge > all[0] {
			all = append(all, edge-1, edge)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Text derives an attribute from others: its values are what a template of them
// comes to. The order of the attributes does not matter, but none may, through
// whatever others, be derived from itself.
type Text struct {
	Template Template `yaml:"text" says:"A template of attributes, such as {user}@example.com." form:"template"`
}

var _ Distribution = Text{}

// Faults is empty: what is wrong with a template depends on the other attributes,
// and [Options.Validate] sees them all.
func (t Text) Faults(string) []error { return nil }

// Compile is not asked of a text: a [Generator] keeps it as a layout.
func (t Text) Compile(clock.Stream) ValueSource { return constantSource("") }

// Probes are none: those of the attributes that the text is derived from stand for
// it.
func (t Text) Probes() []string { return nil }
