package verdict

import (
	"math"
	"strconv"
	"strings"
)

// Count returns a whole number with separators of thousands.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	return sign + grouped(digits)
}

func grouped(digits string) string {
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

// Rate returns a number per second: to hundredths below ten, rounded to a whole
// one below a million, to three figures of millions beyond.
func Rate(perSecond float64) string {
	switch {
	case math.IsNaN(perSecond) || perSecond < 0:
		return "–"
	case perSecond >= 999.5e6:
		return strconv.FormatFloat(perSecond, 'g', 3, 64)
	case perSecond >= 999_999.5:
		return strconv.FormatFloat(perSecond/1e6, 'g', 3, 64) + "M"
	case perSecond >= 9.995:
		return Count(int64(math.Round(perSecond)))
	default:
		text := strconv.FormatFloat(perSecond, 'f', 2, 64)
		return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
}

// Share returns a share of one as a percentage to a tenth. What is not nothing
// is never shown as 0 %, nor what is not all as 100 %.
func Share(share float64) string {
	switch percent := share * 100; {
	case math.IsNaN(percent):
		return "–"
	case percent <= 0:
		return "0 %"
	case percent < 0.1:
		return "<0.1 %"
	case percent >= 100:
		return "100 %"
	case percent > 99.9:
		return ">99.9 %"
	default:
		return strconv.FormatFloat(percent, 'f', 1, 64) + " %"
	}
}

// cutPercent returns a share as a percentage of three figures, cut off and not
// rounded, so that it lies on the same side of a bound as the share itself.
func cutPercent(share float64) string {
	percent := share * 100
	if percent <= 0 {
		return "0%"
	}
	// The figures before the third are kept; the small addition keeps what is
	// exact in decimals from being cut for its binary form.
	scale := math.Pow(10, 2-math.Floor(math.Log10(percent)))
	return strconv.FormatFloat(math.Floor(percent*scale+1e-9)/scale, 'g', 3, 64) + "%"
}

// factor returns a ratio cut off to hundredths.
func factor(ratio float64) string {
	return strconv.FormatFloat(math.Floor(ratio*100+1e-9)/100, 'f', 2, 64)
}
