package wire

import (
	"encoding/xml"
	"errors"
	"slices"
	"strings"

	"loadgen/engine/entity"
)

// The codes for well-formed XML with invalid contents.
const (
	InvalidXMLNodeValue    entity.Code = "InvalidXmlNodeValue"
	MissingRequiredXMLNode entity.Code = "MissingRequiredXmlNode"
	UnsupportedXMLNode     entity.Code = "UnsupportedXmlNode"
)

// xmlNode is an element: its text and its children. The strings are copies.
type xmlNode struct {
	XMLName  xml.Name
	Text     string    `xml:",chardata"`
	Children []xmlNode `xml:",any"`
}

// maxXMLText is the maximum length of a document in bytes.
const maxXMLText = 64 << 10

// errDocumentType reports a document type, an entity or another declaration that begins with "<!".
var errDocumentType = errors.New("document type not allowed")

// declarationRefuser is the tokens of a document up to the first declaration.
type declarationRefuser struct{ *xml.Decoder }

// Token implements [xml.TokenReader].
func (r declarationRefuser) Token() (xml.Token, error) {
	token, err := r.RawToken()
	if _, is := token.(xml.Directive); is {
		return nil, errDocumentType
	}
	return token, err
}

// parseXML reads a document with a root of a name; the fault is one line, empty for none. Attributes, comments and
// name spaces do not matter.
func parseXML(text, root string) (top xmlNode, fault string) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if len(text) > maxXMLText {
		return top, "document too long"
	}
	// An element around the document shows what is outside the root: comments are skipped, text is refused.
	text = "<document>" + text + "</document>"
	decoder := xml.NewDecoder(strings.NewReader(text))
	var document xmlNode
	switch err := xml.NewTokenDecoder(declarationRefuser{decoder}).Decode(&document); {
	case errors.Is(err, errDocumentType):
		return top, err.Error()
	case err != nil:
		return top, "document not well-formed"
	case len(document.Children) != 1 || document.Children[0].XMLName.Local != root || decoder.InputOffset() != int64(len(text)):
		return top, "document must be one <" + root + ">"
	case document.mixesText():
		return top, "an element mixes text and elements"
	}
	return document.Children[0], ""
}

// mixesText reports whether the element, or one in it, has both text and elements.
func (n *xmlNode) mixesText() bool {
	return len(n.Children) > 0 && strings.TrimSpace(n.Text) != "" || slices.ContainsFunc(n.Children, func(c xmlNode) bool { return c.mixesText() })
}

// child returns the first child of a name, nil for none.
func (n *xmlNode) child(name string) *xmlNode {
	for i := range n.Children {
		if n.Children[i].XMLName.Local == name {
			return &n.Children[i]
		}
	}
	return nil
}

// value returns the text of the child of a name, and false without such a child, or if it has elements.
func (n *xmlNode) value(name string) (string, bool) {
	child := n.child(name)
	if child == nil || len(child.Children) > 0 {
		return "", false
	}
	return child.Text, true
}

// xmlDeclaration begins each document, with the service's byte order mark.
const xmlDeclaration = byteOrderMark + `<?xml version="1.0" encoding="utf-8"?>`

// appendXMLElement appends an element with nothing but text in it.
func appendXMLElement(dst []byte, name, text string) []byte {
	dst = append(append(append(dst, '<'), name...), '>')
	dst = appendXMLText(dst, text)
	return append(append(append(dst, "</"...), name...), '>')
}
