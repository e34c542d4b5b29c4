package keys

import (
	"math/bits"
	"strconv"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Time is when the event of each entity came about, to 100 ns: entity 0 of those
// loaded at Start, each further one Every later. An event that is offered goes on
// where they end, after [Options].History of them, and then as fast as the load
// runs, times Speed. What would lie outside the years 1601 to 9999 is held at
// their ends.
//
// As text it is an instant of 28 characters, 2026-11-01T15:04:05.1234567Z, whose
// order as a text is its order in time.
type Time struct {
	// Start is the instant of entity 0.
	Start entity.Ticks `yaml:"time" says:"The first event's time." form:"instant"`
	// Every is how long after one loaded event the next came about, not negative.
	Every time.Duration `yaml:"every,default=1s" says:"Time between loaded events; 1s by default." range:"0s..24000h"`
	// Speed is how many seconds of the events pass in a second of the load, not
	// negative: at 60 an hour key changes every minute.
	Speed float64 `yaml:"speed,default=1" says:"Event time per offered time; 1 by default." range:"0..1000000"`
}

// The lengths of a tick and of a second.
const (
	nanosPerTick   = 100
	ticksPerSecond = int64(time.Second) / nanosPerTick
)

var _ Distribution = Time{}

// Faults implements [Distribution].
func (Time) Faults(string) []error { return nil }

// Compile is not asked of a time: a [Generator] keeps it as a timeline.
func (t Time) Compile(clock.Stream) ValueSource { return constantSource("") }

// Probes implements [Distribution].
func (t Time) Probes() []string {
	line := newTimeline(t, 0)
	var texts []string
	for _, n := range []uint64{0, 1, furthest} {
		texts = append(texts, string(appendTime(nil, line.instantOf(&occurrence{Event: loaded(n)}), transform{})))
	}
	return texts
}

// IsTime reports whether a distribution is the time of an event.
func IsTime(d Distribution) bool {
	_, is := d.(Time)
	return is
}

// timeline is a time in the form that is quick to ask.
type timeline struct {
	start entity.Ticks
	every time.Duration
	speed float64
	// offered is when the load begins.
	offered entity.Ticks
}

func newTimeline(t Time, history uint64) timeline {
	line := timeline{start: t.Start, every: t.Every, speed: t.Speed}
	line.offered = line.loadedAt(history)
	return line
}

// loadedAt returns when the loaded event with a number came about. The product has up
// to 128 bits.
func (l *timeline) loadedAt(n uint64) entity.Ticks {
	if l.every == 0 {
		return l.start
	}
	high, low := bits.Mul64(n, uint64(l.every))
	if high >= nanosPerTick {
		return entity.LatestDateTime
	}
	ticks, _ := bits.Div64(high, low, nanosPerTick)
	if ticks > uint64(entity.LatestDateTime-l.start) {
		return entity.LatestDateTime
	}
	return l.start + entity.Ticks(ticks)
}

func (l *timeline) instantOf(o *occurrence) entity.Ticks {
	var t entity.Ticks
	if !o.Offered {
		t = l.loadedAt(o.Number)
	} else if passed := l.speed * float64(max(0, o.Run)) / nanosPerTick; passed < float64(entity.LatestDateTime-l.offered) {
		t = l.offered + entity.Ticks(passed)
	} else {
		t = entity.LatestDateTime
	}
	return max(t-o.back, entity.EarliestDateTime)
}

// The widths of times that are cut, as text.
const (
	yearWidth   = len("2026")
	monthWidth  = len("2026-11")
	dayWidth    = len("2026-11-01")
	hourWidth   = len("2026-11-01T15")
	minuteWidth = len("2026-11-01T15:04")
	secondWidth = len("2026-11-01T15:04:05")
	ticksWidth  = len("0638975916000000000")
)

// appendTime adds an instant to dst as a format has it: as a whole where that is
// none of a time.
func appendTime(dst []byte, t entity.Ticks, format transform) []byte {
	switch format.kind {
	case toTicks:
		return appendPadded(dst, uint64(t), ticksWidth)
	case toInverted:
		return appendPadded(dst, uint64(entity.LatestDateTime-t), ticksWidth)
	}
	start := len(dst)
	dst = t.Time().AppendFormat(dst, time.RFC3339)
	dst[len(dst)-1] = '.'
	dst = append(appendPadded(dst, uint64(int64(t)%ticksPerSecond), len("1234567")), 'Z')
	if format.kind == toCut {
		dst = dst[:start+format.n]
	}
	return dst
}

// appendPadded adds a number to dst, with zeros before it up to a width.
func appendPadded(dst []byte, number uint64, width int) []byte {
	var digits [20]byte
	at := len(digits)
	for number > 0 || at > len(digits)-width {
		at--
		digits[at] = byte('0' + number%10)
		number /= 10
	}
	return append(dst, digits[at:]...)
}

// readTime reads an instant, or its ticks in 19 digits.
func readTime(text string) (entity.Ticks, bool) {
	if t, ok := readTicks(text); ok {
		return t, true
	}
	t, err := entity.ParseTicks(text)
	return t, err == nil && t >= entity.EarliestDateTime && t <= entity.LatestDateTime
}

func readTicks(text string) (entity.Ticks, bool) {
	if len(text) != ticksWidth {
		return 0, false
	}
	t, err := strconv.ParseUint(text, 10, 64)
	return entity.Ticks(t), err == nil && t <= uint64(entity.LatestDateTime)
}
