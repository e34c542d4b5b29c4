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

// Pattern is a design pattern of the documents, with the results of its runs and of those of its anti-pattern.
type Pattern struct {
	// Row is the number of the pattern in the documents, Name the name of its scenario.
	Row, Name string
	// Says describes the pattern, Contrary its anti-pattern and why that fails; Buys and Costs are its benefit and its
	// price.
	Says, Contrary, Buys, Costs string
	// Assumes are the parameters of the model that the scenario sets for both sides, such as "partition_target 200".
	Assumes []string
	// Seeds are those of the runs. Expected and Denied are the checks of the scenario in the runs with the first
	// seed, of the pattern and of its anti-pattern, in one order.
	Seeds            []uint64
	Expected, Denied []results.Check
	// Comparisons are the figures in which the two differ over all seeds.
	Comparisons []verdict.Comparison
}

// Patterns writes a comparison of patterns with their anti-patterns as Markdown: a table of all rows of the documents,
// in their order, each with its patterns, then a section for each pattern. A row without a pattern is shown as
// missing. The error is the writer's,
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
			// The first check that holds for the pattern and fails for its anti-pattern.
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

// claimed is a check as it is written.
func claimed(e results.Check) string { return "`" + strings.ReplaceAll(e.Expr, "|", `\|`) + "`" }

// borneOut returns the observation of a check, in bold if it fails.
func borneOut(e results.Check) string {
	if e.Fails() {
		return "**" + cell(e.Observed) + "**"
	}
	return cell(e.Said())
}

// prose returns a text on one line, escaped for Markdown.
func prose(prose string) string {
	prose = strings.Join(strings.Fields(text.Harmless(strings.Join(strings.Fields(prose), " "))), " ")
	return strings.NewReplacer("\\", `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`, "~", `\~`).Replace(prose)
}

// cell is prose within a table.
func cell(text string) string { return strings.ReplaceAll(prose(text), "|", `\|`) }
