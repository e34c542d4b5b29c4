package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"loadgen/results"
	"loadgen/scenarios/keys"
)

// runsTagFlags are what a user typed after `loadgen runs tag`.
type runsTagFlags struct {
	runs   string
	remove bool
}

func (f *runsTagFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "tag RUN NAME...",
		Short: "Tag a run, which keeps it from being pruned",
		Long: `Tag gives a run names of your own, by which ` + "`runs list --tag`" + ` finds it, and
` + "`runs prune`" + ` never deletes a run that has one. They lie in a file beside the record,
which is never altered. ` + aboutRun,
		Example: `  loadgen runs tag latest baseline
  loadgen runs tag 20260301T0200 before-the-move --remove`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return usageError{fmt.Errorf("%s takes a run and one tag or more, and got %d arguments; expected such as latest keep", c.CommandPath(), len(args))}
			}
			return nil
		},
		ValidArgsFunction: completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			return f.tag(c.Context(), args[0], args[1:], stdout)
		},
	}
	c.Flags().StringVar(&f.runs, "runs", runsKept(), "`folder` of the runs")
	c.Flags().BoolVar(&f.remove, "remove", false, "take the tags away")
	return c
}

// tag adds tags to a run or takes them away, all or none of them.
func (f *runsTagFlags) tag(ctx context.Context, name string, names []string, stdout io.Writer) error {
	for _, tag := range names {
		if fault := faultOfTag(tag); fault != "" {
			return usageError{fmt.Errorf("the tag %q %s; expected letters, digits and - _ . such as keep", cellOf(tag, 2*longestTag), fault)}
		}
	}
	folder, err := findRun(ctx, f.runs, name)
	if err != nil {
		return err
	}
	tags, err := readTags(results.Dir(folder))
	if errors.Is(err, errTags) {
		return usageError{fmt.Errorf("the tags of %s cannot be read: %w; delete its %s to begin anew", shownName(folder), err, tagsFile)}
	}
	if err != nil {
		return usageError{fmt.Errorf("the tags of %s cannot be read: %w", shownName(folder), reason(err))}
	}
	changed, err := f.change(tags, names)
	if err != nil {
		return usageError{fmt.Errorf("%s: %w", shownName(folder), err)}
	}
	if !slices.Equal(tags, changed) {
		if err := writeTags(results.Dir(folder), changed); err != nil {
			return fmt.Errorf("%w: %w", errNoFolder, err)
		}
	}
	said := "no tag"
	if len(changed) > 0 {
		said = strings.Join(changed, ", ")
	}
	_, err = fmt.Fprintf(stdout, "%s: %s\n", shownName(folder), said)
	return err
}

// change returns tags with names added or taken away, in order, or what is wrong with
// that.
func (f *runsTagFlags) change(tags, names []string) ([]string, error) {
	changed := slices.Clone(tags)
	for _, name := range names {
		at := slices.Index(changed, name)
		switch {
		case !f.remove && at < 0:
			changed = append(changed, name)
		case f.remove && !slices.Contains(tags, name):
			return nil, fmt.Errorf("it has no such tag: %s", keys.Unknown("tag", name, tags))
		case f.remove && at >= 0:
			changed = slices.Delete(changed, at, at+1)
		}
	}
	if len(changed) > mostTags {
		return nil, fmt.Errorf("%d tags are more than %d; expected fewer", len(changed), mostTags)
	}
	slices.Sort(changed)
	return changed, nil
}
