package suggest

import (
	"math"
	"strconv"
	"strings"
)

// count writes a figure with at least two digits that say something, and its thousands
// apart.
func count(figure float64) string {
	if figure < 10 && figure != math.Trunc(figure) {
		return strconv.FormatFloat(figure, 'f', 1, 64)
	}
	text := strconv.FormatFloat(math.Round(figure), 'f', -1, 64)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// several writes how many there are of something, on the average.
func several(n float64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, y := strings.CutSuffix(what, "y"); y {
		what = stem + "ie"
	}
	return count(n) + " " + what + "s"
}

// partitions writes over how many partitions a load falls.
func partitions(n float64) string {
	if math.Round(n) == 1 {
		n = 1
	}
	return several(n, "partition")
}

// percent writes a share. What is not all is never rounded up to that, nor what is
// something down to nothing.
func percent(share float64) string {
	whole := math.Round(100 * share)
	if share < 1 {
		whole = min(whole, 99)
	}
	if share > 0 && whole == 0 {
		return "<1 %"
	}
	return count(whole) + " %"
}
