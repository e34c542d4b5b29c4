package contest

import (
	"errors"
	"fmt"

	"loadgen/report/document"
)

// ErrOptions is wrapped by every fault of [Options]; test for it with errors.Is.
var ErrOptions = errors.New("contest: impossible options")

// Options says of what a contest is, and how sure it has to be. The zero value is
// that of a contest without a name or a price, at [DefaultAlpha].
type Options struct {
	// Scenario is its name, Repeat the command that repeats the contest; both are shown
	// as they are, made harmless, and may be empty.
	Scenario, Repeat string
	// Profile and Other name the model's profiles of the arms' Trials and Others; both
	// are empty where nothing is modelled.
	Profile, Other string
	// Alpha is how often a contest of designs that do not differ may tell some
	// difference, from 0 to 0.5 exclusively; 0 is DefaultAlpha.
	Alpha float64
	// Price is what is paid; a zero one tells no costs.
	Price Price
}

// DefaultAlpha is how often a contest may be wrong to tell a difference.
const DefaultAlpha = 0.05

// dearest is the greatest price, in any currency.
const dearest = 1e9

// fault is what is wrong with an option.
type fault string

// Error implements error with what is wrong, and what was expected.
func (f fault) Error() string { return string(f) }

func (f fault) Unwrap() error { return ErrOptions }

// Validate returns every fault, each of which wraps [ErrOptions].
func (o Options) Validate() []error {
	var faults []error
	if !(o.Alpha >= 0 && o.Alpha < 0.5) {
		faults = append(faults, fault(fmt.Sprintf("alpha is %v; expected more than 0 and less than 0.5", o.Alpha)))
	}
	for _, one := range []struct {
		what  string
		value float64
	}{{"the price of a million transactions", o.Price.PerMillion}, {"the price of a GiB and month", o.Price.PerGiBMonth}} {
		if !(one.value >= 0 && one.value <= dearest) {
			faults = append(faults, fault(fmt.Sprintf("%s is %v; expected a number from 0 to %s", one.what, one.value, document.Count(dearest))))
		}
	}
	return faults
}

func (o Options) alpha() float64 {
	if o.Alpha == 0 {
		return DefaultAlpha
	}
	return o.Alpha
}
