package accesslog

import (
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"loadgen/engine/entity"
)

// AppendResource appends an entry as a resource log, with the end of its line. What is no UTF-8 is replaced.
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
			// The error is that of bytes which are no UTF-8, and have been replaced.
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
