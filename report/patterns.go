package report

import (
	_ "embed"
	"io"
	"slices"
	"strings"
	"sync"

	"loadgen/report/document"
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
	lines := patterns().Phrases(&patternPage{rows, list}, "page")
	return writeReport(w, "patterns", []byte(strings.ReplaceAll(strings.Join(lines, "\n"), document.PartSeparator, "")+"\n"))
}

//go:embed patterns.tmpl
var patternTable string

// patterns is the page of patterns, parsed when it is first needed. Each of its phrases is a line, in which ¦ is nothing:
// it keeps empty lines, and spaces at ends.
var patterns = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(patternTable) })

// patternPage is the evidence of the page.
type patternPage struct {
	Rows []string
	list []Pattern
}

// RowPatterns returns the patterns of a row of the documents.
func (p *patternPage) RowPatterns(row string) []Pattern {
	return slices.DeleteFunc(slices.Clone(p.list), func(one Pattern) bool { return one.Row != row })
}

// claim is a check of both sides, as Markdown.
type claim struct{ Claim, Pattern, Instead string }

// Claims are the checks of both sides.
func (p *Pattern) Claims() (list []claim) {
	for i, e := range p.Expected[:min(len(p.Expected), len(p.Denied))] {
		list = append(list, claim{"`" + strings.ReplaceAll(e.Expr, "|", `\|`) + "`", borneOut(e), borneOut(p.Denied[i])})
	}
	return list
}

// Difference is the first check that holds for the pattern and fails for its anti-pattern, if there is one.
func (p *Pattern) Difference() []claim {
	for i, one := range p.Claims() {
		if p.Expected[i].Holds() && p.Denied[i].Fails() {
			return []claim{one}
		}
	}
	return nil
}

// borneOut returns the observation of a check, in bold if it fails.
func borneOut(e results.Check) string {
	if e.Fails() {
		return "**" + cell(e.Value()) + "**"
	}
	return cell(e.Observation())
}

// Prose returns a text on one line, escaped for Markdown.
func (*patternPage) Prose(prose string) string {
	prose = strings.Join(strings.Fields(text.Harmless(strings.Join(strings.Fields(prose), " "))), " ")
	return strings.NewReplacer("\\", `\\`, "*", `\*`, "_", `\_`, "`", "\\`", "<", `\<`, "[", `\[`, "#", `\#`, "~", `\~`).Replace(prose)
}

// Cell is prose within a table.
func (p *patternPage) Cell(text string) string { return cell(text) }

func cell(text string) string {
	return strings.ReplaceAll(new(patternPage).Prose(text), "|", `\|`)
}
