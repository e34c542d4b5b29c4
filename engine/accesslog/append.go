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
		value := jsonValue(one.of(&own))
		if one.name == "" || value == nil {
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
		dst = append(appendName(dst, one.name), value...)
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

// jsonValue returns a field as JSON, nil for one that is left out.
func jsonValue(of any) (value []byte) {
	switch of := of.(type) {
	case *entity.Ticks:
		return of.Time().AppendFormat(nil, `"`+analyticsTime+`"`)
	case *string:
		if *of != "" {
			// The error is that of bytes which are no UTF-8, and have been replaced.
			value, _ = jsontext.AppendQuote(nil, *of)
		}
	case *int64:
		if *of != Unknown {
			return strconv.AppendInt(nil, *of, 10)
		}
	case *time.Duration:
		if *of != Unknown {
			return strconv.AppendFloat(nil, float64(*of)/float64(time.Millisecond), 'f', -1, 64)
		}
	case *int:
		if *of == 0 {
			return []byte(`"` + unknownStatus + `"`)
		}
		return strconv.AppendInt(nil, int64(*of), 10)
	}
	return value
}

// AppendAnalytics appends an entry as a line of a Storage Analytics log, with its end.
func AppendAnalytics(dst []byte, e *Entry) []byte {
	own := *e
	own.Service = tableService
	dst = append(dst, analyticsVersion...)
	places := fieldPlaces().at
	for _, place := range places[1:] {
		dst = append(dst, ';')
		switch of := fields[place].of(&own).(type) {
		case *entity.Ticks:
			dst = of.Time().AppendFormat(dst, analyticsTime)
		case *string:
			dst = appendAnalyticsText(dst, *of, of == &own.URL || of == &own.ObjectKey)
		case *int64:
			if *of != Unknown {
				dst = strconv.AppendInt(dst, *of, 10)
			}
		case *time.Duration:
			if *of != Unknown {
				dst = strconv.AppendInt(dst, of.Milliseconds(), 10)
			}
		case *int:
			if *of == 0 {
				dst = append(dst, unknownStatus...)
			} else {
				dst = strconv.AppendInt(dst, int64(*of), 10)
			}
		}
	}
	return append(dst, '\n')
}

// appendAnalyticsText appends a text, encoded and in quotation marks if it has what separates fields or lines, or if
// it is always quoted.
func appendAnalyticsText(dst []byte, s string, quoted bool) []byte {
	if !quoted && !strings.ContainsAny(s, "\";\n\r&<>'") {
		return append(dst, s...)
	}
	s = html.EscapeString(s)
	if !quoted {
		s = strings.NewReplacer("\n", "&#10;", "\r", "&#13;").Replace(s)
	}
	return append(append(append(dst, '"'), s...), '"')
}
