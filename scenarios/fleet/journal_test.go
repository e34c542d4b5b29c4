package fleet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// What a leader writes of its members' seconds, and when: each word is an event, "0:3" that member 0
// reports its second 3 with one operation, "0-" that it is gone, "0+" that it
// has joined.
func TestJournal(t *testing.T) {
	for _, tt := range []struct{ name, events, want string }{
		{"a second is written when all have reported it", "0:0 0:1 1:0", "0=2"},
		{"and each after it", "0:0 0:1 1:0 1:1 1:2", "0=2 1=2"},
		{"a member that is gone is not waited for", "0:0 1:0 0:1 0:2 1-", "0=2 1=1 2=1"},
		{"what it reported before counts", "1:0 1:1 1- 0:0 0:1", "0=2 1=2"},
		{"all that is left is written at the end", "0:0 0:1 1- 0-", "0=1 1=1"},
		{"who reports nothing holds back a minute at most", many(maxOpen + 2), "0=1 1=1"},
		{"a report that arrives late is in its second", "0:1 1:0 1:1 0:0 1:2 0:2", "0=2 1=2 2=2"},
		{"one that arrives after its second is left out", many(maxOpen+2) + " 1:0 1:1", "0=1 1=1"},
		{"who takes the place of one that was lost is waited for", "0- 0+ 1:0 0:0", "0=2"},
		{"members of no fleet are not counted", "7:0 -1:0 0:0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			j := newJournal(2, func(of *results.Interval) { got = append(got, fmt.Sprintf("%d=%d", of.Second, of.Scheduled)) })
			for event := range strings.FieldsSeq(tt.events) {
				e := protocol.Event{Kind: protocol.MemberLost}
				if n, _ := fmt.Sscanf(event, "%d-", &e.Member); n == 1 && strings.HasSuffix(event, "-") {
					j.handle(&e)
					continue
				}
				if n, _ := fmt.Sscanf(event, "%d+", &e.Member); n == 1 && strings.HasSuffix(event, "+") {
					e.Kind = protocol.MemberJoined
					j.handle(&e)
					continue
				}
				one := results.Interval{Counts: results.Counts{Scheduled: 1}}
				_, err := fmt.Sscanf(event, "%d:%d", &e.Member, &one.Second)
				assert.NoError(t, err)
				e.Kind, e.Second, e.Sequence = protocol.SecondTold, &protocol.Second{Interval: one}, uint64(one.Second)
				j.handle(&e)
			}
			assert.Equal(t, tt.want, strings.Join(got, " "))
		})
	}
}

// many has member 0 report so many seconds.
func many(seconds int) string {
	var list []string
	for n := range seconds {
		list = append(list, fmt.Sprintf("0:%d", n))
	}
	return strings.Join(list, " ")
}
