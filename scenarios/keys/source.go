package keys

import (
	"strconv"

	"loadgen/engine/clock"
)

// ValueSource is a distribution in the form that draws quickly: texts by their
// position, or the integers from low where there are none. It is no interface, so
// that what it appends to can stay on the stack.
type ValueSource struct {
	picker picker
	texts  []string
	low    int64
}

// picker says which of its values an entity has, by position from 0. It is
// immutable, and its choice a pure function of the entity and of the draws that
// belong to it and the attribute alone.
type picker interface {
	pick(n uint64, draw clock.Draw) int64
}

// ConstantSource is the source of an attribute that was pinned.
func ConstantSource(text string) ValueSource {
	return ValueSource{picker: evenly(1), texts: []string{text}}
}

// Append adds the value of entity n to dst. The draw belongs to this attribute
// and entity alone.
func (s *ValueSource) Append(dst []byte, n uint64, draw clock.Draw) []byte {
	i := s.picker.pick(n, draw)
	if s.texts != nil {
		return append(dst, s.texts[i]...)
	}
	return strconv.AppendInt(dst, s.low+i, 10)
}

// evenly picks from so many values, each as often as any other.
type evenly int64

func (e evenly) pick(_ uint64, draw clock.Draw) int64 { return int64(draw.IntN(int(e))) }

// inOrder picks the value of the entity's own number.
type inOrder struct{}

func (inOrder) pick(n uint64, _ clock.Draw) int64 { return int64(n) }
