package keystatistics

import (
	"cmp"
	"errors"
	"fmt"
)

// Options limits what [Statistics] keep. 0 stands for the default.
type Options struct {
	// Seed draws the sample of inserts.
	Seed uint64
	// Top is the number of heaviest partitions that a report lists.
	Top int
	// Exact is the number of partitions with exact counts, Places the number of the heaviest that are
	// kept once there are more.
	Exact, Places int
	// Samples is the number of inserts from which the order is judged.
	Samples int
}

// The defaults of [Options].
const (
	defaultTop     = 10
	DefaultExact   = 100_000
	defaultPlaces  = 1 << 13
	defaultSamples = 1 << 14
)

// The maximum of each option keeps memory below a gigabyte.
const (
	maxExact   = 1 << 22
	maxPlaces  = 1 << 17
	maxSamples = 1 << 18
)

// Validate returns all invalid options, each wrapping [ErrOptions].
func (o *Options) Validate() []error {
	var faults []error
	filled := o.withDefaults()
	for _, bound := range []struct {
		name       string
		given, max int
	}{
		{"exact", o.Exact, maxExact}, {"places", o.Places, maxPlaces},
		{"samples", o.Samples, maxSamples}, {"top", o.Top, max(0, min(filled.Places, maxPlaces))},
	} {
		if bound.given < 0 || bound.given > bound.max {
			faults = append(faults, fmt.Errorf("%w: %s: %d is not from 0 to %d", ErrOptions, bound.name, bound.given, bound.max))
		}
	}
	return faults
}

func (o Options) withDefaults() Options {
	o.Exact = cmp.Or(o.Exact, DefaultExact)
	o.Places = cmp.Or(o.Places, defaultPlaces)
	o.Samples = cmp.Or(o.Samples, defaultSamples)
	o.Top = cmp.Or(o.Top, min(defaultTop, max(0, o.Places)))
	return o
}

// ErrOptions is wrapped by every fault of [Options], ErrKeys by every fault of a file of keys.
var (
	ErrOptions = errors.New("keystatistics: invalid options")
	ErrKeys    = errors.New("keystatistics: not a file of keys")
)
