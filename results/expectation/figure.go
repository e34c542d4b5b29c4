package expectation

import "strings"

// Figure is a named figure of a run and what it is of.
type Figure struct {
	// Name is one of [Names].
	Name string
	// Of is a name that stands alone: an operation's, or else a phase's. Operation
	// and Phase are given together; one of them that is empty stands for any.
	Of               string
	Operation, Phase string
	// Part is what the figure is of beside operations and phases; Key is the
	// PartitionKey where that is [Partition].
	Part Part
	Key  string
	// Counter is the name of what the Operation's workflow counts.
	Counter string
	// Offset is where the name stands in the text, OfOffset, OperationOffset and
	// PhaseOffset where those do.
	Offset, OfOffset             int
	OperationOffset, PhaseOffset int
	CounterOffset                int
}

// Part is what of the target a figure is of.
type Part uint8

// The parts.
const (
	// Whole is all of it.
	Whole Part = iota
	// Hottest is the partition for which the figure is greatest, Partition the one
	// that is named, Account the account for which it is greatest.
	Hottest
	Partition
	Account
)

// Unit is what a figure is told in.
type Unit uint8

// The units.
const (
	// Count is a whole number of things.
	Count Unit = iota
	// Nanoseconds is a length of time.
	Nanoseconds
	// Share is a part of one.
	Share
	// PerSecond is things per second.
	PerSecond
	// Ratio is a plain number.
	Ratio
)

// String returns the figure in its canonical form.
func (f Figure) String() string {
	var of []string
	switch f.Part {
	case Hottest:
		of = append(of, wordHottest)
	case Account:
		of = append(of, wordAccount)
	case Partition:
		of = append(of, quoted(f.Key))
	}
	switch {
	case f.Counter != "":
		of = append(of, f.Operation, f.Counter)
	case f.Part != Whole && f.Phase != "":
		of = append(of, f.Phase)
	case f.Part != Whole:
	case f.Of != "":
		of = append(of, f.Of)
	case f.Phase != "" && ofPhase(f.Name):
		of = append(of, f.Phase)
	case f.Operation != "" || f.Phase != "":
		of = append(of, orAny(f.Operation), orAny(f.Phase))
	}
	if of == nil {
		return f.Name
	}
	return f.Name + "(" + strings.Join(of, ", ") + ")"
}

func ofPhase(name string) bool {
	k, _ := known(name)
	return k.scope == ofPhases
}

func orAny(name string) string {
	if name == "" {
		return "*"
	}
	return name
}

func quoted(key string) string { return `"` + strings.ReplaceAll(key, `"`, `""`) + `"` }

// Names returns the names of all figures, in the order of the package's comment.
// The slice is the caller's.
func Names() []string {
	var names []string
	for _, k := range figures {
		names = append(names, k.name)
	}
	return names
}

// Statistic splits the name of a figure of times into what it is of (response,
// service, wait or lag) and which quantile: from 0 to 1, where 1 is the longest and
// −1 the mean. It returns false for any other figure.
func Statistic(name string) (of string, quantile float64, some bool) {
	k, _ := known(name)
	return k.of, k.quantile, k.of != ""
}

// The words for parts.
const (
	wordHottest = "hottest"
	wordAccount = "account"
)

// scope is what a figure can be of.
type scope uint8

const (
	// ofRun takes no name, ofPhases a phase, ofOperations an operation and a phase,
	// ofLoad a part, too; ofCounter takes an operation and the name of a counter.
	ofRun scope = iota
	ofPhases
	ofOperations
	ofLoad
	ofCounter
)

// kind is what there is to know of a figure beforehand.
type kind struct {
	name  string
	scope scope
	// own is the unit in which it is compared with other figures and with numbers
	// that do not say otherwise.
	own Unit
	// part says that it is a part of something, so that it has a share.
	part bool
	// of is which times it is of, and quantile which of them, as [Statistic] has it;
	// empty for what is no time of operations.
	of       string
	quantile float64
}

func (k *kind) units() []Unit {
	units := []Unit{k.own}
	if k.own == Count && k.scope == ofOperations {
		units = append(units, PerSecond)
	}
	if k.part {
		units = append(units, Share)
	}
	return units
}

// figures is the closed list, and places where in it each name stands.
var figures, places = listed()

func listed() (list []kind, places map[string]int) {
	add := func(k kind, names string) {
		for _, name := range strings.Fields(names) {
			k.name = name
			list = append(list, k)
		}
	}
	for _, times := range []kind{{of: "response", scope: ofOperations}, {of: "service", scope: ofOperations}, {of: "wait"}, {of: "lag"}} {
		prefix := times.of + "_"
		if len(list) == 0 {
			prefix = ""
		}
		for _, s := range []struct {
			name     string
			quantile float64
		}{{"p50", .5}, {"p90", .9}, {"p95", .95}, {"p99", .99}, {"p99.9", .999}, {"max", 1}, {"mean", -1}} {
			times.own, times.quantile = Nanoseconds, s.quantile
			add(times, prefix+s.name)
		}
	}
	whole, part := kind{scope: ofOperations}, kind{scope: ofOperations, part: true}
	add(whole, "scheduled sent")
	add(part, "dropped late")
	add(whole, "operations")
	add(part, "succeeded")
	add(whole, "requests")
	add(part, "ok handled refused failed retries")
	add(whole, "counted")
	add(part, "returned")
	add(kind{scope: ofOperations, own: Ratio}, "attempts")
	add(kind{scope: ofLoad, own: PerSecond}, "offered served")
	add(kind{scope: ofOperations, own: Share}, "share_lost")
	add(kind{own: PerSecond}, "saturation")
	add(kind{scope: ofPhases, own: Nanoseconds}, "length")
	add(kind{scope: ofPhases}, "partitions splits moves merges")
	add(kind{scope: ofPhases, own: Nanoseconds}, "offline")
	add(kind{own: Nanoseconds}, "throttled relieved")
	add(kind{}, "lost doubled unknown overwritten conflicts faults")
	add(kind{scope: ofCounter}, "tally")
	places = make(map[string]int, len(list))
	for i := range list {
		places[list[i].name] = i
	}
	return list, places
}

// known returns what there is to know of a figure, and false of an unknown one.
func known(name string) (kind, bool) {
	if place, some := places[name]; some {
		return figures[place], true
	}
	return kind{}, false
}
