package accesslog

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"loadgen/engine/entity"
)

// analyticsVersion is the version of Storage Analytics logs that the Table service writes.
const analyticsVersion = "1.0"

// analyticsFields is how many fields a line of that version has.
const analyticsFields = 30

// tableService is what logs call the service.
const tableService = "table"

// analytics makes an entry of a line of Storage Analytics.
func (e *Entry) analytics(line string) error {
	var room [analyticsFields]string
	version, _, _ := strings.Cut(line, ";")
	if version != analyticsVersion {
		return fmt.Errorf("log version %.20q of Storage Analytics; expected %s", version, analyticsVersion)
	}
	fields, whole := split(line, room[:0])
	if !whole || len(fields) < analyticsFields {
		return fmt.Errorf("the line has %d of %d fields; is the file truncated?", len(fields), analyticsFields)
	}
	if len(fields) > analyticsFields {
		return fmt.Errorf("the line has %d fields; expected %d", len(fields), analyticsFields)
	}
	if service := fields[10]; service != tableService {
		return fmt.Errorf("the line is of the service %.20q; expected %s: see $logs/table/", service, tableService)
	}
	at, err := instantOf(fields[1])
	if err != nil {
		return err
	}
	*e = Entry{At: at, Operation: fields[2], Status: fields[3], Authentication: fields[7], Requester: fields[8], Account: fields[9],
		Service: fields[10], URL: fields[11], ObjectKey: fields[12], RequestID: fields[13], Address: fields[15], Version: fields[16],
		RequestMD5: fields[22], ServerMD5: fields[23], ETag: fields[24], LastModified: fields[25], Conditions: fields[26],
		UserAgent: fields[27], Referrer: fields[28], ClientID: fields[29], About: About{Entities: Unknown}}
	var n numbers
	e.EndToEnd, e.Server = n.millis("end-to-end-latency-in-ms", fields[5]), n.millis("server-latency-in-ms", fields[6])
	e.HTTP = n.status(fields[4])
	for i, into := range []*int64{&e.Index, nil, nil, &e.RequestHeader, &e.RequestPacket, &e.ResponseHeader, &e.ResponsePacket, &e.ContentLength} {
		if into != nil {
			*into = n.count("field "+strconv.Itoa(15+i), fields[14+i])
		}
	}
	e.locate()
	return n.err
}

// split takes a line apart at its semicolons; it is false where a quotation mark is never
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

// AppendAnalytics appends an entry as a line of a Storage Analytics log, with its end.
func AppendAnalytics(dst []byte, e *Entry) []byte {
	text := func(s string) {
		// What parts fields or lines is encoded, in quotation marks.
		if strings.ContainsAny(s, "\";\n\r&<>'") {
			s = `"` + strings.NewReplacer("\n", "&#10;", "\r", "&#13;").Replace(html.EscapeString(s)) + `"`
		}
		dst = append(append(dst, s...), ';')
	}
	quoted := func(s string) {
		dst = append(append(append(dst, '"'), html.EscapeString(s)...), '"', ';')
	}
	count := func(n int64) {
		if n != Unknown {
			dst = strconv.AppendInt(dst, n, 10)
		}
		dst = append(dst, ';')
	}
	text(analyticsVersion)
	dst = append(e.At.Time().AppendFormat(dst, analyticsTime), ';')
	text(e.Operation)
	text(e.Status)
	if e.HTTP == 0 {
		text("Unknown")
	} else {
		count(int64(e.HTTP))
	}
	count(inMillis(e.EndToEnd))
	count(inMillis(e.Server))
	text(e.Authentication)
	text(e.Requester)
	text(e.Account)
	text(tableService)
	quoted(e.URL)
	quoted(e.ObjectKey)
	text(e.RequestID)
	count(e.Index)
	text(e.Address)
	text(e.Version)
	for _, n := range []int64{e.RequestHeader, e.RequestPacket, e.ResponseHeader, e.ResponsePacket, e.ContentLength} {
		count(n)
	}
	for _, s := range []string{e.RequestMD5, e.ServerMD5, e.ETag, e.LastModified, e.Conditions, e.UserAgent, e.Referrer, e.ClientID} {
		text(s)
	}
	dst[len(dst)-1] = '\n'
	return dst
}

// analyticsTime is how an instant stands in a line: UTC, with seven decimals.
const analyticsTime = "2006-01-02T15:04:05.0000000Z"

func inMillis(d time.Duration) int64 {
	if d == Unknown {
		return Unknown
	}
	return d.Milliseconds()
}

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
