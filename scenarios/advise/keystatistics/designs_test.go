package keystatistics_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"loadgen/scenarios/advise/keystatistics"
)

const (
	day   = 24 * time.Hour
	month = 30 * day
	year  = 365 * day

	daily  = "2006-01-02"
	hourly = "2006-01-02T15"
	minute = "2006-01-02T15-04"
)

// dotNetTicks returns the 100 ns steps since the year 1.
func dotNetTicks(at time.Time) int64 { return at.UnixNano()/100 + 621_355_968_000_000_000 }

// mostTicks is the last tick of the year 9999, from which inverted ones count.
const mostTicks = 3_155_378_975_999_999_999

// A part writes a part of an insert's PartitionKey.
type part func(*Event) string

func text(s string) part { return func(*Event) string { return s } }

func at(layout string) part { return func(e *Event) string { return e.At.Format(layout) } }

// inverted writes the ticks from an instant, rounded down, to the end of time.
func inverted(round time.Duration) part {
	return func(e *Event) string { return fmt.Sprintf("%019d", mostTicks-dotNetTicks(e.At.Truncate(round))) }
}

// drawn writes one of n numbers, number the event's own beyond some first.
func drawn(format string, n int) part {
	return func(e *Event) string { return fmt.Sprintf(format, e.Draw.IntN(n)) }
}

func number(format string, first int) part {
	return func(e *Event) string { return fmt.Sprintf(format, first+e.Number) }
}

// hex writes random bits as so many hexadecimal digits.
func hex(digits int) part {
	return func(e *Event) string { return fmt.Sprintf("%016x%016x", e.Draw.Uint64(), e.Draw.Uint64())[:digits] }
}

func hash(of func(*Event) int64) part {
	return func(e *Event) string { return fmt.Sprintf("%016x", digest(uint64(of(e)))) }
}

// oneOf writes one of several words.
func oneOf(words ...string) part {
	return func(e *Event) string { return words[e.Draw.IntN(len(words))] }
}

// late writes the event's day or minute, or for one in ten an earlier one by up to some time.
func late(layout string, most time.Duration) part {
	return func(e *Event) string {
		if e.Draw.IntN(10) > 0 {
			return e.At.Format(layout)
		}
		return e.At.Add(-time.Duration(e.Draw.Float64() * float64(most))).Format(layout)
	}
}

// dominant writes one of 40 tenants, and in nine of ten events one of them.
func dominant(tenant int) part {
	return func(e *Event) string {
		other := e.Draw.IntN(40)
		if e.Draw.IntN(10) > 0 {
			other = tenant
		}
		return fmt.Sprintf("tenant%03d_", other)
	}
}

// word writes four letters, as far through the alphabet as a share of it.
func word(share func(*Event) float64) part {
	return func(e *Event) string {
		const letters = 26 * 26 * 26 * 26
		n := int(share(e) * (letters - 1))
		return string([]byte{'a' + byte(n/17576), 'a' + byte(n/676%26), 'a' + byte(n/26%26), 'a' + byte(n%26)})
	}
}

// Designs returns every design, in the order of the list.
func Designs() []Design {
	return slices.Concat(timeFirst(), numbers(), names(), timeLater())
}

func design(name string, span time.Duration, verdict, reversed keystatistics.Verdict, hot bool, parts []part) Design {
	key := func(e *Event) string {
		var written strings.Builder
		for _, p := range parts {
			written.WriteString(p(e))
		}
		return written.String()
	}
	return Design{name, span, key, verdict, reversed, hot}
}

// up and down are designs whose keys go one way.
func up(name string, span time.Duration, parts ...part) Design {
	return design(name, span, keystatistics.AppendOnly, keystatistics.PrependOnly, true, parts)
}

func down(name string, span time.Duration, parts ...part) Design {
	return design(name, span, keystatistics.PrependOnly, keystatistics.AppendOnly, true, parts)
}

// hot is any other design whose inserts fall on one place at a time, spread one
// whose inserts do not.
func hot(name string, v keystatistics.Verdict, span time.Duration, parts ...part) Design {
	return design(name, span, v, v, true, parts)
}

func spread(name string, span time.Duration, parts ...part) Design {
	return design(name, span, keystatistics.Spread, keystatistics.Spread, false, parts)
}

// several is a design whose inserts fall on a few places at a time, which move on.
func several(name string, span time.Duration, parts ...part) Design {
	return design(name, span, keystatistics.SeveralTails, keystatistics.SeveralTails, false, parts)
}

func timeFirst() []Design {
	const tail, point = keystatistics.HotTail, keystatistics.MovingPoint
	return []Design{
		up("date-day over a year", year, at(daily)),
		up("date-day over a year that begins two weeks before the calendar's", year, func(e *Event) string {
			return e.At.Add(-14 * day).Format(daily)
		}),
		up("date-hour over a month", month, at(hourly)),
		up("date-minute over a week", 7*day, at(minute)),
		up("month over a year", year, at("2006-01")),
		up("year over four years", 4*year, at("2006")),
		up("ticks", month, func(e *Event) string { return fmt.Sprintf("%019d", dotNetTicks(e.At)) }),
		down("inverted ticks", month, inverted(1)),
		down("inverted hours", month, inverted(time.Hour)),
		up("time-ordered UUID (version 7)", day, func(e *Event) string {
			milliseconds := fmt.Sprintf("%012x", e.At.UnixMilli())
			return milliseconds[:8] + "-" + milliseconds[8:]
		}, text("-7"), hex(3), text("-9"), hex(3), text("-"), hex(12)),
		hot("date, then one of 16 buckets", tail, month, at(daily), drawn("_%02d", 16)),
		hot("hour, then one of 4 buckets", tail, month, at(hourly), drawn("_%02d", 4)),
		hot("inverted hour, then one of 8 buckets", tail, month, inverted(time.Hour), drawn("_%02d", 8)),
		hot("date, then a user of 5,000", tail, 60*day, at(daily), drawn("_u%04d", 5000)),
		hot("a hash of the hour alone", point, month, hash(func(e *Event) int64 { return e.At.Unix() / 3600 })),
		hot("day of the month first", point, year, at("02-01-2006")),
	}
}

func numbers() []Design {
	return []Design{
		up("sequential number, padded", month, number("%010d", 0)),
		up("sequential number of one length, not padded", month, number("%d", 500_000)),
		hot("sequential number, not padded", keystatistics.MovingPoint, month, number("%d", 1)),
		spread("digits of a sequential number, reversed", month, func(e *Event) string {
			digits := []byte(fmt.Sprintf("%08d", e.Number))
			slices.Reverse(digits)
			return string(digits)
		}),
		up("bank transaction id, sequential", month, func(e *Event) string {
			return fmt.Sprintf("TX%012d", 7_000_000+e.Number*3+e.Draw.IntN(3))
		}),
		spread("bank transaction id, random", month, text("TX"), hex(16)),
	}
}

func names() []Design {
	distance := oneOf("Full", "Full", "Half", "Half", "10 km")
	return []Design{
		spread("GUID", month, hex(8), text("-"), hex(4), text("-4"), hex(3), text("-a"), hex(3), text("-"), hex(12)),
		spread("UUID of version 1, its fastest part first", month, func(e *Event) string {
			since1582 := uint64(dotNetTicks(e.At) - 499_163_040_000_000_000)
			low, middle, high := uint32(since1582), uint16(since1582>>32), since1582>>48&0xFFF
			return fmt.Sprintf("%08x-%04x-1%03x-b%s-00155d8c7a10", low, middle, high, hex(3)(e))
		}),
		spread("user id, some far busier than others", month, func(e *Event) string {
			// Each rank is as likely as one by its number: by the inverse of the integral of 1/x.
			return fmt.Sprintf("user%06d", min(int(math.Pow(100_001, e.Draw.Float64()))-1, 99_999))
		}),
		spread("user id, all alike", month, drawn("user%06d", 100_000)),
		spread("hash of a sequential number", month, hash(func(e *Event) int64 { return int64(e.Number) })),
		spread("one of 16 hash buckets alone", month, drawn("%02d", 16)),
		spread("event and distance, the running example", month,
			oneOf("2011 New York City Marathon", "2011 Berlin Marathon"), text("__"), distance),
		spread("Half, Full and 10 km of one event", month, text("2011 New York City Marathon__"), distance),
		spread("department and employee id", month,
			oneOf("Sales", "Marketing", "Research", "Service", "Finance"), drawn("_%06d", 50_000)),
		spread("e-mail address", month,
			text("email_"), word(func(e *Event) float64 { return e.Draw.Float64() }), text("@contoso.com")),
		up("alphabetical import", time.Hour, word(func(e *Event) float64 { return float64(e.Number) / float64(e.Count) })),
		down("import in reverse alphabetical order", time.Hour, word(func(e *Event) float64 {
			return 1 - float64(e.Number+1)/float64(e.Count)
		})),
		hot("a constant", keystatistics.OnePartition, month, text("settings")),
		hot("one tenant that has nearly all", keystatistics.Dominant, month, func(e *Event) string {
			return fmt.Sprintf("tenant%03d", [2]int{17, e.Draw.IntN(40)}[max(0, 1-e.Draw.IntN(20))])
		}),
	}
}

func timeLater() []Design {
	return []Design{
		several("one of 16 hash buckets, then the date", year, drawn("%02d_", 16), at(daily)),
		several("one of 2 buckets, then the hour", month, drawn("%d_", 2), at(hourly)),
		several("tenant of 40, then the date", year, drawn("tenant%03d_", 40), at(daily)),
		hot("tenant, one of them dominant, then the date", keystatistics.Dominant, year, dominant(17), at(daily)),
		hot("the same, the dominant one last", keystatistics.Dominant, year, dominant(50), at(daily)),
		spread("device of 500, then the day", 60*day, drawn("device%04d_", 500), at("20060102")),
		several("log source of 12, then the hour", month, drawn("web%02d_", 12), at(hourly)),
		several("region of 4, then inverted ticks", month, oneOf("asia_", "europe_", "us-east_", "us-west_"), inverted(1)),
		// Streams that do not come as neatly as their keys suggest.
		spread("dated rows, imported again in random order", time.Hour, func(e *Event) string {
			return start.Add(time.Duration(e.Draw.Float64() * float64(year))).Format(daily)
		}),
		up("date-day, one in ten up to five days late", year, late(daily, 5*day)),
		up("date-minute, one in ten up to an hour late", 7*day, late(minute, time.Hour)),
		up("date-day by the clocks of two time zones", 60*day, func(e *Event) string {
			return e.At.Add(time.Duration(e.Draw.IntN(2)) * 9 * time.Hour).Format(daily)
		}),
		up("date-day beside a few settings that sort last", year, func(e *Event) string {
			return [2]string{e.At.Format(daily), "settings"}[max(0, 1-e.Draw.IntN(50))]
		}),
		hot("one event after another, by name", keystatistics.MovingPoint, year, func(e *Event) string {
			race := e.Number * 24 / e.Count
			return fmt.Sprintf("%c %d__%s", 'A'+rune(digest(uint64(race))%26), race, oneOf("Full", "Half", "10 km")(e))
		}),
	}
}
