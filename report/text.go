package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// Text writes the report of a record for a person: the verdict first, then what
// it rests on. The summary is the one that [verdict.Judge] made of the record.
// Its error is the writer's, wrapped.
func Text(w io.Writer, record *results.Record, summary *results.Summary) error {
	p := new(page)
	oppositeOf(p, &record.Manifest)
	verdictOf(p, summary)
	runOf(p, record)
	minutesOf(p, record)
	stepsOf(p, record)
	groupsOf(p, record)
	trafficOf(p, record)
	booksOf(p, record)
	auditOf(p, record)
	proceduresOf(p, record)
	generatorOf(p, record)
	listOf(p, "Findings", verdict.Findings(record))
	assumptionsOf(p, record.Manifest.Model)
	listOf(p, "What this run cannot tell", verdict.Limits(record))
	repeatOf(p, record.Manifest.Command)
	if _, err := w.Write(p.text.Bytes()); err != nil {
		return fmt.Errorf("report: writing the text: %w", err)
	}
	return nil
}

// runOf says what was run, when, against which partition, and what kind of
// figures it gave.
func runOf(p *page, record *results.Record) {
	m := &record.Manifest
	var parts []string
	for _, part := range []struct{ before, name, after string }{
		{"", m.Scenario.Name, ""}, {"", m.Target, ""}, {"over ", accountsOf(m), " accounts"}, {"", m.Service, ""}, {"profile ", m.Profile, ""}, {"", m.Start, " start"}, {"", m.Time, " time"}, {"driver ", m.Driver, ""},
	} {
		if part.name != "" {
			parts = append(parts, part.before+part.name+part.after)
		}
	}
	p.heading("Run")
	p.line(strings.Join(append(parts, fmt.Sprintf("seed %d", m.Seed)), " · "))
	p.line(fmt.Sprintf("started %s UTC, lasted %.1f s", m.Started.UTC().Format(time.DateTime), record.Duration.Seconds()))
	if m.PartitionKey != "" {
		p.line("PartitionKey " + m.PartitionKey)
	}
	if m.Target != "" {
		origin := originOf(m)
		if record.Observation != nil {
			origin = "as the server saw them, its limits and times being modelled; entities counted: told by the engine"
		}
		p.line("figures: " + origin)
	}
}

// accountsOf returns how many accounts the load was sharded over, empty for one.
func accountsOf(m *results.Manifest) string {
	if m.Accounts < 2 {
		return ""
	}
	return strconv.Itoa(m.Accounts)
}

// originOf says which figures are measured, which modelled, which derived.
func originOf(m *results.Manifest) string {
	const derived = "; entities counted: derived by the documents' rule"
	switch {
	case !m.Modelled():
		return "measured" + derived
	case m.Target == results.Embedded && m.Time != "virtual":
		return "modelled, over real HTTP; entities counted: told by the engine; lag: measured"
	case m.Time == "virtual":
		return "modelled" + derived
	default:
		return "modelled" + derived + "; lag: measured"
	}
}

// oppositeOf says before anything else that the run is what its scenario warns of.
func oppositeOf(p *page, m *results.Manifest) {
	if m.Opposite == "" {
		return
	}
	p.heading("The opposite of " + m.Scenario.Name)
	p.line(m.Opposite)
}

// verdictOf tells the verdict, what it is worth, and what was asked.
func verdictOf(p *page, summary *results.Summary) {
	p.heading("Verdict")
	p.line(summary.Verdict)
	p.heading("Validity: " + summary.Validity)
	for _, reason := range summary.Reasons {
		p.item(reason)
	}
	if len(summary.Expectations) == 0 {
		return
	}
	p.heading("Asked")
	for _, e := range summary.Expectations {
		result := "FAIL"
		if e.Pass {
			result = "pass"
		}
		p.line(fmt.Sprintf("%s  %s: observed %s", result, e.Expr, e.Observed))
	}
}

// listOf adds a section of sentences, none where there is nothing to say.
func listOf(p *page, title string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	p.heading(title)
	for _, sentence := range sentences {
		p.item(sentence)
	}
}

// assumptionsOf lists the parameters of the model that nobody has measured.
func assumptionsOf(p *page, model []results.Parameter) {
	var names, values int
	var assumed []results.Parameter
	for _, parameter := range model {
		if parameter.Provenance == "assumption" {
			assumed = append(assumed, parameter)
			names, values = max(names, width(harmless(parameter.Name))), max(values, width(valueOf(parameter)))
		}
	}
	if len(assumed) == 0 {
		return
	}
	p.heading("Assumptions of the model")
	for _, parameter := range assumed {
		name, value := harmless(parameter.Name), valueOf(parameter)
		// Names that are no model's could leave no room for what they mean.
		const most = 60
		if names+values > most {
			p.line(name + " " + value + " " + parameter.About)
			continue
		}
		head := "  " + name + strings.Repeat(" ", names-width(name)+2) + value + strings.Repeat(" ", values-width(value)+2)
		p.paragraph(head, strings.Repeat(" ", width(head)), parameter.About)
	}
}

// valueOf returns a parameter's value with its unit, which durations hold.
func valueOf(parameter results.Parameter) string {
	if parameter.Unit == "" || parameter.Unit == "duration" {
		return harmless(parameter.Value)
	}
	return harmless(parameter.Value + " " + parameter.Unit)
}
