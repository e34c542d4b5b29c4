package runs

import "loadgen/report/compare"

// Shape is how the response times of one section differ, over all runs of each side
// together. It describes, and proves nothing: the operations of a run are no sample of
// runs.
type Shape struct {
	Phase     string `json:"phase"`
	Operation string `json:"operation"`
	compare.Shape
}

// shapes returns those of every section in which operations succeeded on both sides.
func shapes(a, b *Side) []Shape {
	list := []Shape{}
	for _, k := range sections(a, b) {
		s, err := compare.ShapeOf(a.times[k].Bars(), b.times[k].Bars())
		if err != nil {
			continue
		}
		list = append(list, Shape{k.phase, k.operation, s})
	}
	return list
}
