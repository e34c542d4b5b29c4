package wire

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// MaxPolicies is how many stored access policies a table has at most.
const MaxPolicies = 5

// SignedIdentifier is a stored access policy of a table and its name.
type SignedIdentifier struct {
	ID     string
	Policy AccessPolicy
}

// AccessPolicy is what shared access signatures that name it allow. What it
// leaves out they say themselves.
type AccessPolicy struct {
	// Start and Expiry are 0 where it does not say.
	Start, Expiry entity.Ticks
	// Permissions are letters of raud, none where it does not say.
	Permissions string
}

// maxIdentifier is in characters.
const maxIdentifier = 64

// permissionLetters are what can be allowed: to read, add, update and delete.
const permissionLetters = "raud"

// ParsePolicies reads the access policies of a table, as clients set them: XML.
// An empty text is none of them. The code is OK, or else with one line of
// detail InvalidXmlDocument or one of this package's. The strings are copies.
func ParsePolicies(text string) ([]SignedIdentifier, entity.Code, string) {
	if strings.TrimSpace(strings.TrimPrefix(text, byteOrderMark)) == "" {
		return nil, entity.OK, ""
	}
	const root, element = "SignedIdentifiers", "SignedIdentifier"
	document, fault := parseXML(text, root)
	if fault != "" {
		return nil, entity.InvalidXMLDocument, fault
	}
	var s settings
	var all []SignedIdentifier
	for i := range document.Children {
		node := &document.Children[i]
		if node.XMLName.Local != element {
			s.fail(UnsupportedXMLNode, "<"+root+"> has an unknown element")
		}
		one := s.identifier(node)
		if slices.ContainsFunc(all, func(other SignedIdentifier) bool { return other.ID == one.ID }) {
			s.fail(entity.InvalidXMLDocument, "repeated Id")
		}
		all = append(all, one)
	}
	if len(all) > MaxPolicies {
		s.fail(entity.InvalidXMLDocument, fmt.Sprintf("at most %d access policies", MaxPolicies))
	}
	if s.code != entity.OK {
		return nil, s.code, s.detail
	}
	return all, entity.OK, ""
}

func (s *settings) identifier(n *xmlNode) (one SignedIdentifier) {
	s.only(n, "Id", "AccessPolicy")
	one.ID, _ = n.value("Id")
	if one.ID == "" || utf8.RuneCountInString(one.ID) > maxIdentifier {
		s.fail(entity.InvalidXMLDocument, fmt.Sprintf("Id has 1 to %d characters", maxIdentifier))
	}
	policy := n.child("AccessPolicy")
	if policy == nil {
		return one
	}
	s.only(policy, "Start", "Expiry", "Permission")
	one.Policy.Start = s.instant(policy, "Start")
	one.Policy.Expiry = s.instant(policy, "Expiry")
	permissions, _ := policy.value("Permission")
	one.Policy.Permissions = strings.TrimSpace(permissions)
	for i, letter := range one.Policy.Permissions {
		if !strings.ContainsRune(permissionLetters, letter) || strings.ContainsRune(one.Policy.Permissions[:i], letter) {
			s.fail(InvalidXMLNodeValue, "Permission allows only "+permissionLetters+", each once")
		}
	}
	return one
}

// instant returns the instant in the child of a name, 0 if there is no such child or nothing in it.
func (s *settings) instant(n *xmlNode, name string) entity.Ticks {
	text, _ := n.value(name)
	if text = strings.TrimSpace(text); text == "" && (n.child(name) == nil || len(n.child(name).Children) == 0) {
		return 0
	}
	t, valid := ParseAccessTime(text)
	if !valid {
		s.fail(InvalidXMLNodeValue, "Start and Expiry must be UTC dates")
	}
	return t
}

// AppendPolicies appends the XML that shows the access policies of a table.
// Times have seven digits of fraction; what a policy leaves out is left out.
func AppendPolicies(dst []byte, all []SignedIdentifier) []byte {
	dst = append(dst, xmlDeclaration+"<SignedIdentifiers>"...)
	for _, one := range all {
		dst = append(dst, "<SignedIdentifier>"...)
		dst = appendXMLElement(dst, "Id", one.ID)
		if p := &one.Policy; *p != (AccessPolicy{}) {
			dst = append(dst, "<AccessPolicy>"...)
			dst = appendXMLInstant(dst, "Start", p.Start)
			dst = appendXMLInstant(dst, "Expiry", p.Expiry)
			if p.Permissions != "" {
				dst = appendXMLElement(dst, "Permission", p.Permissions)
			}
			dst = append(dst, "</AccessPolicy>"...)
		}
		dst = append(dst, "</SignedIdentifier>"...)
	}
	return append(dst, "</SignedIdentifiers>"...)
}

// appendXMLInstant appends an element with an instant, nothing for 0.
func appendXMLInstant(dst []byte, name string, t entity.Ticks) []byte {
	if t == 0 {
		return dst
	}
	return appendXMLElement(dst, name, string(appendStamp(nil, t)))
}
