package wire

import (
	"encoding/xml"
	"io"
	"strings"

	"loadgen/engine/entity"
)

// The codes for XML that is well-formed, but not what was to be said.
const (
	InvalidXMLNodeValue    entity.Code = "InvalidXmlNodeValue"
	MissingRequiredXMLNode entity.Code = "MissingRequiredXmlNode"
	UnsupportedXMLNode     entity.Code = "UnsupportedXmlNode"
)

// xmlNode is an element: its text, or what is in it. The strings are copies.
type xmlNode struct {
	name     string
	text     string
	children []xmlNode
}

// maxXMLNodes and maxXMLDepth bound a document: none that means anything has
// more, and maxXMLText, in bytes, bounds how much of one is looked at.
const (
	maxXMLNodes = 256
	maxXMLDepth = 8
	maxXMLText  = 64 << 10
)

// parseXML reads a document whose root is called so, and says in one line what
// is wrong with it otherwise. Attributes, comments and name spaces do not matter.
func parseXML(text, root string) (xmlNode, string) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if len(text) > maxXMLText {
		return xmlNode{}, "document too long"
	}
	r := xmlReader{decoder: xml.NewDecoder(strings.NewReader(text))}
	top := xmlNode{}
	switch r.read(&top, 0); {
	case r.fault != "":
		return xmlNode{}, r.fault
	case strings.TrimSpace(top.text) != "" || len(top.children) != 1 || top.children[0].name != root:
		return xmlNode{}, "document must be one <" + root + ">"
	}
	return top.children[0], ""
}

// xmlReader builds the tree of a document.
type xmlReader struct {
	decoder *xml.Decoder
	nodes   int
	fault   string
}

// read reads what is in an element, up to its end.
func (r *xmlReader) read(node *xmlNode, depth int) {
	for r.fault == "" {
		token, err := r.decoder.Token()
		if err == io.EOF && depth == 0 {
			return
		}
		if err != nil {
			r.fault = "document not well-formed"
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			if r.nodes++; r.nodes > maxXMLNodes || depth == maxXMLDepth {
				r.fault = "too many elements"
				return
			}
			node.children = append(node.children, xmlNode{name: t.Name.Local})
			r.read(&node.children[len(node.children)-1], depth+1)
		case xml.CharData:
			node.text += string(t)
		case xml.Directive:
			r.fault = "document type not allowed"
		case xml.EndElement:
			if len(node.children) > 0 && strings.TrimSpace(node.text) != "" {
				r.fault = "<" + node.name + "> mixes text and elements"
			}
			return
		}
	}
}

// child returns the first child of a name, nil for none.
func (n *xmlNode) child(name string) *xmlNode {
	for i := range n.children {
		if n.children[i].name == name {
			return &n.children[i]
		}
	}
	return nil
}

// value returns the text of the child of a name, and false where there is no
// such child, or elements in it.
func (n *xmlNode) value(name string) (string, bool) {
	child := n.child(name)
	if child == nil || len(child.children) > 0 {
		return "", false
	}
	return child.text, true
}

// xmlDeclaration begins each document, after a byte order mark, as the service
// has it.
const xmlDeclaration = byteOrderMark + `<?xml version="1.0" encoding="utf-8"?>`

// appendXMLElement appends an element with nothing but text in it.
func appendXMLElement(dst []byte, name, text string) []byte {
	dst = append(append(append(dst, '<'), name...), '>')
	dst = appendXMLText(dst, text)
	return append(append(append(dst, "</"...), name...), '>')
}
