package wire

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// CORSRule lets web pages of some origins send some requests.
type CORSRule struct {
	// Origins are as browsers send them; an asterisk is for any.
	Origins []string
	Methods []string
	// MaxAge is how many seconds a browser may go by an answer.
	MaxAge int
	// Exposed are the headers of a reply that the page may read, Allowed those
	// that it may send. One that ends with an asterisk is for all that begin so.
	Exposed, Allowed []string
}

// The bounds of the rules: of their number, of each list, of each of its items.
const (
	mostRules        = 5
	mostListItems    = 64
	mostPrefixes     = 2
	longestListItem  = 256
	anyOrigin        = "*"
	longestCORSCache = math.MaxInt32
)

// corsMethods are those that a rule can name.
var corsMethods = [...]string{"DELETE", "GET", "HEAD", "MERGE", "OPTIONS", "PATCH", "POST", "PUT"}

func (s *settings) rules(n *xmlNode) []CORSRule {
	if len(n.children) > mostRules {
		s.fail(entity.InvalidXMLDocument, "there are "+strconv.Itoa(mostRules)+" CORS rules at most")
		return nil
	}
	var all []CORSRule
	for i := range n.children {
		rule := &n.children[i]
		if rule.name != "CorsRule" {
			s.fail(UnsupportedXMLNode, "<Cors> has an element in it that has no meaning there")
			return nil
		}
		s.only(rule, "AllowedOrigins", "AllowedMethods", "MaxAgeInSeconds", "ExposedHeaders", "AllowedHeaders")
		origins := s.list(rule, "AllowedOrigins", mostListItems)
		if len(origins) == 0 {
			s.fail(InvalidXMLNodeValue, "<AllowedOrigins> has to name one")
		}
		methods := s.list(rule, "AllowedMethods", len(corsMethods))
		for i, method := range methods {
			if methods[i] = strings.ToUpper(method); !slices.Contains(corsMethods[:], methods[i]) {
				s.fail(InvalidXMLNodeValue, "<AllowedMethods> has to name methods of the service")
			}
		}
		if len(methods) == 0 {
			s.fail(InvalidXMLNodeValue, "<AllowedMethods> has to name one")
		}
		all = append(all, CORSRule{
			Origins: origins,
			Methods: methods,
			MaxAge:  s.number(rule, "MaxAgeInSeconds", 0, longestCORSCache),
			Exposed: s.headers(rule, "ExposedHeaders"),
			Allowed: s.headers(rule, "AllowedHeaders"),
		})
	}
	if len(n.children) == 0 && strings.TrimSpace(n.text) != "" {
		s.fail(entity.InvalidXMLDocument, "<Cors> has text in it")
	}
	return all
}

// list returns the items of a list with commas, without empty ones.
func (s *settings) list(n *xmlNode, name string, most int) []string {
	var items []string
	for item := range strings.SplitSeq(s.required(n, name), ",") {
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		if len(items) == most || len(item) > longestListItem || strings.ContainsFunc(item, func(c rune) bool { return c <= ' ' || c > '~' }) {
			s.fail(InvalidXMLNodeValue, "<"+name+"> has too many items, or one that no header can have")
			return nil
		}
		items = append(items, item)
	}
	return items
}

func (s *settings) headers(n *xmlNode, name string) []string {
	headers := s.list(n, name, mostListItems+mostPrefixes)
	prefixes := 0
	for _, header := range headers {
		if strings.HasSuffix(header, "*") && header != "*" {
			prefixes++
		}
	}
	if prefixes > mostPrefixes || len(headers)-prefixes > mostListItems {
		s.fail(InvalidXMLNodeValue, "<"+name+"> has too many items")
	}
	return headers
}

// ForAnyOrigin reports whether the rule is for pages of whatever origin.
func (r *CORSRule) ForAnyOrigin() bool { return slices.Contains(r.Origins, anyOrigin) }

// FindCORSRule returns the first of the rules that lets pages of an origin send
// requests by a method with each of the headers that a list with commas names, nil for none.
func FindCORSRule(rules []CORSRule, origin, method, headers string) *CORSRule {
	for i := range rules {
		// Origins differ by case, headers do not.
		r := &rules[i]
		allows := slices.Contains(r.Methods, method) && (r.ForAnyOrigin() || slices.Contains(r.Origins, origin))
		for header := range strings.SplitSeq(headers, ",") {
			header = strings.TrimSpace(header)
			allows = allows && (header == "" || slices.ContainsFunc(r.Allowed, func(pattern string) bool {
				prefix, open := strings.CutSuffix(pattern, "*")
				if open && len(header) >= len(prefix) {
					return strings.EqualFold(header[:len(prefix)], prefix)
				}
				return !open && strings.EqualFold(header, pattern)
			}))
		}
		if allows {
			return r
		}
	}
	return nil
}
