package keys

import (
	"loadgen/engine/clock"
)

// Attribute is a named fact about each entity, from which keys and properties
// are formed. Its value for an entity is a pure function of the seed, the
// attribute's name and the entity's number.
type Attribute struct {
	// Name is what templates call it.
	Name string
	// Values is how the values are distributed over entities.
	Values Distribution
}

// Distribution says which values an attribute takes, and how often: [ValueList],
// [Uniform] and [Sequence], [Zipf], [HotSet] and [Partitions] for what is uneven,
// [Gaussian], [Latest], and [CSV] for what a file says.
type Distribution interface {
	// Faults returns what is wrong besides the ranges that the tags of the fields declare, each under the
	// given path.
	Faults(path string) []error
	// Compile returns the distribution in the form that draws quickly. Decisions for all
	// entities together are drawn from the stream. The distribution must have no faults.
	Compile(once clock.Stream) ValueSource
	// Probes returns the values that represent all others in a validation:
	// every value if they are few, the widest and the outermost otherwise.
	Probes() []string
}

// MaxInteger bounds the integers of a distribution, either side of zero: sums and
// differences of two stay exact in 64 bits.
const MaxInteger = 1_000_000_000_000_000

// Limits of distributions.
const (
	MaxAttributes = 100
	maxValues     = 100_000
	maxWeight     = 1_000_000_000
	// furthest is the greatest entity number that checks ahead of time think
	// of. What numbers above it do to widths and types is not foreseen.
	furthest = 1_000_000_000
	// fewValues is up to how many integers a check tries each one.
	fewValues = 64
)

// placed is a distribution that knows where each of its texts stands: below the
// attribute's path, and as a message names it.
type placed interface {
	place(i int) (path, what string)
}

// ValueSource is a distribution in the form that draws quickly: texts by their
// position, or the integers from low if there are no texts. It is no interface, so
// that the buffer to which it appends can stay on the stack.
type ValueSource struct {
	picker picker
	texts  []string
	low    int64
}

// picker says which of its values an entity has, by position from 0. It is
// immutable, and its choice a pure function of the entity and of the draws that
// belong to it and the attribute alone.
type picker interface {
	pick(n uint64, draw clock.Draw) int64
}

// constantSource is the source of an attribute that was pinned.
func constantSource(text string) ValueSource {
	return ValueSource{picker: evenly(1), texts: []string{text}}
}

// evenly picks one of a number of values, each with the same probability.
type evenly int64

func (e evenly) pick(_ uint64, draw clock.Draw) int64 { return int64(draw.IntN(int(e))) }

// inOrder picks the value of the entity's own number.
type inOrder struct{}

func (inOrder) pick(n uint64, _ clock.Draw) int64 { return int64(n) }

// Picks yields which of its values a distribution takes, by their position from 0: one
// without faults that has positions, which [Time] and [Text] have not. Source is compiled of
// Chance. It is immutable and safe for concurrent use.
type Picks struct {
	Source ValueSource
	Chance clock.Stream
}

// Pick returns pick n.
func (p Picks) Pick(n uint64) int64 { return p.Source.picker.pick(n, p.Chance.Draw(n)) }
