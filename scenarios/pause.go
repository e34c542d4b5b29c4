package scenarios

import (
	"fmt"
	"time"

	"loadgen/scenarios/fields"
)

// PauseBinding is how long a client pauses between two operations: a duration from least to most, or 0
// for one that never does, which is written where told reports so.
func PauseBinding(into *time.Duration, least, most time.Duration, told func() bool) fields.Binding {
	return pause{fields.Duration{Into: into, Least: least, Most: most}, told}
}

type pause struct {
	fields.Duration
	told func() bool
}

// Read implements [fields.Binding].
func (v pause) Read(r *fields.Reader, path string, n *fields.Node) {
	d, err := time.ParseDuration(n.Text)
	if n.Kind == fields.Scalar && !n.Quoted && err == nil && d == 0 {
		*v.Into = 0
		return
	}
	before := len(r.Faults)
	if v.Duration.Read(r, path, n); len(r.Faults) > before {
		r.Faults = r.Faults[:before]
		r.Expect(n, path, fmt.Sprintf("0 for clients that never pause, or a duration with its unit, such as 4s or 2500ms, from %s to %s", v.Least, v.Most))
	}
}

// Write implements [fields.Binding].
func (v pause) Write() *fields.Node {
	switch {
	case *v.Into > 0:
		return v.Duration.Write()
	case v.told():
		return fields.PlainNode("0")
	default:
		return nil
	}
}

// Schema implements [fields.Binding].
func (v pause) Schema() *fields.Schema {
	s := v.Duration.Schema()
	s.OrZero()
	return s
}
