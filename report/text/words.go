package text

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
)

// Untold stands where there is no figure, or one that rests on too little.
const Untold = "–"

// Told writes a value, [Untold] where there is none.
func Told[T any](value *T, as func(T) string) string {
	if value == nil {
		return Untold
	}
	return as(*value)
}

// Interval writes the bounds of a figure, [Untold] where there are none.
func Interval(bounds *[2]float64, as func(float64) string) string {
	return Told(bounds, func(b [2]float64) string { return as(b[0]) + " to " + as(b[1]) })
}

// Counted returns a number of things in words. Many is the plural where it is not one by
// an s.
func Counted(n int, one string, many ...string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + strings.Join(append(many, one+"s")[:1], "")
}

// JSON writes a value as an indented object and a line's end, HTML as it is. Its error is
// the writer's, or that of a value that is no JSON.
func JSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Finite returns a number that JSON can hold, nil for any other.
func Finite(value float64) *float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	return &value
}
