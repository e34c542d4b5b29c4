package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// What --ui takes.
const (
	uiAuto  = "auto"
	uiPlain = "plain"
	uiNone  = "none"
	uiJSON  = "json"
)

// uiFlag is how a run is to be shown while it goes on; empty is auto.
type uiFlag string

var _ pflag.Value = (*uiFlag)(nil)

// register adds the flag.
func (u *uiFlag) register(flags *pflag.FlagSet) {
	*u = uiAuto
	flags.Var(u, "ui", "how to show the run on standard error: auto (a bar on a terminal, else plain), plain (a line every 10 s), none, or json (`loadgen help stress`)")
}

// String implements [pflag.Value].
func (u *uiFlag) String() string { return string(*u) }

// Type implements [pflag.Value].
func (u *uiFlag) Type() string { return "how" }

// Set implements [pflag.Value].
func (u *uiFlag) Set(text string) error {
	known := []string{uiAuto, uiPlain, uiNone, uiJSON}
	for _, one := range known {
		if text == one {
			*u = uiFlag(text)
			return nil
		}
	}
	return fmt.Errorf("expected %s", u.expected(text))
}

// expected says what the flag takes, to whom typed something else.
func (u *uiFlag) expected(text string) string {
	known := []string{uiAuto, uiPlain, uiNone, uiJSON}
	if near, found := nearest.Name(text, known); found {
		return strings.Join(known, ", ") + "; the nearest is " + near
	}
	return strings.Join(known, ", ")
}

// sayWhere says where the record of a run is that lasted so long.
func (f *tellFlags) sayWhere(stderr io.Writer, folder results.Folder, lasted time.Duration) {
	switch f.shown() {
	case uiNone:
	case uiJSON:
		_, _ = stderr.Write(lineOf(runWritten{head{"run_written", inSeconds(lasted)}, fmt.Sprint(folder)}))
	default:
		fmt.Fprintf(stderr, "the run is in %s\n", folder)
	}
}

// uiOf returns how a run is shown by a verb that has --quiet alone.
func uiOf(quiet bool) string {
	if quiet {
		return uiNone
	}
	return uiAuto
}

// isTerminal reports whether escape sequences are welcome there.
func isTerminal(to io.Writer) bool {
	file, ok := to.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) &&
		os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("CI") == ""
}
