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
	switch u {
	case Count:
		return "a count"
	case Nanoseconds:
		return "a time"
	case Share:
		return "a share"
	case PerSecond:
		return "a number per second"
	default:
		return "a plain number"
	}
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
