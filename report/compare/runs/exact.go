package runs

import "loadgen/report/compare"

// Exact is what differs of runs in virtual time of one scenario, which repeat exactly
// where nothing has changed.
type Exact struct {
	// Pairs of runs were held against each other in their order, and Same of them repeat.
	Pairs int `json:"pairs"`
	Same  int `json:"same"`
	// A and B are the first two runs that do not, Difference in what; empty where all do.
	A          string             `json:"a"`
	B          string             `json:"b"`
	Difference compare.Difference `json:"difference"`
}

// exactly compares runs in virtual time, as many on either side, pair by pair; nil where
// any is in real time, not whole, or of a scenario of another name.
func exactly(a, b *Side) (*Exact, error) {
	if len(a.runs) != len(b.runs) {
		return nil, nil
	}
	for i := range a.runs {
		was, is := a.runs[i], b.runs[i]
		if was.tree == nil || is.tree == nil || was.manifest.Scenario.Name != is.manifest.Scenario.Name {
			return nil, nil
		}
	}
	exact := &Exact{Pairs: len(a.runs), Difference: compare.Difference{Entries: []compare.Entry{}}}
	for i := range a.runs {
		difference, err := compare.Diff(a.runs[i].tree, b.runs[i].tree)
		if err != nil {
			return nil, err
		}
		switch {
		case difference.Same():
			exact.Same++
		case exact.Difference.Total == 0:
			exact.A, exact.B, exact.Difference = a.runs[i].name, b.runs[i].name, difference
		}
	}
	return exact, nil
}
