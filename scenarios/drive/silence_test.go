package drive

import (
	"slices"
	"testing"
	"time"

	"loadgen/engine/clock"
)

func TestSilence(t *testing.T) {
	const second = clock.Instant(time.Second)
	type event struct {
		at     clock.Instant
		what   string // sent, reply or lost
		others int
	}
	sent := func(at clock.Instant) event { return event{at, "sent", 0} }
	lost := event{second, "lost", 0}
	many := func(n int, more ...event) []event {
		return append(slices.Repeat([]event{sent(0), {0, "lost", 0}}, n), more...)
	}
	for _, row := range []struct {
		name    string
		events  []event
		at      clock.Instant
		lasting time.Duration
		dead    bool
	}{
		{"nothing was asked", nil, 100 * second, 0, false},
		{"an attempt that is under way owes a reply since it was sent", []event{sent(2 * second)}, 5 * second, 3 * time.Second, false},
		{"one that is answered owes none", []event{sent(0), {second, "reply", 0}}, 90 * second, 0, false},
		{"others under way owe theirs since the reply", []event{sent(0), sent(0), {second, "reply", 1}}, 4 * second, 3 * time.Second, false},
		{"a lost attempt is no reply", []event{sent(0), lost}, 7 * second, 7 * time.Second, false},
		{"a later one does not begin the silence anew", []event{sent(0), lost, sent(6 * second)}, 7 * second, 7 * time.Second, false},
		{"a silence begins with what is sent, not with the last reply", []event{sent(0), {second, "reply", 0}, sent(50 * second)}, 51 * second, time.Second, false},
		{"twenty lost in two seconds", many(20), 2 * second, 2 * time.Second, true},
		{"nineteen may be chance", many(19), 60 * second, time.Minute, false},
		{"less than two seconds may be a hiccup", many(1000), 2*second - 1, 2*time.Second - 1, false},
		{"a reply after them ends it", many(1000, sent(0), event{0, "reply", 0}, sent(0)), 2 * second, 2 * time.Second, false},
	} {
		var s silence
		for _, e := range row.events {
			if e.what == "sent" {
				s.begin(e.at)
			} else {
				s.end(e.at, e.what == "reply", e.others)
			}
		}
		if got := s.lasting(row.at); got != row.lasting || s.dead(got) != row.dead {
			t.Errorf("%s: lasting(%v) = %v, dead %v; want %v, %v", row.name, row.at.Offset(), got, s.dead(got), row.lasting, row.dead)
		}
	}
}
