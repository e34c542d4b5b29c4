package contest

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"loadgen/report/document"
)

// latency shows a mean of whole microseconds.
func latency(micros float64) string { return milliseconds(int64(micros)) }

func milliseconds(micros int64) string {
	ms := float64(micros) / 1000
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f ms", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f ms", ms)
	default:
		return document.Rate(ms) + " ms"
	}
}

// sentence has a text begin with a capital and end with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
