package wire

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// AppendErrorXML appends the XML body of an error reply: what a request gets
// that has no form of its own, or one of XML. It begins with a byte order mark,
// as the service's does, and is in the name space of Atom's days, in which the
// table service has stayed where blobs and queues have moved on.
func AppendErrorXML(dst []byte, f *Failure) []byte {
	dst = append(dst, byteOrderMark+`<?xml version="1.0" encoding="utf-8"?>`+
		`<m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>`...)
	dst = appendXMLText(dst, string(f.Code))
	dst = append(dst, `</m:code><m:message xml:lang="en-US">`...)
	dst = appendXMLText(dst, f.Message)
	if f.RequestID != "" {
		dst = append(dst, "\nRequestId:"...)
		dst = appendXMLText(dst, f.RequestID)
	}
	if f.Time != 0 {
		dst = append(dst, "\nTime:"...)
		dst = appendStamp(dst, f.Time)
	}
	return append(dst, `</m:message></m:error>`...)
}

// appendXMLText appends text that stands between two tags. Characters that XML
// 1.0 cannot hold at all become U+FFFD.
func appendXMLText(dst []byte, s string) []byte {
	for _, r := range s {
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '<':
			dst = append(dst, "&lt;"...)
		case r == '>':
			dst = append(dst, "&gt;"...)
		case r == '\r':
			dst = append(dst, "&#xD;"...)
		case r < ' ' && r != '\n' && r != '\t', r == '\ufffe', r == '\uffff':
			dst = utf8.AppendRune(dst, utf8.RuneError)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// maxErrorTags bounds how far into an XML body an error is looked for.
const maxErrorTags = 64

// readXML reads up to the first fault. The names are capitalised in the form of
// blobs and queues and not in that of tables; a name space does not matter.
func (e *errorText) readXML(text string) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	depth, within := 0, ""
	for range maxErrorTags {
		token, err := decoder.Token()
		if err != nil {
			return
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			if depth == 1 && !strings.EqualFold(t.Name.Local, "error") {
				return
			}
			within = ""
			if depth == 2 {
				within = strings.ToLower(t.Name.Local)
				e.found = e.found || within == "code" || within == "message"
			}
		case xml.EndElement:
			depth--
			within = ""
		case xml.CharData:
			switch within {
			case "code":
				e.code += strings.TrimSpace(string(t))
			case "message":
				e.message += string(t)
			}
		}
	}
}
