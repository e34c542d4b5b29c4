package html

import (
	"encoding/json"

	"loadgen/report/document"
)

// Words is for tests.
var Words = words

// Drawn is a series made ready.
type Drawn struct {
	X                []float64
	Y                [][]*float64
	Log              bool
	Level            *level
	Listed, More     int
	Dashes           []int
	Skipped, Unshown int
}

// Draw makes a series ready, with stretches of that many instants merged.
func Draw(b document.Series, stretch int) (d Drawn) {
	m := maker{ids: names{}, stretch: stretch}
	s := m.series(&b)
	if err := json.Unmarshal([]byte(s.Data), &d); err != nil {
		panic(err)
	}
	d.Listed, d.More, d.Skipped, d.Unshown = len(s.Marks), s.MoreMarks, s.Skipped, s.Unshown
	for _, l := range s.Lines {
		d.Dashes = append(d.Dashes, l.Dash)
	}
	return d
}
