package contrast

import (
	"loadgen/report/compare"
)

// Shape is how the response times of one section differ, over all runs of each side
// together. It describes, and proves nothing: the operations of a run are no sample of
// runs.
type Shape struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	// Distance is the greatest difference between the shares of operations that took at
	// most as long, from 0 to 1, and lies at AtMicros; ShiftMicros is how far a time has
	// to be moved on average to make the one distribution of the other.
	Distance    float64 `json:"distance"`
	AtMicros    int64   `json:"at_us"`
	ShiftMicros float64 `json:"shift_us"`
	Sentence    string  `json:"sentence"`
}

// shapes returns those of every section in which operations succeeded on both sides.
func shapes(a, b *Side) []Shape {
	list := []Shape{}
	for _, k := range sections(a, b) {
		s, err := compare.ShapeOf(a.times[k].Bars(), b.times[k].Bars())
		if err != nil {
			continue
		}
		list = append(list, Shape{k.phase, k.operation, s.Distance, s.AtMicros, s.ShiftMicros, s.Sentence})
	}
	return list
}
