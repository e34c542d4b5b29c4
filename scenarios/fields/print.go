package fields

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// PrintTree writes a tree as YAML: maps and lists of maps in block style, lists
// of single values on one line, texts in double quotes unless they are plain
// words. The same tree always gives the same bytes.
func PrintTree(n *Node) []byte {
	var out strings.Builder
	printEntries(&out, n.Entries, "", "")
	return []byte(out.String())
}

// printEntries writes fields, the first after one indent and the others after
// another: a list item's dash takes the place of the first's.
func printEntries(out *strings.Builder, entries []Entry, first, indent string) {
	for i, e := range entries {
		if i > 0 {
			first = indent
		}
		out.WriteString(first + word(e.Key) + ":")
		n := e.Value
		switch {
		case n.Kind == Dict && len(n.Entries) > 0:
			out.WriteString("\n")
			printEntries(out, n.Entries, indent+"  ", indent+"  ")
		case n.Kind == List && slices.ContainsFunc(n.Items, func(item *Node) bool { return item.Kind == Dict }):
			out.WriteString("\n")
			for _, item := range n.Items {
				printEntries(out, item.Entries, indent+"  - ", indent+"    ")
			}
		default:
			out.WriteString(" " + Inline(n) + "\n")
		}
	}
}

// Inline returns a value that stands on one line.
func Inline(n *Node) string {
	switch n.Kind {
	case Empty:
		return "null"
	case Dict:
		fields := make([]string, len(n.Entries))
		for i, e := range n.Entries {
			fields[i] = word(e.Key) + ": " + Inline(e.Value)
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case List:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			items[i] = Inline(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		if n.Quoted {
			return word(n.Text)
		}
		return n.Text
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
