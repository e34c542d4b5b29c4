package clock

import (
	"slices"
	"strings"
	"time"
)

// dateLayouts are the layouts of dates by their notation. Slashes, points, blanks and commas of a date are
// written as hyphens before.
var dateLayouts = map[Notation][]string{
	Times: {"2006-1-2", "20060102", "2-Jan-2006", "Jan-2-2006", "2-January-2006", "January-2-2006", "2006-Jan-2", "2006-January-2",
		"2-Jan-06", "2006-01", "Jan-2006", "January-2006"},
	DayFirst:   {"2-1-2006", "2-1-06"},
	MonthFirst: {"1-2-2006", "1-2-06"},
	YearFirst:  {"06-1-2"},
}

// clockLayouts are the layouts of the time of day. Seconds may have a fraction.
var clockLayouts = []string{"15:04:05", "15:04", "3:04:05PM", "3:04PM", "3PM", "150405", "1504", "15"}

// zoneLayouts are the layouts of offsets.
var zoneLayouts = []string{"-07:00", "-0700", "-07"}

// The years that an Instant can have.
const minYear, maxYear = 1678, 2261

// parseWritten reads a date with or without a time of day and a zone.
func parseWritten(text string, order Notation) (at Instant, zoned, ok bool) {
	if order == Times {
		if at, zoned, ok := parseISO(text); ok {
			return at, zoned, true
		}
	}
	if len(text) > maxTime || len(text) < len("2006-01") {
		return 0, false, false
	}
	date, clock, zone := splitTime(text)
	day, ok := parseLayouts(dateLayouts[order], date)
	if !ok || clock == "" && isDigits(date) || day.Year() < minYear || day.Year() > maxYear {
		return 0, false, false
	}
	at = Instant(day.UnixNano())
	if clock != "" {
		timeOfDay, ok := parseLayouts(clockLayouts, clock)
		if !ok {
			return 0, false, false
		}
		at += Instant(sinceMidnight(timeOfDay))
	}
	offset, zoned, ok := parseZone(zone)
	return at - Instant(offset), zoned, ok && (clock != "" || zone == "")
}

// parseISO reads the most common forms quickly: 2006-01-02T15:04:05, or with a blank, with up to nine
// decimals, and Z or no zone.
func parseISO(text string) (at Instant, zoned, ok bool) {
	const length = len("2006-01-02T15:04:05")
	if len(text) < length || text[4] != '-' || text[7] != '-' || text[10] != 'T' && text[10] != ' ' || text[13] != ':' || text[16] != ':' {
		return 0, false, false
	}
	var n [6]int
	for i, place := range [...][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, c := range []byte(text[place[0]:place[1]]) {
			if c < '0' || c > '9' {
				return 0, false, false
			}
			n[i] = n[i]*10 + int(c-'0')
		}
	}
	rest, offset := text[length:], time.Duration(0)
	if sign := len(rest) - len("+07:00"); rest != "" && rest[len(rest)-1] == 'Z' {
		rest, zoned = rest[:len(rest)-1], true
	} else if sign >= 0 && (rest[sign] == '+' || rest[sign] == '-') {
		hours, okHours := parseCount(rest[sign+1:sign+3], 23)
		minutes, okMinutes := parseCount(rest[sign+4:], 59)
		if !okHours || !okMinutes || rest[sign+3] != ':' {
			return 0, false, false
		}
		if offset = time.Duration(hours*60+minutes) * time.Minute; rest[sign] == '-' {
			offset = -offset
		}
		rest, zoned = rest[:sign], true
	}
	nanos, ok := parseFraction(rest)
	if !ok {
		return 0, false, false
	}
	if n[0] < minYear || n[0] > maxYear || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, false, false
	}
	date := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], nanos, time.UTC)
	// Date carries a day or a month too many over.
	if n[1] < 1 || n[1] > 12 || date.Day() != n[2] {
		return 0, false, false
	}
	return Instant(date.UnixNano()) - Instant(offset), zoned, true
}

// parseFraction reads up to nine decimals behind a point or a comma, or nothing.
func parseFraction(text string) (nanos int, ok bool) {
	if len(text) == 1 || len(text) > len(".000000000") || text != "" && text[0] != '.' && text[0] != ',' {
		return 0, false
	}
	unit := int(time.Second)
	for i := 1; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		unit /= 10
		nanos += int(text[i]-'0') * unit
	}
	return nanos, true
}

func sinceMidnight(at time.Time) time.Duration { return at.Sub(at.Truncate(24 * time.Hour)) }

func parseLayouts(layouts []string, text string) (time.Time, bool) {
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// splitTime returns the three parts of a time, the clock without blanks and in upper case.
func splitTime(text string) (date, clock, zone string) {
	text = withoutWeekday(strings.TrimSpace(text))
	begin := clockBegin(text)
	date, rest := text[:begin], text[begin:]
	end := 0
	for end < len(rest) && strings.IndexByte("0123456789:.,", rest[end]) >= 0 {
		end++
	}
	clock, zone = strings.TrimRight(rest[:end], ".,"), strings.TrimSpace(rest[end:])
	for _, half := range [...]struct{ text, means string }{{"AM", "AM"}, {"PM", "PM"}, {"A.M.", "AM"}, {"P.M.", "PM"}} {
		if len(zone) >= len(half.text) && strings.EqualFold(zone[:len(half.text)], half.text) {
			clock, zone = clock+half.means, strings.TrimSpace(zone[len(half.text):])
			break
		}
	}
	// The year may come last, as in ctime.
	if year := len(zone) - len("2006"); clock != "" && year >= 0 && isDigits(zone[year:]) && (year == 0 || zone[year-1] == ' ') {
		date, zone = date+"-"+zone[year:], strings.TrimSpace(zone[:year])
	}
	return hyphenated(date), clock, zone
}

// hyphenated returns a date with hyphens between its parts.
func hyphenated(date string) string {
	if begin := len(date) - 1; begin > 0 && (date[begin] == 'T' || date[begin] == 't') && '0' <= date[begin-1] && date[begin-1] <= '9' {
		date = date[:begin]
	}
	return strings.Join(strings.FieldsFunc(date, func(r rune) bool { return strings.ContainsRune("-/., @:", r) }), "-")
}

// clockBegin returns where the time of day begins, the length of the text for a date alone.
func clockBegin(text string) int {
	for from := 0; ; {
		colon := strings.IndexByte(text[from:], ':')
		if colon < 0 {
			break
		}
		begin := from + colon
		for begin > from && '0' <= text[begin-1] && text[begin-1] <= '9' {
			begin--
		}
		if digits := from + colon - begin; digits == 1 || digits == 2 {
			return begin
		}
		// A colon behind a year separates the date, as in 27/Nov/2026:08:00:00.
		from += colon + 1
	}
	if at := strings.LastIndexByte(text, 'T'); at > 0 && at+1 < len(text) && isDigits(text[at-1:at]) && isDigits(text[at+1:at+2]) {
		return at + 1
	}
	// A number behind a date without blanks, as in 20261127 080000 or 11/27/2026 8 AM.
	if at := strings.IndexByte(text, ' '); at >= len("2/1/2006") && at+1 < len(text) && isDigits(text[at+1:at+2]) && strings.ContainsAny(text[:at], "0123456789") {
		return at + 1
	}
	return len(text)
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// weekdays are the first letters of the days of a week.
var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

func withoutWeekday(text string) string {
	word, rest, found := strings.Cut(text, " ")
	if !found || len(word) < 3 || !slices.Contains(weekdays, strings.ToLower(word[:3])) {
		return text
	}
	return strings.TrimSpace(rest)
}

// parseZone returns the offset of a zone. Abbreviations such as CST have several senses.
func parseZone(zone string) (offset time.Duration, zoned, ok bool) {
	if zone == "" {
		return 0, false, true
	}
	// The name of the zone behind its offset says nothing more.
	for _, begin := range []string{"[", "("} {
		zone, _, _ = strings.Cut(zone, begin)
	}
	zone = strings.TrimSpace(zone)
	for _, utc := range []string{"UTC", "GMT", "Z"} {
		rest, found := strings.CutPrefix(strings.ToUpper(zone), utc)
		before, suffixed := strings.CutSuffix(strings.ToUpper(zone), " "+utc)
		switch {
		case found && rest == "":
			return 0, true, true
		case found:
			zone = rest
		case suffixed:
			zone = before
		}
	}
	at, ok := parseLayouts(zoneLayouts, zone)
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second, true, ok
}
