package advise

import (
	"fmt"
	"math"
	"slices"
	"time"

	"loadgen/backoff"
	"loadgen/report/document"
	"loadgen/scenarios"
)

const (
	// gigabit is a client's usual network, in bytes per second.
	gigabit = 125e6
	// quick is a time for a request, in seconds, that a service hardly stays below.
	quick = 0.01
)

func (s *subject) retries() Finding {
	if s.policy.Retries == 0 {
		return found(Warning, "What is throttled is not tried again (retry: none): data may not be saved.").
			but("retry: documented, unless each refusal is to be seen.")
	}
	least, first, most := s.policy.Bounds(1)
	_, second, _ := s.policy.Bounds(min(2, s.policy.Retries))
	f := found(Good, "Policy %s tries again up to %s, first after %s to %s.", s.Retry,
		document.Counted(s.policy.Retries, "time"), document.Span(least), document.Span(most))
	switch {
	case s.policy.Retries > 1 && second <= first:
		f.Verdict = Note
		return f.but("Waits that do not grow keep the pressure up: an exponential policy is retry: documented.")
	case least == most:
		f.Verdict = Note
		return f.but("Clients that wait alike collide again: a policy with a random factor is retry: documented.")
	default:
		return f
	}
}

func (s *subject) notRetryable() Finding {
	if s.policy.Retries == 0 {
		return found(NotApplicable, "Nothing is tried again.")
	}
	var wrong []int
	for _, code := range s.policy.Codes {
		if !slices.Contains(backoff.DocumentedCodes(), code) && code != backoff.TooManyRequests && code != 408 {
			wrong = append(wrong, code)
		}
	}
	if len(wrong) > 0 {
		return found(Warning, "Policy %s tries %v again, which answer alike each time.", s.Retry, wrong).
			but("Choose a policy that retries time-outs and refusals only.")
	}
	return found(Good, "Faults of the request itself are not tried again.")
}

func (s *subject) parallelism() Finding {
	if s.busiest == nil {
		return idle()
	}
	requests, which := 0.0, s.busiest
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		if rate := l.requests(); rate > requests {
			requests, which = rate, l
		}
	}
	if requests == 0 {
		return idle()
	}
	least := scenarios.FewestWorkers
	bound := fmt.Sprintf("At least %s can be under way at once, more where the place has room", document.Counted(least, "operation"))
	if s.Workers > 0 {
		least = s.Workers
		bound = fmt.Sprintf("At most %s are under way at once", document.Counted(least, "operation"))
	}
	each := float64(least) / requests
	f := found(Good, "%s: enough for the %s requests/s of phase %s while one takes less than %s.",
		bound, document.Rate(requests), which.Phase, document.Span(seconds(each)))
	if each < quick && s.Workers > 0 {
		f.Verdict = Warning
		return f.but("Raise workers, or the generator is the limit rather than the table.")
	}
	return f
}

// requests returns how many a load sends a second at its peak.
func (l *Load) requests() float64 {
	sum := 0.0
	for i := range l.Approaches {
		sum += l.PerSecond * l.Approaches[i].Share * l.Approaches[i].Requests
	}
	return sum
}

// seconds returns a number of them, the longest duration for what is longer.
func seconds(n float64) time.Duration { return time.Duration(math.Min(n*1e9, math.MaxInt64/2)) }

func (s *subject) bandwidth() Finding {
	if s.busiest == nil || s.cost.Requests == 0 {
		return idle()
	}
	requests := 0.0
	for i := range s.design.Loads {
		requests = max(requests, s.design.Loads[i].requests())
	}
	per := float64(s.cost.Sent+s.cost.Received) / float64(s.cost.Requests)
	rate := requests * per
	f := found(Good, "At the peak about %s/s go over the wire, %s of 1 Gbit/s.", document.Bytes(int64(rate)), document.PartOf(rate, gigabit))
	if rate >= near*gigabit {
		f.Verdict = Warning
		return f.but("Project, use more or larger machines, or compress what is large before it is sent.")
	}
	return f
}

func (s *subject) wire() Finding {
	each := "each operation under way"
	if s.Workers > 0 {
		each = "each of " + document.Counted(s.Workers, "worker")
	}
	return found(Good, "This tool speaks JSON with little metadata, waits for no packet to fill up (TCP_NODELAY), "+
		"and has a connection for %s.", each)
}

func (s *subject) location() Finding {
	return found(CannotTell, "Where the client is, and how good its link: `loadgen doctor` looks at that.")
}

func (s *subject) directAccess() Finding {
	return found(NotApplicable, "Nobody stands between this client and the table.")
}
