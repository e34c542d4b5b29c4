package results

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// MergePart is a record, and the name by which it is told of.
type MergePart struct {
	Name   string
	Record *Record
}

// Merge puts one record or more together, in the order in which they are given. Its error
// is a [*MergeMismatch] where they are not of one kind.
func Merge(parts []MergePart) (*Record, error) {
	if err := check(parts); err != nil {
		return nil, err
	}
	first := parts[0].Record
	r := &Record{SchemaVersion: first.SchemaVersion, Manifest: manifest(parts), Lag: NewHistogram(), RetryWaits: NewHistogram()}
	order, reasons := []string{Valid, Partial, Invalid}, []string{}
	gravest := 0
	for _, part := range parts {
		gravest = max(gravest, slices.Index(order, part.Record.Validity))
		r.EndedBy = cmp.Or(r.EndedBy, part.Record.EndedBy)
		for _, reason := range part.Record.Reasons {
			reasons = append(reasons, part.Name+": "+reason)
		}
	}
	r.Validity, r.Reasons = order[gravest], reasons
	r.Phases = phases(parts)
	for _, part := range parts {
		of := part.Record
		r.Duration = max(r.Duration, of.Duration)
		r.Misplaced += of.Misplaced
		r.Cut = r.Cut || of.Cut
		r.Lag.Merge(of.Lag)
		r.RetryWaits.Merge(of.RetryWaits)
		if of.LimitWaits != nil {
			r.LimitWaits = cmp.Or(r.LimitWaits, NewHistogram())
			r.LimitWaits.Merge(of.LimitWaits)
		}
		for _, one := range of.Minutes {
			at, there := slices.BinarySearchFunc(r.Minutes, one.Minute, func(m Minute, n int64) int { return cmp.Compare(m.Minute, n) })
			if !there {
				r.Minutes = slices.Insert(r.Minutes, at, Minute{Minute: one.Minute, Response: NewHistogram()})
			}
			r.Minutes[at].Response.Merge(one.Response)
		}
	}
	r.Intervals = intervals(parts, r.Phases)
	for i, part := range parts {
		for _, e := range part.Record.Events {
			// Phases and stages begin and end as in the first part, and what a part came to is not
			// what all did.
			beginsOrEnds := slices.Contains([]string{StageBegins, StageEnds, PhaseBegins, PhaseEnds}, e.What)
			if e.What != VerdictTold && (i == 0 || !beginsOrEnds) {
				r.Events = append(r.Events, e)
			}
		}
	}
	slices.SortStableFunc(r.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	r.Heat = heat(parts)
	mergeRunData(r, parts)
	return r, nil
}

// manifest is that of the first part, with what adds up, and with what the parts are.
func manifest(parts []MergePart) Manifest {
	m := parts[0].Record.Manifest
	m.Merged = &Merged{}
	if m.Modelled() && len(parts) > 1 {
		m.Targets = Targets{}
	}
	m.Command, m.Tables, m.Budget, m.PeakAsked, m.Environment = nil, nil, 0, 0, Environment{}
	if m.Spread != nil {
		m.Spread = &Spread{Partitions: m.Spread.Partitions, Think: m.Spread.Think}
	}
	for _, part := range parts {
		of := &part.Record.Manifest
		if of.Started.Before(m.Started) {
			m.Started = of.Started
		}
		if of.Proxy != m.Proxy {
			m.Proxy = ""
		}
		if m.Modelled() && len(parts) > 1 {
			// Each run had a target of its own.
			m.Targets.Partition += of.Targets.Partition
			m.Targets.Account += of.Targets.Account
		}
		combine(&m, of, "merge")
		m.PeakAsked += of.PeakAsked
		for _, table := range of.Tables {
			if !slices.Contains(m.Tables, table) {
				m.Tables = append(m.Tables, table)
			}
		}
		if m.Spread != nil && of.Spread != nil {
			m.Spread.Rate += of.Spread.Rate
			m.Spread.Clients += of.Spread.Clients
		}
		m.Merged.Runs = append(m.Merged.Runs, runsOf(part)...)
	}
	m.Merged.Notes = mergeNotes(parts, m.Merged.Runs)
	return m
}

// runsOf returns the runs of a part, which may have been put together itself.
func runsOf(part MergePart) []MergedRun {
	m := &part.Record.Manifest
	if m.Merged != nil {
		return m.Merged.Runs
	}
	return []MergedRun{{Name: part.Name, Tool: m.Tool, SHA256: m.Scenario.SHA256, Seed: m.Seed, Started: m.Started,
		Validity: part.Record.Validity, Attempts: part.Record.Counts(Everything).Attempts}}
}

// mergeNotes say in which ways the runs differ, and what cannot be told of them together.
func mergeNotes(parts []MergePart, runs []MergedRun) []string {
	list := []string{
		"per second, p50 to p99.9 are upper bounds over several runs: response times are at most 50% too high",
		"a partition's busiest second is a lower bound over several runs",
	}
	if parts[0].Record.Manifest.Modelled() && len(parts) > 1 {
		list = append(list, "each run modelled its own target: the limits are their sums")
	}
	builds, texts, seeds := map[Tool]bool{}, map[string]bool{}, map[uint64]bool{}
	for _, run := range runs {
		builds[run.Tool], texts[run.SHA256], seeds[run.Seed] = true, true, true
	}
	differ := func(n int, what string) {
		if n > 1 {
			list = append(list, fmt.Sprintf("the runs are of %d different %s", n, what))
		}
	}
	differ(len(builds), "builds")
	differ(len(texts), "texts of the scenario")
	differ(len(seeds), "seeds")
	byStart := func(a, b MergedRun) int { return a.Started.Compare(b.Started) }
	if apart := slices.MaxFunc(runs, byStart).Started.Sub(slices.MinFunc(runs, byStart).Started); apart >= time.Second {
		list = append(list, fmt.Sprintf("the runs started up to %v apart; seconds are merged by time since each start", apart.Round(time.Second)))
	}
	return list
}
