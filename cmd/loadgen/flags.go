package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/cmd/loadgen/terminal"
	"loadgen/engine/nearest"
	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/scenarios/fields"
)

var badValue = regexp.MustCompile(`(?s)^invalid argument (".*") for "(?:-\w, )?(--[\w-]+)" flag`)

// flagFault tells what is wrong with the flags of a command in one line, with
// the nearest flag that exists or the value that was expected.
func flagFault(c *cobra.Command, err error) error {
	if stray := strayFlag(c, err); stray != nil {
		return stray
	}
	if match := badValue.FindStringSubmatch(err.Error()); match != nil {
		expected := "another value"
		if f := c.Flags().Lookup(strings.TrimPrefix(match[2], "--")); f != nil {
			expected = expectedOf(f.Value.Type())
			if one, knows := f.Value.(interface{ expected(string) string }); knows {
				typed, _ := strconv.Unquote(match[1])
				expected = one.expected(typed)
			}
		}
		return usageError{fmt.Errorf("%s %s: expected %s", match[2], match[1], expected)}
	}
	return usageError{fmt.Errorf("%w; `%s --help` lists the flags", err, c.CommandPath())}
}

// expectedOf describes the values of a flag's type.
func expectedOf(kind string) string {
	switch kind {
	case "float64":
		return "a number such as 1500"
	case "duration":
		return "a duration with its unit, such as 4s"
	case "uint64":
		return "a whole number of 0 or more"
	case "int":
		return "a whole number"
	case "bool":
		return "true or false"
	default:
		return "a text"
	}
}

// knownFormat refuses a --format that is none of those that a verb has.
func knownFormat(format string, known ...string) error {
	if slices.Contains(known, format) {
		return nil
	}
	return usageError{fmt.Errorf("--format %s: expected %s", format, nearest.Choice(known))}
}

// emptyFlag returns the first flag that was given an empty text.
func emptyFlag(flags *pflag.FlagSet) error {
	var fault error
	flags.Visit(func(f *pflag.Flag) {
		if fault == nil && f.Value.Type() == "string" && f.Value.String() == "" {
			fault = usageError{fmt.Errorf("--%s: expected a value", f.Name)}
		}
	})
	return fault
}

// named names the flags of a command in what is wrong with the fields that they fill, all
// on one line: each fault says which flag it is of, and with what value. What is wrong with
// one item of a list says that item itself.
func named(flags *pflag.FlagSet, faults ...error) error {
	var lines []string
	for _, err := range faults {
		var fault fields.Fault
		if errors.As(err, &fault) && fault.File == "" {
			name, _, item := strings.Cut(fault.Path, ".")
			if f := flags.Lookup(name); f != nil {
				fault.File = "--" + f.Name
				if f.Value.Type() != "bool" && !item {
					fault.File += " " + strings.Trim(f.Value.String(), "[]")
				}
			}
			err = fault
		}
		lines = append(lines, err.Error())
	}
	if len(lines) == 0 {
		return nil
	}
	return usageError{errors.New(strings.Join(lines, "; "))}
}

// flagged names the flags in an error that is of a plan alone. Any other is left as it is:
// what is wrong with a scenario is told by its lines.
func flagged(flags *pflag.FlagSet, err error) error {
	list := []error{err}
	if joined, many := err.(interface{ Unwrap() []error }); many {
		list = joined.Unwrap()
	}
	for _, one := range list {
		if fault, is := one.(fields.Fault); !is || fault.File != "" {
			return err
		}
	}
	return named(flags, list...)
}

// formFlags say in which form what a verb came to is printed, and how much of it.
type formFlags struct {
	format  string
	verbose bool
}

// register adds the flags; more are forms of the verb's own.
func (f *formFlags) register(flags *pflag.FlagSet, more ...string) {
	f.format = report.FormText
	known := append(report.PrintForms(), more...)
	flags.VarP(&formValue{&f.format, known}, "format", "o", "what to print: "+strings.Join(known, ", "))
	flags.BoolVar(&f.verbose, "verbose", false, "print all there is to say, not one screen of it")
}

// formValue is one of the forms that a verb knows.
type formValue struct {
	form  *string
	known []string
}

func (v *formValue) String() string { return *v.form }
func (v *formValue) Type() string   { return "form" }

func (v *formValue) Set(form string) error {
	if !slices.Contains(v.known, form) {
		return errForm
	}
	*v.form = form
	return nil
}

var errForm = errors.New("expected a form that the verb knows")

// expected names the forms, the nearest where one is near.
func (v *formValue) expected(typed string) string {
	choice := nearest.Choice(v.known)
	if near, found := nearest.Name(typed, v.known); found {
		return choice + "; the nearest is " + near
	}
	return choice
}

// show prints a document in the form that was asked for, which is one of every document.
func (f *formFlags) show(stdout io.Writer, d *document.Document) error {
	return report.Print(stdout, d, f.format, f.look(stdout))
}

// look is how a text is laid out where it goes.
func (f *formFlags) look(stdout io.Writer) text.Look {
	look := text.Look{Verbose: f.verbose, ASCII: !speaksUTF8(os.Getenv)}
	if look.Columns = terminal.Columns(stdout); look.Columns == 0 {
		return look
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
