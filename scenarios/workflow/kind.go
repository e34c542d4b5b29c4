package workflow

import (
	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Kind is an entry of the closed list of workflows that scenarios can name.
type Kind struct {
	// Name is its name in scenarios, Says describes it in one sentence.
	Name, Says string
	// Inserts reports that each operation concerns a new entity, not an existing one, Reads that it
	// writes nothing.
	Inserts, Reads bool
	// Copies reports that it handles the copies of entities under other keys.
	Copies bool
	// Alone reports that an operation concerns no entity, such as a worker's turn: its Subject is a
	// new one.
	Alone      bool
	Parameters []Parameter
	// Counters are the names of the counters of its operations, by [Tx.Add].
	Counters []string
	// Serves, if set, returns what a design lacks for it. All names in the arguments are declared.
	Serves func(d *Design, a Arguments) []Lack
	// Tables, if set, returns the suffixes of the tables that the workflow creates and deletes.
	Tables func(a Arguments) []string
	// Stores, if set, returns the queues, containers and services that it uses.
	Stores func(a Arguments) []Store
	// Keeps, if set, returns the cache entries that the client of an operation needs first, at most
	// [MaxKept]: a pure function.
	Keeps func(s Subject, a Arguments) []Keeping
	// New returns the workflow of an operation: a pure function.
	New func(c *Call) *Procedure
	// Check, if set, returns the check of what the run left, nil for none. Of several checks with the
	// same name at the same places one is run.
	Check func(s *Setting, a Arguments) *Check
}

// Store is a queue, a container of blobs, or a service of the application. Its name is appended to
// the name of the run's table.
type Store struct {
	Name  string
	Queue bool
	// Own reports a service of the application, such as a broker: on every target a stand-in replies
	// for it, and nothing of it needs to be deleted.
	Own bool
}

// Lack is something that a workflow needs and a design does not have.
type Lack struct {
	// Parameter is the parameter that needs it, empty for none; Says states in one clause what is
	// missing and what is expected.
	Parameter, Says string
}

// Setting is shared by the workflows of a run. It is immutable and safe for concurrent use.
type Setting struct {
	// Table is the name of the run's table.
	Table string
	// TableOf returns the name of the table of a place; "" is the run's own.
	TableOf func(place string) string
	// StoreOf returns the name of one of the run's queues, containers or services.
	StoreOf func(name string) string
	// Loaded is the number of entities that were loaded before, Member returns one of them by its
	// number from 0.
	Loaded uint64
	Member func(number uint64) Subject
	// KeyWith returns the key that one of the run's entities would have at a place with another value
	// of an attribute.
	KeyWith func(of Subject, place, attribute, value string) entity.Key
	// Partitions returns the PartitionKeys of the loaded entities, in the order of the index. Callers
	// must not change the slice.
	Partitions func() []string
	// Copied are the locations of the entities and their copies, nil for a design without copies.
	Copied *Copied
}

// Copied are the locations of entities and their copies. It is immutable.
type Copied struct {
	// Homes are the location of the entities, then those of their copies.
	Homes []CopyHome
	// Filler is the property that pads an entity. Its length depends on the keys.
	Filler string
	// All visits each entity that was loaded or that operations insert, in their order, with its keys
	// by home and the homes that it is written to. Some may not have been written. Callers must not
	// keep the slices.
	All func(visit func(keys []entity.Key, has []bool))
}

// CopyHome is the location of entities, or of their copies with one name.
type CopyHome struct {
	Name, Table string
	// Holds reports whether a copy has a property of its entity.
	Holds func(property string) bool
}

// Subject is the entity of an operation in the design in use. It is immutable.
type Subject interface {
	// Key returns its own key for "", else its key at a place.
	Key(place string) entity.Key
	// Properties returns its properties. Callers may change the slice.
	Properties() []entity.Property
	// Value returns the text of an attribute, Number the unique number of the entity.
	Value(attribute string) string
	Number() uint64
}

// Call describes one operation.
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
	// Chance is the operation's random stream.
	Chance clock.Draw
	// Lacking are the cache entries that the client must fetch, of those that the kind Keeps.
	Lacking Lacking
}

// Happens draws, by the first number of the operation's stream, whether an event happens whose share
// is a parameter.
func (c *Call) Happens(parameter string) bool {
	draw := c.Chance
	return draw.Float64() < c.Arguments.Share(parameter)
}
