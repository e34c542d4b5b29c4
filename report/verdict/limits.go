package verdict

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/results"
)

// off is the profile of a model without limits and service times.
const off = "off"

// Limits returns what the run cannot tell, one sentence each.
func Limits(record *results.Record) []string {
	return append(KindLimits(record), loadLimits(record)...)
}

// KindLimits returns what no run of its kind can tell, whatever load it was of: by where
// it ran, under which model, and on which clock.
func KindLimits(record *results.Record) []string {
	manifest := &record.Manifest
	var limits []string
	switch {
	case manifest.Modelled() && manifest.Profile == off:
		limits = append(limits, "Profile off has neither limits nor service times: "+
			"nothing here says where a partition of the real service gives in.")
	case manifest.Modelled():
		limits = append(limits, profileLimit(manifest.Profile),
			"The times of request and reply are assumptions: they show how waiting grows, not how fast the service is.")
	}
	if manifest.Target == results.Embedded && record.Capture == nil {
		limits = append(limits, "Client and engine share this machine: what sockets, JSON and signatures cost is in every time, "+
			"and none of a network beyond the modelled round trip.")
	}
	limits = append(limits, standInLimits(manifest)...)
	limits = append(limits, remoteLimits(manifest)...)
	limits = append(limits, scanLimits(record)...)
	if manifest.Modelled() {
		limits = append(limits, startLimit(manifest.Start)...)
	}
	if manifest.Time == "virtual" {
		limits = append(limits, "Time is virtual: what this machine could send in real time is not shown.")
	}
	if manifest.Dataless {
		limits = append(limits, "Nothing was stored: no insert can find its key taken (409), no condition fail (412), "+
			"no entity be missing (404). --data stores what is written.")
	}
	return append(limits, auditLimits(record.Audit)...)
}

// loadLimits says what is not known of the load that the target bears.
func loadLimits(record *results.Record) (limits []string) {
	switch {
	case record.Capture != nil:
		return trafficLimits(record)
	case record.Limit != nil:
		return searchLimits(record)
	case spreads(record):
		return nil
	}
	steps := Steps(record)
	switch saturation, _ := saturation(record, steps); {
	case saturation != nil:
	case len(steps) == 0 && slices.ContainsFunc(Shown(record), Step.Closed):
		limits = append(limits, "Where the load saturates is not known: clients that wait for each reply offer no more than is answered.")
	case overloaded(steps):
		limits = append(limits, "Where the load saturates is not known: no step with refusals has a whole second after its first.")
	default:
		limits = append(limits, "Where the load saturates is not known: no step had 1 % of its attempts refused.")
	}
	return limits
}

// standInLimits says what figures rest on of what is used beside the tables.
func standInLimits(manifest *results.Manifest) []string {
	if len(manifest.StandIns) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("What is used beside the tables (%s) is a stand-in in memory: it never refuses for load, "+
		"and that it answers in 5 ms is assumed.", strings.Join(manifest.StandIns, " and "))}
}

// remoteLimits says what figures of a service that somebody else runs rest on.
func remoteLimits(manifest *results.Manifest) []string {
	switch {
	case manifest.Modelled() || manifest.Target == "":
		return nil
	case manifest.Emulator:
		return []string{"An emulator has no partition servers: where a table of the real service would refuse, it only slows down.",
			"Its times are those of a development tool on this machine."}
	default:
		return []string{"The times include the network between this machine and the service.",
			"How many entities a request counted, the service does not say: a query of a key range is taken to scan what it returns.",
			"A service balances its partitions over minutes and hours: another time may show other limits."}
	}
}

// scanLimits says what is not known of queries that keep a part of what they scan,
// where the service does not say what it counted.
func scanLimits(record *results.Record) []string {
	if record.Manifest.Modelled() || record.Manifest.Target == "" {
		return nil
	}
	var names []string
	for k, kind := range record.Manifest.Operations {
		sent := func(p results.Phase) bool { return p.Kinds[k].Attempts > 0 }
		if kind.Filtered && slices.ContainsFunc(record.Phases, sent) {
			names = append(names, shortened(kind.Name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("What a filter leaves out is scanned and counts against the targets, and no reply says how much it was: "+
		"the entities counted of queries with a filter (%s) are those that they returned, a lower bound.", strings.Join(names, ", "))}
}

func startLimit(start string) []string {
	switch start {
	case "warm":
		return []string{"Balancing is not modelled: no partition moves to another server, " +
			"and none is offline for the seconds that this takes.",
			"The start is warm: that a new table is throttled while the service learns its load is not shown."}
	case "cold":
		return []string{"The start is cold, with one range for the new table. That ranges are split and moved after minutes of overload " +
			"is documented; from which load on, where, how many at once and for how long they are offline are assumptions.",
			"Nobody has published when today's service splits: the minutes here are those of the model, not of Azure."}
	default:
		return []string{"Balancing is not modelled: no partition moves to another server, " +
			"and none is offline for the seconds that this takes."}
	}
}

// profileLimit says how the limits of a profile differ from a real service's.
func profileLimit(profile string) string {
	switch profile {
	case "headroom":
		return "The limits are those of profile headroom, which lets partitions exceed their targets while servers are idle: " +
			"by how much the real service does is not published."
	case "measured-2010":
		return "The limits are those of profile measured-2010, fitted to what was published in 2010: nothing here says what the service does today."
	default:
		return fmt.Sprintf("The limits are those of profile %s, held hard: "+
			"the real service may grant more while a server is idle, and less while it is busy.", profile)
	}
}

// mostHeld is the share of the reported operations that may be sent more than
// longestHold after their intended instants.
const (
	mostHeld    = results.MostHeldBack
	longestHold = results.HeldBackAfter
)

// validity returns what a run is worth, and why. What the record says of itself
// stands unless it is worse than that.
func validity(record *results.Record) (string, []string) {
	worth, reasons := record.Validity, slices.Clone(record.Reasons)
	add := func(found ...string) {
		for _, reason := range found {
			// A record that was judged before holds its reasons.
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	if reasons == nil {
		reasons = []string{}
	}
	if !slices.Contains([]string{results.Valid, results.Partial, results.ClientLimited, results.Invalid}, worth) {
		add(fmt.Sprintf("the record calls itself %q, which says nothing", shortened(worth)))
		worth = results.Invalid
	}
	if record.Cut {
		add("the record is cut off within a line")
		if worth != results.Invalid {
			worth = results.Partial
		}
	}
	if limits := clientLimits(record); len(limits) > 0 {
		add(limits...)
		if worth == results.Valid {
			worth = results.ClientLimited
		}
	}
	if faults := Books(record); len(faults) > 0 {
		add(faults...)
		worth = results.Invalid
	} else if record.Misplaced > 0 {
		add(fmt.Sprintf("%s counts came too late for their second and stand in a later one",
			Count(record.Misplaced)))
	}
	return worth, reasons
}

// clientLimits returns how the generator fell short of what was asked of it.
func clientLimits(record *results.Record) []string {
	if record.Limit != nil {
		return limitReasons(record)
	}
	var limits []string
	all, reported := record.Total(results.Everything), record.Total(results.Reported)
	if all.Dropped > 0 {
		limits = append(limits, fmt.Sprintf("the generator dropped %s of %s operations",
			Count(all.Dropped), Count(all.Scheduled)))
	}
	if held := heldBack(record.Lag); reported.Sent > 0 && float64(held) > mostHeld*float64(reported.Sent) {
		limits = append(limits, fmt.Sprintf("the generator sent %s of the operations more than %d ms late",
			Share(float64(held)/float64(reported.Sent)), longestHold.Milliseconds()))
	}
	return append(limits, clientSaturations(record)...)
}

// heldBack counts the operations of a lag histogram beyond longestHold.
func heldBack(lag *results.Histogram) int64 {
	if lag == nil {
		return 0
	}
	var held int64
	for _, bar := range lag.Bars() {
		if bar.From > longestHold.Microseconds() {
			held += bar.Count
		}
	}
	return held
}
