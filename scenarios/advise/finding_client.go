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

func (s *subject) retries() Finding {
	if s.policy.Retries == 0 {
		return newFinding("retries/none")
	}
	least, first, most := s.policy.Bounds(1)
	_, second, _ := s.policy.Bounds(min(2, s.policy.Retries))
	own := ""
	for _, o := range s.EachOperation {
		if one := sentence("retries/operation", o.Name, o.Retry); o.Retry != "" && !strings.Contains(own, one) {
			own += one
		}
	}
	f := newFinding("retries/policy", s.Retry, document.Counted(s.policy.Retries, "time"), least, most, own)
	switch {
	case s.policy.Retries > 1 && second <= first:
		return f.extend("retries/constant")
	case least == most:
		return f.extend("retries/alike")
	default:
		return f
	}
}

func (s *subject) notRetryable() Finding {
	sensible := append(backoff.DocumentedCodes(), backoff.TooManyRequests, 408)
	wrong := slices.DeleteFunc(slices.Clone(s.policy.Codes), func(code int) bool { return slices.Contains(sensible, code) })
	switch {
	case s.policy.Retries == 0:
		return newFinding("none", "retries")
	case len(wrong) > 0:
		return newFinding("codes/wrong", s.Retry, fmt.Sprint(wrong))
	default:
		return newFinding("codes/good")
	}
}

// clientLibrary judges the client library by its retry policy, which is all that a scenario knows of it.
func (s *subject) clientLibrary() Finding {
	name := s.policy.Name
	language, current := map[string]string{"azcore": "Go", "azure-core-net": ".NET", "js": "JavaScript"}[name]
	switch {
	case current:
		return newFinding("library/current", s.Retry, language)
	case name == "storage-net" || name == "was-1.x":
		return newFinding("library/retired", s.Retry)
	default:
		return newFinding("library/unknown", s.Retry)
	}
}

func (s *subject) parallelism() Finding {
	// quick is a time for a request, in seconds, that services rarely reach.
	const quick = 0.01
	var worst *Load
	for i := range s.design.Loads {
		if l := &s.design.Loads[i]; worst == nil || l.requests() > worst.requests() {
			worst = l
		}
	}
	if worst == nil || worst.requests() == 0 {
		return newFinding("none", "load")
	}
	workers, bound := scenarios.FewestWorkers, "least"
	if s.Workers > 0 {
		workers, bound = s.Workers, "most"
	}
	each := float64(workers) / worst.requests()
	f := newFinding("parallel/enough", document.Counted(workers, "operation"), worst.requests(), worst.Phase, seconds(each), bound)
	if each < quick && s.Workers > 0 {
		return f.extend("parallel/low")
	}
	return f
}

// traffic returns how many bytes the busiest load sends and receives a second, without retries, and false
// without a rehearsed load.
func (s *subject) traffic() (sent, received float64, some bool) {
	r := s.design.Rehearsal
	if s.busiest == nil || r == nil {
		return 0, 0, false
	}
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		request, reply := r.run.Weight(l.Phase)
		sent, received = max(sent, l.requests()*request), max(received, l.requests()*reply)
	}
	return sent, received, sent > 0
}

// wire returns the connections that the busiest phase needs, and the size of its requests and replies.
func (s *subject) wire() Finding {
	// These are usual defaults of client libraries.
	const fewConnections, someConnections = 2, 10
	m, err := s.PartitionModel()
	r, l := s.design.Rehearsal, s.busiest
	if err != nil || l == nil || r == nil || l.requests() == 0 {
		return newFinding("none", "load")
	}
	request, reply := r.run.Weight(l.Phase)
	sum, all := 0.0, 0.0
	for i := range l.Approaches {
		one, takes := &l.Approaches[i], m.ReadTime
		if one.Class == "" {
			takes = m.WriteTime
		}
		sum, all = sum+one.Share*one.Requests*takes.Seconds(), all+one.Share*one.Requests
	}
	each := m.RoundTrip.Seconds()
	if all != 0 {
		each += sum / all
	}
	needed := max(1, math.Ceil(l.requests()*each))
	f := newFinding("wire/connections", l.Phase, document.Counted(int(needed), "connection"), seconds(each),
		fewConnections, fewConnections/each, someConnections, someConnections/each, int64(request), int64(reply))
	if s.Workers > 0 && float64(s.Workers) < needed {
		return f.extend("wire/few", int(needed))
	}
	return f
}

// bandwidth compares what the busiest load sends and receives with the client's line, or with a usual
// one.
func (s *subject) bandwidth() Finding {
	// gigabit is a usual network of a client, in bytes per second.
	const gigabit = 125e6
	sent, received, some := s.traffic()
	if !some {
		return newFinding("none", "load")
	}
	m, err := s.PartitionModel()
	if err != nil || m.ClientBandwidth == 0 {
		f := newFinding("line/usual", int64(sent+received), document.Ratio{Part: sent + received, Whole: gigabit})
		if sent+received >= near*gigabit {
			return f.graded(Warning)
		}
		return f.graded(Good)
	}
	line := float64(m.ClientBandwidth * m.ClientMachines)
	part := max(sent, received) / line
	return newFinding("line/client", int64(sent), document.Ratio{Part: sent, Whole: line}, int64(received), document.Ratio{Part: received, Whole: line},
		m.ClientBandwidth, document.Counted(int(m.ClientMachines), "machine")).graded(grade(part, part))
}

// location judges the distance to the account, if the scenario knows it.
func (s *subject) location() Finding {
	m, err := s.PartitionModel()
	known := slices.ContainsFunc(s.Model.Overrides, func(o scenarios.Override) bool { return o.Name == "round_trip" })
	if err != nil || m.Region == "" && !known && m.PacketLoss == 0 {
		return newFinding("location/unknown")
	}
	region, lost := "", ""
	if m.Region != "" {
		region = " (" + m.Region + ")"
	}
	if m.PacketLoss > 0 {
		lost = sentence("location/loss", float64(m.PacketLoss)/1000, m.RetransmitTime)
	}
	f := newFinding("location/trip", m.RoundTrip, region, m.WriteTime, lost)
	switch meanLoss := time.Duration(m.PacketLoss) * m.RetransmitTime / 1000; {
	case m.RoundTrip > m.WriteTime:
		return f.extend("location/far")
	case meanLoss > m.WriteTime:
		return f.extend("location/lossy")
	default:
		return f
	}
}

// directAccess judges how users read the data.
func (s *subject) directAccess() Finding {
	direct, proxied := "", ""
	for _, o := range s.EachOperation {
		switch o.Workflow {
		case "direct-read":
			direct = o.Name
		case "proxied-read":
			proxied = o.Name
		}
	}
	switch {
	case proxied != "":
		return newFinding("access/proxy", proxied)
	case direct != "":
		return newFinding("access/direct", direct)
	default:
		return newFinding("none", "proxy")
	}
}
