package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
)

// runsPruneFlags are what a user typed after `loadgen runs prune`.
type runsPruneFlags struct {
	runs      string
	olderThan string
	keepLast  int
	scenario  string
	yes       bool
}

func (f *runsPruneFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "prune",
		Short: "Delete runs that are old, once it was said which",
		Long: `Prune says which runs would go, and deletes them only with --yes. With --older-than go
those that were begun longer ago, with --keep-last all but the newest so many of each
scenario, not counting what stays anyway; with both, those that meet both.

It deletes the files that loadgen has written, and only of runs directly below --runs
whose record it can read. It follows no link, and leaves alone every run that has a tag,
every run that has not come to its end and was written to within the last hour, contests,
and files of anybody else, whose folders stay with them.`,
		Example: `  loadgen runs prune --older-than 30d              # what would go?
  loadgen runs prune --older-than 30d --yes
  loadgen runs prune --keep-last 20 --scenario stress --yes`,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.prune(c.Context(), c.Flags().Changed("keep-last"), clock.NewReal().Started(), stdout)
		},
	}
	refuseArguments(c)
	flags := c.Flags()
	flags.StringVar(&f.runs, "runs", runsKept(), "`folder` of the runs")
	flags.StringVar(&f.olderThan, "older-than", "", "runs that were begun longer ago than this `age`, such as 30d, 2w or 12h")
	flags.IntVar(&f.keepLast, "keep-last", 0, "all but the newest so many of each scenario")
	flags.StringVar(&f.scenario, "scenario", "", "only runs of the scenario of this `name`")
	flags.BoolVar(&f.yes, "yes", false, "delete them")
	return c
}

// prune says what goes, and deletes it if it may.
func (f *runsPruneFlags) prune(ctx context.Context, keepLast bool, now time.Time, stdout io.Writer) error {
	p := pruning{now: now, scenario: f.scenario, keepLast: -1}
	if keepLast {
		if p.keepLast = f.keepLast; f.keepLast < 1 {
			return usageError{fmt.Errorf("--keep-last %d: expected 1 or more", f.keepLast)}
		}
	}
	if f.olderThan != "" {
		age, err := parseAge(f.olderThan)
		if err != nil {
			return usageError{fmt.Errorf("--older-than %q: %w", f.olderThan, err)}
		}
		p.olderThan = age
	}
	if !keepLast && f.olderThan == "" {
		return usageError{errors.New("runs prune: nothing says which runs are to go; expected --older-than 30d or --keep-last 20")}
	}
	s, err := readShelf(ctx, f.runs)
	if err != nil {
		return err
	}
	if err := s.hasScenario(f.scenario); err != nil {
		return err
	}
	plan := p.plan(s)
	if f.yes {
		return deleteRuns(ctx, s, p, &plan, stdout)
	}
	_, err = io.WriteString(stdout, plan.text(s))
	return err
}

// text says what would go and what stays.
func (p *prunePlan) text(s *shelf) string {
	var text strings.Builder
	rows := [][]string{}
	var bytes int64
	for _, k := range p.goes {
		size := k.size()
		bytes += size
		rows = append(rows, []string{cellOf(k.name, widestName), k.begun.Format("2006-01-02 15:04"), cellOf(k.scenario(), widestWords), sizeOf(size)})
	}
	if len(rows) > 0 {
		align(&text, rows, 3)
		fmt.Fprintf(&text, "%s would go, %s; nothing has been deleted, --yes does it\n", runsWord(len(rows)), sizeOf(bytes))
	} else {
		text.WriteString("no run would go\n")
	}
	text.WriteString(p.stays(s))
	return text.String()
}

// stays says how many runs stay and why, empty where none does.
func (p *prunePlan) stays(s *shelf) string {
	var parts []string
	for why := range whyLast {
		if n := p.kept[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, why))
		}
	}
	if left := leftAlone(s.contests, s.others, s.links); left != "" {
		parts = append(parts, left)
	}
	if len(parts) == 0 {
		return ""
	}
	return "left alone: " + strings.Join(parts, ", ") + "\n"
}

func runsWord(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}
