package catalog

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Pruning says which runs are to go: those that were begun long enough ago, those behind
// the newest of their scenario, or with both those that meet both.
type Pruning struct {
	// Now is the instant by which runs are old.
	Now time.Time
	// OlderThan is what those that go exceed in age, 0 or less for any age.
	OlderThan time.Duration
	// KeepLast is how many of each scenario stay, the newest, not counting what stays
	// anyway; 0 or less where none stays for that.
	KeepLast int `flag:"keep-last" help:"all but this number of the newest of each scenario"`
	// Scenario is the one whose runs alone go, empty for all.
	Scenario string
	// Own are the names of the files that go beside the record itself, its tags and what a
	// write of these was cut short of.
	Own []string
}

// Plan is what is to become of the runs of a catalog.
type Plan struct {
	// Goes are the runs that go, the newest first.
	Goes []*Run

	catalog *Catalog
	by      Pruning
	// kept counts the runs that stay, by why.
	kept map[string]int
}

// Why a run stays, behind a number of runs.
const (
	whyTagged     = "with tags"
	whyUnderWay   = "being written"
	whyUnreadable = "that cannot be read"
	whyContest    = "of contests"
	whyOther      = "of other scenarios"
	whyNew        = "new enough"
)

// stillWritten is how long after its last write a run without an end is taken to be under
// way: one that runs writes each second.
const stillWritten = time.Hour

// Plan decides about every run, and reads nothing: what there is was read before. Its
// error is a [Fault]: nothing says which runs are to go, or no run is of that scenario.
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

// protects returns why a run stays however old it is, empty where nothing says so.
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

// Stay counts in words the runs that stay, by why, and what else the folder holds; empty
// for nothing.
func (p *Plan) Stay() string {
	var parts []string
	for _, why := range []string{whyTagged, whyUnderWay, whyUnreadable, whyContest, whyOther, whyNew} {
		if n := p.kept[why]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, why))
		}
	}
	if beside := p.catalog.Beside(); beside != "" {
		parts = append(parts, beside)
	}
	return strings.Join(parts, ", ")
}

// Size returns how many bytes the files of a run have that would be deleted, as far as
// they can be looked at.
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

// owns reports whether a file of that name in a run's folder was written by this tool.
func (p *Pruning) owns(name string) bool {
	own := slices.Concat(p.Own, recordFiles(), []string{TagsFile})
	if slices.Contains(own, name) {
		return true
	}
	// What a write was cut short of, by the names that results.Dir gives them.
	return strings.HasPrefix(name, ".probe-") || slices.ContainsFunc(own, func(of string) bool { return strings.HasPrefix(name, "."+of+"-") })
}
