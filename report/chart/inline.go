package chart

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg/draw"
)

type namedInk struct {
	colour ink
	name   string
}

// inks names the colours of the palette that a page can set. The target's is that of
// text.
func inks() []namedInk {
	return []namedInk{
		{servedInk, "served"}, {getInk, "get"}, {putInk, "put"}, {otherInk, "other"},
		{throttledInk, "throttled"}, {lostInk, "lost"}, {failedInk, "failed"}, {textInk, "text"},
		{fadedInk, "faded"}, {eventInk, "event"}, {nightInk, "night"}, {axisInk, "axis"}, {gridInk, "grid"}, {paperInk, "paper"},
	}
}

// hex writes a colour as CSS does.
func (i ink) hex() string { return fmt.Sprintf("#%06X", uint32(i)) }

// encodeInline draws the figure as an element of a page, without what the page says.
func encodeInline(f *figure) (template.HTML, error) {
	f.bare = true
	file, err := rawSVG(f, func(*draw.Canvas) {})
	if err != nil {
		return "", err
	}
	_, body, _ := bytes.Cut(file, []byte("1999/xlink\">\n"))
	// A text of the record holds no quotation mark that is not escaped.
	styled := regexp.MustCompile(`\s+style="([^"]*)"`)
	properties := make(map[string]string)
	for _, named := range inks() {
		properties[named.colour.hex()] = "var(--ink-" + named.name + "," + named.colour.hex() + ")"
	}
	body = styled.ReplaceAllFunc(body, func(match []byte) []byte {
		_, list, _ := bytes.Cut(match, []byte(`"`))
		// As attributes of their own the declarations of a style take variables as well, and are
		// no style to a content policy.
		var attributes []byte
		for declaration := range strings.SplitSeq(string(list[:len(list)-1]), ";") {
			property, value, _ := strings.Cut(declaration, ":")
			if named, is := properties[value]; is {
				value = named
			}
			switch property {
			case "font-variant", "font-style":
				continue // as they are by themselves
			case "font-family":
				value = fonts
			}
			attributes = fmt.Appendf(attributes, " %s=\"%s\"", property, value)
		}
		return attributes
	})
	wide, tall := f.size()
	class := ""
	if wide > narrow {
		class = ` class="wide"`
	}
	return template.HTML(fmt.Sprintf("<svg%s role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %v %v\" "+
		"xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n%s",
		class, html.EscapeString(f.title), float64(wide), float64(tall), body)), nil
}
