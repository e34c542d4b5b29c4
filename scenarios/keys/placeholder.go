package keys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/nearest"
)

// parsePlaceholder parses the text between two braces, whose first
// character is at an offset: an attribute or a call, and a format after a colon.
func parsePlaceholder(inner string, at int, named func(string) bool) (part, error) {
	value, format, formatted := strings.Cut(inner, ":")
	p := part{attribute: value}
	if strings.ContainsAny(value, "()") && !(named(value) && !isCall(value)) {
		if err := p.parseCall(value, at, named); err != nil {
			return part{}, err
		}
	} else if !named(value) {
		return part{}, &TemplateError{Offset: at, What: fmt.Sprintf("placeholder %s names no attribute; expected %s", nearest.Quote(value), nameForm)}
	}
	if !formatted {
		return p, nil
	}
	at += len(value) + 1
	known := []string{"05d"}
	for _, f := range timeFormats {
		known = append(known, f.name)
		if f.name != format {
			continue
		}
		if p.call.kind != asIs {
			return part{}, &TemplateError{Offset: at, What: fmt.Sprintf("%s formats times; expected none, or a padding such as 05d", format)}
		}
		p.format = f.transform
		return p, nil
	}
	width, isPadding := strings.CutSuffix(format, "d")
	digits, padsZeros := strings.CutPrefix(width, "0")
	if n, ok := readCount(digits, maxPadded); ok && isPadding && padsZeros {
		p.format = transform{toPadded, n}
		return p, nil
	}
	if _, err := strconv.Atoi(width); isPadding && err == nil {
		return part{}, &TemplateError{Offset: at, What: fmt.Sprintf("padding is %s; expected 01d to 0%dd", nearest.Quote(format), maxPadded)}
	}
	return part{}, &TemplateError{Offset: at, What: nearest.Unknown("format", format, known)}
}

// isCall reports whether a placeholder with brackets calls a function: Amount (USD) is a column.
func isCall(text string) bool {
	name, _, _ := strings.Cut(text, "(")
	return isName(name)
}

// parseCall reads a call such as hash(user,16).
func (p *part) parseCall(text string, at int, named func(string) bool) error {
	name, arguments, opened := strings.Cut(text, "(")
	list, closed := strings.CutSuffix(arguments, ")")
	switch {
	case !opened, !closed, strings.ContainsAny(list, "()"):
		return &TemplateError{Offset: at, What: fmt.Sprintf("%s is no call; expected %s or similar", nearest.Quote(text), functions[0].example)}
	}
	known := nearest.NamesOf(functions, func(f function) string { return f.name })
	which := slices.Index(known, name)
	if which < 0 {
		return &TemplateError{Offset: at, What: nearest.Unknown("function", name, known)}
	}
	f := functions[which]
	attribute, argument, two := strings.Cut(list, ",")
	inside := at + len(name) + 1
	if !named(attribute) {
		return &TemplateError{Offset: inside, What: fmt.Sprintf("%s is called with %s; expected an attribute, as in %s", name, nearest.Quote(attribute), f.example)}
	}
	p.attribute, p.call = attribute, transform{kind: f.kind}
	inside += len(attribute)
	if two != (f.most > 0) {
		return &TemplateError{Offset: inside, What: fmt.Sprintf("%s has %d arguments; expected %d, as in %s", name, 1+strings.Count(list, ","), 1+min(1, f.most), f.example)}
	}
	if !two {
		return nil
	}
	n, ok := readCount(argument, f.most)
	if !ok {
		return &TemplateError{Offset: inside + 1, What: fmt.Sprintf("%s is called with %s; expected 1 to %d, as in %s", name, nearest.Quote(argument), f.most, f.example)}
	}
	p.call.n = n
	return nil
}

// readCount reads a number from 1 to most, without a sign or a zero before it.
func readCount(text string, most int) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= most && strconv.Itoa(n) == text
}
