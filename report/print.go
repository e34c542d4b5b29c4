package report

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"

	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/report/text"
	"loadgen/results"
)

// The forms that every document has.
const (
	FormText     = "text"
	FormPage     = "html"
	FormMarkdown = "md"
	FormCSV      = "csv"
	FormJSON     = "json"
)

// PrintForms returns the forms that every document has, that for a terminal first.
func PrintForms() []string {
	return []string{FormText, FormJSON, FormMarkdown, FormCSV, FormPage}
}

// Print writes a document in one of the [PrintForms]. Its error is the writer's, or that there is no such form.
func Print(w io.Writer, d *document.Document, form string, look text.Look) error {
	switch form {
	case FormText:
		return Screen(w, d, look)
	case FormPage:
		return html.Render(w, d, nil)
	case FormMarkdown:
		return Markdown(w, d)
	case FormCSV:
		return CSV(w, d)
	case FormJSON:
		return object(w, "document", d.Data)
	default:
		return fmt.Errorf("report: the form %q is none", form)
	}
}

// Screen writes the first screen of a document, or all of it if the look asks for that. Its error is the writer's,
// wrapped.
func Screen(w io.Writer, d *document.Document, look text.Look) error {
	return writeReport(w, "text", text.Write(d, look))
}

// JSON writes the summary as an indented object and a line feed. Characters that are not printable are escaped, also
// those that JSON permits. Its error is the writer's, wrapped.
func JSON(w io.Writer, summary *results.Summary) error { return object(w, "summary", summary) }

func object(w io.Writer, what string, value any) error {
	var prose bytes.Buffer
	if err := text.JSON(&prose, value); err != nil {
		return fmt.Errorf("report: encoding the %s: %w", what, err)
	}
	// Characters that could move a terminal's cursor occur only in strings, where an escape has the same meaning.
	var safe bytes.Buffer
	for _, c := range prose.String() {
		switch {
		case c == '\n' || unicode.IsPrint(c):
			safe.WriteRune(c)
		default:
			// Of a pair of surrogates two, as JSON wants it.
			for _, unit := range utf16.AppendRune(nil, c) {
				fmt.Fprintf(&safe, `\u%04x`, unit)
			}
		}
	}
	return writeReport(w, what, safe.Bytes())
}

// writeReport writes a report. Its error is the writer's, and names the report.
func writeReport(w io.Writer, what string, text []byte) error {
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("report: writing the %s: %w", what, err)
	}
	return nil
}
