package keys

import (
	"strconv"

	"loadgen/engine/entity"
)

// alphabet is what a filler is written in: one UTF-16 code unit each, so that
// sizes are exact, and nothing that any encoding has to escape.
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// piece is one of the properties that a filler consists of: as many letters as
// units says.
type piece struct {
	name  string
	units int
}

// overhead returns what a String property of that name counts when it is empty,
// in bytes.
func overhead(name string) int {
	empty := entity.Property{Name: name, Value: entity.String("")}
	return entity.Size(entity.Key{}, []entity.Property{empty}) - entity.Size(entity.Key{}, nil)
}

// pad returns the pieces that add up to the given number of bytes, or to one
// less where that is odd, for a code unit counts two bytes. It takes the fewest
// pieces, and none where not even an empty one fits.
func pad(name string, bytes int) []piece {
	var pieces []piece
	for room := 0; room+1 < bytes && bytes >= overhead(name); {
		next := piece{name: name}
		if len(pieces) > 0 {
			next.name += strconv.Itoa(len(pieces) + 1)
		}
		bytes -= overhead(next.name)
		room += 2 * entity.MaxStringUnits
		pieces = append(pieces, next)
	}
	units := max(0, bytes/2)
	for i := range pieces {
		pieces[i].units = min(units, entity.MaxStringUnits)
		units -= pieces[i].units
	}
	return pieces
}
