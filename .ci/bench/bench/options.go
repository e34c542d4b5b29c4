package bench

import (
	"errors"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// The groups of what is measured.
const (
	GroupServer    = "server"
	GroupDriver    = "driver"
	GroupPacing    = "pacing"
	GroupSimulator = "simulator"
	GroupEngine    = "engine"
	GroupRecord    = "record"
	GroupCommands  = "commands"
)

// Groups returns the names of all groups; of those that are measured unless others are requested,
// the last is left out: whole commands take minutes.
func Groups() []string {
	return []string{GroupServer, GroupDriver, GroupPacing, GroupSimulator, GroupEngine, GroupRecord, GroupCommands}
}

// The bounds and defaults of rounds: an interval of ratios needs six.
const (
	DefaultRounds = 6
	quickRounds   = 3
	maxRounds     = 100
)

// Options says what is measured.
type Options struct {
	// Groups are some of [Groups]; none stands for all but the commands.
	Groups []string
	// Rounds is how often each cell is measured, 0 for DefaultRounds, or three if Quick.
	Rounds int
	// Quick has cells be shorter and fewer: an impression, in less than a minute.
	Quick bool
	// Large has ten million entities be measured as well.
	Large bool
	// Peers has other table services be measured that are installed: Azurite.
	Peers bool
	// Program is the path of the loadgen binary that is measured, Bare that of this program, which
	// is run as the bare handler by -bare.
	Program, Bare string
	// Clock is demanded.
	Clock clock.Real
	// Tell receives a few words about the current measurement; nil means none.
	Tell func(what string)
}

// Validate returns what is wrong with the options, each a [fields.Fault].
func (o *Options) Validate() []error {
	var faults []error
	for _, name := range o.Groups {
		if !slices.Contains(Groups(), name) {
			faults = append(faults, errors.New(nearest.Unknown("group", name, Groups())))
		}
	}
	if o.Rounds < 0 || o.Rounds > maxRounds {
		faults = append(faults, fields.Fault{Path: "rounds", What: "expected 1 to 100"})
	}
	return faults
}

// filled returns the options with defaults.
func (o Options) filled() Options {
	if len(o.Groups) == 0 {
		o.Groups = Groups()[:len(Groups())-1]
	}
	if o.Rounds == 0 {
		o.Rounds = DefaultRounds
		if o.Quick {
			o.Rounds = quickRounds
		}
	}
	if o.Tell == nil {
		o.Tell = func(string) {}
	}
	return o
}

// slice is how long a cell is measured at a time, turns how often that is in a round: those who
// are compared take many short turns, so that what others take of the machine falls on all.
const slice = 30 * time.Millisecond

func (o *Options) turns() int {
	if o.Quick {
		return 3
	}
	return 5
}

// has reports whether a group was asked for.
func (o *Options) has(group string) bool { return slices.Contains(o.Groups, group) }

// sizeName writes a number of entities as a power of ten, which all of them are.
func sizeName(entities int) string {
	zeros := 0
	for entities >= 10 {
		entities /= 10
		zeros++
	}
	const raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	return "10" + strings.Split(raised, "")[zeros] + " entities"
}
