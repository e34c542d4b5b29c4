package keystatistics

import (
	"cmp"
	"errors"
	"fmt"
)

// Options says how much a survey keeps. A bound that is 0 is the default.
type Options struct {
	// Seed draws the sample of inserts.
	Seed uint64
	// Top is how many of the heaviest partitions are listed.
	Top int
	// Exact is how many partitions are told apart before the survey goes over to
	// estimates, and Places how many of the heaviest are kept from then on.
	Exact, Places int
	// Samples is how many inserts the order is judged from.
	Samples int
}

// The defaults of [Options].
const (
	defaultTop     = 10
	DefaultExact   = 100_000
	defaultPlaces  = 1 << 13
	defaultSamples = 1 << 14
)

// The greatest bounds, so that memory stays within a gigabyte.
const (
	mostExact   = 1 << 22
	mostPlaces  = 1 << 17
	mostSamples = 1 << 18
)

// Validate returns everything that is wrong with the options, each wrapped around
// [ErrOptions]; nil where nothing is.
func (o *Options) Validate() []error {
	var faults []error
	filled := o.withDefaults()
	for _, bound := range []struct {
		name        string
		given, most int
	}{
		{"exact", o.Exact, mostExact}, {"places", o.Places, mostPlaces},
		{"samples", o.Samples, mostSamples}, {"top", o.Top, max(0, min(filled.Places, mostPlaces))},
	} {
		if bound.given < 0 || bound.given > bound.most {
			faults = append(faults,
				fmt.Errorf("%w: %s: %d is not from 0 to %d", ErrOptions, bound.name, bound.given, bound.most))
		}
	}
	return faults
}

// withDefaults returns the options with every bound that is 0 filled in.
func (o Options) withDefaults() Options {
	o.Exact = cmp.Or(o.Exact, DefaultExact)
	o.Places = cmp.Or(o.Places, defaultPlaces)
	o.Samples = cmp.Or(o.Samples, defaultSamples)
	o.Top = cmp.Or(o.Top, min(defaultTop, max(0, o.Places)))
	return o
}

// ErrOptions is wrapped by every fault of [Options], and ErrKeys by every fault
// of a file of keys; test for them with errors.Is.
var (
	ErrOptions = errors.New("keystatistics: impossible options")
	ErrKeys    = errors.New("keystatistics: not a file of keys")
)
