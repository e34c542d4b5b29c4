package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// printTree writes a tree as YAML: maps and lists of maps in block style, lists
// of single values on one line, texts in double quotes unless they are plain
// words. The same tree always gives the same bytes.
func printTree(n *node) []byte {
	var out strings.Builder
	printEntries(&out, n.entries, "", "")
	return []byte(out.String())
}

// printEntries writes fields, the first after one indent and the others after
// another: a list item's dash takes the place of the first's.
func printEntries(out *strings.Builder, entries []entry, first, indent string) {
	for i, e := range entries {
		if i > 0 {
			first = indent
		}
		out.WriteString(first + word(e.key) + ":")
		printValue(out, e.value, indent)
	}
}

func printValue(out *strings.Builder, n *node, indent string) {
	switch {
	case n.kind == dict && len(n.entries) > 0:
		out.WriteString("\n")
		printEntries(out, n.entries, indent+"  ", indent+"  ")
	case n.kind == list && slices.ContainsFunc(n.items, func(item *node) bool { return item.kind == dict }):
		out.WriteString("\n")
		for _, item := range n.items {
			printEntries(out, item.entries, indent+"  - ", indent+"    ")
		}
	default:
		out.WriteString(" " + inline(n) + "\n")
	}
}

// inline returns a value that stands on one line.
func inline(n *node) string {
	switch n.kind {
	case empty:
		return "null"
	case dict:
		fields := make([]string, len(n.entries))
		for i, e := range n.entries {
			fields[i] = word(e.key) + ": " + inline(e.value)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case list:
		items := make([]string, len(n.items))
		for i, item := range n.items {
			items[i] = inline(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		if n.quoted {
			return word(n.text)
		}
		return n.text
	}
}

var (
	plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	// ambiguous are words that some reader of YAML takes for something else.
	ambiguous = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n|nan|inf)$`)
)

// word returns a text as YAML, in double quotes unless it is a plain word.
func word(text string) string {
	if plainWord.MatchString(text) && !ambiguous.MatchString(text) {
		return text
	}
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteRune('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\t':
			out.WriteString(`\t`)
		case r < ' ' || r >= 0x7F && r <= 0x9F || r == 0x2028 || r == 0x2029 || r == 0xFEFF:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
