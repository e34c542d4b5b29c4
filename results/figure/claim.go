package figure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Claim is a condition on the figures of a run. It is immutable and safe for concurrent use.
type Claim struct {
	left Reference
	// joint is "/" or "-" between left and second, "" without second.
	joint      string
	second     *Reference
	comparison string
	// The right side is number, or right, which factor multiplies if it is not empty.
	number, factor number
	right          *Reference
	unit           Unit
}

// ClaimFacts are the figures of a run.
type ClaimFacts interface {
	// Look returns a figure in a unit, times in nanoseconds, and false if it is unknown.
	Look(f Reference, in Unit) (value float64, told bool)
}

// ClaimJudgement is the result of a claim.
type ClaimJudgement struct {
	// Left is the observed value, Right the one it is compared with, both in Unit.
	Left, Right float64
	Unit        Unit
	// Known reports that every figure is known; otherwise Left and Right are 0 and Pass is false.
	Known bool
	// Computed reports that Right is a figure's rather than a number of the claim.
	Computed bool
	Pass     bool
}

// Judge compares the figures of a run.
func (c *Claim) Judge(facts ClaimFacts) ClaimJudgement {
	judged := ClaimJudgement{Unit: c.unit, Computed: c.right != nil}
	left, told := c.observed(facts)
	right := c.number
	limit := 1.0
	if c.right != nil {
		var known bool
		limit, known = facts.Look(*c.right, c.right.Unit())
		told, right = told && known, c.factor
	}
	if right.digits != "" {
		limit *= right.value()
	}
	if !told || c.unit == Nanoseconds && min(left, limit) >= OverHour && (left == OverHour || limit == OverHour) {
		// A time over an hour is only a lower bound.
		return judged
	}
	judged.Left, judged.Right, judged.Known = left, limit, true
	judged.Pass = map[string]bool{
		"<": left < limit, "<=": left <= limit, ">": left > limit, ">=": left >= limit, "==": left == limit, "!=": left != limit,
	}[c.comparison]
	return judged
}

func (c *Claim) observed(facts ClaimFacts) (float64, bool) {
	if c.second == nil {
		return facts.Look(c.left, c.unit)
	}
	first, known := facts.Look(c.left, c.left.Unit())
	second, both := facts.Look(*c.second, c.second.Unit())
	if c.joint == "-" {
		return first - second, known && both
	}
	return first / second, known && both && second != 0
}

// Figures returns the figures of the claim in the order in which they are written.
func (c *Claim) Figures() []Reference {
	list := []Reference{c.left}
	for _, other := range []*Reference{c.second, c.right} {
		if other != nil {
			list = append(list, *other)
		}
	}
	return list
}

// Bound returns the figure that the claim keeps below a number, and that number in the figure's own unit, times in
// nanoseconds; false if it claims something else.
func (c *Claim) Bound() (of Reference, below float64, some bool) {
	if c.second != nil || c.right != nil || c.comparison != "<" && c.comparison != "<=" {
		return Reference{}, 0, false
	}
	return c.left, c.number.value(), c.unit == c.left.Unit()
}

// Capped returns the figures that break the claim if they are greater.
func (c *Claim) Capped() (list []Reference) {
	figures := c.Figures()
	if slices.Contains([]string{"<", "<=", "=="}, c.comparison) {
		list = append(list, figures[0])
	}
	if slices.Contains([]string{">", ">=", "=="}, c.comparison) {
		list = append(list, figures[1:]...)
	}
	return list
}

// String returns the claim in its canonical form, which parses to the same claim.
func (c *Claim) String() string {
	parts := []string{c.left.String()}
	if c.second != nil {
		parts = append(parts, c.joint, c.second.String())
	}
	parts = append(parts, c.comparison)
	switch {
	case c.right == nil:
		parts = append(parts, c.number.String())
	case c.factor.digits != "":
		parts = append(parts, c.factor.String(), "*", c.right.String())
	default:
		parts = append(parts, c.right.String())
	}
	return strings.Join(parts, " ")
}

// ClaimMetric is a figure by which live runs are compared. It is immutable and safe for concurrent use.
type ClaimMetric struct {
	Figure Reference
	// Unit is that of its values: a count that is a part of something is compared as its share, which does not grow
	// with the run.
	Unit Unit
	// Higher says that higher values are better; otherwise lower ones are.
	Higher bool
	// Floor is the least value, in the unit, that differs from nothing.
	Floor float64
}

// ParseClaimMetric reads a figure by which runs are compared, such as "p99(get)". The
// error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseClaimMetric(text string) (ClaimMetric, error) {
	return parse(text, exampleFigure, func(p *parser) ClaimMetric {
		of := p.onlyFigure()
		switch {
		case !slices.Contains(ClaimMetrics(), of.Name):
			p.fail(of.Offset, "%s cannot be compared in live runs; expected one of %s", of.Name, strings.Join(ClaimMetrics(), ", "))
		case of.Part != Whole:
			p.fail(of.Offset, "%s of a partition or account is not always recorded; expected an operation or phase", of.Name)
		}
		d, _ := Find(of.Name)
		m := ClaimMetric{Figure: of, Unit: d.Unit, Higher: d.Better == Higher, Floor: 0.01}
		if d.Part {
			m.Unit = Share
		}
		switch m.Unit {
		case Nanoseconds:
			m.Floor = 1000 // a microsecond, the resolution of times
		case Share:
			m.Floor = 0.001 // a peak that loses less is sustained
		}
		return m
	})
}

// ClaimMetrics returns the names of the figures by which runs can be compared, in the order of [Names]: every run has
// them, and they have a better direction.
func ClaimMetrics() []string {
	var names []string
	for _, d := range registry {
		if d.Better != Neither && (d.Scope != OfRun || d.Times != "") {
			names = append(names, d.Name)
		}
	}
	return names
}

// String returns the metric in its canonical form.
func (m ClaimMetric) String() string { return m.Figure.String() }

// Format prints a value of the metric with its unit.
func (m ClaimMetric) Format(value float64) string {
	switch m.Unit {
	case Nanoseconds:
		return fmt.Sprintf("%.3g ms", value/1e6)
	case Share:
		return fmt.Sprintf("%.3g%%", value*100)
	case PerSecond:
		return fmt.Sprintf("%.0f/s", value)
	default:
		return fmt.Sprintf("%.3g", value)
	}
}

// MaxClaimLength is the maximum length of a claim in bytes.
const MaxClaimLength = 4096

// ParseClaim reads a claim. The error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseClaim(text string) (*Claim, error) {
	return parse(text, "p99(get) < 20ms or similar", func(p *parser) *Claim {
		c := &Claim{left: p.figure()}
		if c.joint = p.acceptAny("/", "-"); c.joint != "" {
			c.second = new(p.figure())
		}
		at := p.skipSpace()
		if c.comparison = p.acceptAny("<=", ">=", "==", "!=", "<", ">"); c.comparison == "" {
			p.fail(p.at, "%s is no comparison; expected <, <=, >, >=, == or !=", p.next())
		}
		limit := p.skipSpace()
		p.right(c)
		p.end("claim")
		p.units(c, limit)
		p.exact(c, at)
		return c
	})
}

// ParseFigure reads a figure without a comparison, such as p99(get). The error is a [*ClaimFault], which wraps
// [ErrClaimSyntax].
func ParseFigure(text string) (Reference, error) {
	return parse(text, exampleFigure, (*parser).onlyFigure)
}

const exampleFigure = "a figure such as p99(get)"

// parser reads a text from left to right. Its methods panic with a [*ClaimFault], which parse returns.
type parser struct {
	text string
	at   int
}

// parse calls read with a parser of a text.
func parse[T any](text, example string, read func(*parser) T) (value T, err error) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case *ClaimFault:
			err = fault
		default:
			panic(fault)
		}
	}()
	p := &parser{text: text}
	if len(text) > MaxClaimLength || !utf8.ValidString(text) {
		p.fail(0, "text exceeds %d bytes, or is no UTF-8; expected %s", MaxClaimLength, example)
	}
	return read(p), nil
}

// fail ends the parsing with a fault at an offset.
func (p *parser) fail(at int, format string, args ...any) {
	panic(&ClaimFault{Offset: at, What: fmt.Sprintf(format, args...)})
}

// end fails unless the text ends here.
func (p *parser) end(what string) {
	if p.skipSpace() < len(p.text) {
		p.fail(p.at, "%s follows the %s; expected its end", p.next(), what)
	}
}

// skipSpace skips white space and returns the offset behind it.
func (p *parser) skipSpace() int {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\n\r"))
	return p.at
}

// match skips what a form matches, and returns its offset and its text.
func (p *parser) match(form *regexp.Regexp) (at int, text string) {
	at = p.skipSpace()
	text = form.FindString(p.text[at:])
	p.at += len(text)
	return at, text
}

// acceptAny skips the first of some words that follows, and returns it; "" if none does.
func (p *parser) acceptAny(words ...string) string {
	at := p.skipSpace()
	for _, word := range words {
		if strings.HasPrefix(p.text[at:], word) {
			p.at += len(word)
			return word
		}
	}
	return ""
}

func (p *parser) accept(word string) bool { return p.acceptAny(word) != "" }

// next returns the next character for a message.
func (p *parser) next() string {
	if p.skipSpace() == len(p.text) {
		return "the end"
	}
	c, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return "the character " + strconv.QuoteRune(c)
}

// The forms of the parts of a claim.
var (
	nameForm   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]*`)
	digitsForm = regexp.MustCompile(`^[0-9][0-9.]*`)
	unitForm   = regexp.MustCompile(`^[\pL%/]*`)
	wordsForm  = regexp.MustCompile(`^[^,()"]*`)
	quotedForm = regexp.MustCompile(`^"([^"]|"")*("|$)`)
)

// right reads the right side of a claim.
func (p *parser) right(c *Claim) {
	var isNumber bool
	if c.number, isNumber = p.number(); isNumber {
		star := p.skipSpace()
		if !p.accept("*") {
			return
		}
		if c.number.suffix != "" || c.number.value() <= 0 {
			p.fail(star, "%s is multiplied; expected a number above 0 before *", c.number)
		}
		c.factor, c.number = c.number, number{}
	} else if !nameForm.MatchString(p.text[p.skipSpace():]) {
		p.fail(p.at, "%s is no limit; expected a number with unit, such as 20ms, 1%% or 2000, or a figure", p.next())
	}
	c.right = new(p.figure())
}

func (p *parser) onlyFigure() Reference {
	f := p.figure()
	p.end("figure")
	return f
}

const noCounter = "%s is a workflow's count; expected an operation and its name, such as counter(look, both)"

func (p *parser) figure() Reference {
	at, name := p.match(nameForm)
	k, known := Find(name)
	switch {
	case name == "":
		p.fail(at, "%s is no figure; expected p99(get), throttled or similar", p.next())
	case !known:
		if i := slices.IndexFunc(renamed, func(one [2]string) bool { return one[0] == name }); i >= 0 {
			p.fail(at, "%s is called %s now; expected that name", name, renamed[i][1])
		}
		// The caller suggests the nearest name.
		panic(&ClaimFault{Offset: at, What: fmt.Sprintf("unknown figure %.40q", name), Name: name})
	}
	f := Reference{Name: name, Offset: at}
	if p.accept("(") {
		p.arguments(&f, k)
	} else if k.Scope == OfCounter {
		p.fail(at, noCounter, name)
	}
	return f
}

// maxDigits is the maximum number of digits of a number: 15 survive a float64.
const maxDigits = 15

// number reads a number with its unit, and returns false if none follows.
func (p *parser) number() (number, bool) {
	at, digits := p.match(digitsForm)
	if digits == "" {
		return number{}, false
	}
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil || len(strings.Replace(digits, ".", "", 1)) > maxDigits || strings.HasSuffix(digits, ".") {
		p.fail(at, "%.40q is no number; expected at most %d digits, such as 1.5", digits, maxDigits)
	}
	at, written := p.match(unitForm)
	n := number{strconv.FormatFloat(value, 'f', -1, 64), strings.NewReplacer("µ", "u", "μ", "u").Replace(written)}
	if n.parsedSuffix().times == 0 {
		p.fail(at, "unknown unit %.40q; expected ns, us, ms, s, m, h, %% or /s, or none", written)
	}
	return n, true
}

// units sets the unit in which the claim compares, and fails if its parts have none in common. The limit is at an
// offset of the text.
func (p *parser) units(c *Claim, limit int) {
	k, _ := Find(c.left.Name)
	units := []Unit{k.Unit}
	switch {
	case c.second != nil && c.second.Unit() != k.Unit:
		p.fail(c.second.Offset, "%s is %s, %s is %s; expected one unit", k.Name, k.Unit, c.second.Name, c.second.Unit())
	case c.joint == "/":
		units = []Unit{Ratio, Share}
	case c.joint == "":
		if k.Unit == Count && k.Scope == OfOperations {
			units = append(units, PerSecond)
		}
		if k.Part {
			units = append(units, Share)
		}
	}
	c.unit = units[0]
	if c.right != nil {
		if own := c.right.Unit(); own != c.unit {
			p.fail(c.right.Offset, "%s is %s, its limit %s; expected one unit", c.right.Name, own, c.unit)
		}
		return
	}
	if c.number.suffix != "" || c.unit == Nanoseconds {
		c.unit = c.number.parsedSuffix().unit
	}
	if !slices.Contains(units, c.unit) {
		var examples []string
		for _, unit := range units {
			examples = append(examples, [...]string{"a number (2)", "a time (20ms)", "a share (1%)", "a rate (500/s)", "a number (2)"}[unit])
		}
		expected := strings.Join(examples, " or ")
		if k.Name == "throttled" && c.unit == Nanoseconds {
			expected += ", or the time throttled_from" // its former name was throttled
		}
		p.fail(limit, "%s is no limit for %s; expected %s", c.number, k.Name, expected)
	}
}

// exact fails if the claim compares anything but whole counts by == or !=.
func (p *parser) exact(c *Claim, at int) {
	isWhole := c.number.isWhole() && c.number.suffix == ""
	if c.right != nil {
		isWhole = c.factor.isWhole()
	}
	if (c.comparison == "==" || c.comparison == "!=") && (c.unit != Count || !isWhole) {
		p.fail(at, "%s is for whole counts; expected <, <=, > or >=", c.comparison)
	}
}

// arguments reads the names in parentheses, and fails if the figure does not take them.
func (p *parser) arguments(f *Reference, k Definition) {
	names := []argument{p.argument()}
	for !p.accept(")") {
		if at := p.skipSpace(); !p.accept(",") {
			p.fail(at, "%s follows within the parentheses of %s; expected ) or a comma", p.next(), f.Name)
		}
		names = append(names, p.argument())
	}
	first := names[0]
	switch {
	case len(names) > 2:
		p.fail(names[2].at, "%s has three names; expected at most operation and phase", f.Name)
	case k.Scope == OfRun && !(len(names) == 1 && first.isAny()):
		p.fail(first.at, "%s covers the whole run; expected no name", f.Name)
	case k.Scope == OfCounter && (len(names) != 2 || first.isAny() || names[1].isAny()):
		p.fail(first.at, noCounter, f.Name)
	case k.Scope == OfCounter:
		p.name(&f.Operation, &f.OperationOffset, first)
		p.name(&f.Counter, &f.CounterOffset, names[1])
	case k.Scope == OfLoad && first.part(k) != Whole:
		if f.Part = first.part(k); f.Part == Partition {
			f.Key = first.text
		}
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

// name stores an argument as a name; * leaves it empty.
func (p *parser) name(into *string, offset *int, a argument) {
	if a.quoted {
		p.fail(a.at, "unexpected PartitionKey in quotes; expected an operation or phase, or offered or served")
	}
	if !a.isAny() {
		*into, *offset = a.text, a.at
	}
}

// argument is a name in parentheses, or a PartitionKey in quotes.
type argument struct {
	at     int
	text   string
	quoted bool
}

func (a argument) isAny() bool { return a.text == "*" && !a.quoted }

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

// maxKey is the maximum length of a PartitionKey in bytes, as at the service.
const maxKey = 1024

func (p *parser) argument() argument {
	at, key := p.match(quotedForm)
	if key == "" {
		_, words := p.match(wordsForm)
		words = strings.Join(strings.Fields(words), " ")
		if words == "" {
			p.fail(at, "missing name; expected an operation, a phase, or *")
		}
		return argument{at: at, text: words}
	}
	if strings.Count(key, `"`)%2 > 0 {
		p.fail(at, "PartitionKey without closing quote; expected one")
	}
	key = strings.ReplaceAll(key[1:len(key)-1], `""`, `"`)
	if len(key) > maxKey || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' }) {
		p.fail(at, "PartitionKey exceeds %d bytes or has a control character; expected a valid one", maxKey)
	}
	return argument{at: at, text: key, quoted: true}
}

// number is a number of a claim with its unit: its shortest decimals, and the unit as written, empty for a plain one.
type number struct{ digits, suffix string }

// value returns the number: a time in nanoseconds, a percentage as a share of one. The power of ten is applied to the
// decimals, so that 0.1% equals 1/1000.
func (n number) value() float64 {
	s := n.parsedSuffix()
	value, err := strconv.ParseFloat(n.digits+"e"+strconv.Itoa(s.exponent), 64)
	if err != nil {
		panic("figure: invalid number: " + err.Error())
	}
	return value * s.times
}

// String returns the number as it is written.
func (n number) String() string { return n.digits + n.suffix }

func (n number) isWhole() bool { return !strings.Contains(n.digits, ".") }

// suffix is a unit as it is written: the value is times × number × 10^exponent.
type suffix struct {
	name     string
	exponent int
	times    float64
	unit     Unit
}

// parsedSuffix returns the unit of the number, with times 0 for an unknown one. A plain number is a [Ratio].
func (n number) parsedSuffix() suffix {
	for _, s := range []suffix{
		{"", 0, 1, Ratio},
		{"ns", 0, 1, Nanoseconds}, {"us", 3, 1, Nanoseconds}, {"ms", 6, 1, Nanoseconds}, {"s", 9, 1, Nanoseconds},
		{"m", 9, 60, Nanoseconds}, {"h", 9, 3600, Nanoseconds},
		{"%", -2, 1, Share}, {"/s", 0, 1, PerSecond},
	} {
		if s.name == n.suffix {
			return s
		}
	}
	return suffix{unit: Ratio}
}

// ErrClaimSyntax is wrapped by every [ClaimFault].
var ErrClaimSyntax = errors.New("figure: no such claim")

// ClaimFault describes what is wrong with a claim, and where.
type ClaimFault struct {
	// Offset is the byte of the text at which it shows.
	Offset int
	// What says what was found and what was expected.
	What string
	// Name is an unknown figure, so that the caller may suggest the nearest of [Names]; empty for any other fault.
	Name string
}

// Error returns what is wrong, with the known names if one is unknown.
func (f *ClaimFault) Error() string {
	what := f.What
	if f.Name != "" {
		what += "; expected one of " + strings.Join(Names(), ", ")
	}
	return fmt.Sprintf("byte %d: %s", f.Offset, what)
}

// Unwrap returns [ErrClaimSyntax].
func (f *ClaimFault) Unwrap() error { return ErrClaimSyntax }

// renamed has the former names of figures, each with the name of today.
var renamed = [][2]string{
	{"refused", "throttled"},
	{"relieved", "relieved_after"},
	{"lost", "share_lost"},
	{"doubled", "doubled_writes"},
	{"unknown", "unknown_writes"},
	{"faults", "violations"},
	{"tally", "counter"},
	{"attempts", "tries"},
}
