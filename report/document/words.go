package document

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Counted returns a number of things in words. Many is the plural where it is not one by
// an s.
func Counted(n int, one string, many ...string) string {
	return things(Count(int64(n)), one, many)
}

// Averaged is [Counted] of a number that may be an average, as 7.5 entities.
func Averaged(n float64, one string, many ...string) string { return things(Rate(n), one, many) }

func things(number, one string, many []string) string {
	if number == "1" {
		return "1 " + one
	}
	return number + " " + append(many, one+"s")[0]
}

// Join joins those parts that are not empty.
func Join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// Enumerated joins names as a sentence does.
func Enumerated(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Key quotes a key in so many characters at most, of which the end is left out.
func Key(key string, most int) string {
	quoted := []rune(strconv.Quote(key))
	if len(quoted) <= most {
		return string(quoted)
	}
	return string(quoted[:most-2]) + "…\""
}

// Cut ends a text after so many characters.
func Cut(text string, most int) string {
	characters := 0
	for i := range text {
		if characters++; characters > most {
			return text[:i] + "…"
		}
	}
	return text
}

// SpreadNote says over which second or minute arrivals with the same timestamp are spread;
// nil for 0.
func SpreadNote(unit time.Duration) []string {
	if unit == 0 {
		return nil
	}
	name := map[time.Duration]string{time.Second: "second", time.Minute: "minute"}[unit]
	return []string{"timestamps have whole " + name + "s: arrivals are spread evenly over each " + name}
}
