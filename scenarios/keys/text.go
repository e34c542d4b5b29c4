package keys

import (
	"loadgen/engine/clock"
)

// Text derives an attribute from others: its values are what a template of them
// comes to. The order of the attributes does not matter, but none may, through
// whatever others, be derived from itself.
type Text struct {
	Template Template
}

var _ Distribution = Text{}

// Faults is empty: what is wrong with a template depends on the other attributes,
// and [Options.Validate] sees them all.
func (t Text) Faults(string) []error { return nil }

// Compile is not asked of a text: a [Generator] keeps it as a layout.
func (t Text) Compile(clock.Stream) ValueSource { return ConstantSource("") }

// Probes are none: those of the attributes that the text is derived from stand for
// it.
func (t Text) Probes() []string { return nil }
