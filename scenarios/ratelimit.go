package scenarios

import (
	"fmt"
	"strconv"

	"loadgen/scenarios/fields"
)

// RateLimit is what a client sends of one kind of operation at most: a token bucket of Burst tokens
// that come back at PerSecond, one of which each attempt takes. PerSecond is 0 for no limit.
type RateLimit struct {
	PerSecond float64
	Burst     int
}

// String returns the limit as reports have it, empty for none.
func (r RateLimit) String() string {
	if r.PerSecond == 0 {
		return ""
	}
	return fmt.Sprintf("%s/s, burst %d", strconv.FormatFloat(r.PerSecond, 'f', -1, 64), r.Burst)
}

// maxBurst bounds how many attempts go at once.
const maxBurst = 1_000_000

// RateLimitBinding is the binding of a rate limit: the rate, whose burst is 1, or a map of both.
type RateLimitBinding struct{ Into *RateLimit }

// Read implements [fields.Binding].
func (v RateLimitBinding) Read(r *fields.Reader, path string, n *fields.Node) {
	v.Into.Burst = 1
	if n.Kind == fields.Dict {
		v.both().Read(r, path, n)
		return
	}
	before := len(r.Faults)
	if fields.Rate(&v.Into.PerSecond).Read(r, path, n); len(r.Faults) > before {
		r.Faults = r.Faults[:before]
		r.Expect(n, path, fmt.Sprintf("a rate per second from %v to %d, such as 500, or {rate: 500, burst: 50}", fields.MinRate, fields.MaxRate))
	}
}

func (v RateLimitBinding) both() fields.Object {
	return fields.Object{What: "a rate limit", Fields: []fields.Field{
		{Name: "rate", Says: "Maximum attempts per second, with retries and further pages.", Required: true,
			Value: fields.Rate(&v.Into.PerSecond)},
		{Name: "burst", Says: "Attempts sent at once after idling.",
			Value: fields.Whole[int]{Into: &v.Into.Burst, Least: 1, Most: maxBurst, UnlessZero: true}},
	}}
}

// Write implements [fields.Binding].
func (v RateLimitBinding) Write() *fields.Node {
	switch {
	case v.Into.PerSecond == 0:
		return nil
	case v.Into.Burst == 1:
		return fields.Rate(&v.Into.PerSecond).Write()
	default:
		return v.both().Write()
	}
}

// Schema implements [fields.Binding].
func (v RateLimitBinding) Schema() *fields.Schema {
	return &fields.Schema{AnyOf: []*fields.Schema{fields.Rate(&v.Into.PerSecond).Schema(), v.both().Schema()}}
}
