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
	whole := c.number.whole() && c.number.suffix == ""
	if c.againstOther {
		whole = c.factor == (ClaimNumber{}) || c.factor.whole()
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
