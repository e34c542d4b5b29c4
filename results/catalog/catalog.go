// Package catalog is the runs that are kept: their names, their tags and their age.
//
// A run is a folder with a run.json, a contest of designs one with a contest.json. [Open] reads what a folder of them holds into a
// [Catalog], of which [Catalog.Select] takes some and [Catalog.Plan] says which are to go;
// [Plan.Delete] deletes these. [Find] returns the run that a person means by a path, a
// name, the beginning of one or [Latest]; [ChangeTags] gives a run names of one's own,
// which keep it from being deleted. [Read] and [Reader] hand the records themselves over.
//
// The caller owes the time, and says by name which files beside a record's own a run may
// lose. What was asked for and cannot be had is a [Fault], one line that names what is
// nearest.
//
// The package alters no record, follows no link where it deletes, and deletes nothing that
// it was not told the name of.
package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// Catalog is what a folder of runs holds. It belongs to one goroutine.
type Catalog struct {
	Folder string
	// Runs are those directly below it, the one that was begun last first, those of one
	// instant by name, the last first.
	Runs []Run
	// Links are not followed; Others are folders without a run or a contest of their own.
	Links, Others int
}

// Open reads the heads and the tags of all runs and contests of a folder, several at once. Its error is
// a [Fault] of the folder, or the context's.
func Open(ctx context.Context, folder string) (*Catalog, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, &Fault{"folder", fmt.Errorf("the folder %s cannot be read: %w; expected one of runs", Shown(folder), Reason(err))}
	}
	c := &Catalog{Folder: folder}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			c.Links++
		case !entry.IsDir():
		case isFile(filepath.Join(path, results.RunFile)), isFile(filepath.Join(path, ContestFile)):
			c.Runs = append(c.Runs, Run{Name: entry.Name(), Folder: path})
		default:
			c.Others++
		}
	}
	// Opening so many files takes longer than what is read of them.
	err = atOnce(ctx, len(c.Runs), func(i int) { c.Runs[i].read() })
	slices.SortFunc(c.Runs, func(a, b Run) int {
		return cmp.Or(b.Begun.Compare(a.Begun), strings.Compare(b.Name, a.Name))
	})
	return c, err
}

// atOnce calls with each number below n, several at once, and waits for all. Its error is
// the context's, after which it calls no more.
func atOnce(ctx context.Context, n int, call func(i int)) error {
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var callers sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		callers.Go(func() {
			defer func() { <-room }()
			if ctx.Err() == nil {
				call(i)
			}
		})
	}
	callers.Wait()
	return ctx.Err()
}

// isFile reports whether a path leads to a file, not by a link.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// Selection says which runs are meant. The zero value means all.
type Selection struct {
	// Scenario is the name of theirs, empty for any.
	Scenario string
	// Tags are those that each of them has.
	Tags []string `flag:"tag" help:"only runs with this *tag*, repeatable"`
	// Since is the earliest instant at which they were begun.
	Since time.Time
}

// Select returns the runs that are meant, in their order, those that cannot be read among
// them. Its error is a [Fault]: no run is of that scenario, or has that tag.
func (c *Catalog) Select(s Selection) ([]*Run, error) {
	if err := c.hasScenario(s.Scenario); err != nil {
		return nil, err
	}
	var known []string
	for i := range c.Runs {
		known = append(known, c.Runs[i].Tags...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	for _, tag := range s.Tags {
		if !slices.Contains(known, tag) {
			return nil, &Fault{"tags", fmt.Errorf("no run in %s has it: %s", Shown(c.Folder), nearest.Unknown("tag", tag, known))}
		}
	}
	var chosen []*Run
	for i := range c.Runs {
		r := &c.Runs[i]
		lacks := func(tag string) bool { return !slices.Contains(r.Tags, tag) }
		if !r.Begun.Before(s.Since) && (s.Scenario == "" || r.Scenario() == s.Scenario) && !slices.ContainsFunc(s.Tags, lacks) {
			chosen = append(chosen, r)
		}
	}
	return chosen, nil
}

// hasScenario returns the fault of a name of which there is no run; empty stands for all.
func (c *Catalog) hasScenario(name string) error {
	var known []string
	for i := range c.Runs {
		known = append(known, c.Runs[i].Scenario())
	}
	if name == "" || slices.Contains(known, name) {
		return nil
	}
	return &Fault{"scenario", fmt.Errorf("no run of it in %s: %s", Shown(c.Folder), unknownScenario(name, known))}
}

// unknownScenario says that a scenario is none of those that there are.
func unknownScenario(name string, known []string) string {
	known = slices.DeleteFunc(known, func(name string) bool { return name == "" || Shown(name) != name })
	slices.Sort(known)
	return nearest.Unknown("scenario", name, slices.Compact(known))
}

// Beside counts in words what the folder holds beside the runs, empty for nothing.
func (c *Catalog) Beside() string {
	var parts []string
	for _, of := range []struct {
		n         int
		one, many string
	}{{c.Others, "other folder", "other folders"}, {c.Links, "link", "links"}} {
		if of.n == 1 {
			of.many = of.one
		}
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.many))
		}
	}
	return strings.Join(parts, ", ")
}

var (
	// ErrAge is wrapped where a text is no age.
	ErrAge = errors.New("no age; expected one such as 30d, 2w or 12h")
	// ErrTags is wrapped where a file of tags holds none.
	ErrTags = errors.New("tags.json has no tags of a run")
)

// Fault is what is wrong with what was asked for.
type Fault struct {
	// Field is the argument, or the field of the options, that is at fault.
	Field string
	// Err says what is wrong in one line, and what was expected.
	Err error
}

// Error returns the field and what is wrong with it.
func (f *Fault) Error() string { return f.Field + ": " + f.Err.Error() }

// Unwrap returns what is wrong.
func (f *Fault) Unwrap() error { return f.Err }

// Reason returns what is wrong with a file, without its path.
func Reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
