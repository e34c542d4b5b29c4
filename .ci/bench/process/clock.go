package process

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// parseTime reads a length of time as ps writes it: [[days-]hours:]minutes:seconds, the seconds
// with decimals.
func parseTime(text string) (time.Duration, error) {
	fault := fmt.Errorf("the time %q of ps: expected [[days-]hours:]minutes:seconds", text)
	days, rest, dashed := strings.Cut(text, "-")
	if !dashed {
		days, rest = "0", text
	}
	parts := strings.Split(rest, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, fault
	}
	total, err := strconv.ParseUint(days, 10, 16)
	if err != nil {
		return 0, fault
	}
	hours := total * 24
	if len(parts) == 3 {
		more, err := strconv.ParseUint(parts[0], 10, 32)
		if err != nil {
			return 0, fault
		}
		hours, parts = hours+more, parts[1:]
	}
	minutes, err := strconv.ParseUint(parts[0], 10, 32)
	if err != nil {
		return 0, fault
	}
	seconds, err := strconv.ParseFloat(parts[1], 64)
	if err != nil || !(seconds >= 0 && seconds < 1e9) || hours > 1e6 || minutes > 1e8 {
		return 0, fault
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds*float64(time.Second)), nil
}
