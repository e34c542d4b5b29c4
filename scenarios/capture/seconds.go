package capture

import "slices"

// openSeconds is how many seconds of a partition are open at a time: requests
// that end together are not always seen in that order.
const openSeconds = 8

// refusedEnough is one over the share of refused attempts from which a second
// tells where its partition saturates: the 1 % of a stress test's steps.
const refusedEnough = 100

// second is what one partition did in one second.
type second struct {
	number            int64
	attempts, refused int64
	// counted are the entities of what was answered, offered those of the
	// operations whose first attempt was.
	counted, offered int64
}

// seconds are the seconds of one partition, of which the last few are open. The
// zero value has none.
type seconds struct {
	// open is in order; every second before from is closed.
	open []second
	from int64

	active           series
	busiest, offered int64
	// saturated are the seconds in the middle of spells of refusals: the first
	// and the last second of one may have had less than a second's load.
	saturated series
	spell     spell
}

// spell is a row of seconds with enough refusals: its length so far, its last
// second and what that counted.
type spell struct {
	length, last, counted int64
}

func (s *seconds) reset() {
	s.active.reset()
	s.saturated.reset()
	s.open, s.from, s.busiest, s.offered, s.spell = s.open[:0], 0, 0, 0, spell{}
}

// at returns a second to add to. One that was closed, or is too long ago for
// another to be opened, is the oldest that is open.
func (s *seconds) at(number int64) *second {
	number = max(number, s.from)
	i := len(s.open)
	for i > 0 && s.open[i-1].number > number {
		i--
	}
	if i > 0 && s.open[i-1].number == number {
		return &s.open[i-1]
	}
	if len(s.open) == openSeconds {
		if i == 0 {
			return &s.open[0]
		}
		s.close(&s.open[0])
		s.open = slices.Delete(s.open, 0, 1)
		i--
	}
	s.open = slices.Insert(s.open, i, second{number: number})
	return &s.open[i]
}

// flush closes every second.
func (s *seconds) flush() {
	for i := range s.open {
		s.close(&s.open[i])
	}
	s.open = s.open[:0]
}

func (s *seconds) close(done *second) {
	s.from = done.number + 1
	s.active.add(done.counted)
	s.busiest = max(s.busiest, done.counted)
	s.offered = max(s.offered, done.offered)
	if done.refused == 0 || done.refused*refusedEnough < done.attempts {
		s.spell = spell{}
		return
	}
	if s.spell.length > 0 && s.spell.last != done.number-1 {
		s.spell = spell{}
	}
	if s.spell.length > 1 {
		s.saturated.add(s.spell.counted)
	}
	s.spell = spell{s.spell.length + 1, done.number, done.counted}
}
