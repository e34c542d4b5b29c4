package report

import (
	"fmt"
	"io"

	"loadgen/report/document"
	"loadgen/report/html"
	"loadgen/report/text"
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

// Print writes a document in one of the [PrintForms], text laid out for a look. Its error
// is the writer's, or that the form is none.
func Print(w io.Writer, d *document.Document, form string, look text.Look) error {
	switch form {
	case FormText:
		return Screen(w, d, look)
	case FormPage:
		return html.Render(w, d, html.Options{})
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

// Screen writes what a document says on one screen, or all of it where the look asks for
// that. Its error is the writer's.
func Screen(w io.Writer, d *document.Document, look text.Look) error {
	return Plain(w, d)
}
