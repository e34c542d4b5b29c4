package doctor

import "time"

// Figure returns a figure, false if it was not measured.
func (p *Profile) Figure(name string) (ProfileValue, bool) {
	return (&Profile{Values: p.Figures}).Parameter(name)
}

// Duration returns a duration, 0 for other values.
func (v ProfileValue) Duration() time.Duration {
	d, _ := time.ParseDuration(v.Value)
	return d
}

// Int64 returns a whole number, or a duration in nanoseconds.
func (v ProfileValue) Int64() int64 {
	n, _ := amount(v.Value)
	return n
}
