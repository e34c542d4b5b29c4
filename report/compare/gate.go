package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"loadgen/report/compare/statistics"
)

// Gate judges paired live runs. A threshold of 0 is the default.
type Gate struct {
	// Threshold is the minimum relevant change as a part of one: 0.05 is +5%, and −4.8%
	// the other way, so that swapping the sides swaps the verdict.
	Threshold float64
}

// The defaults of gates.
const (
	// DefaultAlpha is the share of equal sets that may be called different, over all
	// metrics together, before the threshold.
	DefaultAlpha = 0.05
	// DefaultThreshold is the default threshold, DefaultPairs the number of pairs.
	DefaultThreshold = 0.05
	DefaultPairs     = 10
)

const (
	// MostMetrics is the maximum number of metrics: each one weakens the others.
	MostMetrics = 3
	// FewestPairs is the minimum number of pairs for several metrics: with fewer, no
	// difference is significant.
	FewestPairs = 8
	// FewestPairsOfOne is the minimum for a single metric.
	FewestPairsOfOne = 6
	// maxPairs limits the work of one trial.
	maxPairs = 1000
	// maxThreshold is a hundredfold change.
	maxThreshold = 99
)

// Judge decides whether B differs from A in any of the metrics. Too few pairs are a
// verdict. An error wraps [ErrOptions] or [ErrFigures]: impossible options, no metric or
// more than [MostMetrics], two with the same name, metrics with different numbers of
// pairs, or a figure without a logarithm.
func (g Gate) Judge(trials []Trial) (Judgement, error) {
	if g.Threshold < 0 || g.Threshold > maxThreshold || math.IsNaN(g.Threshold) {
		return Judgement{}, fmt.Errorf("%w: threshold: %v is not from 0 to %d", ErrOptions, g.Threshold, maxThreshold)
	}
	if err := checkTrials(trials); err != nil {
		return Judgement{}, err
	}
	g.Threshold = cmp.Or(g.Threshold, DefaultThreshold)
	findings := make([]Finding, len(trials))
	p := make([]float64, len(trials))
	for i := range trials {
		finding, err := g.measure(&trials[i])
		if err != nil {
			return Judgement{}, err
		}
		findings[i], p[i] = finding, finding.P
	}
	overall, minPairs, threshold := NoDifference, FewestPairs, math.Log1p(g.Threshold)
	if len(trials) == 1 {
		minPairs = FewestPairsOfOne
	}
	for i, adjusted := range statistics.Holm(p) {
		f := &findings[i]
		f.Adjusted, f.threshold = adjusted, g.Threshold
		worse := f.effect
		if trials[i].Metric.Higher {
			worse = -worse
		}
		switch significant := adjusted <= DefaultAlpha; {
		case f.Pairs < minPairs:
			f.Verdict, f.minPairs = Inconclusive, minPairs
		case significant && worse >= threshold:
			f.Verdict = Regression
		case significant && worse <= -threshold:
			f.Verdict = Improvement
		default:
			f.Verdict = NoDifference
		}
		overall = max(overall, f.Verdict)
	}
	return Judgement{Verdict: overall, Findings: findings}, nil
}

// checkTrials returns the first fault of the trials.
func checkTrials(trials []Trial) error {
	if len(trials) == 0 || len(trials) > MostMetrics {
		return fmt.Errorf("%w: %d metrics; a gate has from 1 to %d", ErrFigures, len(trials), MostMetrics)
	}
	names := map[string]bool{}
	for i := range trials {
		name, floor := trials[i].Metric.Name, trials[i].Metric.Floor
		pairs, first := len(trials[i].Pairs), len(trials[0].Pairs)
		switch {
		case name == "":
			return fmt.Errorf("%w: a metric without a name", ErrFigures)
		case math.IsNaN(floor) || math.IsInf(floor, 0) || floor < 0:
			return fmt.Errorf("%w: %q: floor %v; expected 0 or more", ErrFigures, name, floor)
		case pairs > maxPairs:
			return fmt.Errorf("%w: %q: %d pairs are more than %d", ErrFigures, name, pairs, maxPairs)
		case names[name]:
			return fmt.Errorf("%w: the metric %q occurs twice", ErrFigures, name)
		case pairs != first:
			return fmt.Errorf("%w: %q has %d pairs and %q %d", ErrFigures, name, pairs, trials[0].Metric.Name, first)
		}
		names[name] = true
	}
	return nil
}

// measure returns the finding of one metric, without a verdict.
func (g *Gate) measure(t *Trial) (Finding, error) {
	finding := Finding{Metric: t.Metric.Name, Pairs: len(t.Pairs), P: 1, Level: 1 - DefaultAlpha, Exact: true}
	if len(t.Pairs) == 0 {
		return finding, nil
	}
	was, is, logs := make([]float64, len(t.Pairs)), make([]float64, len(t.Pairs)), make([]float64, len(t.Pairs))
	for i, pair := range t.Pairs {
		a, err := t.log(i, A, pair.A)
		if err != nil {
			return Finding{}, err
		}
		b, err := t.log(i, B, pair.B)
		if err != nil {
			return Finding{}, err
		}
		// Swapping the sides changes the sign of this difference and no other bit.
		was[i], is[i], logs[i] = pair.A, pair.B, b-a
	}
	finding.A, finding.B = statistics.Median(was), statistics.Median(is)
	tested := statistics.SignFlip(logs, DefaultAlpha, 0)
	finding.P, finding.Exact = tested.P, tested.Exact
	finding.effect = statistics.HodgesLehmann(logs)
	finding.Change = math.Expm1(finding.effect)
	if tested.Known {
		finding.Interval = &[2]float64{math.Expm1(tested.Low), math.Expm1(tested.High)}
	}
	return finding, nil
}

// ErrOptions is wrapped by every fault of a [Gate], ErrFigures by every fault of figures,
// and ErrTree by every fault of a text that [Diff] cannot read.
var (
	ErrOptions = errors.New("compare: impossible options")
	ErrFigures = errors.New("compare: figures that cannot be compared")
	ErrTree    = errors.New("compare: not a tree of JSON values")
)
