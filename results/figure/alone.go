package figure

import (
	"unicode/utf8"
)

// ParseFigure reads a figure that stands alone, such as p99(get): what runs are
// compared by, rather than held to. The error is a [*ClaimFault], which wraps [ErrClaimSyntax].
func ParseFigure(text string) (Reference, error) {
	p := &parser{text: text}
	if len(text) > MaxClaimLength || !utf8.ValidString(text) {
		p.fail(0, "the text is longer than %d bytes, or no UTF-8; expected a figure such as p99(get)", MaxClaimLength)
		return Reference{}, p.fault
	}
	f := p.figure()
	if p.space(); p.fault == nil && p.at < len(p.text) {
		p.fail(p.at, "%s stands after the figure; expected its end", p.next())
	}
	if p.fault != nil {
		return Reference{}, p.fault
	}
	return f, nil
}
