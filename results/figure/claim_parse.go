package figure

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxClaimLength is how many bytes a claim may have.
const MaxClaimLength = 4096

// ParseClaim reads a claim. The error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseClaim(text string) (*Claim, error) {
	p := &parser{text: text}
	if len(p.text) > MaxClaimLength || !utf8.ValidString(p.text) {
		p.fail(0, "text exceeds %d bytes, or is no UTF-8; expected p99(get) < 20ms or similar", MaxClaimLength)
		return nil, p.fault
	}
	c := &Claim{left: p.figure()}
	switch {
	case p.take("/"):
		c.joint, c.second = divided, p.figure()
	case p.take("-"):
		c.joint, c.second = reduced, p.figure()
	}
	at := p.here()
	for _, operator := range []string{"<=", ">=", "==", "!=", "<", ">"} {
		if p.take(operator) {
			c.comparison = operator
			break
		}
	}
	if c.comparison == "" {
		p.fail(p.at, "%s is no comparison; expected <, <=, >, >=, == or !=", p.next())
	}
	limit := p.here()
	p.right(c)
	if p.space(); p.fault == nil && p.at < len(p.text) {
		p.fail(p.at, "%s follows the claim; expected its end", p.next())
	}
	if p.fault == nil {
		p.units(c, limit)
	}
	if p.fault == nil {
		p.exact(c, at)
	}
	if p.fault != nil {
		return nil, p.fault
	}
	return c, nil
}

// parser reads a text from left to right. After the first fault it stays where it
// is, and what it returns says nothing.
type parser struct {
	text  string
	at    int
	fault *ClaimFault
}

// right reads what the claim's left side is compared with.
func (p *parser) right(c *Claim) {
	if p.fault == nil && isDigit(p.peek()) {
		c.number = p.number()
		star := p.here()
		if !p.take("*") {
			return
		}
		if c.number.suffix != "" || c.number.Value() <= 0 {
			p.fail(star, "%s is multiplied; expected a number above 0 before *", c.number)
		}
		c.factor, c.number = c.number, ClaimNumber{}
	}
	if c.factor == (ClaimNumber{}) && !letter(p.peek()) {
		p.fail(p.here(), "%s is no limit; expected a number with unit, such as 20ms, 1%% or 2000, or a figure", p.next())
		return
	}
	c.right, c.againstOther = p.figure(), true
}

func (p *parser) figure() Reference {
	f := Reference{Offset: p.here()}
	for p.at < len(p.text) && (letter(p.text[p.at]) || isDigit(p.text[p.at]) || p.text[p.at] == '_' || p.text[p.at] == '.') {
		p.at++
	}
	f.Name = p.text[f.Offset:p.at]
	k, some := Find(f.Name)
	switch {
	case p.fault != nil:
		return f
	case f.Name == "" || !letter(f.Name[0]):
		p.at = f.Offset
		p.fail(f.Offset, "%s is no figure; expected p99(get), throttled or similar", p.next())
		return f
	case !some:
		if at := slices.IndexFunc(renamed[:], func(one rename) bool { return one.was == f.Name }); at >= 0 {
			p.fail(f.Offset, "%s is called %s now; expected that name", f.Name, renamed[at].is)
			return f
		}
		// The caller knows the nearest name.
		p.fail(f.Offset, "unknown figure %q", clipped(f.Name))
		p.fault.Name = f.Name
		return f
	}
	if p.take("(") {
		p.arguments(&f, k)
	} else if k.Scope == OfCounter {
		p.fail(f.Offset, "%s is a workflow's count; expected an operation and its name, such as counter(look, both)", f.Name)
	}
	return f
}

// exact refuses to ask of what is measured to be just so.
func (p *parser) exact(c *Claim, at int) {
	if c.comparison != "==" && c.comparison != "!=" {
		return
	}
	whole := c.number.isWhole() && c.number.suffix == ""
	if c.againstOther {
		whole = c.factor == (ClaimNumber{}) || c.factor.isWhole()
	}
	if c.unit != Count || !whole {
		p.fail(at, "%s is for whole counts; expected <, <=, > or >=", c.comparison)
	}
}

// maxDigits is how many digits a number may have: so many survive being read and
// written again.
const maxDigits = 15

func (p *parser) number() ClaimNumber {
	begin := p.here()
	for p.at < len(p.text) && (isDigit(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	digits := p.text[begin:p.at]
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil || len(strings.Replace(digits, ".", "", 1)) > maxDigits || strings.HasSuffix(digits, ".") {
		p.fail(begin, "%q is no number; expected at most %d digits, such as 1.5", clipped(digits), maxDigits)
		return ClaimNumber{digits: "0"}
	}
	at := p.here()
	rest := p.text[at:]
	end := strings.IndexFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) && c != '%' && c != '/' })
	if end < 0 {
		end = len(rest)
	}
	written := rest[:end]
	p.at += end
	n := ClaimNumber{strconv.FormatFloat(value, 'f', -1, 64), strings.NewReplacer("µ", "u", "μ", "u").Replace(written)}
	if suffixOf(n.suffix).times == 0 {
		p.fail(at, "unknown unit %q; expected ns, us, ms, s, m, h, %% or /s, or none", clipped(written))
		n.suffix = ""
	}
	return n
}

// fail notes the first fault.
func (p *parser) fail(at int, format string, args ...any) {
	if p.fault == nil {
		p.fault = &ClaimFault{Offset: at, What: fmt.Sprintf(format, args...)}
	}
}

// ParseFigure reads a figure that stands alone, such as p99(get): what runs are
// compared by, rather than held to. The error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseFigure(text string) (Reference, error) {
	p := &parser{text: text}
	if len(text) > MaxClaimLength || !utf8.ValidString(text) {
		p.fail(0, "text exceeds %d bytes, or is no UTF-8; expected a figure such as p99(get)", MaxClaimLength)
		return Reference{}, p.fault
	}
	f := p.figure()
	if p.space(); p.fault == nil && p.at < len(p.text) {
		p.fail(p.at, "%s follows the figure; expected its end", p.next())
	}
	if p.fault != nil {
		return Reference{}, p.fault
	}
	return f, nil
}

// ErrClaimSyntax is wrapped by every [ClaimFault].
var ErrClaimSyntax = errors.New("figure: no such claim")

// ClaimFault is what is wrong with a claim, and where.
type ClaimFault struct {
	// Offset is the byte of the text at which it shows.
	Offset int
	// What says what was found and what was expected.
	What string
	// Name is a figure that is not known, so that the caller may suggest the
	// nearest of [Names]; empty for any other fault.
	Name string
}

// Error returns what is wrong, with the names that are known where one is not.
func (f *ClaimFault) Error() string {
	what := f.What
	if f.Name != "" {
		what += "; expected one of " + strings.Join(Names(), ", ")
	}
	return fmt.Sprintf("byte %d: %s", f.Offset, what)
}

// Unwrap returns [ErrClaimSyntax].
func (f *ClaimFault) Unwrap() error { return ErrClaimSyntax }

type rename struct{ was, is string }

// renamed are figures that were called otherwise, by what they were called.
var renamed = [...]rename{
	{"refused", "throttled"},
	{"relieved", "relieved_after"},
	{"lost", "lost_writes"},
	{"doubled", "doubled_writes"},
	{"unknown", "unknown_writes"},
	{"faults", "violations"},
	{"tally", "counter"},
	{"attempts", "tries"},
}

// RenamedMetrics returns what figures were called otherwise, as pairs of the name before and the
// one of now. The slice is the caller's.
func RenamedMetrics() [][2]string {
	var pairs [][2]string
	for _, one := range renamed {
		pairs = append(pairs, [2]string{one.was, one.is})
	}
	return pairs
}

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
