package check

import (
	"unicode/utf8"

	"loadgen/results/figure"
)

// ParseFigure reads a figure that stands alone, such as p99(get): what runs are
// compared by, rather than held to. The error is a [*Fault], which wraps [ErrSyntax].
func ParseFigure(text string) (figure.Reference, error) {
	p := &parser{text: text}
	if len(text) > Longest || !utf8.ValidString(text) {
		p.fail(0, "the text is longer than %d bytes, or no UTF-8; expected a figure such as p99(get)", Longest)
		return figure.Reference{}, p.fault
	}
	f := p.figure()
	if p.space(); p.fault == nil && p.at < len(p.text) {
		p.fail(p.at, "%s stands after the figure; expected its end", p.next())
	}
	if p.fault != nil {
		return figure.Reference{}, p.fault
	}
	return f, nil
}
