package contrast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Text prints the comparison for people, its verdict first.
func (c *Contrast) Text(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: %s\n", c.Outcome, strings.Join(c.Says, " "))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n%s\n", one.heading)
		grid(&out, one.table)
		for _, line := range one.lines {
			fmt.Fprintf(&out, "  %s\n", line)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// grid writes a table, its first column flush left and the others flush right.
func grid(out *bytes.Buffer, table [][]string) {
	var widths []int
	for _, row := range table {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range table {
		var line strings.Builder
		for i, cell := range row {
			room := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString("  " + cell + room)
				continue
			}
			line.WriteString("  " + room + cell)
		}
		out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// Markdown prints the comparison for the summary of a job or a merge request.
func (c *Contrast) Markdown(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "**%s**: %s\n", c.Outcome, marked(strings.Join(c.Says, " ")))
	for _, one := range c.blocks() {
		fmt.Fprintf(&out, "\n### %s\n\n", marked(one.heading))
		for i, row := range one.table {
			for _, cell := range row {
				fmt.Fprintf(&out, "| %s ", marked(cell))
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
			fmt.Fprintf(&out, "- %s\n", marked(line))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// marked returns a text in which nothing means anything to Markdown, nor to HTML.
func marked(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			out.WriteString("&lt;")
			continue
		case r == '&':
			out.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|~#", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// JSON prints the comparison as {verdict, metrics, …}: see [Contrast].
func (c *Contrast) JSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(c)
}
