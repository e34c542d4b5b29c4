package wire

import (
	"encoding/binary"
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
	date := eightDigits(year*10_000 + month*100 + day)
	time := eightDigits(seconds/3600*10_000 + seconds/60%60*100 + seconds%60)
	stamp := [instantRoom]byte{4: '-', 7: '-', 10: 'T', 13: ':', 16: ':', 19: '.'}
	binary.LittleEndian.PutUint32(stamp[0:], uint32(date))
	binary.LittleEndian.PutUint16(stamp[5:], uint16(date>>32))
	binary.LittleEndian.PutUint16(stamp[8:], uint16(date>>48))
	binary.LittleEndian.PutUint16(stamp[11:], uint16(time>>16))
	binary.LittleEndian.PutUint16(stamp[14:], uint16(time>>32))
	binary.LittleEndian.PutUint16(stamp[17:], uint16(time>>48))
	// The fraction has seven digits: the eighth makes way for the zone.
	binary.LittleEndian.PutUint64(stamp[20:], eightDigits(ticks*10))
	stamp[27] = 'Z'
	return append(dst, stamp[:]...)
}

// eightDigits returns n, which is below 100,000,000, as eight digits, the first
// in the lowest byte. It cuts n in two halves of four digits, these into pairs
// and the pairs into digits, all of a kind at once: 10486/2^20 is as good as
// 1/100 below 10,000, and 103/2^10 as good as 1/10 below 100.
func eightDigits(n int) uint64 {
	halves := uint64(n/10_000) | uint64(n%10_000)<<32
	hundreds := halves * 10_486 >> 20 & 0x0000007F_0000007F
	pairs := hundreds | (halves-hundreds*100)<<16
	tens := pairs * 103 >> 10 & 0x000F000F_000F000F
	digits := tens | (pairs-tens*10)<<8
	return digits | ones*'0'
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
	if len(s) < wholeInstant || s[13] != ':' || s[16] != ':' {
		return 0, entity.InvalidInput
	}
	return instantAt(s[:11], s[11:13], s[14:16], s[17:])
}

// instantAt reads the parts of an instant: the date with the T after it, the
// hour, the minute, and the second with all that follows.
func instantAt(date, hours, minutes, rest string) (entity.Ticks, entity.Code) {
	if date[4] != '-' || date[7] != '-' || date[10] != 'T' {
		return 0, entity.InvalidInput
	}
	century, year := number2(date, 0), number2(date, 2)
	month, day := number2(date, 5), number2(date, 8)
	hour, minute, second := number2(hours, 0), number2(minutes, 0), number2(rest, 0)
	fraction, zone := parseFraction(rest[2:])
	offset, zoned := parseZone(zone)
	if century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || hour < 0 || hour > 23 ||
		minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0 || !zoned {
		return 0, entity.InvalidInput
	}
	if year += 100 * century; year == 0 {
		return 0, entity.OutOfRangeInput
	}
	days := daysOf(year, month, day)
	if day > 28 {
		if y, m, d := civil(days); y != year || m != month || d != day {
			return 0, entity.InvalidInput
		}
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
	i := 1
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		if i <= tickDigits {
			ticks = ticks*10 + int(s[i]-'0')
		}
	}
	if i == 1 {
		return -1, ""
	}
	for n := i; n <= tickDigits; n++ {
		ticks *= 10
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
	const colon = len("%3A")
	t, code := instantAt(tag[:hours-2], tag[hours-2:hours], tag[hours+colon:minutes], tag[minutes+colon:])
	return t, code == entity.OK
}

func escapedColon(s string) bool { return s[0] == '%' && s[1] == '3' && s[2]|0x20 == 'a' }
