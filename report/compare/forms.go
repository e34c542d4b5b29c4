package compare

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/export"
	"loadgen/report/text"
)

// Form is an output format. Ending is the file name extension.
type Form struct {
	Name, Ending string
	Print        func(io.Writer, []Result) error
}

// Forms returns the forms of all documents, then those of gates alone.
func Forms() []Form {
	var forms []Form
	for _, name := range report.PrintForms() {
		ending := "." + name
		if name == report.FormText {
			ending = ".txt"
		}
		forms = append(forms, Form{name, ending, func(w io.Writer, list []Result) error {
			return report.Print(w, ResultsDocument(list), name, text.Look{Verbose: true})
		}})
	}
	return append(forms, own()...)
}

func own() []Form {
	return []Form{{"junit", ".xml", JUnit}, {"github", ".github", Annotations}}
}

// PrintResults writes results in a form of gates alone, and returns false for other names.
func PrintResults(w io.Writer, list []Result, name string) (bool, error) {
	for _, form := range own() {
		if form.Name == name {
			return true, form.Print(w, list)
		}
	}
	return false, nil
}

// Files are output files, each in the form of its extension. A gate calls Begin before any
// run, then Write or Withdraw.
type Files []string

// Validate returns an error for the first file with an unknown extension or a duplicate name.
func (f Files) Validate() error {
	for i, file := range f {
		if _, found := formOf(file); !found {
			return fmt.Errorf("%s: expected a file that ends in .xml (junit), .md, .json, .txt, .csv, .html or .github", file)
		}
		if slices.Contains(f[:i], file) {
			return fmt.Errorf("%s is repeated; expected different files", file)
		}
	}
	return nil
}

func formOf(file string) (Form, bool) {
	forms := Forms()
	if i := slices.IndexFunc(forms, func(f Form) bool { return strings.EqualFold(filepath.Ext(file), f.Ending) }); i >= 0 {
		return forms[i], true
	}
	return Form{}, false
}

// Begin empties the files, so that an interrupted gate leaves no earlier results, and files
// that cannot be written fail before any run. On an error it removes the files that it created.
func (f Files) Begin() error {
	var created []string
	for _, file := range f {
		_, missing := os.Stat(file)
		opened, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		if err == nil {
			err = opened.Close()
		}
		if err != nil {
			for _, one := range created {
				err = errors.Join(err, os.Remove(one))
			}
			return fmt.Errorf("%w; expected a file in an existing folder", err)
		}
		if missing != nil {
			created = append(created, file)
		}
	}
	return nil
}

// Withdraw removes empty files, if there is no result.
func (f Files) Withdraw() error {
	var all error
	for _, file := range f {
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			all = errors.Join(all, os.Remove(file))
		}
	}
	return all
}

func (f Files) Write(list []Result) error {
	for _, file := range f {
		form, _ := formOf(file)
		var text bytes.Buffer
		if err := form.Print(&text, list); err != nil {
			return err
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// JUnit prints results as JUnit XML. Regressions and failed checks are failures, invalid runs
// are errors, and inconclusive results are skipped.
func JUnit(w io.Writer, list []Result) error {
	suite := export.Suite{Name: "loadgen gate"}
	for i := range list {
		r := &list[i]
		one := export.Case{Class: "loadgen.gate." + r.kind(), Name: r.Scenario,
			Kind: r.Outcome.String(), Message: r.sentence(), Lines: strings.Join(r.lines(), "\n")}
		add := func(name, value string) {
			one.Properties = append(one.Properties, export.Property{Name: name, Value: value})
		}
		add("verdict", r.Outcome.String())
		add("exit_code", strconv.Itoa(code(r.Outcome)))
		if r.Difference != nil {
			add("values_that_differ", strconv.Itoa(r.Difference.Total))
		}
		for i := range r.Findings {
			f := &r.Findings[i]
			for _, value := range []struct {
				name string
				at   *float64
			}{{"a", f.A}, {"b", f.B}, {"change", f.Change}, {"p", f.P}, {"p_holm", f.Adjusted}} {
				if value.at != nil {
					add(export.Plain(f.Metric)+"."+value.name, export.Decimal(*value.at))
				}
			}
		}
		switch r.Outcome {
		case Same, Improvement:
			one.Lines = strings.Join(append([]string{r.Outcome.String() + ": " + r.sentence()}, r.lines()...), "\n")
		case Regression, Failed:
			one.Status = export.Failure
		case Invalid:
			one.Status = export.Error
		default:
			one.Status = export.Skipped
		}
		suite.Cases = append(suite.Cases, one)
	}
	return export.JUnit(w, &suite)
}

const (
	// maxAnnotations is the number of annotations of a kind that GitHub shows per step.
	maxAnnotations = 10
	// maxMessage is the maximum length of an annotation, in characters.
	maxMessage = 3000
)

// Annotations prints results as annotations of GitHub workflows: errors for failed gates,
// warnings for inconclusive ones, notices for improvements, and one notice for all
// unchanged scenarios. The last of more than maxAnnotations of a kind counts the others.
func Annotations(w io.Writer, list []Result) error {
	var out strings.Builder
	kinds := map[string][]*Result{}
	same := 0
	for i := range list {
		switch r := &list[i]; r.Outcome {
		case Same:
			same++
		case Improvement:
			kinds["notice"] = append(kinds["notice"], r)
		case Inconclusive, NoBaseline:
			kinds["warning"] = append(kinds["warning"], r)
		default:
			kinds["error"] = append(kinds["error"], r)
		}
	}
	for _, kind := range []string{"error", "warning", "notice"} {
		limit := maxAnnotations
		if kind == "notice" && same > 0 {
			limit--
		}
		shown := kinds[kind]
		if len(shown) > limit {
			shown = shown[:limit-1]
		}
		for _, r := range shown {
			message := append([]string{r.sentence()}, r.lines()...)
			annotation(&out, kind, export.Plain(r.Scenario)+": "+r.Outcome.String(), strings.Join(message, "\n"))
		}
		var others []string
		for _, r := range kinds[kind][len(shown):] {
			others = append(others, export.Plain(r.Scenario)+": "+r.Outcome.String())
		}
		if len(others) > 0 {
			annotation(&out, kind, fmt.Sprintf("%d more scenarios", len(others)), strings.Join(others, "\n"))
		}
	}
	if same > 0 {
		annotation(&out, "notice", "loadgen gate", fmt.Sprintf("no difference in %d of %d scenarios", same, len(list)))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// annotation prints one command on one line.
func annotation(out *strings.Builder, kind, title, message string) {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	fmt.Fprintf(out, "::%s title=%s::%s\n", kind, value.Replace(document.Cut(title, maxCell)), data.Replace(document.Cut(message, maxMessage)))
}
