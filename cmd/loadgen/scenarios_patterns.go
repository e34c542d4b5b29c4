package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"loadgen/cmd/loadgen/terminal"
	"loadgen/report"
	"loadgen/scenarios/health"
	"loadgen/scenarios/series"
)

// newPatterns returns the verb that runs every pattern beside what it replaces.
func newPatterns(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "patterns [name...]",
		Short: "Run the documents' design patterns beside what they replace",
		Long: `Patterns runs each built-in scenario that shows a design pattern of the documents, and
its anti-pattern, on the virtual clock, by three seeds each, and prints as Markdown what the
two came to: what the scenario claims, and the figures in which they differ. It is what
docs/patterns.md shows. With names it does so for those alone.`,
		Example: `  loadgen scenarios patterns                  # all of them
  loadgen scenarios patterns bank-transfer    # one`,
		ValidArgsFunction: someScenarios,
		RunE: func(c *cobra.Command, args []string) error {
			names, rows, err := series.PatternsOf(args)
			if err != nil {
				return err
			}
			told, done := terminal.Is(stderr), new(atomic.Int64)
			list, err := series.Patterns(c.Context(), names, func() {
				if told {
					fmt.Fprintf(stderr, "\r%d of %d patterns", done.Add(1), len(names))
				}
			})
			if told {
				used, _ := health.CPU()
				fmt.Fprintf(stderr, ", %s of processor time\n", used.Round(100*time.Millisecond))
			}
			if err != nil {
				return err
			}
			return report.Patterns(stdout, rows, list)
		},
	}
	return c
}
