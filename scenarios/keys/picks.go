package keys

import (
	"strconv"
	"strings"

	"loadgen/engine/clock"
)

// Picks yields which of its values a distribution takes, by their position from 0.
// It is immutable and safe for concurrent use.
type Picks struct {
	source ValueSource
	chance clock.Stream
}

// NewPicks returns the picks of a distribution without faults that has positions: of
// none but [Time] and [Text] it can be asked.
func NewPicks(d Distribution, chance clock.Stream) Picks { return Picks{d.Compile(chance), chance} }

// At returns pick n.
func (p Picks) At(n uint64) int64 { return p.source.picker.pick(n, p.chance.At(n)) }

// Decimal returns a number in as few digits as say it.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Percent returns a share with the six decimals that a percentage in a scenario can
// have, without zeros at its end.
func Percent(share float64) string {
	digits := strconv.FormatFloat(share*100, 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".") + "%"
}
