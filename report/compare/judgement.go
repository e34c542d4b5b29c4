package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

const (
	// Alpha is the maximum share of equal sets that are called different, over all metrics
	// together, before the threshold.
	Alpha = 0.05
	// DefaultThreshold is the default minimum change, DefaultRuns the number of runs of a side.
	DefaultThreshold = 0.05
	DefaultRuns      = 10
	// MinPairs is the minimum number of pairs of several metrics, MinPairsOfOne of a single
	// metric: with fewer, no difference is significant. MinRuns is the minimum number of
	// runs per side without pairs.
	MinPairs      = 8
	MinPairsOfOne = 6
	MinRuns       = 4
	// MaxPaired is the maximum number of metrics of pairs: each weakens the others.
	MaxPaired = 3
	// maxRuns limits the work of one trial, maxThreshold is a hundredfold change.
	maxRuns      = 1000
	maxThreshold = 99
)

// Judgement is the outcome for all metrics.
type Judgement struct {
	Verdict  Outcome
	Findings []Finding
}

// Finding is the outcome for one metric. Changes are parts of one: 0.1 is +10% from A to B,
// whichever way is better. A pointer is nil if the value is unknown.
type Finding struct {
	Scenario string `json:"scenario,omitempty"`
	// Phase is empty for all reported phases, Operation for all operations.
	Phase     string `json:"phase,omitempty"`
	Operation string `json:"operation,omitempty"`
	Metric    string `json:"metric"`
	// Unit is that of A and B: us, per_second, share, or empty for numbers.
	Unit    string  `json:"unit,omitempty"`
	Verdict Outcome `json:"verdict"`
	// A and B are medians over the runs of a side.
	A *float64 `json:"a"`
	B *float64 `json:"b"`
	// Change is estimated from all runs, not from the two medians; nil from 0.
	Change *float64 `json:"change"`
	// Interval has the changes that the test does not reject at a level of 95%, for this
	// metric alone; nil if the runs are too few to reject any.
	Interval *[2]float64 `json:"interval"`
	// P is the probability of at least as large a change by chance, Adjusted the same with
	// Holm's correction, which decides. Both are nil without a test.
	P        *float64 `json:"p"`
	Adjusted *float64 `json:"p_holm"`
	// Runs are the compared runs of each side, Paired if they alternate.
	Runs   [2]int `json:"runs"`
	Paired bool   `json:"paired"`

	// effect is the logarithm of the ratio B/A.
	effect, threshold float64
	// minRuns is the number of runs that is missing for a test, 0 if there are enough.
	minRuns int
	// metric is the metric of a section. equal means that all runs have one value, or the runs of each
	// pair. repeats means that the runs vary by nothing else.
	metric         Metric
	equal, repeats bool
}

// Gate judges the runs of two sides.
type Gate struct {
	// Threshold is the minimum relevant change of metrics without one of their own, as a
	// part of one: 0.05 is +5%, and −4.8% the other way, so that swapping the sides swaps the
	// verdict. 0 is the default.
	Threshold float64
}

// Judge decides whether B differs from A in any of the metrics. Too few runs are a verdict.
// An error wraps [ErrOptions] or [ErrFigures]: impossible options, no metric or too many,
// two with the same name, or a figure without a logarithm.
//
// Pairs are tested by a sign-flip permutation test, other runs by Welch's test, both on the
// logarithms of the figures.
func (g Gate) Judge(trials []Trial) (Judgement, error) {
	if g.Threshold < 0 || g.Threshold > maxThreshold || math.IsNaN(g.Threshold) {
		return Judgement{}, fmt.Errorf("%w: threshold: %v is not from 0 to %d", ErrOptions, g.Threshold, maxThreshold)
	}
	if err := validateTrials(trials); err != nil {
		return Judgement{}, err
	}
	j := Judgement{Verdict: NoDifference, Findings: make([]Finding, len(trials))}
	p := make([]float64, len(trials))
	for i := range trials {
		if err := trials[i].measure(&j.Findings[i]); err != nil {
			return Judgement{}, err
		}
		p[i] = 1
		if j.Findings[i].P != nil {
			p[i] = *j.Findings[i].P
		}
	}
	for i, adjusted := range statistics.Holm(p) {
		t, f := &trials[i], &j.Findings[i]
		f.Adjusted, f.threshold = &adjusted, cmp.Or(t.Metric.Threshold, g.Threshold, DefaultThreshold)
		f.decide(t, len(trials))
		j.Verdict = max(j.Verdict, f.Verdict)
	}
	return j, nil
}

// decide sets the verdict of a metric that was measured and tested.
func (f *Finding) decide(t *Trial, trials int) {
	worse, threshold := f.effect, math.Log1p(f.threshold)
	if t.Metric.Higher {
		worse = -worse
	}
	significant := *f.Adjusted <= Alpha
	switch needed := t.minRuns(trials); {
	case min(f.Runs[A], f.Runs[B]) < needed:
		f.Verdict, f.minRuns = Inconclusive, needed
	case significant && worse >= threshold && (worse < t.Noise || f.drifted(t, threshold)), !t.Paired && !significant && worse >= threshold:
		f.Verdict = Inconclusive
	case significant && worse >= threshold:
		f.Verdict = Regression
	case significant && worse <= -threshold:
		f.Verdict = Improvement
	default:
		f.Verdict = NoDifference
	}
}

// drifted reports whether the change is below the threshold without the part that the
// generator caused.
func (f *Finding) drifted(t *Trial, threshold float64) bool {
	without := *f.A*math.Exp(f.effect) - t.Drift
	return t.Drift > 0 && math.Log(math.Max(without, t.Metric.Floor)/math.Max(*f.A, t.Metric.Floor)) < threshold
}

// validateTrials returns the first fault of the trials.
func validateTrials(trials []Trial) error {
	names := make(map[string]bool)
	for i := range trials {
		if err := trials[i].validate(); err != nil {
			return err
		}
		if name := trials[i].Metric.Name; names[name] {
			return fmt.Errorf("%w: the metric %q occurs twice", ErrFigures, name)
		}
		names[trials[i].Metric.Name] = true
	}
	if len(trials) == 0 || trials[0].Paired && len(trials) > MaxPaired {
		return fmt.Errorf("%w: %d metrics; pairs of runs are compared by 1 to %d", ErrFigures, len(trials), MaxPaired)
	}
	return nil
}

// measure sets the figures of one metric, without a verdict.
func (t *Trial) measure(f *Finding) error {
	*f = Finding{Metric: t.Metric.Name, Unit: t.Metric.Unit, Runs: [2]int{len(t.A), len(t.B)}, Paired: t.Paired}
	was, err := t.logs(A, t.A)
	if err != nil {
		return err
	}
	is, err := t.logs(B, t.B)
	if err != nil {
		return err
	}
	if len(was) == 0 || len(is) == 0 {
		return nil
	}
	f.A, f.B = new(statistics.Median(t.A)), new(statistics.Median(t.B))
	if t.Paired {
		logs := make([]float64, len(was))
		for i := range was {
			// Swapping the sides changes the sign of this difference and no other bit.
			logs[i] = is[i] - was[i]
		}
		tested := statistics.SignFlip(logs, Alpha, 0)
		f.effect, f.P = statistics.HodgesLehmann(logs), &tested.P
		f.bound(tested.Low, tested.High, tested.Known)
	} else {
		tested := statistics.Welch(was, is, 0)
		f.effect = tested.Difference
		if low, high, known := tested.Interval(Alpha); known {
			f.P = &tested.P
			f.bound(low, high, known)
		}
	}
	f.Change = document.Finite(math.Expm1(f.effect))
	return nil
}

// bound sets the interval from logarithms.
func (f *Finding) bound(low, high float64, known bool) {
	if low, high = math.Expm1(low), math.Expm1(high); known && !math.IsInf(high, 0) {
		f.Interval = &[2]float64{low, high}
	}
}

// Sentence returns the finding as one sentence.
func (f *Finding) Sentence() string {
	over := fmt.Sprintf("%d and %s", f.Runs[A], document.Counted(f.Runs[B], "run"))
	things := "runs per side"
	if f.Paired {
		over, things = document.Counted(f.Runs[A], "pair"), "pairs"
	}
	switch {
	case f.minRuns > 0:
		return fmt.Sprintf("%s: inconclusive: %s, and fewer than %d %s cannot show a difference.", f.Metric, over, f.minRuns, things)
	case f.repeats && f.Change != nil:
		return fmt.Sprintf("%s: %s: %s, in virtual time.", f.Metric, f.Verdict, document.Change(*f.Change))
	case f.Change == nil || f.Adjusted == nil:
		return fmt.Sprintf("%s: inconclusive: not measured.", f.Metric)
	}
	prose := fmt.Sprintf("%s: %s: %s", f.Metric, f.Verdict, document.Change(*f.Change))
	if f.Interval != nil {
		prose += fmt.Sprintf(" (95%% interval %s to %s)", document.Change(f.Interval[0]), document.Change(f.Interval[1]))
	}
	prose += fmt.Sprintf(", p = %s over %s", document.Chance(*f.Adjusted), over)
	switch {
	case f.Verdict == NoDifference && *f.Adjusted <= Alpha:
		prose += fmt.Sprintf("; real, but less than the %s that matter", document.Change(f.threshold))
	case f.Verdict == Inconclusive && *f.Adjusted <= Alpha:
		prose += "; the generator itself was slower, or days vary by as much"
	}
	return prose + "."
}

// ErrOptions is wrapped by every fault of a [Gate], ErrFigures by every fault of figures,
// and ErrTree by every fault of a text that [Diff] cannot read.
var (
	ErrOptions = errors.New("compare: impossible options")
	ErrFigures = errors.New("compare: figures that cannot be compared")
	ErrTree    = errors.New("compare: not a tree of JSON values")
)
