package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"loadgen/cmd/loadgen/terminal"
	"loadgen/engine/model"
	"loadgen/scenarios/run"
)

// newTopics returns what `loadgen help` explains beside the verbs.
func newTopics(stdout io.Writer) []*cobra.Command {
	topics := []*cobra.Command{
		{Use: "model", Short: "The parameters of the modelled service: value, unit, bounds, source", Long: modelHelp()},
		{Use: "events", Short: "The lines of --ui json", Long: terminal.EventsHelp},
		{Use: "environment", Short: "The variables that are read", Long: environmentHelp},
		{Use: "exit-codes", Short: "The exit codes of every verb", Long: exitCodes},
	}
	for _, c := range topics {
		c.RunE = func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(stdout, c.Long)
			return err
		}
	}
	return topics
}

// modelHelp tells every parameter of the model by the table that the engine has.
func modelHelp() string {
	documented, err := model.New(model.Documented)
	if err != nil {
		panic("loadgen: " + err.Error())
	}
	var page strings.Builder
	fmt.Fprintf(&page, `The embedded engine is a model of the service. A scenario gives a parameter another value by
model: {NAME: VALUE}, a command by --set model.NAME=VALUE; model: {profile: NAME} takes all of them
from a profile: %s. Shown are the values of %s,
their bounds and where they come from; a value that you give is an assumption of yours.
docs/model.md holds the model against measurements. region: NAME says where the clients are, and sets
round_trip: %s.
`, strings.Join(model.Profiles(), ", "), model.Documented, regions())
	for _, p := range documented.Parameters() {
		least, greatest := p.Bounds()
		unit := " " + string(p.Unit)
		if p.Unit == model.Duration { // which its text names
			unit = ""
		}
		fmt.Fprintf(&page, "\n  %s = %s%s   %s to %s, %s\n      %s\n", p.Name, p.Text(), unit, least, greatest, p.From, p.About)
	}
	return page.String()
}

// regions tells what each region sets round_trip to.
func regions() string {
	var list []string
	for _, r := range model.Regions() {
		list = append(list, fmt.Sprintf("%s %v", r.Name, r.RoundTrip))
	}
	return strings.Join(list, ", ")
}

// newVersion returns the verb that says what was built.
func newVersion(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which build this is",
		Long: `Version says which build this is: of which commit, with a plus sign where the sources differed
from it, by which Go, for what, and which version of the partition model it has. Figures that two
versions of the model came to are not to be compared.`,
		Example: "  loadgen version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(stdout, "loadgen %s, commit %s, %s %s/%s, model %d\n",
				run.Version(), cmp.Or(run.Commit(), "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH, model.Version)
			return err
		},
	}
}

// docsFlags are what a user typed after `loadgen docs`.
type docsFlags struct{ man, markdown string }

func (f *docsFlags) verb() *cobra.Command {
	c := &cobra.Command{
		Use: "docs", Short: "Write the manual: pages for man, or Markdown",
		Long: `Docs writes a page for each verb and topic into a folder, which is made if it is not
there. SOURCE_DATE_EPOCH is the date on pages for man.`,
		Example: "  loadgen docs --man share/man/man1\n  loadgen docs --markdown site/verbs",
		RunE:    func(c *cobra.Command, _ []string) error { return f.write(c.Root()) },
	}
	c.Flags().StringVar(&f.man, "man", "", "write pages for man, section 1, into this `folder`")
	c.Flags().StringVar(&f.markdown, "markdown", "", "write Markdown into this `folder`")
	return c
}

func (f *docsFlags) write(root *cobra.Command) error {
	if f.man == "" && f.markdown == "" {
		return usageError{errors.New("docs writes into a folder; expected --man FOLDER or --markdown FOLDER")}
	}
	root.DisableAutoGenTag = true
	if f.man != "" {
		header := &doc.GenManHeader{Section: "1", Source: "loadgen " + run.Version(), Manual: "loadgen"}
		pages := func(folder string) error { return doc.GenManTree(root, header, folder) }
		if err := into(f.man, "--man", pages); err != nil {
			return err
		}
	}
	if f.markdown == "" {
		return nil
	}
	return into(f.markdown, "--markdown", func(folder string) error { return doc.GenMarkdownTree(root, folder) })
}

// into makes a folder and has pages written there.
func into(folder, flag string, pages func(folder string) error) error {
	err := os.MkdirAll(folder, 0o777)
	if err == nil {
		err = pages(folder)
	}
	if err != nil {
		return usageError{fmt.Errorf("%s %s: %w", flag, folder, err)}
	}
	return nil
}
