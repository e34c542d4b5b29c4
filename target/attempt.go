package target

import (
	"loadgen/engine"
	"loadgen/engine/clock"
)

// attempt is one attempt on its way back to its sender.
type attempt struct {
	verdict engine.FaultVerdict
	// arrived says that it reached the inner target, inner is what that answered, zero
	// where it did not; done is when.
	arrived bool
	inner   Outcome
	done    clock.Instant
	// told is what the sender learns, at released.
	told     Outcome
	released clock.Instant
	// abandoned says that the sender gave up before that.
	abandoned bool
}

// answered returns the attempt that the inner target has answered at done, or that was
// lost at done before it reached it; the plan's windows count from since.
func answered(verdict engine.FaultVerdict, since clock.Instant, inner Outcome, done clock.Instant) attempt {
	a := attempt{verdict: verdict, arrived: verdict.Arrives(), inner: inner, done: done, told: inner}
	switch {
	case verdict.Lost != 0:
		// The same for both moments: a sender cannot tell whether a request
		// whose reply is lost was carried out.
		a.told = Outcome{Fault: ConnectionReset, Detail: "the connection broke before a reply came"}
	case verdict.Cut:
		a.told = Outcome{Fault: ReplyCutOff, Detail: "the connection was closed before the reply was complete"}
	case verdict.Refused:
		a.told = Outcome{Status: verdict.Code.Status(), Code: verdict.Code, Detail: "the refusal is a fault that was injected"}
	}
	a.released = since.Add(verdict.Release(done.Sub(since)))
	return a
}

// abandon tells the sender that it gave up waiting.
func (a *attempt) abandon(why error) {
	a.abandoned = true
	a.told = Outcome{Fault: Cancelled, Detail: "gave up before a reply came: " + why.Error()}
}
