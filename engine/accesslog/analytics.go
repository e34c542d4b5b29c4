package accesslog

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"loadgen/engine/entity"
)

// AppendResource appends an entry as a resource log, with its line end. Invalid UTF-8 is replaced.
func AppendResource(dst []byte, e *Entry) []byte {
	own := *e
	own.Service = tableService
	dst = append(dst, '{')
	object := ""
	for i := range fields {
		one := &fields[i]
		text, isNumber := textOf(one.of(&own), time.Nanosecond)
		if one.name == "" || text == "" {
			continue
		}
		if one.object != object {
			if object != "" {
				dst = append(dst, '}')
			}
			if object = one.object; object != "" {
				dst = append(appendName(dst, object), '{')
			}
		}
		if dst = appendName(dst, one.name); isNumber {
			dst = append(dst, text...)
		} else {
			// The only error is invalid UTF-8, which has been replaced.
			dst, _ = jsontext.AppendQuote(dst, text)
		}
	}
	if object != "" {
		dst = append(dst, '}')
	}
	return append(dst, "}\n"...)
}

// appendName appends the name of a member of an object.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

// textOf returns a field as text, a length of time in milliseconds that are cut to a unit, and whether it is a number; empty
// for one that is unknown.
func textOf(of any, unit time.Duration) (text string, isNumber bool) {
	switch of := of.(type) {
	case *entity.Ticks:
		return of.Time().Format(analyticsTime), false
	case *string:
		return *of, false
	case *int:
		if *of != 0 {
			return strconv.Itoa(*of), true
		}
		return unknownStatus, false
	case *int64:
		if *of != Unknown {
			return strconv.FormatInt(*of, 10), true
		}
	case *time.Duration:
		if *of != Unknown {
			return strconv.FormatFloat(float64(of.Truncate(unit))/float64(time.Millisecond), 'f', -1, 64), true
		}
	}
	return "", true
}

// AppendAnalytics appends an entry as a line of a Storage Analytics log, with its end.
func AppendAnalytics(dst []byte, e *Entry) []byte {
	own := *e
	own.Service = tableService
	dst = append(dst, analyticsVersion...)
	places := fieldPlaces().at
	for _, place := range places[1:] {
		of := fields[place].of(&own)
		text, isNumber := textOf(of, time.Millisecond)
		dst = append(dst, ';')
		quoted := of == any(&own.URL) || of == any(&own.ObjectKey)
		if isNumber || !quoted && !strings.ContainsAny(text, "\";\n\r&<>'") {
			dst = append(dst, text...)
			continue
		}
		// What separates fields or lines is encoded, in quotation marks.
		if text = html.EscapeString(text); !quoted {
			text = strings.NewReplacer("\n", "&#10;", "\r", "&#13;").Replace(text)
		}
		dst = append(append(append(dst, '"'), text...), '"')
	}
	return append(dst, '\n')
}

// analyticsVersion is the version of Storage Analytics logs that the Table service writes.
const analyticsVersion = "1.0"

// analyticsFields is how many fields a line of that version has.
const analyticsFields = 30

// analytics reads a line of Storage Analytics.
func (r *record) analytics(line string, e *Entry) error {
	var room [analyticsFields]string
	version, _, _ := strings.Cut(line, ";")
	if version != analyticsVersion {
		return fmt.Errorf("log version %.20q of Storage Analytics; expected %s", version, analyticsVersion)
	}
	values, whole := split(line, room[:0])
	if !whole || len(values) < analyticsFields {
		return fmt.Errorf("the line has %d of %d fields; is the file truncated?", len(values), analyticsFields)
	}
	if len(values) > analyticsFields {
		return fmt.Errorf("the line has %d fields; expected %d", len(values), analyticsFields)
	}
	for place, i := range fieldPlaces().at {
		if place > 0 {
			r[i] = values[place]
		}
	}
	return r.entry(e, func(i int) string { return "field " + strconv.Itoa(fields[i].place+1) })
}

// split splits a line at its semicolons; it is false where a quotation mark is never
// closed. A field in quotation marks may hold a semicolon.
func split(line string, into []string) ([]string, bool) {
	for {
		var field string
		if strings.HasPrefix(line, `"`) {
			// The mark that closes the field stands before a semicolon, or at the end.
			end := 0
			for end == 0 || end+1 < len(line) && line[end+1] != ';' {
				next := strings.IndexByte(line[end+1:], '"')
				if next < 0 {
					return append(into, line), false
				}
				end += 1 + next
			}
			field, line = line[1:end], line[end+1:]
		} else if end := strings.IndexByte(line, ';'); end >= 0 {
			field, line = line[:end], line[end:]
		} else {
			field, line = line, ""
		}
		if strings.IndexByte(field, '&') >= 0 {
			field = html.UnescapeString(field)
		}
		into = append(into, field)
		if line == "" {
			return into, true
		}
		line = line[1:]
	}
}

// analyticsTime is how an instant stands in a line: UTC, with seven decimals.
const analyticsTime = "2006-01-02T15:04:05.0000000Z"

// instantOf reads an instant. One without a zone could be of any.
func instantOf(text string) (entity.Ticks, error) {
	if t, err := entity.ParseTicks(text); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && t.Year() > 0 && t.Year() < 10000 {
		return entity.TicksOf(t.UTC()), nil
	}
	for _, zoneless := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if _, err := time.Parse(zoneless, text); err == nil {
			return 0, fmt.Errorf("the time %q has no zone; expected one such as 2026-01-02T15:04:05.5Z or …+02:00", text)
		}
	}
	return 0, fmt.Errorf("the instant is %.40q; expected one such as 2026-01-02T15:04:05.1234567Z", text)
}
