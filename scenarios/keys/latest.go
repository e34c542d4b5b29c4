package keys

import (
	"strconv"

	"loadgen/engine/clock"
)

// Latest refers back to what came before: an order to a customer who registered
// lately. After a fixed number of entities a new number is created, and each entity has
// one of the latest, the newest as the first rank of a [Zipf].
//
// No entity has a number that has not come into being with it or before it, and so
// what it refers to is there. Where fewer numbers exist than the window holds, it
// is over those.
type Latest struct {
	_ struct{} `object:"a latest"`
	// Window is how many numbers are in reach, 1 to a billion.
	Window int64 `yaml:"window,required" says:"How many recent numbers qualify." range:"1..1000000000"`
	// Exponent is how much newer ones are preferred: 0, where all in the window are
	// alike, to 5.
	Exponent float64 `yaml:"exponent,default=1" says:"How steeply shares fall with age: 0 is uniform." range:"0..5" expected:"an exponent from 0 to 5, such as 1.1"`
	// Every is how many entities there are to each new number, from 1.
	Every int64 `yaml:"every,default=1" says:"Entities per new number." range:"1..1000000000"`
	// Start is the first number, that of entity 0.
	Start int64 `yaml:"start" says:"Entity 0's number." range:"-1000000000000000..1000000000000000"`
}

var _ Distribution = Latest{}

// Faults implements [Distribution].
func (Latest) Faults(string) []error { return nil }

// Probes implements [Distribution].
func (l Latest) Probes() []string {
	return []string{strconv.FormatInt(l.Start, 10), strconv.FormatInt(l.Start+furthest/l.Every, 10)}
}

// Compile implements [Distribution].
func (l Latest) Compile(clock.Stream) ValueSource {
	return ValueSource{low: l.Start, picker: recent{newPower(l.Window, l.Exponent), uint64(l.Every)}}
}

// recent picks by age.
type recent struct {
	ages  *power
	every uint64
}

func (r recent) pick(n uint64, draw clock.Draw) int64 {
	newest := int64(n / r.every)
	to, most := r.ages.to, r.ages.most
	if newest < most-1 {
		most = newest + 1
		to = r.ages.area(float64(most) + 0.5)
	}
	return newest - r.ages.rank(to, most, &draw)
}
