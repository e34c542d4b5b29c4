package figure

import (
	"strings"
)

// maxKey is how many bytes a PartitionKey of a claim may have: the service
// takes none longer.
const maxKey = 1024

// arguments reads what a figure is of, after its parenthesis, and holds it against
// what it can be of.
func (p *parser) arguments(f *Reference, k Definition) {
	var names []argument
	for {
		names = append(names, p.argument())
		if p.take(")") || p.fault != nil {
			break
		}
		if at := p.here(); !p.take(",") {
			p.fail(at, "%s follows within the parentheses of %s; expected ) or a comma", p.next(), f.Name)
		}
	}
	if p.fault != nil {
		return
	}
	first := names[0]
	switch {
	case len(names) > 2:
		p.fail(names[2].at, "%s has three names; expected at most operation and phase", f.Name)
	case k.Scope == OfRun && !(len(names) == 1 && first.any()):
		p.fail(first.at, "%s covers the whole run; expected no name", f.Name)
	case k.Scope == OfCounter && (len(names) != 2 || first.any() || names[1].any()):
		p.fail(first.at, "%s is a workflow's count; expected an operation and its name, such as counter(look, both)", f.Name)
	case k.Scope == OfCounter:
		p.name(&f.Operation, &f.OperationOffset, first)
		p.name(&f.Counter, &f.CounterOffset, names[1])
	case k.Scope == OfLoad && first.part(k) != Whole:
		f.Part, f.Key = first.part(k), first.key
		if len(names) == 2 {
			p.name(&f.Phase, &f.PhaseOffset, names[1])
		}
	case k.Scope == OfPhases && len(names) == 2:
		p.fail(names[1].at, "%s covers phases only; expected one name", f.Name)
	case k.Scope == OfPhases:
		p.name(&f.Phase, &f.PhaseOffset, first)
	case len(names) == 1:
		p.name(&f.Of, &f.OfOffset, first)
	default:
		p.name(&f.Operation, &f.OperationOffset, first)
		p.name(&f.Phase, &f.PhaseOffset, names[1])
	}
}

// name takes an argument as a name, which * leaves empty.
func (p *parser) name(into *string, offset *int, a argument) {
	if a.quoted {
		p.fail(a.at, "unexpected PartitionKey in quotes; expected an operation or phase, "+
			"or offered or served")
		return
	}
	if !a.any() {
		*into, *offset = a.text, a.at
	}
}

// argument is one of what stands in parentheses. Key is the PartitionKey that it names, empty for
// none.
type argument struct {
	at        int
	text, key string
	quoted    bool
}

func (a argument) any() bool { return a.text == "*" && !a.quoted }

func (a argument) part(k Definition) Part {
	switch {
	case a.quoted:
		return Partition
	case a.text == wordHottest:
		return Hottest
	case a.text == wordAccount && k.Name == "offered":
		return Account
	default:
		return Whole
	}
}

// argument reads a name up to the next delimiter, or a PartitionKey up to its closing quote.
func (p *parser) argument() argument {
	a := argument{at: p.here()}
	if !p.take(`"`) {
		end := strings.IndexAny(p.text[p.at:], `,()"`)
		if end < 0 {
			end = len(p.text) - p.at
		}
		// Between words one space is as good as several.
		a.text = strings.Join(strings.Fields(p.text[p.at:p.at+end]), " ")
		p.at += end
		if a.text == "" {
			p.fail(a.at, "missing name; expected an operation, a phase, or *")
		}
		return a
	}
	a.quoted = true
	var key strings.Builder
	begin := p.at
	for {
		end := strings.IndexByte(p.text[p.at:], '"')
		if end < 0 {
			p.fail(begin-1, "PartitionKey without closing quote; expected one")
			return a
		}
		key.WriteString(p.text[p.at : p.at+end])
		p.at += end + 1
		if !strings.HasPrefix(p.text[p.at:], `"`) {
			break
		}
		key.WriteByte('"')
		p.at++
	}
	a.text, a.key = key.String(), key.String()
	if len(a.key) > maxKey || strings.ContainsFunc(a.key, func(c rune) bool { return c < ' ' }) {
		p.fail(begin-1, "PartitionKey exceeds %d bytes or has a control character; expected a valid one", maxKey)
	}
	return a
}
