package html

import (
	"math"
	"strconv"

	"loadgen/report/document"
)

// strip is a row of a heat map: a path for each depth of its colour, in which as many
// rectangles are put together as are alike, and one for what was throttled above them.
type strip struct {
	Length    int
	Depths    [depths]string
	Throttled string
}

// depths is how many depths of colour a heat map has, see page.css; tall is how tall a row
// is in the units of its paths.
const (
	depths = 5
	tall   = 10
)

func newStrip(shades []document.Shade) *strip {
	if shades == nil {
		return nil
	}
	s := &strip{Length: max(1, len(shades))}
	for from := 0; from < len(shades); {
		depth, throttled := placeOf(shades[from])
		to := from + 1
		for to < len(shades) {
			if d, t := placeOf(shades[to]); d != depth || t != throttled {
				break
			}
			to++
		}
		if depth > 0 {
			s.Depths[depth-1] += rectangle(from, to-from, 0, tall)
			if throttled > 0 {
				s.Throttled += rectangle(from, to-from, tall-throttled, throttled)
			}
		}
		from = to
	}
	return s
}

// placeOf returns the depth of a shade, 0 for none, and how tall what was throttled stands in
// it. A little of either is seen.
func placeOf(s document.Shade) (depth, throttled int) {
	if !(s.Heat > 0) {
		return 0, 0
	}
	return min(depths, int(math.Ceil(s.Heat*depths))), min(tall, int(math.Ceil(max(0, s.Throttled)*tall)))
}

// rectangle is a path around a rectangle.
func rectangle(x, wide, y, high int) string {
	w := strconv.Itoa(wide)
	return "M" + strconv.Itoa(x) + " " + strconv.Itoa(y) + "h" + w + "v" + strconv.Itoa(high) + "h-" + w + "z"
}
