package clock

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TimeColumn parses the times of a column, all of one notation. Call Learn with values until it returns
// true, FindNotation once, and then Parse. The zero value finds the notation; it belongs to one goroutine.
type TimeColumn struct {
	// Unzoned counts the values without a zone, which are read as UTC.
	Unzoned int64

	notation Notation
	// learned is the number of values, votes how many of them each notation can parse, alone how many no
	// other notation of its group can parse. example has one value of each alone.
	learned int
	votes   [notations]int
	alone   [notations]int
	example [notations]string
	// differs reports whether a value has two meanings in a group.
	differs bool
}

// ErrContradiction is wrapped by the error of values that only another order of day and month can read.
var ErrContradiction = errors.New("the times contradict each other")

// learnedValues is how many values are enough if only one notation is left.
const learnedValues = 100

// groups are notations that look the same. The values of a column decide which one it has.
var groups = [...][]Notation{{DayFirst, MonthFirst, YearFirst}, {HourMinute, MinuteSecond}}

// NewTimeColumn returns a column of a notation, by its name; empty finds it.
func NewTimeColumn(name string) (TimeColumn, error) {
	if name == "" {
		return TimeColumn{}, nil
	}
	for n := Seconds; n < notations; n++ {
		if name == n.String() && slices.Contains(NotationNames(), name) {
			return TimeColumn{notation: n}, nil
		}
	}
	return TimeColumn{}, fmt.Errorf("unknown time format %.60q; expected one of %s", name, strings.Join(NotationNames(), ", "))
}

// Notation returns the notation, [None] before FindNotation.
func (c *TimeColumn) Notation() Notation { return c.notation }

// Learn takes a value of the column, and reports whether the notation is known.
func (c *TimeColumn) Learn(text string) (known bool) {
	if c.notation != None {
		return true
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	c.learned++
	var read [notations]bool
	var at [notations]Instant
	from, to := Seconds, notations
	if isNumber := strings.Trim(text, "0123456789.") == "" && strings.Count(text, ".") < 2; isNumber {
		to = DayFirst
	} else if _, _, isISO := parseISO(text); isISO {
		from = Times
	}
	for n := from; n < to; n++ {
		if at[n], _, read[n] = n.parse(text); read[n] {
			c.votes[n]++
		}
	}
	if c.learned == 1 {
		c.example[None] = strings.Clone(text)
	}
	for _, group := range groups {
		var which []Notation
		for _, n := range group {
			if read[n] {
				which = append(which, n)
			}
		}
		if len(which) == 1 {
			if c.alone[which[0]]++; c.example[which[0]] == "" {
				c.example[which[0]] = strings.Clone(text)
			}
		}
		c.differs = c.differs || len(which) > 1 && at[which[0]] != at[which[len(which)-1]]
	}
	return c.learned >= learnedValues && len(c.senses()) == 1
}

// senses returns the notations that can parse at least 90% as many values as the best one.
func (c *TimeColumn) senses() (list []Notation) {
	best := slices.Max(c.votes[:])
	for n := Seconds; n < notations && best > 0; n++ {
		if 10*c.votes[n] >= 9*best {
			list = append(list, n)
		}
	}
	if slices.Contains(list, Digits) {
		// A number that is a date is never one of seconds.
		list = slices.DeleteFunc(list, func(n Notation) bool { return n < Digits })
	}
	for _, group := range groups {
		for _, n := range group {
			if c.alone[n] > 0 {
				list = slices.DeleteFunc(list, func(other Notation) bool { return slices.Contains(group, other) && c.alone[other] == 0 })
			}
		}
	}
	return list
}

// FindNotation finds the notation of the values so far. The error says which time formats are possible, or which values
// contradict each other.
func (c *TimeColumn) FindNotation() error {
	if c.notation != None || c.learned == 0 {
		return nil
	}
	list := c.senses()
	if len(list) > 1 {
		// No value is ambiguous, but the column mixes notations: the first value decides.
		first := slices.DeleteFunc(slices.Clone(list), func(n Notation) bool {
			_, _, ok := n.parse(c.example[None])
			return !ok
		})
		if len(first) > 0 && c.alone[list[0]] == 0 {
			list = first
		}
	}
	switch {
	case len(list) == 0:
		return c.fault(c.example[None])
	case len(list) > 1 && slices.Contains(groups[0], list[0]) && c.alone[list[0]] > 0:
		return fmt.Errorf("%w: %q is %s, %q is %s; expected one order", ErrContradiction, c.example[list[0]], list[0], c.example[list[1]], list[1])
	case len(list) > 1 && (c.differs || list[0] < DayFirst):
		return ambiguous(c.example[None], list)
	case list[0] <= Nanoseconds && 10*c.votes[Digits] >= c.votes[list[0]] && c.votes[Digits] > 0:
		return ambiguous(c.example[None], []Notation{Digits, list[0]})
	}
	c.notation = list[0]
	return nil
}

func ambiguous(text string, list []Notation) error {
	var names []string
	for _, n := range list {
		names = append(names, n.String())
	}
	return fmt.Errorf("the time %q is ambiguous: %s; expected a time format, %s", text, strings.Join(names, " or "), strings.Join(names, " or "))
}

// Parse returns a time since 1970, or a duration if the notation is [Lengths]. Unless FindNotation found a
// notation, the first value decides.
func (c *TimeColumn) Parse(text string) (Instant, error) {
	if c.notation == None {
		c.Learn(text)
		if err := c.FindNotation(); err != nil {
			return 0, err
		} else if c.notation == None {
			return 0, c.fault(text)
		}
	}
	at, zoned, ok := c.notation.parse(text)
	if !ok {
		at, zoned, ok = c.notation.parse(strings.TrimSpace(text))
	}
	if ok {
		if !zoned {
			c.Unzoned++
		}
		return at, nil
	}
	for _, group := range groups {
		for _, n := range group {
			if _, _, other := n.parse(text); other && slices.Contains(group, c.notation) {
				return 0, fmt.Errorf("%w: %.60q is %s; the rows before are %s", ErrContradiction, text, n, c.notation)
			}
		}
	}
	return 0, c.fault(text)
}

// fault returns the error of a text that does not have the notation of the column.
func (c *TimeColumn) fault(text string) error {
	for n := Seconds; n < notations; n++ {
		if _, _, ok := n.parse(text); ok && c.notation != None {
			return fmt.Errorf("the time is %.60q, %s; expected %s as in the other rows", text, n, c.notation)
		}
	}
	return fmt.Errorf("the time is %.60q; expected one such as 2026-01-02T15:04:05Z, 2026-01-02 15:04:05, 1/2/2026 3:04 PM, 1767366245 or 1h2m", text)
}
