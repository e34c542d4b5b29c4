package advise

import (
	"fmt"
	"slices"
	"time"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// gigabit is a client's usual network, in bytes per second.
const gigabit = 125e6

// bandwidth holds what the busiest load sends and gets a second to the client's line, where
// the scenario has one, and to a usual one otherwise.
func (s *subject) bandwidth() Finding {
	sent, received, some := s.traffic()
	if !some {
		return idle()
	}
	m, err := s.PartitionModel()
	if err != nil || m.ClientBandwidth == 0 {
		rate := sent + received
		f := found(Good, "At the peak about %s/s go over the wire, %s of 1 Gbit/s.", document.Bytes(int64(rate)), document.PartOf(rate, gigabit))
		if rate >= near*gigabit {
			f.Verdict = Warning
			return f.but("Project, use more or larger machines, or compress what is large before it is sent.")
		}
		return f
	}
	line := float64(m.ClientBandwidth * m.ClientMachines)
	carries := fmt.Sprintf("the client's line carries, %s/s each way", document.Bytes(m.ClientBandwidth))
	if m.ClientMachines != 1 {
		carries = fmt.Sprintf("the lines of %s carry, %s/s each and each way", document.Counted(int(m.ClientMachines), "client machine"),
			document.Bytes(m.ClientBandwidth))
	}
	f := found(Good, "At the peak about %s/s are sent, %s of what %s, and %s/s received, %s.", document.Bytes(int64(sent)), document.PartOf(sent, line),
		carries, document.Bytes(int64(received)), document.PartOf(received, line))
	switch most := max(sent, received) / line; {
	case most > 1:
		f.Verdict = Error
	case most >= near:
		f.Verdict = Warning
	default:
		return f
	}
	return f.but("Project, use more or larger machines (client_machines, client_bandwidth), or compress what is large before it is sent.")
}

// location tells what the way to the account costs, where the scenario says how long it is.
func (s *subject) location() Finding {
	m, err := s.PartitionModel()
	said := func(name string) bool {
		return slices.ContainsFunc(s.Model.Overrides, func(o scenarios.Override) bool { return o.Name == name })
	}
	if err != nil || m.Region == "" && !said("round_trip") && m.PacketLoss == 0 {
		return found(CannotTell, "Where the client is, and how good its link: `loadgen doctor` looks at that.")
	}
	where := ""
	if m.Region != "" {
		where = " (" + m.Region + ")"
	}
	lost := ""
	if m.PacketLoss > 0 {
		lost = fmt.Sprintf("; %s of the attempts lose a packet, and take %s longer at least", document.Share(float64(m.PacketLoss)/1000),
			document.Span(m.RetransmitTime))
	}
	f := found(Good, "The way to the account and back takes %s%s, and a write %s there%s.", document.Span(m.RoundTrip), where,
		document.Span(m.WriteTime), lost)
	switch meanLoss := time.Duration(m.PacketLoss) * m.RetransmitTime / 1000; {
	case m.RoundTrip > m.WriteTime:
		f.Verdict = Warning
		return f.but("Run the clients in the account's region, have an account in each region of theirs, or send in one transaction what belongs together.")
	case meanLoss > m.WriteTime:
		f.Verdict = Warning
		return f.but("Look for a link that loses less, or run the clients nearer to the account.")
	default:
		return f
	}
}
