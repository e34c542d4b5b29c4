package drive

import (
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
	for _, row := range []struct {
		name    string
		events  []event
		at      clock.Instant
		lasting time.Duration
		dead    bool
	}{
		{"nothing was asked", nil, 100 * second, 0, false},
		{"an attempt that is under way owes a reply since it was sent", []event{{2 * second, "sent", 0}}, 5 * second, 3 * time.Second, false},
		{"one that is answered owes none", []event{{0, "sent", 0}, {second, "reply", 0}}, 90 * second, 0, false},
		{"others under way owe theirs since the reply", []event{{0, "sent", 0}, {0, "sent", 0}, {second, "reply", 1}}, 4 * second, 3 * time.Second, false},
		{"a lost attempt is no reply", []event{{0, "sent", 0}, {second, "lost", 0}}, 7 * second, 7 * time.Second, false},
		{"a later one does not begin the silence anew", []event{{0, "sent", 0}, {second, "lost", 0}, {6 * second, "sent", 0}}, 7 * second, 7 * time.Second, false},
		{"a silence begins with what is sent, not with the last reply", []event{{0, "sent", 0}, {second, "reply", 0}, {50 * second, "sent", 0}}, 51 * second, time.Second, false},
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

func TestSilenceOfADeadTarget(t *testing.T) {
	for _, row := range []struct {
		name   string
		lost   int
		reply  bool
		lasted time.Duration
		want   bool
	}{
		{"twenty lost in two seconds", 20, false, 2 * time.Second, true},
		{"nineteen may be chance", 19, false, time.Minute, false},
		{"less than two seconds may be a hiccup", 1000, false, 2*time.Second - 1, false},
		{"a reply after them ends it", 1000, true, 2 * time.Second, false},
	} {
		var s silence
		for range row.lost {
			s.begin(0)
			s.end(0, false, 0)
		}
		if row.reply {
			s.begin(0)
			s.end(0, true, 0)
		}
		if got := s.dead(row.lasted); got != row.want {
			t.Errorf("%s: dead(%v) = %v; want %v", row.name, row.lasted, got, row.want)
		}
	}
}
