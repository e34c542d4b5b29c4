package keys

import (
	"sort"
	"strconv"

	"loadgen/engine/clock"
)

// source is a distribution in the form that draws quickly: texts, as often as
// the running sums of weights in upTo say, or evenly where there are none; else
// the span integers from low; else, without a span, the sequence from low. It is
// one struct and no interface so that what it appends to can stay on the stack.
type source struct {
	texts []string
	upTo  []int64
	low   int64
	span  int
}

// constant is the source of an attribute that was pinned.
func constant(text string) source { return source{texts: []string{text}} }

// append adds the value of entity n to dst. The draw belongs to this attribute
// and entity alone.
func (s *source) append(dst []byte, n uint64, draw clock.Draw) []byte {
	switch {
	case s.upTo != nil:
		ticket := int64(draw.IntN(int(s.upTo[len(s.upTo)-1])))
		i := sort.Search(len(s.upTo), func(i int) bool { return ticket < s.upTo[i] })
		return append(dst, s.texts[i]...)
	case s.texts != nil:
		return append(dst, s.texts[draw.IntN(len(s.texts))]...)
	case s.span > 0:
		return strconv.AppendInt(dst, s.low+int64(draw.IntN(s.span)), 10)
	default:
		return strconv.AppendInt(dst, s.low+int64(n), 10)
	}
}
