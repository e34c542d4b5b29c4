package fleet

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// settling is how long a leader listens for others before it leads.
const settling = 500 * time.Millisecond

// claim is a leader's on a run, at a server that others may lead by, too. Whoever leads
// answers claims; of several that begin at once the one with the least identity leads.
type claim struct {
	conn     *nats.Conn
	subjects subjects
	id       string
	sub      *nats.Subscription

	mu    sync.Mutex
	leads bool
	led   bool
}

// stake claims a run. Errors wrap [errLed] or [errRefused].
func stake(conn *nats.Conn, s subjects, c clock.Clock) (*claim, error) {
	id, err := newID()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errToken, err)
	}
	one := &claim{conn: conn, subjects: s, id: id}
	// What another leader says.
	hear := func(m *nats.Msg) {
		what, other, _ := strings.Cut(string(m.Data), " ")
		if other == id {
			return
		}
		one.mu.Lock()
		defer one.mu.Unlock()
		switch {
		case one.leads && what == "claims":
			one.say("leads")
		case one.leads:
		case what == "leads", what == "claims" && other < id:
			one.led = true
		case what == "claims":
			// It began later than this one asked, and has not heard it.
			one.say("claims")
		}
	}
	if one.sub, err = subscribe(conn, s.lead(), hear); err == nil {
		one.say("claims")
		err = flush(conn)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: cannot ask for other leaders: %w", errRefused, err)
	}
	alarm := c.Alarm(c.Now().Add(settling))
	defer alarm.Stop()
	<-alarm.C
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.led {
		one.close()
		return nil, errLed
	}
	one.leads = true
	return one, nil
}

func (c *claim) say(what string) {
	// What cannot be sent is a connection that is down, of which the leader hears otherwise.
	_ = c.conn.Publish(c.subjects.lead(), []byte(what+" "+c.id))
}

func (c *claim) close() {
	// An error says that the connection is down, and nobody hears any more.
	_ = c.sub.Unsubscribe()
}
