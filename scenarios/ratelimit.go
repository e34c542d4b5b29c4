package scenarios

import (
	"fmt"
	"strconv"

	"loadgen/scenarios/fields"
)

// RateLimit is what a client sends of one kind of operation at most: a token bucket of Burst tokens
// that are refilled at PerSecond; each attempt takes one. PerSecond is 0 for no limit.
type RateLimit struct {
	_         struct{} `object:"a rate limit"`
	PerSecond float64  `yaml:"rate,required" says:"Maximum attempts per second, with retries and further pages." form:"rate"`
	Burst     int      `yaml:"burst,omitempty" says:"Attempts sent at once after idling." range:"1..1000000"`
}

// String returns the limit as reports have it, empty for none.
func (r RateLimit) String() string {
	if r.PerSecond == 0 {
		return ""
	}
	return fmt.Sprintf("%s/s, burst %d", strconv.FormatFloat(r.PerSecond, 'f', -1, 64), r.Burst)
}

// Binding implements [fields.Bound]: the rate, whose burst is 1, or a map of both.
func (r *RateLimit) Binding() fields.Binding {
	rate := fields.Rate(new(float64))
	alone := fields.Single[RateLimit]{Into: r, Form: rate.Form,
		Expected: fmt.Sprintf("a rate per second from %v to %d, such as 500, or {rate: 500, burst: 50}", fields.MinRate, fields.MaxRate),
		Written:  func(limit RateLimit) string { return rate.Written(limit.PerSecond) },
		Parse: func(text string) (RateLimit, bool) {
			perSecond, sound := rate.Parse(text)
			return RateLimit{PerSecond: perSecond, Burst: 1}, sound
		}}
	return fields.Either{{Binding: alone, Given: func() bool { return r.PerSecond != 0 && r.Burst == 1 }},
		{Binding: bind(r), Takes: fields.Dict, Given: func() bool { return r.PerSecond != 0 }}}
}

// Complete implements [fields.Completer].
func (r *RateLimit) Complete(*fields.Reader, string, *fields.Node) { r.Burst = max(1, r.Burst) }
