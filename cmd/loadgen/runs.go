package main

import (
	"io"

	"github.com/spf13/cobra"
)

// newRuns returns the verb around the runs that are kept.
func newRuns(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "Look at the runs that are kept: what has become of a scenario over the nights",
		Long: `Every run leaves its record in a folder of its own in results/runs. Here they are looked
at together.`,
		Example: "  loadgen runs history stress              # where do its nights step?",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownPart(c, args[0])
			}
			return c.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	c.AddCommand(new(historyFlags).verb(stdout, stderr))
	return c
}
