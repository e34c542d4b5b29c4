package engine

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"loadgen/engine/clock"
)

// reserved are the names of tables that were deleted so lately that nobody can have
// them yet. The table itself is gone at once, with all that it held: what the service
// takes its time over is to collect what was in it.
type reserved struct {
	// until says by the name in lower case from when on it can be used, order the same
	// names with what until said of them, earliest first.
	until map[string]clock.Instant
	order []reservation
}

type reservation struct {
	name  string
	until clock.Instant
}

// add keeps a name back. Instants do not go back from one call to the next, and each
// name is kept for as long as the others.
func (r *reserved) add(name string, until clock.Instant) {
	if r.until == nil {
		r.until = make(map[string]clock.Instant)
	}
	name = strings.ToLower(name)
	r.until[name] = until
	r.order = append(r.order, reservation{name, until})
}

// release lets go of the names whose time is over by now.
func (r *reserved) release(now clock.Instant) {
	past := 0
	for past < len(r.order) && r.order[past].until <= now {
		// A table that was made and deleted again is kept for longer.
		if one := r.order[past]; r.until[one.name] == one.until {
			delete(r.until, one.name)
		}
		past++
	}
	r.order = r.order[past:]
}

// recall takes up what the account's store begins with: its tables, and the names that it
// has kept back before. None is for longer than if its table were deleted now, however
// the calendar was put since.
func (e *Engine) recall(a *account) {
	for _, name := range a.store.TableNames() {
		e.welcome(a, 0, name)
	}
	kept := a.store.Deleted()
	names := slices.Collect(maps.Keys(kept))
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(kept[x], kept[y]), cmp.Compare(x, y)) })
	zero := e.calendar.Date(0)
	for _, name := range names {
		left := min(kept[name].Time().Sub(zero), e.delay)
		if left > 0 {
			a.deleted.add(name, clock.Instant(left))
		}
	}
}
