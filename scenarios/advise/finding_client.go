package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/report/document"
	"loadgen/scenarios"
)

// quick is a time for a request, in seconds, that a service hardly stays below.
const quick = 0.01

func (s *subject) retries() Finding {
	if s.policy.Retries == 0 {
		return found(Warning, "What is throttled is not tried again (retry: none): data may not be saved.").
			but("retry: documented, unless each refusal is to be seen.")
	}
	least, first, most := s.policy.Bounds(1)
	_, second, _ := s.policy.Bounds(min(2, s.policy.Retries))
	f := found(Good, "Policy %s tries again up to %s, first after %s to %s.", s.Retry,
		document.Counted(s.policy.Retries, "time"), document.Span(least), document.Span(most))
	said := ""
	for i := range s.Phases {
		for _, o := range s.Phases[i].Operations() {
			if one := fmt.Sprintf(" Operation %s has a policy of its own, %s.", o.Name, o.Retry); o.Retry != "" && !strings.Contains(said, one) {
				said += one
			}
		}
	}
	f.Evidence += said
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

// clientLibrary says whose retries the scenario has, and whether that client is the one of
// today: all that a scenario says of the library that an application uses.
func (s *subject) clientLibrary() Finding {
	const inOrder = "Policy %s is that of %s, which its maker keeps; which runtime it runs on, the scenario does not say."
	switch s.policy.Name {
	case "azcore":
		return found(Good, inOrder, s.Retry, "the Azure SDK for Go")
	case "azure-core-net":
		return found(Good, inOrder, s.Retry, "the Azure SDK for .NET")
	case "js":
		return found(Good, inOrder, s.Retry, "the Azure SDK for JavaScript")
	case "storage-net", "was-1.x":
		return found(Warning, "Policy %s is that of a storage client for .NET which its maker has retired.", s.Retry).
			but("Use the current client library on a current runtime: its policy is retry: azure-core-net.")
	default:
		return found(CannotTell, "Policy %s is that of no client library for tables: which one the application uses, and on which runtime, "+
			"the scenario does not say.", s.Retry)
	}
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

// traffic returns how many bytes the busiest load sends and gets a second, without retries, and false
// where that cannot be told: no phase offers load, or its design was not rehearsed.
func (s *subject) traffic() (sent, received float64, some bool) {
	r := s.design.Rehearsal
	if s.busiest == nil || r == nil {
		return 0, 0, false
	}
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		request, reply := r.of.Weight(l.Phase)
		sent, received = max(sent, l.requests()*request), max(received, l.requests()*reply)
	}
	return sent, received, sent > 0
}

// What the documents say of a client's wire.
const (
	// fewConnections and someConnections are what client libraries open unless they are told
	// otherwise.
	fewConnections, someConnections = 2, 10
	// packet is what a packet of a usual network carries, in bytes: what is smaller Nagle's
	// algorithm holds back until the answer to the one before is there.
	packet = 1460
)

// wire holds the busiest phase to the connections that it needs, and says of which size its
// requests and replies are.
func (s *subject) wire() Finding {
	m, err := s.PartitionModel()
	r, which := s.design.Rehearsal, s.busiest
	if err != nil || which == nil || r == nil || which.requests() == 0 {
		return idle()
	}
	request, reply := r.of.Weight(which.Phase)
	sum, all := 0.0, 0.0
	for i := range which.Approaches {
		one, takes := &which.Approaches[i], m.ReadTime
		if one.Class == "" {
			takes = m.WriteTime
		}
		sum, all = sum+one.Share*one.Requests*takes.Seconds(), all+one.Share*one.Requests
	}
	works := time.Duration(0)
	if all != 0 {
		works = seconds(sum / all)
	}
	each := (m.RoundTrip + works).Seconds()
	needs := max(1, math.Ceil(which.requests()*each))
	held := "waits for no packet to fill up (TCP_NODELAY)"
	if request > 0 && request < packet {
		held += ", which would hold requests below " + document.Bytes(packet) + " back"
	}
	f := found(Good, "Phase %s keeps about %s busy, %s a request: %d, the default of many clients, would carry %s requests/s, %d %s. "+
		"A request has %s, a reply %s of JSON with little metadata and its head; this tool %s.", which.Phase, document.Counted(int(needs), "connection"), document.Span(seconds(each)),
		fewConnections, document.Rate(fewConnections/each), someConnections, document.Rate(someConnections/each),
		document.Bytes(int64(request)), document.Bytes(int64(reply)), held)
	if s.Workers > 0 && float64(s.Workers) < needs {
		f.Verdict = Warning
		return f.but(fmt.Sprintf("Raise workers, each of which has a connection, to %d at least.", int(needs)))
	}
	return f
}

// directAccess looks at how the scenario's users come to the data.
func (s *subject) directAccess() Finding {
	direct, proxied := "", ""
	for i := range s.Phases {
		for _, o := range s.Phases[i].Operations() {
			switch o.Workflow {
			case "direct-read":
				direct = o.Name
			case "proxied-read":
				proxied = o.Name
			}
		}
	}
	switch {
	case proxied != "":
		return found(Warning, "Operation %s goes through a proxy, which carries all data.", proxied).
			but("Issue signatures (SAS), with CORS for browsers, by which users read directly.")
	case direct != "":
		return found(Good, "Operation %s reads by signatures of the users' own, past any proxy.", direct)
	default:
		return found(NotApplicable, "No operation reads for users without the account's key: no proxy, and no signature, stands before the table.")
	}
}
