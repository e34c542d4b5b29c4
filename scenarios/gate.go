package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/results/figure"
)

// Gate says by what live runs of a scenario are compared with those of another build,
// and how great a change matters.
type Gate struct {
	_ struct{} `object:"a gate"`
	// Metrics are one to three figures, each a text that [figure.ParseClaimMetric]
	// takes, such as "p99(get)". Each further one makes all of them weaker.
	Metrics []string `yaml:"metrics" says:"One to three figures to compare, such as p99(get)." list:"1..3 figures, such as p99(get)" max:"2000"`
	// Threshold is the least change that matters, as a part of one.
	Threshold float64 `yaml:"threshold" says:"The minimum relevant change, in percent." form:"share"`
}

// SetDefaults makes it the gate of a scenario that leaves everything out: the response time
// over all, what is served, and the share of the load that is lost.
func (g *Gate) SetDefaults() {
	*g = Gate{Metrics: []string{"p99", "served", "share_lost"}, Threshold: 0.05}
}

// Gated returns by what live runs of the scenario are compared: what it declares, or
// the default. It is the caller's.
func (s *Scenario) Gated() Gate {
	var gate Gate
	if gate.SetDefaults(); s.Gate != nil {
		gate = *s.Gate
		gate.Metrics = slices.Clone(gate.Metrics)
	}
	return gate
}

// gate checks that each metric can be read, that what it names is there, and that it is
// there once.
func (c *checker) gate() {
	if c.Gate == nil {
		return
	}
	var names []string
	for i, text := range c.Gate.Metrics {
		path := "gate.metrics." + strconv.Itoa(i)
		if !c.sound(path) {
			continue
		}
		metric, err := figure.ParseClaimMetric(text)
		if !c.parsed(err, path, figure.ClaimMetrics()) {
			continue
		}
		if !c.before.Concern("phases") {
			c.named(&metric.Figure, path)
		}
		if slices.Contains(names, metric.String()) {
			c.add(path, "%s occurs twice; expected different figures", metric)
		}
		names = append(names, metric.String())
	}
}

// expect checks that each claim can be read, and that what it names is there.
func (c *checker) expect() {
	for i, text := range c.Expect {
		path := "expect." + strconv.Itoa(i)
		if !c.sound(path) {
			continue
		}
		claim, err := figure.ParseClaim(text)
		if !c.parsed(err, path, figure.Names()) || c.before.Concern("phases") {
			continue
		}
		for _, figure := range claim.Figures() {
			c.named(&figure, path)
		}
	}
}

// parsed reports what is wrong with the text of a figure, one of those known, or of a claim.
func (c *checker) parsed(err error, path string, known []string) bool {
	var fault *figure.ClaimFault
	if !errors.As(err, &fault) {
		return true
	}
	what := fault.What
	if fault.Name != "" {
		what = unknownFigure(fault.Name, known)
	}
	c.addAt(path, fault.Offset, "%s", what)
	return false
}

// unknownFigure is the message for a name that is no figure: the one that was probably
// meant with what that can be of, or else those that there are.
func unknownFigure(name string, known []string) string {
	says := nearest.Unknown("figure", name, known)
	if near, found := nearest.Name(name, known); found {
		meant, _ := figure.Find(near)
		says = strings.TrimSuffix(says, "?") + ", " + meant.Scopes() + "?"
	}
	return says
}

// named checks that the operations and phases of a figure are the scenario's.
func (c *checker) named(f *figure.Reference, path string) {
	operations := c.operationsOf("")
	switch phase := slices.Contains(c.phasesNamed(), f.Of); {
	case f.Of == "":
	case slices.Contains(operations, f.Of) && phase:
		c.addAt(path, f.OfOffset, "%q is an operation and a phase; expected %s(%s, *) or %s(*, %s)", f.Of, f.Name, f.Of, f.Name, f.Of)
	case !slices.Contains(operations, f.Of) && !phase:
		c.addAt(path, f.OfOffset, "%s", nearest.Unknown("operation or phase", f.Of, append(operations, c.phasesNamed()...)))
	}
	if f.Phase != "" && !slices.Contains(c.phasesNamed(), f.Phase) {
		c.addAt(path, f.PhaseOffset, "%s", nearest.Unknown("phase", f.Phase, c.phasesNamed()))
		return
	}
	switch {
	case f.Operation == "":
	case f.Counter != "" && slices.Contains(operations, f.Operation):
		if known := c.countersOf(f.Operation); !slices.Contains(known, f.Counter) {
			c.addAt(path, f.CounterOffset, "%s", nearest.Unknown("counter of "+f.Operation, f.Counter, known))
		}
	case !slices.Contains(operations, f.Operation):
		c.addAt(path, f.OperationOffset, "%s", nearest.Unknown("operation", f.Operation, operations))
	case f.Phase != "" && !slices.Contains(c.operationsOf(f.Phase), f.Operation):
		c.addAt(path, f.OperationOffset, "operation %q is not in phase %q; expected %s", f.Operation, f.Phase,
			nearest.Choice(c.operationsOf(f.Phase)))
	}
}

// operationsOf returns the names of the operations that a phase offers, or a step of
// it; of all phases where none is named.
func (c *checker) operationsOf(phase string) []string {
	var names []string
	for i := range c.Phases {
		p := &c.Phases[i]
		if phase != "" && phase != p.Name && !strings.HasPrefix(phase, p.Name+" ") {
			continue
		}
		for _, o := range p.Operations() {
			if !slices.Contains(names, o.Name) {
				names = append(names, o.Name)
			}
		}
	}
	return names
}

// phasesNamed returns the names of the phases, each before those of its steps.
func (c *checker) phasesNamed() []string {
	var names []string
	for i := range c.Phases {
		names = append(names, c.Phases[i].Name)
		names = append(names, c.Phases[i].stepNames()...)
	}
	return names
}

// stepNames returns what the record calls the steps of a phase, by their operations
// per second; none where it has no steps.
func (p *Phase) stepNames() []string {
	var names []string
	seen := map[float64]int{}
	for _, step := range p.Offered().Ladder() {
		name := p.Name + " " + strconv.FormatFloat(step.Rate, 'f', -1, 64) + "/s"
		if seen[step.Rate]++; seen[step.Rate] > 1 {
			name += fmt.Sprintf(" #%d", seen[step.Rate])
		}
		names = append(names, name)
	}
	return names
}
