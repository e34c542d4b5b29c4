package keys

import "loadgen/engine/clock"

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
	// Faults returns what is wrong, each under the given path.
	Faults(path string) []error
	// Compile returns the distribution in the form that draws quickly. What it
	// decides once for all entities it draws from the stream. It may be called only
	// where there are no faults.
	Compile(once clock.Stream) ValueSource
	// Probes returns the values that stand for all in a check ahead of time:
	// every value where there are few, the widest and the outermost otherwise.
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
	// Furthest is the greatest entity number that checks ahead of time think
	// of. What numbers above it do to widths and types is not foreseen.
	Furthest = 1_000_000_000
	// fewValues is up to how many integers a check tries each one.
	fewValues = 64
)

// placed is a distribution that knows where each of its texts stands: below the
// attribute's path, and as a message names it.
type placed interface {
	place(i int) (path, what string)
}

// PlaceOf returns where the probe at a position stands.
func PlaceOf(d Distribution, i int) (path, what string) {
	if p, texts := d.(placed); texts {
		return p.place(i)
	}
	return "", "a value"
}
