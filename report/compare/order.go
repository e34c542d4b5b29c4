package compare

// Side is one of the two that are compared.
type Side uint8

// The sides: A is what was, B what is.
const (
	A Side = iota
	B
)

// String returns the letter of the side.
func (s Side) String() string {
	if s == A {
		return "A"
	}
	return "B"
}

// Slot is one run of a paired comparison.
type Slot struct {
	// Pair counts from 0.
	Pair int
	Side Side
}

// Order returns in which order to run a number of pairs: A B, B A, A B, … so that
// a machine that grows slower from run to run favours neither side, and a steady
// drift cancels within every two pairs. It returns none where pairs is not
// positive.
func Order(pairs int) []Slot {
	var slots []Slot
	for i := range max(0, pairs) {
		first := Side(i % 2)
		slots = append(slots, Slot{i, first}, Slot{i, B - first})
	}
	return slots
}
