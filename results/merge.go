package results

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
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
		r.Said.Add(of.Said)
	}
	if ensure(&r.Audit, of.Audit) {
		AddTimes(r.Audit, of.Audit, 1)
		r.Audit.Examples = concatUpTo(MaxAuditExamples, r.Audit.Examples, of.Audit.Examples, nil)
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

// Add adds the reports of another service, or of another process on the same one.
func (s *Said) Add(more *Said) {
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
	longest := fullestPart(parts)
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

// fullestPart returns the first of the parts with most phases.
func fullestPart(parts []MergePart) *MergePart {
	longest := &parts[0]
	for i := range parts {
		if len(parts[i].Record.Phases) > len(longest.Record.Phases) {
			longest = &parts[i]
		}
	}
	return longest
}

// mergePhases merges phase by phase. A phase begins when the last part has begun it, and has the planned length, or ends
// when the last part has ended it.
func mergePhases(parts []MergePart) []Phase {
	var list []Phase
	for p, of := range fullestPart(parts).Record.Phases {
		one := Phase{Name: of.Name, Stage: of.Stage, Begin: of.Begin, End: of.End, Varying: of.Varying, Unplanned: of.Unplanned,
			Reported: of.Reported, Kinds: make([]KindStats, len(of.Kinds))}
		var own []*Phase
		for _, part := range parts {
			if p < len(part.Record.Phases) {
				own = append(own, &part.Record.Phases[p])
			}
		}
		for _, from := range own {
			one.Rate += from.Rate
			one.Begin, one.End = max(one.Begin, from.Begin), max(one.End, from.End)
			for k := range from.Kinds {
				one.Kinds[k].Add(&from.Kinds[k])
			}
			if one.Accounts == nil && from.Accounts != nil {
				one.Accounts = make([]AccountStats, len(from.Accounts))
			}
			for i := range min(len(one.Accounts), len(from.Accounts)) {
				AddTimes(&one.Accounts[i], &from.Accounts[i], 1)
			}
		}
		if !one.Unplanned {
			one.End = one.Begin + of.End - of.Begin
		}
		for k := range one.Kinds {
			one.Kinds[k].Causes = one.Kinds[k].Causes.Frequent()
		}
		one.mergePartitions(own)
		list = append(list, one)
	}
	return list
}

// mergePartitions merges the partitions that parts name. If no part left any out they are complete, and only then the
// shares can be computed.
func (p *Phase) mergePartitions(own []*Phase) {
	isWhole, hasOffered := true, false
	var served, offered [][]PartitionStats
	for _, from := range own {
		served, offered = append(served, from.Partitions), append(offered, from.Offered)
		p.PartitionsOver += from.PartitionsOver
		p.OfferedOver += from.OfferedOver
		p.PartitionsHit = max(p.PartitionsHit, from.PartitionsHit)
		hasOffered = hasOffered || from.Offered != nil
		isWhole = isWhole && isComplete(from.Partitions) && int64(len(from.Offered)) == from.PartitionsHit && from.PartitionsOver+from.OfferedOver == 0
	}
	allServed, allOffered := mergePartitionStats(served, p.Seconds()), mergePartitionStats(offered, p.Seconds())
	p.PartitionsHit = max(p.PartitionsHit, int64(len(allOffered)))
	p.Partitions = NamedPartitions(allServed)
	if hasOffered {
		p.Offered = NamedPartitions(allOffered)
	}
	switch {
	case isWhole:
		entities := make(map[place]int64)
		for i := range allServed {
			entities[allServed[i].place()] = allServed[i].Entities
		}
		p.Shares = SharesOf(p.Seconds(), allOffered, func(of *PartitionStats) int64 { return entities[of.place()] })
	case len(own) == 1:
		p.Shares = own[0].Shares
	}
}

// isComplete reports whether a list leaves no partition out.
func isComplete(list []PartitionStats) bool { return len(list) < 2*KeptPartitions }

// mergePartitionStats sums lists of partitions of a phase. The busiest second of several parts is at least the
// busiest one of any part, and at least the mean of their sum.
func mergePartitionStats(lists [][]PartitionStats, seconds float64) []PartitionStats {
	all, parts, isCut := []PartitionStats{}, make(map[place]int), false
	for _, list := range lists {
		isCut = isCut || !isComplete(list)
		for i := range list {
			parts[list[i].place()]++
		}
		all = mergeList(all, list, (*PartitionStats).place, func(sum, more *PartitionStats) {
			sum.Entities += more.Entities
			sum.Busiest = max(sum.Busiest, more.Busiest)
			sum.AtLeast = true
		})
	}
	for i := range all {
		one := &all[i]
		one.AtLeast = one.AtLeast || isCut && parts[one.place()] < len(lists)
		if one.AtLeast && seconds >= 1 {
			one.Busiest = max(one.Busiest, int64(math.Ceil(float64(one.Entities)/math.Ceil(seconds))))
		}
	}
	return all
}

// mergeHeats returns the heat map of all parts, nil if a part has none.
func mergeHeats(parts []MergePart) *Heat {
	sum := &Heat{Rows: []HeatRow{}}
	for _, part := range parts {
		if part.Record.Heat == nil {
			return nil
		}
		sum.SecondsPerColumn = max(sum.SecondsPerColumn, part.Record.Heat.SecondsPerColumn)
	}
	factor := func(of *Heat) int { return int(sum.SecondsPerColumn / of.SecondsPerColumn) }
	for _, part := range parts {
		of := part.Record.Heat
		sum.Columns = max(sum.Columns, (of.Columns+factor(of)-1)/factor(of))
	}
	rows := make(map[place]*missingRow)
	namesAll := true
	for _, part := range parts {
		of := part.Record.Heat
		namesAll = namesAll && of.Partitions != nil && *of.Partitions == int64(len(of.Rows))
		sum.Rest.Add(&of.Rest, factor(of), sum.Columns)
		sum.Nowhere.Add(&of.Nowhere, factor(of), sum.Columns)
		for i := range of.Rows {
			at := of.Rows[i].place()
			if rows[at] == nil {
				rows[at] = &missingRow{HeatRow: HeatRow{Table: at.table, Key: at.key}}
			}
			rows[at].Add(&of.Rows[i].HeatCells, factor(of), sum.Columns)
		}
	}
	for _, part := range parts {
		part.Record.Heat.addMissing(rows)
	}
	var list []missingRow
	for _, one := range rows {
		list = append(list, *one)
	}
	sum.keepRows(list)
	switch {
	case namesAll:
		sum.Partitions = new(int64(len(rows)))
	case len(parts) == 1:
		sum.Partitions = parts[0].Record.Heat.Partitions
	}
	return sum
}

// addMissing adds to each row how much of its demand may be among the rest of the map. A row of the map may lack MostMissed.
// A partition without a row has no more than the row with the least demand may have, and no more than all of the rest.
func (h *Heat) addMissing(rows map[place]*missingRow) {
	maximum := sumOf(h.Rest.Demanded)
	hasRow := make(map[place]bool)
	for i := range h.Rows {
		maximum = min(maximum, sumOf(h.Rows[i].Demanded)+h.MostMissed)
		hasRow[h.Rows[i].place()] = true
	}
	if len(h.Rows) == 0 {
		maximum = min(maximum, h.MostMissed)
	}
	for at, one := range rows {
		if hasRow[at] {
			one.missed += h.MostMissed
		} else {
			one.missed += maximum
		}
	}
}

// Add adds cells of another resolution: factor columns of more are one column of c, which gets the given number of
// columns.
func (c *HeatCells) Add(more *HeatCells, factor, columns int) {
	to := c.Series()
	for k, from := range more.Series() {
		if *from != nil && *to[k] == nil {
			*to[k] = make([]int64, columns)
		}
		for i, n := range *from {
			(*to[k])[i/factor] += n
		}
	}
}

// missingRow is a row and the maximum of its demand that it may lack.
type missingRow struct {
	HeatRow
	missed int64
}

// keepRows gives the map the rows with the most demand, in the order of their keys, and adds the others to its rest.
func (h *Heat) keepRows(rows []missingRow) {
	byKey := func(a, b missingRow) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key))
	}
	slices.SortFunc(rows, func(a, b missingRow) int {
		return cmp.Or(cmp.Compare(sumOf(b.Demanded), sumOf(a.Demanded)), byKey(a, b))
	})
	kept := rows[:min(len(rows), KeptRows)]
	for _, one := range rows[len(kept):] {
		h.Rest.Add(&one.HeatCells, 1, h.Columns)
	}
	slices.SortFunc(kept, byKey)
	for _, one := range kept {
		h.Rows = append(h.Rows, one.HeatRow)
		h.MostMissed = max(h.MostMissed, one.missed)
	}
}

// mergeIntervals sums second by second. A short gap is filled with empty seconds, as a record leaves out only long ones.
func mergeIntervals(parts []MergePart, phases []Phase) []Interval {
	seconds := make(map[int64][]*Interval)
	for _, part := range parts {
		for i := range part.Record.Intervals {
			one := &part.Record.Intervals[i]
			seconds[one.Second] = append(seconds[one.Second], one)
		}
	}
	list, next := make([]Interval, 0, len(seconds)), int64(0)
	kinds := rows{kinds: parts[0].Record.Manifest.Operations}
	for _, number := range slices.Sorted(maps.Keys(seconds)) {
		for ; next < number && !isIdle(number-next); next++ {
			list = append(list, kinds.empty(next))
		}
		list, next = append(list, MergeSecond(seconds[number])), number+1
	}
	for i := range list {
		list[i].Phase = phaseName(phases, nil, list[i].Second)
	}
	return list
}

// MergeSecond sums the same second of several runs, at least one, with the same kinds of operation. Maxima are exact,
// and so are quantiles if only one run has durations; otherwise quantiles are upper bounds, nil if there is none.
func MergeSecond(of []*Interval) Interval {
	sum := Interval{Second: of[0].Second, Phase: of[0].Phase, Kinds: make([]IntervalKind, len(of[0].Kinds))}
	for k := range sum.Kinds {
		sum.Kinds[k].Name = of[0].Kinds[k].Name
	}
	met := make(injections)
	for _, one := range of {
		sum.Counts.Add(&one.Counts)
		sum.InFlight += one.InFlight
		for b := range one.ResponseBuckets {
			sum.ResponseBuckets[b] += one.ResponseBuckets[b]
		}
		for k := range min(len(sum.Kinds), len(one.Kinds)) {
			sum.Kinds[k].Add(&one.Kinds[k].Counts)
		}
		for _, fault := range one.Injected {
			attempts := fault.Attempts
			fault.Attempts = 0
			met[fault] += attempts
		}
		sum.Generator = sum.Generator.combined(one.Generator, "merge")
	}
	sum.Causes = sum.Causes.Frequent()
	for k := range sum.Kinds {
		sum.Kinds[k].Causes = sum.Kinds[k].Causes.Frequent()
	}
	sum.Injected = met.sorted()
	mergeQuantiles(&sum, of)
	return sum
}

// mergeQuantiles sets the quantiles of a sum.
func mergeQuantiles(sum *Interval, of []*Interval) {
	sum.Response = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Succeeded, i.Response })
	sum.Service = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Ok, i.Service })
	sum.Lag = maxQuantiles(of, func(i *Interval) (int64, Quantiles) { return i.Sent, i.Lag })
	if countOf(of, (*Interval).hasSuccess) <= 1 {
		return
	}
	// A quantile of the response times is at most the end of its bucket.
	for i, q := range []float64{.5, .9, .99, .999} {
		of := sum.Response.fields()[i]
		if float64(sum.Succeeded)*(1-q)+1e-9 < minBeyond {
			continue
		}
		rank, below := int64(math.Ceil(q*float64(sum.Succeeded)-1e-9)), int64(0)
		for b := range Buckets - 1 {
			if below += sum.ResponseBuckets[b]; below >= rank {
				if high := BucketFrom(b+1) - 1; *of == nil || **of > high {
					*of = &high
				}
				break
			}
		}
	}
}

// fields returns p50, p90, p99 and p99.9.
func (q *Quantiles) fields() [4]**int64 { return [...]**int64{&q.P50, &q.P90, &q.P99, &q.P999} }

// maxQuantiles returns the maximum of each quantile, nil if an interval with durations lacks it: the share of all
// durations above it is at most that of each interval.
func maxQuantiles(of []*Interval, get func(*Interval) (count int64, own Quantiles)) (sum Quantiles) {
	first := true
	for _, one := range of {
		count, own := get(one)
		switch {
		case count == 0:
		case first:
			sum, first = own, false
		default:
			sum.Max = maxPointer(sum.Max, own.Max)
			for i, mine := range sum.fields() {
				if theirs := *own.fields()[i]; *mine == nil || theirs == nil {
					*mine = nil
				} else {
					*mine = maxPointer(*mine, theirs)
				}
			}
		}
	}
	return sum
}

func maxPointer(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
