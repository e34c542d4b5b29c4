package partition

import (
	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// thousand is the denominator of shares.
const thousand = 1000

// Step is a change of the load that tenants outside of the model put on every
// server: from that instant on, its share of a server in thousandths.
type Step struct {
	From clock.Instant
	Load int64
}

// idleness is what a partition may have beyond its target while its server has
// little else to do. Beyond that it is refused with a probability that rises
// with the rate at which it was offered load of late.
type idleness struct {
	law *fading
	// target and capacity are entities per second, the others thousandths.
	target, headroom int64
	low, high        int64
	// refusal is what a request costs that is refused, in thousandths of an entity.
	refusal int64
	// capacity is the server's; 0 takes every server for idle.
	capacity   int64
	background int64
	upcoming   []Step
}

func newIdleness(m *model.Model, background []Step) *idleness {
	return &idleness{
		law: newFading(m.Idle.RateMemory), target: m.PartitionTarget, headroom: m.Idle.Headroom,
		refusal: m.ThrottleCost, low: m.Idle.UtilisationLow, high: m.Idle.UtilisationHigh,
		capacity: m.Stamp.ServerTarget, background: m.Idle.Background, upcoming: background,
	}
}

// multiple returns the multiple of the target, in thousandths, that a partition
// may have at a utilisation of its server by everything else.
func (i *idleness) multiple(utilisation int64) int64 {
	switch {
	case utilisation <= i.low:
		return i.headroom
	case utilisation >= i.high:
		return thousand
	default:
		return thousand + (i.headroom-thousand)*(i.high-utilisation)/(i.high-i.low)
	}
}
