package replay

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// Bounds of a likeness: how many partitions have their own share, how many stretches of
// time their own rate, and how many entities are loaded.
const (
	maxShares = 1000
	maxRates  = 1000
	maxLoaded = 20_000
	minLoaded = 1000
)

// Likeness returns a scenario that is like the operations of a log and holds no key of
// them: as many partitions with the same shares, of more than a thousand what the heaviest
// one, two, four, … have together; the same mix of operations, their sizes by quantiles, and
// the rate of each second, or of as many equal stretches as there is room for. What else the
// keys of the log were formed from it does not know.
func Likeness(of *Operations) []byte {
	partitions, shares := of.shares()
	var singles []*Operation
	for i := range of.List {
		if one := &of.List[i]; one.isSingle() {
			singles = append(singles, one)
		}
	}
	size, most, payload := "1024", 1024, 1024
	if of.Bodies.Count() > 0 {
		var given []string
		for i, name := range keys.QuantileNames {
			most, payload = sizeOf(quantileOf(&of.Bodies, keys.QuantileShares[i]))
			given = append(given, fmt.Sprintf("%s: %d", name, most))
		}
		size = "{" + strings.Join(given, ", ") + "}"
		if least, _ := sizeOf(quantileOf(&of.Bodies, 0)); least == most {
			size = fmt.Sprint(most)
		}
	}
	loaded, transaction := 0, 0
	if of.Counts[entity.Insert] < len(singles) {
		loaded = min(maxLoaded, max(minLoaded, len(singles)))
		if fit := entity.MaxBatchPayload / payload; fit < entity.MaxBatchChanges {
			transaction = fit
		}
	}
	lasts := singles[len(singles)-1].At + 1
	each := time.Second * time.Duration(math.Ceil(lasts.Seconds()/maxRates))
	due := make([]int, int((lasts+each-1)/each))
	for _, one := range singles {
		due[one.At/each]++
	}
	var rates []string
	for _, n := range due {
		rates = append(rates, fmt.Sprint(max(fields.MinRate, math.Round(float64(n)/each.Seconds()*1000)/1000)))
	}
	weights := of.weights()
	delete(weights, entity.Query)
	delete(weights, entity.Batch)
	return write("likeness.yaml", map[string]any{"Operations": len(singles), "Partitions": partitions, "Classed": partitions > maxShares, "Shares": shares, "Size": size,
		"Filler": likeFiller, "Property": likeProperty, "Loaded": loaded, "Transaction": transaction, "Averaged": each > time.Second, "Each": each,
		"Rates": strings.Join(rates, ", "), "Weights": weights})
}

// shares returns how many partitions had operations, and an attribute of as many: each with
// its weight; of more than a thousand, as many that the heaviest one, two, four, …
// together come as often as in the log.
func (o *Operations) shares() (partitions int, values string) {
	by := make(map[string]int)
	for i := range o.List {
		if o.List[i].isSingle() {
			by[o.List[i].Key.Partition]++
		}
	}
	counts := slices.Collect(maps.Values(by))
	slices.SortFunc(counts, func(a, b int) int { return cmp.Compare(b, a) })
	// A weight is a million at most.
	scale := max(1, float64(counts[0])/1e6)
	if len(counts) <= maxShares {
		var names, weights []string
		for i, n := range counts {
			names, weights = append(names, fmt.Sprintf("p%d", i+1)), append(weights, fmt.Sprint(max(1, int(math.Round(float64(n)/scale)))))
		}
		return len(counts), "{list: [" + strings.Join(names, ", ") + "], weights: [" + strings.Join(weights, ", ") + "]}"
	}
	var sizes []string
	for from, to := 0, 1; from < len(counts); from, to = to, 2*to {
		if to > len(counts) || len(sizes) == keys.MaxSizes-1 {
			to = len(counts)
		}
		sum := 0
		for _, n := range counts[from:to] {
			sum += n
		}
		// To the eight decimals that a share has, so that all together are 1.
		part := func(n int) float64 { return math.Round(float64(n)/float64(len(counts))*1e8) / 1e8 }
		size := keys.Size{Share: part(to) - part(from), Weight: math.Round(float64(sum)/float64(to-from)/scale*1e6) / 1e6}
		sizes = append(sizes, `"`+size.String()+`"`)
	}
	return len(counts), fmt.Sprintf("{partitions: %d, sizes: [%s]}", len(counts), strings.Join(sizes, ", "))
}

// size is the mean size of an entity that was written, in bytes.
func (o *Operations) size() int64 {
	if o.Bodies.Count() == 0 {
		return 1024
	}
	return min(entity.MaxEntityBytes/2, max(100, int64(o.Bodies.Mean())))
}

// quantileOf returns the size that a share of them does not exceed, even if few are above it.
func quantileOf(bodies *results.Histogram, share float64) (body int64) {
	rank := max(1, int64(math.Ceil(share*float64(bodies.Count()))))
	for _, bar := range bodies.Bars() {
		if body = bar.From; rank <= bar.Count {
			break
		}
		rank -= bar.Count
	}
	return body
}

// likeProperty and likeFiller are the properties of an entity of a likeness.
const likeProperty, likeFiller = "Value", "Filler"

// sizeOf returns the size of an entity, by the rule of the service, from the number of its body's
// bytes, and how many bytes the likeness of it has: a letter has one there, and counts two.
func sizeOf(body int64) (size, payload int) {
	key, properties := entity.Key{Partition: "p100", Row: strings.Repeat("0", 10)},
		[]entity.Property{{Name: likeProperty, Value: entity.Int32(1)}, {Name: likeFiller, Value: entity.String("")}}
	bare := int(wire.BatchPayload([]entity.Change{{Verb: entity.Insert, Key: key, Properties: properties}}))
	least := entity.Size(key, properties) + len("p1000")
	size = min(entity.MaxEntityBytes, max(least, least+2*(int(body)-bare)))
	return size, bare + (size-least)/2 + len("999999999")
}
