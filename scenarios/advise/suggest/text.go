package suggest

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the proposal for a person: each candidate with its reasons and what its
// queries come to, and then what was left out. The error is the writer's.
func (p *Proposal) Text(w io.Writer) error {
	var out strings.Builder
	for i := range p.Candidates {
		c := &p.Candidates[i]
		fmt.Fprintf(&out, "%d. %s\n   PartitionKey  %s\n   RowKey        %s\n", i+1, c.Design.Name, c.Design.PartitionKey, c.Design.RowKey)
		for _, one := range c.Design.Copies {
			table := ""
			if one.Table != "" {
				table = ", table " + one.Table
			}
			fmt.Fprintf(&out, "   copy          %s%s: %s / %s\n", one.Name, table, one.PartitionKey, one.RowKey)
		}
		for _, why := range c.Why {
			wrap(&out, why, "   - ", "     ")
		}
		for _, r := range c.Reads {
			told := several(r.Requests, "request") + ", " + several(r.Counted, "entity") + " counted"
			if r.Requests == 0 {
				told = "– (too seldom to be met in a sample)"
			}
			fmt.Fprintf(&out, "     %-20s  %-20s  %s\n", r.Operation, r.Class, told)
		}
		out.WriteString("\n")
	}
	if len(p.Rejected) > 0 {
		out.WriteString("Left out\n")
	}
	for _, r := range p.Rejected {
		wrap(&out, r.PartitionKey+" ("+r.Name+"): "+r.Why, "   - ", "     ")
	}
	if p.Unlisted > 0 {
		fmt.Fprintf(&out, "   and %d more.\n", p.Unlisted)
	}
	out.WriteString("Every number is derived: nothing was sent. Which of them is best, a contest says.\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// wide is how many characters a line has at most, but for a word that is longer.
const wide = 100

// wrap writes a text in lines, the first after one beginning and the others after another.
func wrap(out *strings.Builder, text, first, other string) {
	line := first
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && len([]rune(line))+1+len([]rune(word)) > wide {
			out.WriteString(line + "\n")
			line, empty = other, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	out.WriteString(line + "\n")
}
