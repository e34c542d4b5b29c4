package replay

import (
	"fmt"
	"math"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/scenarios/keys"
)

// bodies counts the bodies of single writes by their bytes, told apart by a 250th of
// themselves.
type bodies struct {
	all     int64
	buckets map[int]int64
}

// bodySteps is how many buckets a size has until it is e times as large.
const bodySteps = 250

// Quantile returns the bytes of the body that a share of them does not exceed, 0 where there
// are none.
func (b *bodies) Quantile(share float64) int64 {
	if b.all == 0 {
		return 0
	}
	rank, most := max(1, int64(math.Ceil(share*float64(b.all)))), 0
	for bucket := range b.buckets {
		most = max(most, bucket)
	}
	bucket := 0
	for ; bucket < most; bucket++ {
		if rank -= b.buckets[bucket]; rank <= 0 {
			break
		}
	}
	return int64(math.Round(math.Exp(float64(bucket) / bodySteps)))
}

// likeProperty and likeFiller are the properties of an entity of a likeness.
const likeProperty, likeFiller = "Value", "Filler"

// sizeOf returns the size of an entity, by the rule of the service, whose body has so many
// bytes: a letter has one there, and counts two.
func sizeOf(body int64) int {

	key, properties := entity.Key{Partition: "p100", Row: strings.Repeat("0", 10)},
		[]entity.Property{{Name: likeProperty, Value: entity.Int32(1)}, {Name: likeFiller, Value: entity.String("")}}
	bare := wire.RequestWeight(entity.Insert, &entity.Change{Verb: entity.Insert, Key: key, Properties: properties}, nil) - wire.InsertHead
	least := entity.Size(key, properties) + len("p1000")
	return min(entity.MaxEntityBytes, max(least, least+int(2*(body-bare))))
}

// sizes returns how large the entities of a likeness are, as a scenario has it, and the
// greatest of them.
func (o *Operations) sizes() (text string, most int) {
	if o.Bodies.all == 0 {
		return "1024", 1024
	}
	var given []string
	least := sizeOf(o.Bodies.Quantile(0))
	for i, name := range keys.QuantileNames {
		most = sizeOf(o.Bodies.Quantile(keys.QuantileShares[i]))
		given = append(given, fmt.Sprintf("%s: %d", name, most))
	}
	if least == most {
		return fmt.Sprint(most), most
	}
	return "{" + strings.Join(given, ", ") + "}", most
}
