package wire

import (
	"strings"

	"loadgen/engine/entity"
)

// The calendar here does what entity.Ticks.String and time.Parse do, for the
// years 1 to 9999, at a tenth of the cost: each row of a page shows an instant
// twice at least.

const (
	secondsPerDay = 24 * 60 * 60
	daysPer400    = 146_097
	// daysToMarch is from 1 March of the year 0, where a cycle of 400 years
	// begins that ends in a leap day, to 1 January of the year 1.
	daysToMarch = 306
	// afterCalendar is 10000-01-01T00:00:00Z.
	afterCalendar = entity.LatestDateTime + 1
	// wholeInstant is an instant without fraction and zone.
	wholeInstant = len("2006-01-02T15:04:05")
	// instantRoom holds the longest instant.
	instantRoom = len("2006-01-02T15:04:05.0000000Z")
	tickDigits  = 7
	// ticksPerSecond is 10 to the power of tickDigits.
	ticksPerSecond = 10_000_000
)

// appendInstant appends an instant as entity.Ticks.String has it: no more
// digits of fraction than needed.
func appendInstant(dst []byte, t entity.Ticks) []byte {
	dst = appendStamp(dst, t)
	if dst[len(dst)-2-tickDigits] != '.' {
		return dst // The fallback has trimmed it.
	}
	end := len(dst) - 1
	for dst[end-1] == '0' {
		end--
	}
	if dst[end-1] == '.' {
		end--
	}
	return append(dst[:end], 'Z')
}

// appendStamp appends an instant with all seven digits of fraction, as the last
// line of an error's message has it.
func appendStamp(dst []byte, t entity.Ticks) []byte {
	if t < 0 || t >= afterCalendar {
		return append(dst, t.String()...)
	}
	seconds, ticks := int(t/ticksPerSecond), int(t%ticksPerSecond)
	days, seconds := seconds/secondsPerDay, seconds%secondsPerDay
	year, month, day := civil(days)
	stamp := [instantRoom]byte{4: '-', 7: '-', 10: 'T', 13: ':', 16: ':', 19: '.', 27: 'Z'}
	put2(&stamp, 0, year/100)
	put2(&stamp, 2, year%100)
	put2(&stamp, 5, month)
	put2(&stamp, 8, day)
	put2(&stamp, 11, seconds/3600)
	put2(&stamp, 14, seconds/60%60)
	put2(&stamp, 17, seconds%60)
	put2(&stamp, 20, ticks/100_000)
	put2(&stamp, 22, ticks/1000%100)
	put2(&stamp, 24, ticks/10%100)
	stamp[26] = byte('0' + ticks%10)
	return append(dst, stamp[:]...)
}

// put2 writes n, which is below 100, as two digits.
func put2(stamp *[instantRoom]byte, at, n int) {
	stamp[at], stamp[at+1] = byte('0'+n/10), byte('0'+n%10)
}

// civil returns the date that lies so many days after 1 January of the year 1.
// It counts years from March on, so that the leap day is a year's last, and
// months by the 153 days that any five of them have from March on.
func civil(days int) (year, month, day int) {
	days += daysToMarch
	cycle := days / daysPer400
	days %= daysPer400
	year = (days - days/1460 + days/36_524 - days/(daysPer400-1)) / 365
	days -= 365*year + year/4 - year/100
	month = (5*days + 2) / 153
	day = days - (153*month+2)/5 + 1
	year += 400 * cycle
	if month += 3; month > 12 {
		return year + 1, month - 12, day
	}
	return year, month, day
}

// daysOf is the way back from civil, for years from 1 on; a date that does not
// exist gives the days of another one.
func daysOf(year, month, day int) int {
	if month -= 3; month < 0 {
		month += 12
		year--
	}
	cycle := year / 400
	year %= 400
	return cycle*daysPer400 + 365*year + year/4 - year/100 + (153*month+2)/5 + day - 1 - daysToMarch
}

// parseInstant reads an Edm.DateTime: yyyy-MM-ddTHH:mm:ss, a fraction, and Z or
// an offset ±hh:mm; without either it is in UTC, as the service takes it. Digits
// of the fraction beyond the seventh are dropped rather than refused, since
// clients with a clock of nanoseconds send nine. Instants before the year 1 or
// after 9999 are OutOfRangeInput; a stored one may not be before 1601 either.
func parseInstant(s string) (entity.Ticks, entity.Code) {
	if len(s) < wholeInstant ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		return 0, entity.InvalidInput
	}
	year := number2(s, 0)*100 + number2(s, 2)
	month, day := number2(s, 5), number2(s, 8)
	hour, minute, second := number2(s, 11), number2(s, 14), number2(s, 17)
	fraction, rest := parseFraction(s[wholeInstant:])
	offset, zoned := parseZone(rest)
	if number2(s, 0) < 0 || number2(s, 2) < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 ||
		minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0 || !zoned {
		return 0, entity.InvalidInput
	}
	if year == 0 {
		return 0, entity.OutOfRangeInput
	}
	days := daysOf(year, month, day)
	if y, m, d := civil(days); y != year || m != month || d != day {
		return 0, entity.InvalidInput
	}
	seconds := days*secondsPerDay + hour*3600 + minute*60 + second - offset
	t := entity.Ticks(seconds)*ticksPerSecond + entity.Ticks(fraction)
	if t < 0 || t >= afterCalendar {
		return 0, entity.OutOfRangeInput
	}
	return t, entity.OK
}

// number2 returns the number of two digits at i, negative where there is none.
func number2(s string, i int) int {
	tens, units := s[i]-'0', s[i+1]-'0'
	if tens > 9 || units > 9 {
		return -1
	}
	return int(tens)*10 + int(units)
}

// parseFraction returns the ticks of a fraction such as .25 and what follows it;
// the ticks are negative where a point has no digit after it.
func parseFraction(s string) (ticks int, rest string) {
	if s == "" || s[0] != '.' {
		return 0, s
	}
	i, scale := 1, ticksPerSecond/10
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		ticks += int(s[i]-'0') * scale
		scale /= 10
	}
	if i == 1 {
		return -1, ""
	}
	return ticks, s[i:]
}

// parseZone returns an offset from UTC in seconds.
func parseZone(s string) (seconds int, ok bool) {
	switch {
	case s == "" || s == "Z":
		return 0, true
	case len(s) != len("+00:00") || s[3] != ':' || s[0] != '+' && s[0] != '-':
		return 0, false
	}
	hours, minutes := number2(s, 1), number2(s, 4)
	if hours < 0 || hours > 14 || minutes < 0 || minutes > 59 {
		return 0, false
	}
	seconds = hours*3600 + minutes*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// parseVersion returns the version that an entity tag names, as it stands in a
// JSON string with its quotes escaped; false for any tag that no table of this
// kind gave out.
func parseVersion(raw string) (entity.Ticks, bool) {
	const start, end = `W/\"datetime'`, `'\"`
	const hours, minutes = len("2006-01-02T15"), len("2006-01-02T15%3A04")
	tag, starts := strings.CutPrefix(raw, start)
	tag, ends := strings.CutSuffix(tag, end)
	if !starts || !ends || len(tag) <= minutes+len("%3A05") || len(tag) > instantRoom+2*len("3A") ||
		tag[len(tag)-1] != 'Z' || !escapedColon(tag[hours:]) || !escapedColon(tag[minutes:]) {
		return 0, false
	}
	var room [instantRoom]byte
	iso := append(room[:0], tag[:hours]...)
	iso = append(append(iso, ':'), tag[hours+len("%3A"):minutes]...)
	iso = append(append(iso, ':'), tag[minutes+len("%3A"):]...)
	t, code := parseInstant(string(iso))
	return t, code == entity.OK
}

func escapedColon(s string) bool { return s[0] == '%' && s[1] == '3' && s[2]|0x20 == 'a' }
