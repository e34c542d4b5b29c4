package verdict

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/results"
	"loadgen/results/figure"
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
	case record.Killed() != nil:
		return []string{"What the run did after its last whole second, how long its operations took together, and where its load saturates, " +
			"its seconds do not tell."}
	case record.Limit != nil:
		return searchLimits(record)
	case figure.Spreads(record):
		return nil
	}
	ladders := figure.Of(record).Ladders()
	switch v := figure.Of(record).Named("saturation"); {
	case v.Told:
	case len(ladders) == 0 && slices.ContainsFunc(figure.Shown(record), figure.Step.Closed):
		limits = append(limits, "Where the load saturates is not known: clients that wait for each reply offer no more than is answered.")
	default:
		limits = append(limits, fmt.Sprintf("Where the load saturates is not known: %s.", v.Why))
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
		return []string{emulatorLimit(manifest), "Its times are those of a development tool."}
	case !manifest.Genuine:
		return []string{"What answers does not say what it is" + calledItself(manifest.Service) + ": nothing here is said of the table service.",
			"The times include the network between this machine and it.",
			"How many entities a request counted, it does not say: a query of a key range is taken to scan what it returns."}
	default:
		return []string{"The times include the network between this machine and the service.",
			"How many entities a request counted, the service does not say: a query of a key range is taken to scan what it returns.",
			"A service balances its partitions over minutes and hours: another time may show other limits."}
	}
}

// emulatorLimit says what an emulator holds load to, as far as it tells.
func emulatorLimit(manifest *results.Manifest) string {
	of := func(what string, limit int64) string {
		if limit == 0 {
			return what + " to nothing"
		}
		return fmt.Sprintf("%s to %s entities/s", what, Count(limit))
	}
	switch t := manifest.Targets; {
	case !manifest.LimitsKnown:
		return "An emulator answered" + calledItself(manifest.Service) + ", which does not say which limits it keeps."
	case t.Partition == 0 && t.Account == 0:
		return "An emulator has no partition servers: where a table of the real service would refuse, it only slows down."
	default:
		return fmt.Sprintf("An emulator answered, which holds %s and %s: these limits are a model's, and the service may grant others.",
			of("a partition", t.Partition), of("an account", t.Account))
	}
}

// calledItself tells by which name a target goes, empty for none.
func calledItself(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (it calls itself %s)", printable(shortened(name)))
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

// validity returns what a run as a whole is worth, and why: whether it came to its end,
// its books close, and anything succeeded. What the generator fell short of spoils no more
// than the claims that rest on it. What the record says of itself stands unless it is
// worse than that.
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
	if !slices.Contains([]string{results.Valid, results.Partial, results.Invalid}, worth) {
		add(fmt.Sprintf("the record calls itself %q, which says nothing", shortened(worth)))
		worth = results.Invalid
	}
	if record.Cut {
		add("the record is cut off within a line")
		if worth != results.Invalid {
			worth = results.Partial
		}
	}
	if reported := record.Total(results.Reported); reported.Scheduled > 0 && reported.Succeeded == 0 && finished(record) && record.Capture == nil {
		add(fmt.Sprintf("of %s operations due none succeeded%s", Count(reported.Scheduled), causesOf(reported.Causes)))
		worth = results.Invalid
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
	// What waited for a silent target waited for no generator.
	silent := !slices.ContainsFunc(Strains(record), func(s Strain) bool { return s.Cause.Generators() }) && len(Silences(record)) > 0
	if held := heldBack(record.Lag); reported.Sent > 0 && !silent && float64(held) > mostHeld*float64(reported.Sent) {
		limits = append(limits, fmt.Sprintf("the generator sent %s of the operations more than %d ms late",
			Share(float64(held)/float64(reported.Sent)), longestHold.Milliseconds()))
	}
	return append(limits, clientSaturations(record)...)
}

// causesOf names the two commonest causes, in parentheses.
func causesOf(causes results.Causes) string {
	var names []string
	for _, one := range causes.Told()[:min(2, len(causes.Told()))] {
		names = append(names, printable(shortened(one.String())))
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
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
