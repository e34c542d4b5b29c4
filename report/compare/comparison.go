package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
)

// ComparisonVersion is the version of the JSON form of comparisons.
const ComparisonVersion = 2

// Comparison is the result of [Compare], and its JSON form.
type Comparison struct {
	Version int     `json:"comparison"`
	Outcome Outcome `json:"verdict"`
	// Says is the verdict in one or two sentences.
	Says []string `json:"sentences"`
	A    Summary  `json:"a"`
	B    Summary  `json:"b"`
	// Warnings are differences between the sides, and defects of runs.
	Warnings []string `json:"warnings"`
	// Decides are the findings that decide the verdict, none with too few runs. Metrics are
	// those of each section; no verdict is based on them.
	Decides []Finding `json:"decides"`
	Metrics []Finding `json:"metrics"`
	// Exact has the differences of runs in virtual time, nil if none were compared.
	Exact *Exact `json:"exact"`
	// Pairs is the number of pairs of runs, 0 if the sides have different numbers of runs.
	Pairs int `json:"pairs"`
}

// Summary describes a side.
type Summary struct {
	Name     string `json:"name"`
	Scenario string `json:"scenario"`
	Runs     int    `json:"runs"`
	// Started is the start of the first run, Time "real" or "virtual".
	Started string `json:"started"`
	Time    string `json:"time"`
}

// ErrQuestion means that the runs are of different scenarios or clocks.
var ErrQuestion = errors.New("runs of different questions")

// Compare compares B with A. The changes in failOn, with which all runs were added, decide the
// verdict; without any the usual metrics do. It returns [ErrEmpty] if a side has no run, and
// [ErrQuestion] if the runs cannot be compared.
func Compare(a, b *Set, failOn []Metric) (*Comparison, error) {
	for _, side := range []*Set{a, b} {
		if len(side.runs) == 0 {
			return nil, fmt.Errorf("%w: %s has no run", ErrEmpty, side.Name)
		}
		side.sort()
	}
	for _, same := range []struct {
		what string
		get  func(*run) string
	}{
		{"scenarios", func(r *run) string { return r.manifest.Scenario.Name }},
		{"clocks", func(r *run) string { return r.manifest.Time }},
	} {
		if all := distinct(append(valuesOf(a.runs, same.get), valuesOf(b.runs, same.get)...)); len(all) > 1 {
			return nil, fmt.Errorf("%w: their %s are %s; expected one", ErrQuestion, same.what, listed(all))
		}
	}
	c := &Comparison{Version: ComparisonVersion, A: a.summary(), B: b.summary(), Warnings: warnings(a, b), Decides: []Finding{}, Metrics: []Finding{}}
	if len(a.runs) == len(b.runs) {
		c.Pairs = len(a.runs)
	}
	for _, at := range a.sections {
		if slices.Contains(b.sections, at) {
			for i, m := range compared() {
				c.Metrics = append(c.Metrics, describe(at, m, a.values(at, i), b.values(at, i)))
			}
		}
	}
	var err error
	if c.Exact, err = exactly(a, b); err != nil {
		return nil, err
	}
	return c, c.decide(a, b, failOn)
}

// sort orders the runs by their seeds in virtual time, else by their start.
func (s *Set) sort() {
	virtual := !slices.ContainsFunc(s.runs, func(one *run) bool { return one.manifest.Time != "virtual" })
	slices.SortStableFunc(s.runs, func(a, b *run) int {
		if virtual && a.manifest.Seed != b.manifest.Seed {
			return cmp.Compare(a.manifest.Seed, b.manifest.Seed)
		}
		return cmp.Or(a.manifest.Started.Compare(b.manifest.Started), cmp.Compare(a.name, b.name))
	})
}

func (s *Set) summary() Summary {
	first := &s.runs[0].manifest
	return Summary{Name: s.Name, Scenario: first.Scenario.Name, Runs: len(s.runs),
		Started: first.Started.UTC().Format("2006-01-02T15:04:05Z"), Time: first.Time}
}

// values returns a metric of each run in a section, NaN for runs without it.
func (s *Set) values(at section, metric int) []float64 {
	list := make([]float64, len(s.runs))
	for i, one := range s.runs {
		list[i] = math.NaN()
		if values, some := one.values[at]; some {
			list[i] = values[metric]
		}
	}
	return list
}

// describe returns a metric of a section. It is tested only with enough pairs that all have it.
func describe(at section, m Metric, was, is []float64) Finding {
	f := Finding{Metric: m.Name}
	unknown := slices.ContainsFunc(slices.Concat(was, is), math.IsNaN)
	if !unknown && len(was) == len(is) && len(was) >= MinPairsOfOne {
		if judged, err := (Gate{}).Judge([]Trial{{Metric: m, A: was, B: is, Paired: true}}); err == nil {
			f = judged.Findings[0]
			f.Adjusted = nil // one test of many, which decides nothing
		}
	}
	f.Phase, f.Operation, f.Unit, f.Runs, f.Verdict, f.metric = at.phase, at.operation, m.Unit, [2]int{len(was), len(is)}, Inconclusive, m
	f.A, f.B = median(was), median(is)
	if change := f.Change; change == nil && f.A != nil && f.B != nil || f.A != nil && *f.A == 0 {
		f.Change = nil
		if f.A != nil && f.B != nil {
			f.Change = document.Finite(statistics.Relative(*f.A, *f.B))
		}
	}
	f.equal = slices.EqualFunc(was, is, func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	return f
}

// median returns the median of the known values, nil without any.
func median(values []float64) *float64 {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(known) == 0 {
		return nil
	}
	return new(statistics.Median(known))
}

// Exact has the differences of runs of one scenario and seed in virtual time, which normally
// repeat exactly.
type Exact struct {
	// Pairs is the number of compared pairs, Same of those that repeat.
	Pairs int `json:"pairs"`
	Same  int `json:"same"`
	// A and B are the first pair that does not repeat, with its Difference; empty if all do.
	A          string     `json:"a"`
	B          string     `json:"b"`
	Difference Difference `json:"difference"`
}

// exactly compares pairs of runs in virtual time. It returns nil if the sides have different
// numbers of runs, or a run is in real time, truncated, or of another seed than its pair.
func exactly(a, b *Set) (*Exact, error) {
	if len(a.runs) != len(b.runs) {
		return nil, nil
	}
	exact := &Exact{Pairs: len(a.runs), Difference: Difference{Entries: []Entry{}}}
	for i, was := range a.runs {
		is := b.runs[i]
		if was.tree == nil || is.tree == nil || was.manifest.Seed != is.manifest.Seed {
			return nil, nil
		}
		difference, err := Diff(was.tree, is.tree)
		if err != nil {
			return nil, err
		}
		switch {
		case difference.Same():
			exact.Same++
		case exact.Difference.Total == 0:
			exact.A, exact.B, exact.Difference = was.name, is.name, difference
		}
	}
	return exact, nil
}

// decide sets the verdict.
func (c *Comparison) decide(a, b *Set, failOn []Metric) error {
	if c.Exact != nil && c.Exact.Same == c.Exact.Pairs {
		c.Outcome, c.Says = Identical, []string{"All values are equal."}
		if c.Exact.Pairs > 1 {
			c.Says[0] = fmt.Sprintf("All values of %d pairs of runs are equal.", c.Exact.Pairs)
		}
		return nil
	}
	trials := c.trials(a, b, failOn)
	if c.Exact != nil && len(failOn) > 0 && c.Pairs < MinPairsOfOne && len(trials) == len(failOn) && len(a.unsound())+len(b.unsound()) == 0 {
		// Runs in virtual time with one seed vary by nothing else: the change itself decides.
		c.exceeds(trials)
		return nil
	}
	why := c.obstacle(a, b, len(failOn) > 0)
	switch {
	case why != nil:
	case len(trials) == 0:
		why = []string{"Every figure is missing in at least one run."}
	case len(trials) < len(failOn):
		why = []string{"A figure of --fail-on is missing in at least one run."}
	}
	if why != nil {
		c.Outcome, c.Says = Inconclusive, why
		if c.Exact != nil {
			c.Outcome = Different
		}
		return nil
	}
	judged, err := Gate{}.Judge(trials)
	if err != nil {
		return err
	}
	c.Decides, c.Outcome = judged.Findings, judged.Verdict
	c.setSentences()
	return nil
}

// trials returns the metrics that decide and that all runs have.
func (c *Comparison) trials(a, b *Set, failOn []Metric) []Trial {
	var trials []Trial
	add := func(m Metric, was, is []float64) {
		if !slices.ContainsFunc(slices.Concat(was, is), math.IsNaN) {
			trials = append(trials, Trial{Metric: m, A: was, B: is})
		}
	}
	for i, m := range failOn {
		value := func(one *run) float64 { return one.asked[i] }
		add(m, valuesOf(a.runs, value), valuesOf(b.runs, value))
	}
	if len(failOn) == 0 {
		for _, name := range []string{"p99", "served", "p50"} {
			i := slices.IndexFunc(compared(), func(m Metric) bool { return m.Name == name })
			add(compared()[i], a.values(section{}, i), b.values(section{}, i))
		}
		if c.Pairs < MinPairs && len(trials) > 1 {
			trials = trials[:1]
		}
	}
	paired := c.Pairs > 0 && len(trials) <= MaxPaired && orderOf(a, b) != separate && slices.Equal(a.seeds(), b.seeds())
	for i := range trials {
		trials[i].Paired = paired
	}
	return trials
}

// valuesOf returns a value of each element of a list.
func valuesOf[T, V any](list []T, get func(T) V) []V {
	values := make([]V, len(list))
	for i := range list {
		values[i] = get(list[i])
	}
	return values
}

func (s *Set) seeds() []uint64 {
	return valuesOf(s.runs, func(one *run) uint64 { return one.manifest.Seed })
}

// unsound returns the runs that are not valid.
func (s *Set) unsound() []*run {
	return slices.DeleteFunc(slices.Clone(s.runs), func(one *run) bool { return one.validity == results.Valid })
}

// exceeds decides by the changes of runs that vary by nothing else.
func (c *Comparison) exceeds(trials []Trial) {
	c.Outcome = NoDifference
	for i := range trials {
		t, f := &trials[i], Finding{}
		if err := t.measure(&f); err != nil {
			f.Verdict = Inconclusive
		} else {
			worse := map[bool]float64{false: f.effect, true: -f.effect}[t.Metric.Higher]
			f.threshold = t.Metric.Threshold
			f.Verdict = NoDifference
			if worse >= math.Log1p(f.threshold) {
				f.Verdict = Regression
			}
		}
		f.P, f.Interval, f.repeats = nil, nil, true
		c.Decides, c.Outcome = append(c.Decides, f), max(c.Outcome, f.Verdict)
	}
	c.setSentences()
}

// obstacle returns why the runs cannot be tested, in one or two sentences, or nil. With a
// threshold, runs that do not alternate are compared, too.
func (c *Comparison) obstacle(a, b *Set, threshold bool) []string {
	const advice = "Compare 10 pairs of alternating runs, at least 8."
	unsound := len(a.unsound()) + len(b.unsound())
	fewest := min(len(a.runs), len(b.runs))
	unpaired := threshold || a.runs[0].manifest.Time == "virtual" && !slices.Equal(a.seeds(), b.seeds())
	switch {
	case c.Exact != nil && c.Exact.Pairs < MinPairsOfOne:
		which := ""
		if c.Exact.Pairs > 1 {
			which = fmt.Sprintf(" in %d of %d pairs, first", c.Exact.Pairs-c.Exact.Same, c.Exact.Pairs)
		}
		return []string{fmt.Sprintf("The runs are in virtual time and do not repeat:%s %s.", which, document.Counted(c.Exact.Difference.Total, "value differs", "values differ"))}
	case len(a.runs) == 1 && len(b.runs) == 1:
		return []string{"One run per side is no evidence of a difference.", advice}
	case a.repeats() || b.repeats():
		return []string{"Runs in virtual time with one seed are copies; use different seeds."}
	case unpaired && fewest < MinRuns:
		return []string{fmt.Sprintf("%d and %s are too few for a test without pairs, which takes %d per side.", len(a.runs), document.Counted(len(b.runs), "run"), MinRuns), advice}
	case !unpaired && c.Pairs == 0:
		return []string{fmt.Sprintf("A has %s, B has %s; a test needs pairs of runs.",
			document.Counted(len(a.runs), "run"), document.Counted(len(b.runs), "run")), advice}
	case !unpaired && c.Pairs < MinPairsOfOne:
		return []string{fmt.Sprintf("%s of runs are too few for a test.", document.Counted(c.Pairs, "pair", "pairs")), advice}
	case unsound > 0:
		return []string{fmt.Sprintf("%s not valid; a test needs valid runs.", document.Counted(unsound, "run is", "runs are"))}
	case !unpaired && orderOf(a, b) == separate:
		return []string{"The runs do not alternate: a difference may be drift.", advice}
	}
	return nil
}

// setSentences sets the sentences of a verdict.
func (c *Comparison) setSentences() {
	over := fmt.Sprintf("over %d and %s", c.A.Runs, document.Counted(c.B.Runs, "run"))
	if c.Pairs > 0 && len(c.Decides) > 0 && c.Decides[0].Paired {
		over = fmt.Sprintf("over %s of runs", document.Counted(c.Pairs, "pair"))
	}
	worse, better := moved(c.Decides, Regression), moved(c.Decides, Improvement)
	c.Says = nil
	if worse != "" {
		c.Says = append(c.Says, fmt.Sprintf("B is worse than A %s: %s.", over, worse))
	}
	switch {
	case worse != "" && better != "":
		c.Says = append(c.Says, fmt.Sprintf("It is also better: %s.", better))
	case better != "":
		c.Says = append(c.Says, fmt.Sprintf("B is better than A %s: %s.", over, better))
	case c.Outcome == Inconclusive:
		c.Says = []string{"Too few runs for a test."}
	case worse == "" && c.Exact != nil && c.Pairs < MinPairsOfOne:
		c.Says = []string{fmt.Sprintf("The runs differ in %s, none beyond --fail-on.", document.Counted(c.Exact.Difference.Total, "value"))}
	case worse == "":
		c.Says = []string{fmt.Sprintf("No difference is shown %s.", over), "It may still exist, within the intervals."}
	}
}

func moved(findings []Finding, v Outcome) string {
	var words []string
	for i := range findings {
		if f := &findings[i]; f.Verdict == v && f.Change != nil {
			words = append(words, f.Metric+" "+document.Change(*f.Change))
		}
	}
	return strings.Join(words, ", ")
}
