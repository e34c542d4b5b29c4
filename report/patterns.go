package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
)

// Pattern is a design pattern of the documents, and what its runs and those of what it
// replaces came to.
type Pattern struct {
	// Row is which of the documents' patterns it is, Name that of its scenario.
	Row, Name string
	// Says is what it does, Contrary what its anti-pattern does instead, and why that fails;
	// Buys and Costs are what it gains and what is paid for that.
	Says, Contrary, Buys, Costs string
	// Assumes are what the scenario sets in the model, such as "partition_target 200": of
	// both sides, for another limit or another time than the documented one.
	Assumes []string
	// Seeds are those of the runs. Of the first are what the scenario expects, as the
	// pattern and as its anti-pattern bear it out, in one order.
	Seeds            []uint64
	Expected, Denied []results.Check
	// Comparisons are the figures in which the two differ over all seeds.
	Comparisons []verdict.Comparison
}

// Patterns writes what patterns come to beside what they replace as Markdown: a table
// of all rows of the documents, in their order, each with its patterns, then a section
// for each pattern. A row without one is shown as missing. The error is the writer's,
// wrapped.
func Patterns(w io.Writer, rows []string, list []Pattern) error {
	var text bytes.Buffer
	text.WriteString("| the documents' pattern | scenario | it buys | it costs | a claim, and what its anti-pattern comes to |\n|---|---|---|---|---|\n")
	for _, row := range rows {
		some := false
		for i := range list {
			one := &list[i]
			if one.Row != row {
				continue
			}
			some = true
			// The first claim that the pattern bears out and its anti-pattern does not.
			difference := ""
			for i, e := range one.Expected {
				if difference == "" && i < len(one.Denied) && e.Holds() && one.Denied[i].Fails() {
					difference = fmt.Sprintf("%s: %s; %s", claimed(e), borneOut(e), borneOut(one.Denied[i]))
				}
			}
			fmt.Fprintf(&text, "| %s | [%s](#%s) | %s | %s | %s |\n", cell(row), one.Name, one.Name, cell(one.Buys), cell(one.Costs), difference)
		}
		if !some {
			fmt.Fprintf(&text, "| %s | **missing** | | | |\n", cell(row))
		}
	}
	for _, row := range rows {
		for i := range list {
			if list[i].Row == row {
				patternOnto(&text, &list[i])
			}
		}
	}
	return written(w, "patterns", text.Bytes())
}

func patternOnto(text *bytes.Buffer, one *Pattern) {
	row := one.Row
	if row != "" {
		row = strings.ToUpper(row[:1]) + row[1:]
	}
	fmt.Fprintf(text, "\n### %s\n\n%s: %s\n\n", one.Name, row, prose(one.Says))
	fmt.Fprintf(text, "- buys: %s\n- costs: %s\n- instead: %s\n", prose(one.Buys), prose(one.Costs), prose(one.Contrary))
	if len(one.Assumes) > 0 {
		fmt.Fprintf(text, "- set in the model, for both: %s\n", prose(strings.Join(one.Assumes, ", ")))
	}
	text.WriteString("\n")
	text.WriteString("| | the pattern | instead | known |\n|---|--:|--:|---|\n")
	for i, e := range one.Expected {
		if i < len(one.Denied) {
			fmt.Fprintf(text, "| %s | %s | %s | claim |\n", claimed(e), borneOut(e), borneOut(one.Denied[i]))
		}
	}
	for _, c := range one.Comparisons {
		name := c.Name
		if c.Operation != "" {
			name = c.Operation + ": " + name
		}
		fmt.Fprintf(text, "| %s | %s | %s | %s |\n", cell(name), cell(c.Pattern), cell(c.Instead), c.Origin)
	}
	var seeds []string
	for _, seed := range one.Seeds {
		seeds = append(seeds, strconv.FormatUint(seed, 10))
	}
	fmt.Fprintf(text, "\n`loadgen simulate %s`, and with `--anti-pattern`; seeds %s.\n", one.Name, strings.Join(seeds, ", "))
}

// claimed is a claim as it is written.
func claimed(e results.Check) string { return "`" + strings.ReplaceAll(e.Expr, "|", `\|`) + "`" }

// borneOut says what was observed of a claim, in bold where it does not hold.
func borneOut(e results.Check) string {
	if e.Fails() {
		return "**" + cell(e.Observed) + "**"
	}
	return cell(e.Said())
}

// prose returns a text in one line, whose characters Markdown leaves as they are.
func prose(prose string) string {
	prose = strings.Join(strings.Fields(text.Harmless(strings.Join(strings.Fields(prose), " "))), " ")
	return strings.NewReplacer("\\", `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`, "~", `\~`).Replace(prose)
}

// cell is prose within a table.
func cell(text string) string { return strings.ReplaceAll(prose(text), "|", `\|`) }
