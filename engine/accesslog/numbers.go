package accesslog

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// numbers reads the numbers of a line, and keeps what is wrong with the first one that is
// none.
type numbers struct{ err error }

func (n *numbers) wrong(field, text, expected string) {
	if n.err == nil {
		n.err = fmt.Errorf("%s is %.40q; expected %s", field, text, expected)
	}
}

// count reads a whole number from 0, [Unknown] where there is none.
func (n *numbers) count(field, text string) int64 {
	if text == "" {
		return Unknown
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 0 {
		n.wrong(field, text, "a whole number from 0")
		return Unknown
	}
	return number
}

// millis reads a number of milliseconds, [Unknown] where there is none.
func (n *numbers) millis(field, text string) time.Duration {
	if text == "" {
		return Unknown
	}
	if whole, err := strconv.ParseInt(text, 10, 64); err == nil && whole >= 0 && whole < mostMillis {
		return time.Duration(whole) * time.Millisecond
	}
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !(number >= 0 && number < mostMillis) {
		n.wrong(field, text, "milliseconds")
		return Unknown
	}
	return time.Duration(math.Round(number * float64(time.Millisecond)))
}

// mostMillis is more than a request can take.
const mostMillis = 1e9

// status reads an HTTP status; Unknown stands for a request that was broken off.
func (n *numbers) status(text string) int {
	switch text {
	case "", "Unknown":
		return 0
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 100 || number > 599 {
		n.wrong("the status", text, "an HTTP status, or Unknown")
		return 0
	}
	return number
}
