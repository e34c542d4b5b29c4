package gate

import (
	"fmt"
	"html"
	"io"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/report/text"
)

// mostMarkdown bounds the Markdown form, in bytes. A job may have 1 MiB of summary, and
// this is seldom all that it says.
const mostMarkdown = 64 << 10

const (
	// mostCell bounds a cell of a table, roomForCut what is kept for saying what was
	// left out.
	mostCell   = 400
	roomForCut = 200
)

// Markdown prints results as a summary for the page of a job: a table, what bars a
// change first, and below it what differs, as far as 64 KiB reach.
func Markdown(w io.Writer, list []Result) error {
	var out strings.Builder
	sorted := gravity(list)
	fmt.Fprintf(&out, "### loadgen gate: %s\n\n%s\n\n", gravest(list), counts(sorted))
	if len(sorted) > 0 {
		out.WriteString("| scenario | verdict | runs | reason |\n|---|---|---|---|\n")
	}
	rows, details := 0, 0
	fits := func(text string) bool {
		if out.Len()+len(text) > mostMarkdown-roomForCut {
			return false
		}
		out.WriteString(text)
		return true
	}
	for ; rows < len(sorted); rows++ {
		r := sorted[rows]
		if !fits(fmt.Sprintf("| %s | %s | %s | %s |\n", cell(r.Scenario), r.emphasis(), r.kind(), cell(r.sentence()))) {
			break
		}
	}
	for ; rows == len(sorted) && details < len(sorted); details++ {
		if !fits(sorted[details].details()) {
			break
		}
	}
	switch {
	case rows < len(sorted):
		fmt.Fprintf(&out, "\nCut off: %d of %d scenarios are not in the table, and what differs is left out.\n", len(sorted)-rows, len(sorted))
	case details < len(sorted):
		fmt.Fprintf(&out, "\nCut off: what there is to say of %d further scenarios is left out.\n", len(sorted)-details)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// counts returns how many scenarios came to what.
func counts(sorted []*Result) string {
	text := document.Counted(len(sorted), "scenario")
	separator := ": "
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].Outcome == sorted[0].Outcome {
			n++
		}
		text += fmt.Sprintf("%s%d %s", separator, n, sorted[0].Outcome)
		sorted, separator = sorted[n:], ", "
	}
	return text + "."
}

// emphasis returns the outcome, bold where it bars a change.
func (r *Result) emphasis() string {
	if code(r.Outcome) == codeOk {
		return r.Outcome.String()
	}
	return "**" + r.Outcome.String() + "**"
}

// details returns what differs of one scenario, or was judged, folded up; nothing where
// there is nothing to say.
func (r *Result) details() string {
	lines := r.lines()
	if len(lines) == 0 && r.Judgement == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n<details><summary>%s: %s</summary>\n\n", html.EscapeString(cut(export.Plain(r.Scenario), mostCell)), r.Outcome)
	if r.Judgement != nil && len(r.Judgement.Findings) > 0 {
		out.WriteString("| metric | A | B | change | interval | p | pairs |\n|---|---:|---:|---:|---|---:|---:|\n")
		for i := range r.Judgement.Findings {
			f := &r.Judgement.Findings[i]
			fmt.Fprintf(&out, "| %s | %.4g | %.4g | %s | %s | %.2g | %d |\n",
				cell(f.Metric), f.A, f.B, compare.Percent(f.Change), document.Interval(f.Interval, compare.Percent), f.Adjusted, f.Pairs)
		}
		out.WriteString("\n")
	}
	if text := strings.Join(lines, "\n"); text != "" {
		fence := fenceOf(text)
		fmt.Fprintf(&out, "%s\n%s\n%s\n\n", fence, text, fence)
	}
	out.WriteString("</details>\n")
	return out.String()
}

// fenceOf returns a fence that no line of the text ends.
func fenceOf(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

// cell returns a text for a cell of a table: neither Markdown nor HTML.
func cell(prose string) string { return text.Marked(cut(export.Plain(prose), mostCell)) }
