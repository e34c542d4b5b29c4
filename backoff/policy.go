package backoff

import (
	"errors"
	"math"
	"slices"
	"time"

	"loadgen/engine/nearest"
)

// MaxRetries is the greatest number of retries that a valid policy may ask for.
const MaxRetries = 1000

// Policy is a way to retry: which outcomes, how often, after which waits. The
// zero value never retries.
type Policy struct {
	// Name is what reports call the policy.
	Name string
	// Retries is how many times an operation is sent again after its first
	// attempt, at most [MaxRetries].
	Retries int
	// Delay gives the wait before each retry. It may be nil only where there
	// are no retries.
	Delay Delay
	// Codes are the HTTP statuses that are retried, 400 to 599; nil stands for the
	// documents' own, [DocumentedCodes]. An attempt without a reply is retried by
	// every policy that retries at all.
	Codes []int
	// WaitsAlways applies Delay to every cause, as current SDKs do. Without it the first retry
	// after a missing reply is sent at once, see [Policy.RetriesAtOnce].
	WaitsAlways bool
	// Elapsed, where positive, ends the retries: there is none whose wait would end later than
	// this after the first attempt was sent.
	Elapsed time.Duration
}

// Delay is a rule for the waits. Wait returns the wait before retry x, counted
// from 1; chance is uniform in [0, 1). It is a pure function, never negative
// and safe for concurrent use. A Delay with a method Validate() []error has it
// called by [Policy.Validate].
type Delay interface {
	Wait(x int, chance float64) time.Duration
}

// Wait returns the wait before retry x, counted from 1, and true; or false
// where the policy gives up instead. The chance is uniform in [0, 1). It panics
// unless x is positive.
func (p Policy) Wait(x int, chance float64) (time.Duration, bool) {
	if x < 1 {
		panic("backoff: retry below 1")
	}
	if x > p.Retries {
		return 0, false
	}
	if p.Delay == nil {
		return 0, true
	}
	return p.Delay.Wait(x, chance), true
}

// MaxWait returns the greatest time that an operation can spend waiting
// under the policy, all its retries together; at most about 292 years.
func (p Policy) MaxWait() time.Duration {
	var sum time.Duration
	for x := 1; x <= p.Retries; x++ {
		wait, _ := p.Wait(x, math.Nextafter(1, 0))
		if sum += wait; sum < 0 {
			sum = math.MaxInt64
			break
		}
	}
	if p.Elapsed > 0 {
		return min(sum, p.Elapsed)
	}
	return sum
}

// possibleRetries returns how many retries an operation can have before Elapsed, at most Retries.
// The first one may go without a wait, see [Policy.RetriesAtOnce].
func (p Policy) possibleRetries() int {
	var sum time.Duration
	for x := 2; x <= p.Retries && p.Elapsed > 0; x++ {
		least, _, _ := p.Bounds(x)
		if sum += least; sum > p.Elapsed {
			return x - 1
		}
	}
	return p.Retries
}

// WithStatuses returns the policy with further statuses among those that it retries.
func (p Policy) WithStatuses(codes ...int) Policy {
	if len(codes) == 0 {
		return p
	}
	all := p.Codes
	if all == nil {
		all = DocumentedCodes()
	}
	p.Codes = slices.Compact(slices.Sorted(slices.Values(slices.Concat(all, codes))))
	return p
}

// Validate returns everything that is wrong with the policy, each wrapped
// around [ErrInvalid] and with the name of the faulty field; nil where nothing
// is.
func (p Policy) Validate() []error {
	var faults faultList
	faults.when(p.Retries < 0 || p.Retries > MaxRetries, "retries is %d; expected 0 to %d", p.Retries, MaxRetries)
	faults.when(p.Elapsed < 0, negative, "elapsed", p.Elapsed)
	faults.when(p.Delay == nil && p.Retries > 0, "delay is missing; expected one")
	for _, code := range p.Codes {
		faults.when(code < minCode || code > maxCode, "codes has %d; expected %d to %d", code, minCode, maxCode)
	}
	if checked, ok := p.Delay.(interface{ Validate() []error }); ok {
		faults = append(faults, checked.Validate()...)
	}
	return faults
}

// Errors of the package, to be tested for with [errors.Is].
var (
	// ErrUnknown is the error for a name of no preset.
	ErrUnknown = errors.New("backoff: unknown policy")
	// ErrInvalid is the error for a policy that contradicts itself.
	ErrInvalid = errors.New("backoff: invalid policy")
)

// The faults of a value that has to be above 0, and of one that may be 0.
const (
	notPositive = "%s is %v; expected more than 0"
	negative    = "%s is %v; expected at least 0"
)

// faultList is what is wrong with a policy, a delay or a limiter.
type faultList []error

// when adds a fault, wrapped around [ErrInvalid], where something is wrong.
func (l *faultList) when(wrong bool, format string, args ...any) {
	if wrong {
		*l = append(*l, nearest.Faultf(ErrInvalid, format, args...))
	}
}

// Bounded is a delay whose range of waits is known in advance.
type Bounded interface {
	// Bounds returns the least wait before retry x, the mean, and the greatest,
	// which need only be approached.
	Bounds(x int) (least, mean, greatest time.Duration)
}

// Chained is a delay whose wait follows from the one before it.
type Chained interface {
	// NextWait returns the wait after a previous one, 0 before the first retry.
	NextWait(previous time.Duration, chance float64) time.Duration
}

// Next returns the wait before retry x, counted from 1, after a previous wait (0
// before the first), and true; or false where the policy gives up instead. It is
// [Policy.Wait] but for delays that are [Chained]. It panics unless x is positive.
func (p Policy) Next(x int, previous time.Duration, chance float64) (time.Duration, bool) {
	if chained, ok := p.Delay.(Chained); ok && 1 <= x && x <= p.Retries {
		return chained.NextWait(previous, chance), true
	}
	return p.Wait(x, chance)
}

// Bounds returns the least wait before retry x, the mean, and the greatest: in closed form where
// the delay has one, else by quadrature over the chance; zeros where the policy gives up instead.
func (p Policy) Bounds(x int) (least, mean, greatest time.Duration) {
	if x < 1 || x > p.Retries || p.Delay == nil {
		return 0, 0, 0
	}
	if bounded, ok := p.Delay.(Bounded); ok {
		return bounded.Bounds(x)
	}
	// The midpoint rule; what a delay does between two of a thousand chances is
	// below what anybody waits for. A sum of deviations is exact where there are none.
	const parts = 1000
	sum, first := 0.0, p.Delay.Wait(x, 0)
	least, greatest = first, first
	for i := range parts {
		wait := p.Delay.Wait(x, (float64(i)+0.5)/parts)
		least, greatest = min(least, wait), max(greatest, wait)
		sum += float64(wait-first) / parts
	}
	return least, first + time.Duration(sum), greatest
}
