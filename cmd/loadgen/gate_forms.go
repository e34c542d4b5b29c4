package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"loadgen/report/ruling"
)

// gateForms are in which forms rulings are told: one on standard output, and files.
type gateForms struct {
	format  string
	reports []string
}

// gateForm is one form: its name, the ending of files that have it, and what prints it.
type gateForm struct {
	name, ending string
	print        func(io.Writer, []ruling.Ruling) error
}

// knownForms are all forms, in the order in which they are told of.
func knownForms() []gateForm {
	return []gateForm{
		{"text", ".txt", ruling.Text},
		{"json", ".json", ruling.JSON},
		{"junit", ".xml", ruling.JUnit},
		{"markdown", ".md", ruling.Markdown},
		{"github", ".github", ruling.Annotations},
		{"benchfmt", ".bench", ruling.Benchfmt},
	}
}

// flags declares the flags of the forms.
func (f *gateForms) flags(flags *pflag.FlagSet) {
	flags.StringVar(&f.format, "format", "text", "what to print: text, json, junit, markdown, github (annotations) or benchfmt (for benchstat)")
	flags.StringArrayVar(&f.reports, "report", nil, "`file` to write the rulings to as well, in the form of its ending: .xml (junit), .md, .json, .txt, .github or .bench; may be repeated")
}

// validate returns what is wrong with the flags.
func (f *gateForms) validate() error {
	if !slices.ContainsFunc(knownForms(), func(form gateForm) bool { return form.name == f.format }) {
		return usageError{fmt.Errorf("--format %s: expected text, json, junit, markdown, github or benchfmt", f.format)}
	}
	for i, file := range f.reports {
		if _, found := formOfFile(file); !found {
			return usageError{fmt.Errorf("--report %s: expected a file that ends in .xml (junit), .md, .json, .txt, .github or .bench", file)}
		}
		if slices.Contains(f.reports[:i], file) {
			return usageError{fmt.Errorf("--report %s is there twice; expected files that differ", file)}
		}
	}
	return nil
}

// formOfFile returns the form that a file's ending stands for.
func formOfFile(file string) (gateForm, bool) {
	for _, form := range knownForms() {
		if strings.EqualFold(filepath.Ext(file), form.ending) {
			return form, true
		}
	}
	return gateForm{}, false
}

// begin empties the files, so that a gate that does not come to its end leaves none that
// tells of an earlier one, and a file that cannot be written is told of before anything
// runs. On an error those that were new are gone again.
func (f *gateForms) begin() error {
	var made []string
	for _, file := range f.reports {
		_, missing := os.Stat(file)
		opened, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
		if err != nil {
			for _, one := range made {
				// The error that counts is the one above.
				_ = os.Remove(one)
			}
			return usageError{fmt.Errorf("--report: %w; expected a file in a folder that is there", err)}
		}
		if missing != nil {
			made = append(made, file)
		}
		if err := opened.Close(); err != nil {
			return err
		}
	}
	return nil
}

// withdraw removes the files again that nothing was written to: there is no ruling.
func (f *gateForms) withdraw() {
	for _, file := range f.reports {
		if info, err := os.Stat(file); err == nil && info.Size() == 0 {
			os.Remove(file)
		}
	}
}

// tell prints rulings, and writes them to the files first: whoever reads the output may
// rely on them.
func (f *gateForms) tell(stdout io.Writer, list []ruling.Ruling) error {
	for _, file := range f.reports {
		form, _ := formOfFile(file)
		var text bytes.Buffer
		if err := form.print(&text, list); err != nil {
			return err
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("--report: %w", err)
		}
	}
	for _, form := range knownForms() {
		if form.name == f.format {
			return form.print(stdout, list)
		}
	}
	return nil
}
