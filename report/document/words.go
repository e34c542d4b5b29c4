package document

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Counted returns a number with a noun. Many is the plural if it is not formed with an s.
func Counted(n int, one string, many ...string) string {
	return things(Count(int64(n)), one, many)
}

// Averaged is [Counted] for averages such as 7.5 entities.
func Averaged(n float64, one string, many ...string) string { return things(Rate(n), one, many) }

func things(number, one string, many []string) string {
	if number == "1" {
		return "1 " + one
	}
	return number + " " + append(many, one+"s")[0]
}

// placeholder matches a value's number in a template, from 1, and its format.
var placeholder = regexp.MustCompile(`\{([1-9])(?:\|([a-z]+))?\}`)

// keyFormat quotes a key and truncates it to keyLength characters.
const (
	keyFormat = "key"
	keyLength = 40
)

// Fill returns a template with values instead of {1}, {2} and so on. A format may follow the
// number, as in {1|share}: one of those of columns, see [ParseColumn], or key. Without a format a
// duration is written by [Span], a whole number by [Count], any other by [Rate].
func Fill(template string, values ...any) string {
	return placeholder.ReplaceAllStringFunc(template, func(found string) string {
		parts := placeholder.FindStringSubmatch(found)
		number, _ := strconv.Atoi(parts[1])
		if number > len(values) {
			panic("document: the template has too few values: " + template)
		}
		value, c := values[number-1], Column{Format: parts[2]}
		if c.Format == keyFormat {
			return Key(fmt.Sprint(value), keyLength)
		}
		if _, is := value.(time.Duration); is && c.Format == "" {
			c.Format = "span"
		}
		return c.cell(value, "").Text
	})
}

// Join joins the parts that are not empty.
func Join(separator string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), separator)
}

// Enumerated joins names with commas and "and".
func Enumerated(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Key quotes a key and truncates it to a number of characters.
func Key(key string, most int) string {
	quoted := []rune(strconv.Quote(key))
	if len(quoted) <= most {
		return string(quoted)
	}
	return string(quoted[:most-2]) + "…\""
}

// Cut truncates a text to a number of characters.
func Cut(text string, most int) string {
	characters := 0
	for i := range text {
		if characters++; characters > most {
			return text[:i] + "…"
		}
	}
	return text
}

// SpreadNote returns a note on arrivals with the same timestamp, which are spread over a second,
// minute, hour or day; nil for 0.
func SpreadNote(unit time.Duration) []string {
	if unit == 0 {
		return nil
	}
	name := map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour", 24 * time.Hour: "day"}[unit]
	return []string{"timestamps have whole " + name + "s: arrivals are spread evenly over each " + name}
}
