package main

import (
	"io"

	"github.com/spf13/cobra"
)

// newRuns returns the verb around the runs that are kept.
func newRuns(stdout, stderr io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "runs",
		Short: "Look after the runs that are kept: list, show, tag, prune, and their history",
		Long: `Every run leaves its record in a folder of its own in results/runs. Here they are looked
at together and looked after.`,
		Example: `  loadgen runs list --since 7d
  loadgen runs show latest
  loadgen runs tag latest baseline         # keeps it from being pruned
  loadgen runs prune --older-than 30d      # what would go?
  loadgen runs history stress              # where do its nights step?`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownPart(c, args[0])
			}
			return c.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	c.AddCommand(new(runsListFlags).verb(stdout), new(runsShowFlags).verb(stdout), new(runsTagFlags).verb(stdout),
		new(runsPruneFlags).verb(stdout), new(historyFlags).verb(stdout, stderr))
	return c
}
