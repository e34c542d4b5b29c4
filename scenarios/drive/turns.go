package drive

import "loadgen/engine/clock"

// turns decides which of several partitions an operation goes to: of as many
// operations as there are partitions, one each, in an order that is drawn anew
// for every such round. A partition's rate is thus exact, and no two follow one
// another for long. It is a pure function of the operation's number.
type turns struct {
	partitions uint64
	// strides are the steps by which a round can go about and meet each partition
	// once.
	strides []uint64
	chance  clock.Stream
}

// newTurns returns the turns of so many partitions, one at least.
func newTurns(partitions int, chance clock.Stream) *turns {
	t := &turns{partitions: uint64(partitions), chance: chance}
	const most = 1024
	for stride := uint64(1); stride <= t.partitions && len(t.strides) < most; stride++ {
		if coprime(stride, t.partitions) {
			t.strides = append(t.strides, stride)
		}
	}
	return t
}

// at returns the partition of operation k.
func (t *turns) at(k uint64) int {
	round, turn := k/t.partitions, k%t.partitions
	draw := t.chance.At(round)
	first := uint64(draw.IntN(int(t.partitions)))
	stride := t.strides[draw.IntN(len(t.strides))]
	return int((first + turn*stride) % t.partitions)
}

func coprime(a, b uint64) bool {
	for b > 0 {
		a, b = b, a%b
	}
	return a == 1
}
