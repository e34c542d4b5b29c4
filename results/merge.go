package results

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// MergePart is a record and its name for messages.
type MergePart struct {
	Name   string
	Record *Record
}

// Merge combines records in the given order. Its error is a [*MergeMismatch] if they do not fit together.
func Merge(parts []MergePart) (*Record, error) {
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	order := []string{Valid, Partial, Invalid}
	first := parts[0].Record
	r := &Record{SchemaVersion: first.SchemaVersion, Manifest: mergeManifests(parts), Validity: Valid, Reasons: []string{},
		Phases: mergePhases(parts), Heat: mergeHeats(parts), Lag: NewHistogram(), RetryWaits: NewHistogram(),
		Target: new(TargetCounts), Generator: mergeGenerators(parts)}
	if len(parts) == 1 {
		r.Rival = first.Rival
	}
	for i, part := range parts {
		of := part.Record
		r.Validity = order[max(slices.Index(order, r.Validity), slices.Index(order, of.Validity))]
		for _, reason := range of.Reasons {
			r.Reasons = append(r.Reasons, part.Name+": "+reason)
		}
		for _, e := range of.Events {
			// Phases and stages begin and end as in the first part, and the verdict on a part is not that on the whole.
			beginsOrEnds := slices.Contains([]string{StageBegins, StageEnds, PhaseBegins, PhaseEnds}, e.What)
			if e.What != VerdictTold && (i == 0 || !beginsOrEnds) {
				r.Events = append(r.Events, e)
			}
		}
		r.add(of)
	}
	r.Intervals = mergeIntervals(parts, r.Phases)
	slices.SortStableFunc(r.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	slices.SortFunc(r.Minutes, func(a, b Minute) int { return cmp.Compare(a.Minute, b.Minute) })
	slices.SortFunc(r.Counters, Counter.compare)
	slices.SortStableFunc(r.Tail, func(a, b KeyTail) int {
		return cmp.Or(cmp.Compare(b.Throttled, a.Throttled), cmp.Compare(b.Attempts, a.Attempts), strings.Compare(a.Key, b.Key))
	})
	return r, nil
}

// add adds the data of the whole run of another record.
func (r *Record) add(of *Record) {
	r.EndedBy = cmp.Or(r.EndedBy, of.EndedBy)
	r.Duration = max(r.Duration, of.Duration)
	r.Misplaced += of.Misplaced
	r.Cut = r.Cut || of.Cut
	r.Lag.Merge(of.Lag)
	r.RetryWaits.Merge(of.RetryWaits)
	if of.LimitWaits != nil {
		r.LimitWaits = cmp.Or(r.LimitWaits, NewHistogram())
		r.LimitWaits.Merge(of.LimitWaits)
	}
	switch sum, more := r.Target, of.Target; {
	case more == nil: // a target without counts
		r.Target = nil
	case sum != nil:
		AddTimes(sum, more, 1)
	}
	if ensure(&r.Connections, of.Connections) {
		combine(r.Connections, of.Connections, "merge")
	}
	if ensure(&r.Said, of.Said) {
		r.Said.add(of.Said)
	}
	if ensure(&r.Audit, of.Audit) {
		AddTimes(r.Audit, of.Audit, 1)
		r.Audit.Examples = concatUpTo(MostAuditExamples, r.Audit.Examples, of.Audit.Examples, nil)
	}
	r.Minutes = mergeList(r.Minutes, of.Minutes, func(m *Minute) int64 { return m.Minute }, func(sum, more *Minute) {
		both := NewHistogram()
		both.Merge(sum.Response)
		both.Merge(more.Response)
		sum.Response = both
	})
	r.Tail = mergeList(r.Tail, of.Tail, func(t *KeyTail) string { return t.Key }, func(sum, more *KeyTail) { AddTimes(sum, more, 1) })
	r.Counters = mergeList(r.Counters, of.Counters, func(c *Counter) CounterName { return c.CounterName }, func(sum, more *Counter) { AddTimes(sum, more, 1) })
	r.Invariants = mergeList(r.Invariants, of.Invariants, func(i *Invariant) string { return i.Name }, func(sum, more *Invariant) {
		AddTimes(sum, more, 1)
		sum.Examples = concatUpTo(maxExamples, sum.Examples, more.Examples, nil)
	})
}

// maxExamples is the maximum number of examples of an invariant, of slow attempts, and of attempts of a refusal.
const maxExamples = 10

func (s *Said) add(more *Said) {
	if more.ClockAhead.Abs() > s.ClockAhead.Abs() {
		s.ClockAhead = more.ClockAhead
	}
	s.Dropped += more.Dropped
	s.Refusals = mergeList(s.Refusals, more.Refusals, func(r *Refusal) [3]string { return [3]string{strconv.Itoa(r.Status), r.Code, r.Limit} },
		func(sum, more *Refusal) {
			sum.Count += more.Count
			sum.First = concatUpTo(maxExamples, sum.First, more.First, func(a, b SaidRequest) int { return cmp.Compare(a.At, b.At) })
		})
	slices.SortStableFunc(s.Refusals, func(a, b Refusal) int { return cmp.Compare(b.Count, a.Count) })
	s.Slowest = concatUpTo(maxExamples, s.Slowest, more.Slowest, func(a, b SaidRequest) int { return cmp.Compare(b.Took, a.Took) })
}

// ensure allocates a sum if there is more to add to it, and reports whether there is more.
func ensure[T any](sum **T, more *T) bool {
	if more != nil && *sum == nil {
		*sum = new(T)
	}
	return more != nil
}

// mergeList adds each element of more to the element of the list with the same key, or appends it.
func mergeList[T any, K comparable](list, more []T, key func(*T) K, add func(sum, more *T)) []T {
	at := make(map[K]int, len(list)+len(more))
	for i := range list {
		at[key(&list[i])] = i
	}
	for i := range more {
		k := key(&more[i])
		if known, ok := at[k]; ok {
			add(&list[known], &more[i])
			continue
		}
		at[k] = len(list)
		list = append(list, more[i])
	}
	return list
}

// concatUpTo returns the first elements, by an order unless it is nil, of two lists.
func concatUpTo[T any](maximum int, list, more []T, order func(a, b T) int) []T {
	list = slices.Concat(list, more)
	if order != nil {
		slices.SortStableFunc(list, order)
	}
	return list[:min(len(list), maximum)]
}

// mergeManifests returns the manifest of the first part with the sums of all, and the list of parts.
func mergeManifests(parts []MergePart) Manifest {
	m := parts[0].Record.Manifest
	m.Merged, m.Command, m.Tables = &Merged{}, nil, nil
	for i, part := range parts {
		of := &part.Record.Manifest
		if i > 0 {
			combine(&m, of, "merge")
		}
		if i > 0 && m.Modelled() {
			// Each run had a target of its own.
			combine(&m.Targets, &of.Targets, "merge")
			m.Targets.Documented = false
		}
		if of.Started.Before(m.Started) {
			m.Started = of.Started
		}
		if of.Proxy != m.Proxy {
			m.Proxy = ""
		}
		for _, table := range of.Tables {
			if !slices.Contains(m.Tables, table) {
				m.Tables = append(m.Tables, table)
			}
		}
		m.Merged.Runs = append(m.Merged.Runs, runsOf(part)...)
	}
	m.Merged.Notes = mergeNotes(parts, m.Merged.Runs)
	return m
}

// mergeGenerators returns the sums of the resources of all generators, and the maximum of each delay. It is nil if one of
// them is.
func mergeGenerators(parts []MergePart) *Generator {
	var sum *Generator
	for _, part := range parts {
		of := part.Record.Generator
		if of == nil {
			return nil
		}
		if sum == nil {
			copied := *of
			sum = &copied
			continue
		}
		if a, b := sum.Ceiling, of.Ceiling; a == nil || b == nil || a.Over != b.Over || a.Took <= 0 || b.Took <= 0 {
			// One is unknown, or they were measured on different targets.
			sum.Ceiling = nil
		} else {
			scale := a.Took.Seconds() / b.Took.Seconds()
			sum.Ceiling = &Ceiling{Over: a.Over, Lanes: a.Lanes + b.Lanes, Took: a.Took,
				Operations: a.Operations + int64(float64(b.Operations)*scale), CPU: a.CPU + time.Duration(float64(b.CPU)*scale)}
		}
		combine(sum, of, "merge")
		sum.CPUKnown = sum.CPUKnown && of.CPUKnown
		if of.Busiest != nil && (sum.Busiest == nil || of.Busiest.CPU > sum.Busiest.CPU) {
			sum.Busiest = of.Busiest
		}
	}
	return sum
}

// runsOf returns the runs of a part, which may be merged itself.
func runsOf(part MergePart) []MergedRun {
	m := &part.Record.Manifest
	if m.Merged != nil {
		return m.Merged.Runs
	}
	return []MergedRun{{Name: part.Name, Tool: m.Tool, SHA256: m.Scenario.SHA256, Seed: m.Seed, Started: m.Started,
		Validity: part.Record.Validity, Attempts: part.Record.Counts(Everything).Attempts}}
}

// mergeNotes returns how the runs differ, and which figures are only bounds.
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

// ErrMergeMismatch is wrapped if records do not fit together.
var ErrMergeMismatch = errors.New("the runs do not fit together")

// MergeMismatch is a field of run.json in which a part differs from the others.
type MergeMismatch struct {
	Part, Field string
	// Says has the value and the expected one.
	Says string
}

// Error implements error.
func (m *MergeMismatch) Error() string {
	return fmt.Sprintf("%v: %s, %s: %s", ErrMergeMismatch, m.Part, m.Field, m.Says)
}

// Unwrap returns [ErrMergeMismatch].
func (m *MergeMismatch) Unwrap() error { return ErrMergeMismatch }

// agreed is a field that must be the same in all parts, and its value in a part.
type agreed struct{ field, value string }

// agreedFields returns the fields of a struct with the tag merge:"same", by their JSON names behind a path.
func agreedFields(path string, of any) (list []agreed) {
	value := reflect.ValueOf(of)
	for i := range value.NumField() {
		if tag := value.Type().Field(i).Tag; tag.Get("merge") == "same" {
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			list = append(list, agreed{path + name, fmt.Sprint(value.Field(i))})
		}
	}
	return list
}

// agreedOf returns the fields of a record that must be the same. Builds, texts of a scenario, seeds and machines may differ.
func agreedOf(r *Record) []agreed {
	m, partitions := r.Manifest, 0
	if m.Spread != nil {
		partitions = m.Spread.Partitions
	}
	// Modelled targets of several runs are compared by those of a single run.
	m.Targets.Documented = false
	if m.Modelled() && m.Merged != nil {
		runs := int64(max(1, len(m.Merged.Runs)))
		m.Targets.Partition, m.Targets.Account = m.Targets.Partition/runs, m.Targets.Account/runs
	}
	return append(agreedFields("manifest.", m), agreed{"schema_version", fmt.Sprint(r.SchemaVersion)},
		agreed{"manifest.scenario.name", m.Scenario.Name}, agreed{"manifest.spread.partitions", fmt.Sprint(partitions)})
}

// mismatch returns an error on a field of a part, which another part has otherwise.
func (p *MergePart) mismatch(field, has, expected string, other *MergePart) error {
	return &MergeMismatch{p.Name, field, fmt.Sprintf("%s; expected %s, as %s has it", shortened(has), shortened(expected), other.Name)}
}

// firstMismatch returns an error on the first field that differs between parts.
func (p *MergePart) firstMismatch(has, expected []agreed, other *MergePart) error {
	for i := range has {
		if has[i] != expected[i] {
			return p.mismatch(has[i].field, has[i].value, expected[i].value, other)
		}
	}
	return nil
}

// check returns an error if the parts do not fit together.
func checkParts(parts []MergePart) error {
	if len(parts) == 0 {
		return &MergeMismatch{Part: "none", Field: "runs", Says: "there is no run; expected one or more"}
	}
	// A part that ended early may have fewer phases.
	longest := longestPart(parts)
	for i := range parts {
		part := &parts[i]
		switch r := part.Record; {
		case r.Validity == Partial && r.Duration == 0:
			return &MergeMismatch{part.Name, "duration_ns", "the record is not closed: the run was killed or is still running"}
		case r.Capture != nil:
			return &MergeMismatch{part.Name, "capture", "it is a capture of a server; expected runs that sent load"}
		case r.Limit != nil:
			return &MergeMismatch{part.Name, "limit", "it is a search for a limit, whose rates depend on earlier results"}
		case slices.ContainsFunc(parts[:i], func(before MergePart) bool { return before.Name == part.Name }):
			return &MergeMismatch{part.Name, "runs", "it is given twice"}
		}
		if err := part.firstMismatch(agreedOf(part.Record), agreedOf(parts[0].Record), &parts[0]); err != nil {
			return err
		}
	}
	for i := range parts {
		if err := parts[i].checkPhases(longest); err != nil {
			return err
		}
	}
	return nil
}

// short returns a value in a bounded length.
func shortened(value string) string {
	text, maximum := []rune(value), 120
	if len(text) > maximum {
		return string(text[:maximum]) + " …"
	}
	return cmp.Or(value, "none")
}

// checkPhases compares the phases of a part with those of the part that has most.
func (p *MergePart) checkPhases(longest *MergePart) error {
	list, all := p.Record.Phases, longest.Record.Phases
	for i := range list {
		one, of, path := &list[i], &all[i], fmt.Sprintf("phases[%d].", i)
		if err := p.firstMismatch(agreedFields(path, *one), agreedFields(path, *of), longest); err != nil {
			return err
		}
		if has, expected := one.End-one.Begin, of.End-of.Begin; !one.Unplanned && has != expected {
			return p.mismatch(path+"end_ns", "a phase of "+has.String(), "one of "+expected.String(), longest)
		}
		// Intervals have a resolution of a second.
		if (one.Begin - of.Begin).Abs() >= time.Second {
			return p.mismatch(path+"begin_ns", "it begins at "+one.Begin.String(), "less than 1s from "+of.Begin.String(), longest)
		}
	}
	if len(list) < len(all) && p.Record.Validity != Partial {
		return p.mismatch("phases", fmt.Sprint(len(list)), fmt.Sprint(len(all)), longest)
	}
	return nil
}

// longestPart returns the first of the parts with most phases.
func longestPart(parts []MergePart) *MergePart {
	longest := &parts[0]
	for i := range parts {
		if len(parts[i].Record.Phases) > len(longest.Record.Phases) {
			longest = &parts[i]
		}
	}
	return longest
}
