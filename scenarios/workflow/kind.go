package workflow

import (
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Kind is an entry of the closed list of operations that scenarios name and give
// parameters to.
type Kind struct {
	// Name is what scenarios call it, Says one sentence on what it does.
	Name, Says string
	// Inserts says that each operation is about a new entity rather than one of those
	// that are there, Reads that it writes nothing.
	Inserts, Reads bool
	// Copies says that it knows of the copies that entities have under other keys.
	Copies bool
	// Alone reports that an operation concerns no entity, such as a worker's turn: its Subject is a
	// new one.
	Alone      bool
	Parameters []Parameter
	// Counters are the names of what its operations count, by [Counted].
	Counters []string
	// Serves, where set, returns what a design lacks for it, each with the parameter
	// that asks for it, empty where it is no parameter's. The names that the
	// parameters give are there by then.
	Serves func(d *Design, a Arguments) []Lack
	// Tables, if set, returns the suffixes of the tables that the workflow creates and deletes.
	Tables func(a Arguments) []string
	// Stores, where set, returns the queues, containers and services that it uses.
	Stores func(a Arguments) []Store
	// Keeps, where set, returns what the client of an operation about an entity has to have
	// first, [MaxKept] at most: a pure function.
	Keeps func(s Subject, a Arguments) []Keeping
	// New returns the workflow of an operation: a pure function.
	New func(c *Call) Workflow
	// Check, where set, returns how what the run left behind is looked at, nil where
	// nothing has to be. Of those with one name, at the same places, one is carried out.
	Check func(s *Setting, a Arguments) Check
}

// Store is a queue, a container of blobs or a service of the application's own: what is
// added to the run's own name to give its name.
type Store struct {
	Name  string
	Queue bool
	// Own says that it is a service of the application's own, such as a broker: a stand-in
	// answers for it on every target, and nothing of it is left to be dropped.
	Own bool
}

// Lack is what a design has not that a workflow needs.
type Lack struct {
	// Parameter is the one that asks for it, empty for none; Says what is missing and
	// what is expected, as one clause.
	Parameter, Says string
}

// Setting is what workflows of a run have in common. It is immutable and safe for
// concurrent use.
type Setting struct {
	// Table is the name of the run's table.
	Table string
	// TableOf returns the name of the table of a place, "" being the run's own; of a
	// copy by [AtCopy].
	TableOf func(place string) string
	// StoreOf returns the name of one of the run's queues, containers or services.
	StoreOf func(name string) string
	// Loaded is how many entities were loaded before, Member returns one of them by its
	// number from 0.
	Loaded uint64
	Member func(number uint64) Subject
	// KeyWith returns where an entity, one of the run's own, would lie at a place if an
	// attribute had another value.
	KeyWith func(of Subject, place, attribute, value string) entity.Key
	// Partitions returns the PartitionKeys of what was loaded, in the order of the
	// index, which must not be altered.
	Partitions func() []string
	// Copied are the entities with their copies, nil where the design has none.
	Copied *Copied
}

// Copied is where entities lie and their copies do. It is immutable.
type Copied struct {
	// Homes are that of the entities themselves, and then those of copies.
	Homes []CopyHome
	// Filler is the property that pads an entity, and by the length of the keys differs.
	Filler string
	// All visits each entity that was loaded or that operations insert, in their order: its
	// keys by home, which must not be kept, and which homes it is written to. Some may not
	// have been written.
	All func(visit func(keys []entity.Key, has []bool))
}

// CopyHome is where entities lie, or their copies of one name.
type CopyHome struct {
	Name, Table string
	// Holds reports whether a copy has a property of its entity.
	Holds func(property string) bool
}

// AtCopy returns what stands for a copy of an entity where places are named. No place has
// such a name.
func AtCopy(name string) string { return "copy/" + name }

// Subject is the entity that an operation is about, as the design in use has it. It
// is immutable.
type Subject interface {
	// Key returns where it lies: its own key for "", else that at a place, or of a copy
	// by [AtCopy].
	Key(place string) entity.Key
	// Properties returns what it has. The slice is the caller's.
	Properties() []entity.Property
	// Value returns the text of an attribute, Number the unique number of the entity.
	Value(attribute string) string
	Number() uint64
}

// Call is one operation to be carried out.
type Call struct {
	*Setting
	Arguments Arguments
	// K is the operation's number within its phase.
	K uint64
	// ID identifies the operation's writes.
	ID WriteID
	// Subject is the entity of the operation, Fresh a new one; they are the same for a kind that
	// inserts.
	Subject, Fresh Subject
	// Chance is the operation's own.
	Chance clock.Draw
	// Lacking says which of what the kind Keeps the client has to fetch.
	Lacking Lacking
}

// Happens draws whether something does to the operation whose share a parameter is: by
// the first of what chance has for it.
func (c *Call) Happens(parameter string) bool {
	draw := c.Chance
	return draw.Float64() < c.Arguments.Share(parameter)
}

// Counted is a workflow that counts what its operation came upon.
type Counted interface {
	Workflow
	// Counter calls add for each counter after the operation ended.
	Counter(add func(name string, count int64))
}

// Check is a workflow that reads what a run left behind, and what it found once it
// has ended with success.
type Check interface {
	Workflow
	// Name is what reports call what must hold, such as "balances sum to zero".
	Name() string
	Findings() Findings
}

// Preceded is a check that looks at what another, which has to be carried out before it, leaves.
type Preceded interface {
	Check
	Preparation() Check
}

// Findings is what a [Check] came upon.
type Findings struct {
	// Looked is at how many things it looked, Faults in how many what must hold does
	// not. Examples name some of them, [maxExamples] at most.
	Looked, Faults int64
	Examples       []string
}

// maxExamples is how many examples [Findings] name at most.
const maxExamples = 10

// Fault adds one that an example names.
func (f *Findings) Fault(example string) {
	f.Faults++
	if len(f.Examples) < maxExamples {
		f.Examples = append(f.Examples, example)
	}
}

// Pausing is a workflow that does not want its next request to be sent at once.
type Pausing interface {
	Workflow
	// Pause returns the wait after an attempt that [Workflow.Next] answered with Proceed, 0 for
	// none.
	Pause() time.Duration
}
