package report

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// documented is the provenance of what needs no telling.
const documented = "documented"

// assumptions lists the parameters of the model that the documents do not give, with
// where they are from.
func (a *author) assumptions() {
	t := document.Table{ID: "assumptions", Caption: "Parameters of the model that the documents do not give",
		Columns: []document.Column{{Title: "parameter", Words: true}, {Title: "value", Words: true}, {Title: "provenance", Words: true},
			{Title: "what it is", Words: true}}}
	for _, parameter := range a.record.Manifest.Model {
		if parameter.Provenance != documented {
			t.Rows = append(t.Rows, []document.Cell{wordsCell(parameter.Name), wordsCell(valueOf(parameter)),
				wordsCell(parameter.Provenance), wordsCell(parameter.About)})
		}
	}
	if rest := len(a.record.Manifest.Model) - len(t.Rows); rest > 0 {
		t.Notes = []string{fmt.Sprintf("the documents give the other %s, as run.json has them", document.Count(int64(rest)))}
	}
	a.table("Assumptions of the model", t)
}

// valueOf returns a parameter's value with its unit, which durations hold.
func valueOf(parameter results.Parameter) string {
	if parameter.Unit == "" || parameter.Unit == "duration" {
		return parameter.Value
	}
	return parameter.Value + " " + parameter.Unit
}

// environment shows which build ran, and on what.
func (a *author) environment() {
	m := &a.record.Manifest
	t := document.Table{ID: "environment", Caption: "What ran, and on what", Columns: []document.Column{{Title: "of", Words: true}, {Title: "value", Words: true}}}
	add := func(name, value, source string) {
		if value != "" {
			t.Rows = append(t.Rows, []document.Cell{wordsCell(name), sourced(value, source, 0)})
		}
	}
	number := func(name string, n int, member string) {
		if n != 0 {
			add(name, document.Count(int64(n)), pointer("manifest", "environment", member))
		}
	}
	add("loadgen", strings.TrimSpace(m.Tool.Version+" "+m.Tool.Commit), "")
	add("built with", strings.TrimSpace(m.Tool.Go+" "+m.Tool.System), "")
	number("CPUs", m.Environment.CPUs, "cpus")
	number("GOMAXPROCS", m.Environment.GOMAXPROCS, "gomaxprocs")
	number("workers", m.Environment.Workers, "workers")
	add("scenario's SHA-256", m.Scenario.SHA256, "")
	a.table("Environment", t)
}

// merged shows of which runs the record was put together, and what it cannot tell for that
// reason.
func (a *author) merged() {
	of := a.record.Manifest.Merged
	if of == nil {
		return
	}
	t := document.Table{ID: "merged", Caption: "The runs that were merged", Columns: []document.Column{{Title: "run", Words: true}, {Title: "begun", Words: true},
		{Title: "build", Words: true}, {Title: "seed", Words: true}, {Title: "validity", Words: true}, {Title: "attempts"}}}
	for i, run := range of.Runs {
		t.Rows = append(t.Rows, []document.Cell{wordsCell(run.Name), wordsCell(run.Started.UTC().Format("2006-01-02 15:04:05")),
			wordsCell(strings.TrimSpace(run.Tool.Version + " " + run.Tool.Commit)), wordsCell(strconv.FormatUint(run.Seed, 10)), wordsCell(run.Validity),
			sourced(document.Count(run.Attempts), pointer("manifest", "merged", "runs", i, "attempts"), 0)})
	}
	a.table("Merged of several runs", t)
	a.add(document.List{Items: of.Notes})
}

// repeat shows the command that repeats the run.
func (a *author) repeat() {
	if len(a.record.Manifest.Command) == 0 {
		return
	}
	a.section("repeat", "To repeat it")
	a.add(document.Paragraph{Text: text.CommandLine(a.record.Manifest.Command), Verbatim: true})
}
