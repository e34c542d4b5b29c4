package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"loadgen/results"
)

// Pruning selects the runs to delete: those that are old enough, those that are not among the newest of their scenario, or,
// with both, those that meet both.
type Pruning struct {
	// Now is the time from which ages are measured.
	Now time.Time
	// OlderThan is the age that runs must exceed, 0 or less for any age.
	OlderThan time.Duration
	// KeepLast is the number of the newest runs of each scenario that stay, besides protected runs; 0 or less for none.
	KeepLast int `flag:"keep-last"`
	// Scenario is the scenario whose runs are deleted, empty for all.
	Scenario string
	// Own are the names of files that may be deleted besides the record, its tags and their partial writes.
	Own []string
}

// Plan is the decision on each run of a catalog.
type Plan struct {
	// Goes are the runs to delete, the newest first.
	Goes []*Run

	catalog *Catalog
	by      Pruning
	// kept counts the runs that stay by reason.
	kept map[string]int
}

// The reasons for which runs stay, behind their number.
const (
	whyTagged     = "with tags"
	whyUnderWay   = "being written"
	whyUnreadable = "that cannot be read"
	whyContest    = "of contests"
	whyOther      = "of other scenarios"
	whyNew        = "new enough"
)

// stillWritten is how long after its last write a run without an end is considered running: a running one writes each
// second.
const stillWritten = time.Hour

// Plan decides on every run without reading anything. Its error is a [Fault]: no condition is set, or no run is of the
// scenario.
func (c *Catalog) Plan(by Pruning) (*Plan, error) {
	if by.OlderThan <= 0 && by.KeepLast <= 0 {
		return nil, &Fault{"older than", errors.New("expected a maximum age or number of runs to keep")}
	}
	if err := c.hasScenario(by.Scenario); err != nil {
		return nil, err
	}
	plan := &Plan{catalog: c, by: by, kept: make(map[string]int)}
	passed := make(map[string]int)
	for i := range c.Runs {
		r := &c.Runs[i]
		if why := by.protects(r); why != "" {
			plan.kept[why]++
			continue
		}
		passed[r.Scenario()]++
		if by.KeepLast > 0 && passed[r.Scenario()] <= by.KeepLast || by.OlderThan > 0 && by.Now.Sub(r.Begun) <= by.OlderThan {
			plan.kept[whyNew]++
			continue
		}
		plan.Goes = append(plan.Goes, r)
	}
	return plan, nil
}

// protects returns why a run stays at any age, empty if it does not.
func (p *Pruning) protects(r *Run) string {
	switch {
	case r.Contest != nil:
		return whyContest
	case r.Head == nil:
		return whyUnreadable
	case len(r.Tags) > 0 || r.TagFault != nil:
		return whyTagged
	case r.Head.Summary == nil && p.Now.Sub(r.Written) < stillWritten:
		return whyUnderWay
	case p.Scenario != "" && r.Scenario() != p.Scenario:
		return whyOther
	}
	return ""
}

// Stay returns the numbers of runs that stay by reason, and of other entries of the folder; empty for none.
func (p *Plan) Stay() string {
	var parts []string
	for _, why := range []string{whyTagged, whyUnderWay, whyUnreadable, whyContest, whyOther, whyNew} {
		if n := p.kept[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, why))
		}
	}
	if beside := p.catalog.OtherContents(); beside != "" {
		parts = append(parts, beside)
	}
	return strings.Join(parts, ", ")
}

// Size returns the size in bytes of the files of a run that would be deleted, as far as they can be read.
func (p *Plan) Size(r *Run) int64 {
	entries, _ := os.ReadDir(r.Folder)
	var bytes int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && entry.Type().IsRegular() && p.by.owns(entry.Name()) {
			bytes += info.Size()
		}
	}
	return bytes
}

// owns reports whether a file of a run's folder was written by this tool, by its name.
func (p *Pruning) owns(name string) bool {
	own := slices.Concat(p.Own, recordFiles(), []string{TagsFile})
	if slices.Contains(own, name) {
		return true
	}
	// Partial writes of results.Dir begin so.
	return strings.HasPrefix(name, ".probe-") || slices.ContainsFunc(own, func(of string) bool { return strings.HasPrefix(name, "."+of+"-") })
}

// Deletion is the result of [Plan.Delete].
type Deletion struct {
	// Runs is the number of deleted runs, Bytes the size of their files.
	Runs  int
	Bytes int64
	// Left are the folders of deleted runs that stay because of files of others.
	Left []Remains
}

// Remains are the remaining files in the folder of a deleted run.
type Remains struct {
	Name  string
	Files []string
}

// Delete deletes the runs of the plan, except those that were tagged since. An error of a run does not stop the deletion
// of others. The result is returned along with an error, which is the context's or names the run. If the folder cannot be
// opened the error is a [Fault], and nothing is deleted.
func (p *Plan) Delete(ctx context.Context) (*Deletion, error) {
	root, err := os.OpenRoot(p.catalog.Folder)
	if err != nil {
		return nil, &Fault{"folder", fmt.Errorf("the folder %s cannot be opened: %w", Quote(p.catalog.Folder), Reason(err))}
	}
	defer root.Close()
	done := new(Deletion)
	var faults []error
	for _, r := range p.Goes {
		if ctx.Err() != nil {
			faults = append(faults, ctx.Err())
			break
		}
		r.read()
		if why := p.by.protects(r); why != "" {
			p.kept[why]++
			continue
		}
		freed, left, err := p.by.delete(root, r.Name)
		done.Bytes += freed
		if err != nil {
			faults = append(faults, fmt.Errorf("the run %s was deleted in part: %w", Quote(r.Name), err))
			continue
		}
		if len(left) > 0 {
			done.Left = append(done.Left, Remains{r.Name, left})
		}
		done.Runs++
	}
	return done, errors.Join(faults...)
}

// delete deletes the files of a run that this tool owns, then its folder if it is empty, and returns the number of bytes
// and the remaining files. The root prevents that a link leads out of it. The record is deleted last, so that an
// interrupted deletion can be repeated.
func (p *Pruning) delete(root *os.Root, name string) (freed int64, left []string, err error) {
	info, err := root.Lstat(name)
	if err != nil {
		return 0, nil, err
	}
	if !info.IsDir() {
		return 0, nil, errors.New("it is no folder any more")
	}
	folder, err := root.OpenRoot(name)
	if err != nil {
		return 0, nil, err
	}
	defer folder.Close()
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		return 0, nil, err
	}
	for _, entry := range recordLast(entries) {
		if !entry.Type().IsRegular() || !p.owns(entry.Name()) {
			left = append(left, entry.Name())
			continue
		}
		if info, err := entry.Info(); err == nil {
			freed += info.Size()
		}
		if err := folder.Remove(entry.Name()); err != nil {
			return freed, left, err
		}
	}
	if len(left) > 0 {
		return freed, left, nil
	}
	return freed, nil, root.Remove(name)
}

// recordLast moves the record to the end of the files of a folder.
func recordLast(entries []fs.DirEntry) []fs.DirEntry {
	at := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Name() == results.RunFile })
	if at < 0 {
		return entries
	}
	return append(slices.Delete(slices.Clone(entries), at, at+1), entries[at])
}
