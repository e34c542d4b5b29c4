package contrast

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"loadgen/report/plain"
)

// Text prints the comparison for people, its verdict first.
func (c *Contrast) Text(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %s\n", c.Outcome, strings.Join(c.Says, " "))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n%s\n", one.heading)
		out.WriteString(plain.Grid("  ", "  ", one.table, func(column int) bool { return column == 0 }))
		for _, line := range one.lines {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Markdown prints the comparison for the summary of a job or a merge request.
func (c *Contrast) Markdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**: %s\n", c.Outcome, plain.Marked(strings.Join(c.Says, " ")))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n### %s\n\n", plain.Marked(one.heading))
		for i, row := range one.table {
			for _, cell := range row {
				fmt.Fprintf(&out, "| %s ", plain.Marked(cell))
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
			fmt.Fprintf(&out, "- %s\n", plain.Marked(line))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// JSON prints the comparison as {verdict, metrics, …}: see [Contrast].
func (c *Contrast) JSON(w io.Writer) error {
	return plain.JSON(w, c)
}
