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

// retries sets the retry policy, which is also all that a scenario knows of the client library.
func (s *subject) retries(f figures) {
	p := &s.policy
	f["policy"], f["retries"], f["retries-times"] = s.Retry, p.Retries, document.Counted(p.Retries, "time")
	f["language"] = map[string]string{"azcore": "Go", "azure-core-net": ".NET", "js": "JavaScript"}[p.Name]
	f["retired"] = p.Name == "storage-net" || p.Name == "was-1.x"
	if p.Retries == 0 {
		return
	}
	least, first, most := p.Bounds(1)
	_, second, _ := p.Bounds(min(2, p.Retries))
	own := ""
	for _, o := range s.EachOperation {
		if one := sentence("retries/operation", o.Name, o.Retry); o.Retry != "" && !strings.Contains(own, one) {
			own += one
		}
	}
	f["least-wait"], f["most-wait"], f["own-retries"] = least, most, own
	f["equal-waits"], f["constant-waits"] = least == most, p.Retries > 1 && second <= first
	sensible := append(backoff.DocumentedCodes(), backoff.TooManyRequests, 408)
	if wrong := slices.DeleteFunc(slices.Clone(p.Codes), func(code int) bool { return slices.Contains(sensible, code) }); len(wrong) > 0 {
		f["wrong-codes"] = fmt.Sprint(wrong)
	}
}

// client sets what the clients have under way and on the wire.
func (s *subject) client(f figures) {
	m, err := s.PartitionModel()
	if err != nil {
		return
	}
	each := func(l *Load) float64 { return l.requestTime(m.RoundTrip, m.ReadTime, m.WriteTime) }
	s.parallelism(f, each)
	s.traffic(f, each, m.ClientBandwidth, m.ClientMachines)
	known := slices.ContainsFunc(s.Model.Overrides, func(o scenarios.Override) bool { return o.Name == "round_trip" })
	f["located"], f["round-trip"], f["write-takes"], f["region"], f["packet-loss"] = known || m.Region != "" || m.PacketLoss > 0, m.RoundTrip, m.WriteTime, "", ""
	if m.Region != "" {
		f["region"] = " (" + m.Region + ")"
	}
	if m.PacketLoss > 0 {
		f["packet-loss"] = sentence("location/loss", float64(m.PacketLoss)/1000, m.RetransmitTime)
	}
	f["far"], f["lossy"] = m.RoundTrip > m.WriteTime, time.Duration(m.PacketLoss)*m.RetransmitTime/1000 > m.WriteTime
}

// parallelism sets the bound of the requests under way, by the load with most requests.
func (s *subject) parallelism(f figures, requestTime func(*Load) float64) {
	worst := s.design.mostBy((*Load).requests)
	if worst == nil || worst.requests() == 0 {
		return
	}
	rate := worst.requests()
	f["requests"], f["workers"], f["all-workers"] = rate, s.Workers, document.Counted(s.Workers, "operation")
	f["worker-seconds"], f["each-takes"] = float64(s.Workers)/rate, seconds(float64(s.Workers)/rate)
	each := requestTime(worst)
	if bound := s.Parallel(); bound.Account+bound.Partition > 0 {
		f["account-bound"], f["partition-bound"] = bound.Account, bound.Partition
		if worst.Account.Value > 0 && s.targets.Partition > 0 && bound.Partition > 0 {
			f["fit"] = math.Ceil(float64(s.targets.Partition) * each * rate / worst.Account.Value)
		}
	}
	if f["clients"], f["all-clients"] = worst.Clients, document.Counted(worst.Clients, "client"); worst.Clients == 0 {
		return
	}
	// Of the requests under way the hottest partition has its share. Its target is reached by as many as it serves
	// during one of them.
	if place := worst.Hottest.Share; place > 0 && worst.Account.Value > 0 && s.targets.Partition > 0 {
		f["in-flight"] = math.Round(float64(worst.Clients) * place * each / (each + worst.think.Seconds()))
		f["fit"] = math.Ceil(float64(s.targets.Partition) * each * rate / worst.Account.Value)
	}
}

// requestTime returns the mean time of a request in seconds, if it does not wait.
func (l *Load) requestTime(roundTrip, read, write time.Duration) float64 {
	sum, all := 0.0, 0.0
	for i := range l.Approaches {
		one, takes := &l.Approaches[i], read
		if one.Class == "" {
			takes = write
		}
		sum, all = sum+one.Share*one.Requests*takes.Seconds(), all+one.Share*one.Requests
	}
	if all == 0 {
		return roundTrip.Seconds()
	}
	return roundTrip.Seconds() + sum/all
}

// traffic sets what the busiest load sends and receives a second, without retries, and the connections for it.
func (s *subject) traffic(f figures, requestTime func(*Load) float64, bandwidth, machines int64) {
	// gigabit is a usual network of a client, in bytes per second. Clients have 2 or 10 connections by default.
	const gigabit, few, some = 125e6, 2, 10
	r := s.design.Rehearsal
	if s.busiest == nil || r == nil {
		return
	}
	sent, received := 0.0, 0.0
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		request, reply := r.run.Weight(l.Phase)
		sent, received = max(sent, l.requests()*request), max(received, l.requests()*reply)
	}
	f["sent"], f["received"], f["both"], f["usual-part"] = int64(sent), int64(received), int64(sent+received), document.Ratio{Part: sent + received, Whole: gigabit}
	if line := float64(bandwidth * machines); line > 0 {
		f["line"], f["machines"], f["line-part"] = bandwidth, document.Counted(int(machines), "machine"), max(sent, received)/line
		f["sent-part"], f["received-part"] = document.Ratio{Part: sent, Whole: line}, document.Ratio{Part: received, Whole: line}
	}
	// Accounts share the load equally.
	in, out := sent/float64(max(1, s.targets.Accounts)), received/float64(max(1, s.targets.Accounts))
	f["account-in"], f["in-limit"], f["account-out"], f["out-limit"] = int64(in), bytesOf(in, s.targets.Ingress), int64(out), bytesOf(out, s.targets.Egress)
	f["bytes-part"] = max(share(in, s.targets.Ingress), share(out, s.targets.Egress))
	if l := s.busiest; l.requests() > 0 {
		request, reply := r.run.Weight(l.Phase)
		each := requestTime(l)
		needed := int(max(1, math.Ceil(l.requests()*each)))
		f["connections"], f["all-connections"], f["request-takes"] = needed, document.Counted(needed, "connection"), seconds(each)
		f["two-carry"], f["ten-carry"], f["request"], f["reply"] = few/each, some/each, int64(request), int64(reply)
	}
}

// bytesOf returns bytes per second as a part of a limit.
func bytesOf(bytes float64, limit int64) string {
	if limit == 0 {
		return sentence("bytes/unlimited")
	}
	return sentence("bytes/limit", document.Ratio{Part: bytes, Whole: float64(limit)}, limit)
}

// capacity estimates when the accounts are full, by the sizes that the service bills.
func (s *subject) capacity(f figures) {
	mean, sized := 0.0, false
	if g, err := s.Generator(); err == nil {
		mean, sized = g.MeanSize()
	}
	if n := len(s.design.Samples); !sized && n > 0 {
		sum := 0
		for i := range s.design.Samples {
			sum += s.design.Samples[i].Bytes
		}
		mean = float64(sum) / float64(n)
	}
	each, inserts := mean*float64(1+len(s.Design.Copies)), 0.0
	for i := range s.design.Loads {
		inserts = max(inserts, s.design.Loads[i].Inserts)
	}
	room, loaded := float64(s.targets.Capacity)*float64(max(1, s.targets.Accounts)), float64(s.Loaded(len(s.Phases)))*each
	f["capacity"], f["all-capacity"] = s.targets.Capacity, document.Bytes(int64(room))+" of "+document.Counted(max(1, s.targets.Accounts), "account")
	f["loaded"], f["loaded-part"], f["most-inserts"], f["entity-bytes"] = int64(loaded), document.Ratio{Part: loaded, Whole: room}, inserts, int64(each)
	if inserts*each > 0 && room > loaded {
		full := seconds((room - loaded) / (inserts * each))
		f["filled-in"], f["days"] = full, full.Hours()/24
	}
}
