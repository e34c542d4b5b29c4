package fleet

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// claimPeriod is how long a leader listens for others before it leads.
const claimPeriod = 500 * time.Millisecond

// claim is the claim of a leader on a run at a shared server. Leaders publish their ranks; of several that start at the same
// time the one with the least rank leads.
type claim struct {
	conn    *nats.Conn
	subject string
	sub     *nats.Subscription

	mu sync.Mutex
	// rank is a random identity, and less than all identities once this leader leads.
	rank string
	// leads says that this leader leads, led that another one does.
	leads, led bool
}

// claimRun claims a run. Errors wrap [errLed], [errToken] or [errRefused].
func claimRun(conn *nats.Conn, subject string, c clock.Clock) (*claim, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	own := &claim{conn: conn, subject: subject, rank: id}
	if own.sub, err = subscribe(conn, subject, own.handle); err == nil {
		err = cmp.Or(conn.Publish(subject, []byte(id)), flush(conn))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: cannot ask for other leaders: %w", errRefused, err)
	}
	alarm := c.Alarm(c.Now().Add(claimPeriod))
	defer alarm.Stop()
	<-alarm.C
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.led {
		own.close()
		return nil, errLed
	}
	own.leads, own.rank = true, " "+id
	return own, nil
}

// handle handles the rank of another leader. One with a greater rank learns the own one.
func (c *claim) handle(m *nats.Msg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := string(m.Data); other > c.rank {
		// It fails only without a connection, which the leader notices elsewhere.
		_ = c.conn.Publish(c.subject, []byte(c.rank))
	} else if !c.leads {
		c.led = true
	}
}

// close ends the claim. It fails only without a connection, when no other leader can hear it.
func (c *claim) close() { _ = c.sub.Unsubscribe() }
