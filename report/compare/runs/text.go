package runs

import (
	"bytes"
	"fmt"
	"io"
	"loadgen/report/text"
	"strings"
)

// Text prints the comparison for people, its verdict first.
func (c *Comparison) Text(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %s\n", c.Outcome, strings.Join(c.Says, " "))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n%s\n", one.heading)
		out.WriteString(text.Grid("  ", "  ", one.table, func(column int) bool { return column == 0 }))
		for _, line := range one.lines {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Markdown prints the comparison for the summary of a job or a merge request.
func (c *Comparison) Markdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**: %s\n", c.Outcome, text.Marked(strings.Join(c.Says, " ")))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n### %s\n\n", text.Marked(one.heading))
		for i, row := range one.table {
			for _, cell := range row {
				fmt.Fprintf(&out, "| %s ", text.Marked(cell))
			}
			out.WriteString("|\n")
			if i == 0 {
				out.WriteString("|:---" + strings.Repeat("|---:", len(row)-1) + "|\n")
			}
		}
		if len(one.table) > 0 && len(one.lines) > 0 {
			out.WriteString("\n")
		}
		for _, line := range one.lines {
			fmt.Fprintf(&out, "- %s\n", text.Marked(line))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// JSON prints the comparison as {verdict, metrics, …}: see [Comparison].
func (c *Comparison) JSON(w io.Writer) error {
	return text.JSON(w, c)
}
