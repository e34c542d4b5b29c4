package keys

import (
	"strconv"
	"strings"
)

// Decimal returns a number in as few digits as say it.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Percent returns a share with the six decimals that a percentage in a scenario can
// have, without zeros at its end.
func Percent(share float64) string {
	digits := strconv.FormatFloat(share*100, 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".") + "%"
}
