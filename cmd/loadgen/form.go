package main

import (
	"cmp"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/text"
)

// formFlags say how what a verb came to is shown.
type formFlags struct {
	format  string
	verbose bool
}

// register adds the flags; more are forms of the verb's own.
func (f *formFlags) register(flags *pflag.FlagSet, more ...string) {
	forms := append(report.PrintForms(), more...)
	flags.StringVarP(&f.format, "format", "o", report.FormText, "what to print: "+strings.Join(forms, ", "))
	flags.BoolVar(&f.verbose, "verbose", false, "print all there is to say, not one screen of it")
}

// show prints a document in the form that was asked for, which is one of every document.
func (f *formFlags) show(stdout io.Writer, d *document.Document) error {
	return report.Print(stdout, d, f.format, f.look(stdout))
}

// look is how a text is laid out where it goes.
func (f *formFlags) look(stdout io.Writer) text.Look {
	look := text.Look{Verbose: f.verbose, ASCII: !speaksUTF8(os.Getenv)}
	file, is := stdout.(*os.File)
	if !is || !term.IsTerminal(int(file.Fd())) {
		return look
	}
	if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 0 {
		look.Columns = columns
	}
	look.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return look
}

// speaksUTF8 reports whether the locale says that more than ASCII is shown. Where none is
// set, it is.
func speaksUTF8(getenv func(string) string) bool {
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
