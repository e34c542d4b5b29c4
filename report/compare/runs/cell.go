package runs

import (
	"math"

	"loadgen/report/document"
)

// text returns a figure as tables have it: times in milliseconds.
func (u unit) text(value float64) string {
	switch u {
	case micros:
		return document.Millis(int64(math.Round(value)))
	case perSecond:
		return document.Rate(value)
	case share:
		return document.Share(value)
	case each:
		return document.Tries(value)
	default:
		return document.Count(int64(math.Round(value)))
	}
}

// suffix is what follows a figure's name in tables.
func (u unit) suffix() string {
	switch u {
	case micros:
		return ", ms"
	case perSecond:
		return "/s"
	default:
		return ""
	}
}

func (k key) title() string {
	phase, operation := "all reported phases", "all operations"
	if k.phase != "" {
		phase = shown(k.phase)
	}
	if k.operation != "" {
		operation = shown(k.operation)
	}
	return phase + ", " + operation
}

// longest bounds what is shown of a name.
const longest = 200

// shown returns a name that a record holds as far as it is shown.
func shown(name string) string { return document.Cut(name, longest) }
