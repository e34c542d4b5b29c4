package html

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
)

// What a picture may be made of. Nothing here runs, loads or leads anywhere.
var (
	shapes = []string{"svg", "g", "defs", "clipPath", "title", "desc", "path", "rect", "line", "circle",
		"ellipse", "polyline", "polygon", "text", "tspan", "image", "linearGradient", "stop"}
	// properties are what a shape may be told, be it by an attribute or by a style.
	properties = []string{"fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity",
		"stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity",
		"font-family", "font-size", "font-style", "font-variant", "font-weight", "text-anchor",
		"dominant-baseline", "clip-path", "clip-rule", "stop-color", "stop-opacity", "image-rendering"}
	measures = []string{"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height", "d", "points",
		"transform", "offset", "textLength", "lengthAdjust", "preserveAspectRatio", "gradientUnits", "gradientTransform", "clipPathUnits", "role", "aria-hidden"}
	// within is the only way in which a property refers to something: to a part of the
	// same picture, by its identifier.
	within = regexp.MustCompile(`^url\(#([A-Za-z][A-Za-z0-9_-]*)\)$`)
	// plain are values without references: numbers, words, colours, also by name.
	plain = regexp.MustCompile(`^(var\(--[a-z0-9-]+(, ?#[0-9A-Fa-f]{3,8})?\)|[-#%., '"A-Za-z0-9]*|rgba?\([0-9., %]+\))$`)
	name  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	png   = regexp.MustCompile(`^data:image/png;base64,[A-Za-z0-9+/=\s]*$`)
)

// inline returns an SVG file as a part of a page: put together anew of what a picture
// may hold, its identifiers behind the prefix, its styles turned into attributes, since
// the page's policy forbids style attributes: to allow them for pictures would be to
// allow them for whatever else got in. Anything else in it is an error.
func inline(file []byte, prefix string) ([]byte, error) {
	copied := copier{prefix: prefix + "-"}
	decoder := xml.NewDecoder(bytes.NewReader(file))
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := copied.take(token); err != nil {
			return nil, err
		}
	}
	if len(copied.open) > 0 || !copied.closed {
		return nil, errors.New("it is not one whole SVG element")
	}
	return copied.made.Bytes(), nil
}

// copier puts a picture together.
type copier struct {
	prefix string
	made   bytes.Buffer
	open   []string
	// closed says that the picture is over, naming that the token belongs to its title.
	closed, naming bool
	// said are the attributes that the element has so far.
	said map[string]bool
}

func (c *copier) take(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		return c.begin(token)
	case xml.EndElement:
		return c.end(token.Name.Local)
	case xml.CharData:
		if len(c.open) > 0 && !c.naming {
			template.HTMLEscape(&c.made, []byte(words(string(token))))
		}
	case xml.ProcInst:
		if token.Target != "xml" {
			return fmt.Errorf("it holds the instruction %q", token.Target)
		}
	case xml.Directive:
		if !bytes.HasPrefix(token, []byte("DOCTYPE svg")) || bytes.ContainsAny(token, "[<") {
			return errors.New("it declares more than that it is an SVG")
		}
	}
	return nil // comments are left out
}

func (c *copier) begin(e xml.StartElement) error {
	if e.Name.Space != "" || !slices.Contains(shapes, e.Name.Local) {
		return fmt.Errorf("it holds an element %q; want one of %s", e.Name.Local, strings.Join(shapes, ", "))
	}
	if outermost := len(c.open) == 0; outermost != (e.Name.Local == "svg") || outermost && c.closed {
		return errors.New("it is not one SVG element")
	}
	if within := len(c.open); within > 0 && (c.open[within-1] == "title" || c.open[within-1] == "desc") {
		// A browser would take it for an element of the page.
		return fmt.Errorf("it holds an element %q within words", e.Name.Local)
	}
	c.open = append(c.open, e.Name.Local)
	if c.naming = c.named(); c.naming {
		return nil
	}
	c.made.WriteString("<" + e.Name.Local)
	c.said = make(map[string]bool)
	// What a style says counts for more than what an attribute does.
	for _, a := range e.Attr {
		if a.Name.Local == "style" {
			if err := c.style(a.Value); err != nil {
				return err
			}
		}
	}
	if len(c.open) == 1 {
		if err := c.frame(e.Attr); err != nil {
			return err
		}
	} else {
		for _, a := range e.Attr {
			if err := c.attribute(e.Name.Local, a); err != nil {
				return err
			}
		}
	}
	c.made.WriteString(">")
	return nil
}

// named says that the innermost element is the picture's own title or description: the
// page has the same words beside it, and a browser would show these wherever a pointer
// rests.
func (c *copier) named() bool {
	return len(c.open) == 2 && (c.open[1] == "title" || c.open[1] == "desc")
}

func (c *copier) end(element string) error {
	if len(c.open) == 0 || c.open[len(c.open)-1] != element {
		return fmt.Errorf("it closes %q, which is not open", element)
	}
	if !c.named() {
		c.made.WriteString("</" + element + ">")
	}
	c.open = c.open[:len(c.open)-1]
	c.closed, c.naming = len(c.open) == 0, false
	return nil
}

// frame writes the attributes of the outermost element: the page sets size and name.
func (c *copier) frame(attributes []xml.Attr) error {
	view := ""
	size := map[string]string{}
	for _, a := range attributes {
		switch a.Name.Local {
		case "viewBox":
			view = a.Value
		case "width", "height":
			size[a.Name.Local] = strings.TrimRight(a.Value, "ptx")
		}
	}
	if view == "" {
		view = "0 0 " + size["width"] + " " + size["height"]
	}
	if !regexp.MustCompile(`^[-0-9.]+( [-0-9.]+){3}$`).MatchString(view) {
		return fmt.Errorf("its viewBox is %q; want four numbers", view)
	}
	c.write("viewBox", view)
	c.write("role", "img")
	c.write("aria-labelledby", c.prefix+"name")
	c.write("aria-describedby", c.prefix+"says")
	return nil
}

func (c *copier) attribute(element string, a xml.Attr) error {
	key := a.Name.Local
	switch {
	case key == "href" && element == "image":
		if !png.MatchString(a.Value) {
			return errors.New("an image in it is not an embedded PNG")
		}
		c.write("href", a.Value)
	case a.Name.Space == "xmlns", key == "xmlns", a.Name.Space == "xml", key == "class", key == "style":
	case key == "id":
		if !name.MatchString(a.Value) {
			return fmt.Errorf("it holds the identifier %q", a.Value)
		}
		c.write("id", c.prefix+a.Value)
	case a.Name.Space == "" && slices.Contains(measures, key):
		c.write(key, a.Value)
	case a.Name.Space == "" && slices.Contains(properties, key):
		return c.property(key, a.Value)
	default:
		return fmt.Errorf("an element %q in it has an attribute %q", element, key)
	}
	return nil
}

// style writes the properties of a style attribute as attributes of their own. Both mean
// the same where no style sheet speaks of the element, and that of the page does not.
func (c *copier) style(value string) error {
	for part := range strings.SplitSeq(value, ";") {
		key, v, _ := strings.Cut(part, ":")
		if key = strings.TrimSpace(key); key == "" {
			continue
		}
		if !slices.Contains(properties, key) {
			return fmt.Errorf("it is styled by %q", key)
		}
		if err := c.property(key, strings.TrimSpace(v)); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) property(key, value string) error {
	if part := within.FindStringSubmatch(value); part != nil {
		value = "url(#" + c.prefix + part[1] + ")"
	} else if !plain.MatchString(value) {
		return fmt.Errorf("its %s is %q", key, value)
	}
	c.write(key, value)
	return nil
}

// write writes an attribute unless the element has it already.
func (c *copier) write(key, value string) {
	if c.said[key] {
		return
	}
	c.said[key] = true
	c.made.WriteString(" " + key + `="` + template.HTMLEscapeString(value) + `"`)
}
