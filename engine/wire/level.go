package wire

// Level is how much a JSON reply says of itself.
type Level uint8

// The levels. The zero value is what clients get that do not choose.
const (
	MinimalMetadata Level = iota
	NoMetadata
	FullMetadata
)

// ContentType returns the Content-Type of a reply at the level.
func (l Level) ContentType() string { panic("contract") }

// ParseLevel returns the level that an Accept header or a $format option asks
// for: of a list the first acceptable item; an absent one or */* is minimal. It
// is false where only formats are acceptable that the service no longer speaks.
func ParseLevel(accept string) (Level, bool) { panic("contract") }
