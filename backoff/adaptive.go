package backoff

import "time"

// Adaptive is the client-side throttling of Google's SRE book (chapter Handling
// Overload): each attempt is rejected on the spot with the probability
//
//	max(0, (requests − K · accepts) / (requests + 1))
//
// where both are counted over the last window, requests before they are sent and
// with those rejected on the spot. Defaults: K = 2, two minutes.
type Adaptive struct {
	// K is the multiplier, in thousandths: the lower, the sooner it rejects.
	K int64
	// Window is how far back it counts.
	Window time.Duration

	// parts are the counts by parts of the window, the last being part number now.
	parts [windowParts]counts
	now   int64
}

// windowParts is how many parts a window is counted in: what is older than the
// window leaves a part at a time.
const windowParts = 120

// counts are those of one part of a window.
type counts struct{ requests, accepts int64 }

// NewAdaptive returns a limiter with the book's values.
func NewAdaptive() *Adaptive { return &Adaptive{K: 2000, Window: 2 * time.Minute} }

// Admit implements [Limiter].
func (a *Adaptive) Admit(now time.Duration, _ Try, chance float64) (Grant, bool) {
	a.forget(now)
	share := a.Rejects()
	a.parts[a.now%windowParts].requests++
	return Grant{}, chance >= share
}

// Rejects returns the probability with which the next attempt is rejected.
func (a *Adaptive) Rejects() float64 {
	var sum counts
	for _, part := range a.parts {
		sum.requests += part.requests
		sum.accepts += part.accepts
	}
	return max(0, (float64(sum.requests)-float64(a.K)/1000*float64(sum.accepts))/float64(sum.requests+1))
}

// Record implements [Limiter].
func (a *Adaptive) Record(now time.Duration, _ Grant, answer Answer) {
	a.forget(now)
	if answer == Accepted {
		a.parts[a.now%windowParts].accepts++
	}
}

// forget empties the parts that have left the window.
func (a *Adaptive) forget(now time.Duration) {
	part := int64(now / max(1, a.Window/windowParts))
	for range min(part-a.now, windowParts) {
		a.now++
		a.parts[a.now%windowParts] = counts{}
	}
	a.now = max(a.now, part)
}

// Validate returns the faults of the limiter, each wrapped around [ErrInvalid].
func (a *Adaptive) Validate() []error {
	var faults faultList
	faults.when(a.K < 1000, "k is %d thousandths; expected at least 1,000", a.K)
	faults.when(a.Window < windowParts, "window is %v; expected at least %v", a.Window, time.Duration(windowParts))
	return faults
}
