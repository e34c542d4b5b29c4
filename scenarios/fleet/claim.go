package fleet

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"loadgen/engine/clock"
)

// claimPeriod is how long a leader listens for others before it leads.
const claimPeriod = 500 * time.Millisecond

// claim is the claim of a leader on a run at a shared server. The leader of a run answers claims; of several that start at
// the same time the one with the least identity leads.
type claim struct {
	conn     *nats.Conn
	subjects subjects
	id       string
	sub      *nats.Subscription

	mu sync.Mutex
	// leads says that this leader leads, led that another one does.
	leads, led bool
}

// claimRun claims a run. Errors wrap [errLed], [errToken] or [errRefused].
func claimRun(conn *nats.Conn, s subjects, c clock.Clock) (*claim, error) {
	id, err := newID()
	if err != nil {
		return nil, err
	}
	own := &claim{conn: conn, subjects: s, id: id}
	if own.sub, err = subscribe(conn, s.lead(), own.handle); err == nil {
		own.publish("claims")
		err = flush(conn)
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
	own.leads = true
	return own, nil
}

// handle handles a message of another leader.
func (c *claim) handle(m *nats.Msg) {
	verb, other, _ := strings.Cut(string(m.Data), " ")
	if other == c.id {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.leads && verb == "claims":
		c.publish("leads")
	case c.leads:
	case verb == "leads", verb == "claims" && other < c.id:
		c.led = true
	case verb == "claims":
		// It subscribed after this claim was published.
		c.publish("claims")
	}
}

// publish sends a verb with the own identity. It fails only without a connection, which the leader notices elsewhere.
func (c *claim) publish(verb string) { _ = c.conn.Publish(c.subjects.lead(), []byte(verb+" "+c.id)) }

// close ends the claim. It fails only without a connection, when nobody listens.
func (c *claim) close() { _ = c.sub.Unsubscribe() }
