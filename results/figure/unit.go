package figure

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

// String returns what the unit is of, in words.
func (u Unit) String() string {
	return [...]string{"a count", "a time", "a share", "a number per second", "a plain number"}[u]
}

// Better says which way a figure is better.
type Better uint8

// The ways.
const (
	// Neither way is better: the figure describes.
	Neither Better = iota
	// Lower is better, Higher is.
	Lower
	Higher
)

// Provenance says where a figure comes from.
type Provenance string

// The provenances.
const (
	// Measured on a clock of this machine, or counted.
	Measured Provenance = "measured"
	// Modelled by an engine that stands in for the service.
	Modelled Provenance = "modelled"
	// Derived from measured figures by a rule of the documents.
	Derived Provenance = "derived"
)

// Value is what a figure is of a record.
type Value struct {
	// Value is in the unit that was asked for. It says nothing unless Told.
	Value float64
	Told  bool
	// AtLeast says that it is a lower bound.
	AtLeast bool
	// Why says why the figure cannot be told, empty where it is.
	Why string
	// Interval has the least and the greatest of what the value is the median of, and of a
	// throughput the ends of its 95 % interval; nil where it is neither.
	Interval *[2]float64
	// Count is how many things it rests on.
	Count int64
	// Provenance says where it comes from.
	Provenance Provenance
}

func knownValue(value float64, count int64) Value {
	return Value{Value: value, Told: true, Count: count}
}

func untold(why string) Value { return Value{Why: why} }

// Pointer returns the value, nil where it cannot be told.
func (v Value) Pointer() *float64 {
	if !v.Told {
		return nil
	}
	return &v.Value
}

// ratio returns a ratio of counts.
func ratio(part, whole int64, why string) Value {
	if whole <= 0 {
		return untold(why)
	}
	return knownValue(float64(part)/float64(whole), whole)
}
