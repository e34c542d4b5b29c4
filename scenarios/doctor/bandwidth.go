package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/target"
)

// need is the bandwidth that a scenario requires in its busiest second, in bytes per second.
type need struct {
	scenario       string
	sent, received float64
}

// maxNeeded is the maximum number of attempts in a rehearsal for the need.
const maxNeeded = 200_000

// needOf rehearses a scenario on the virtual clock; nil is the stress test.
func needOf(ctx context.Context, s *scenarios.Scenario) (n need, err error) {
	if s == nil {
		if s, err = stress(); err != nil {
			return n, err
		}
	}
	plan := run.Plan{Scenario: s}
	rehearsed, err := plan.Rehearse(ctx, maxNeeded)
	if err != nil {
		return n, err
	}
	n.scenario = s.Name
	n.sent, n.received = rehearsed.Busiest()
	return n, nil
}

func (n need) String() string {
	return fmt.Sprintf("%s/s sent, %s/s received by %s", document.Bytes(int64(n.sent)), document.Bytes(int64(n.received)), n.scenario)
}

// propertyBytes is the size of a property of the inserted entities.
const propertyBytes = 30_000

// maxSenders is the maximum number of concurrent requests.
const maxSenders = 8

// slowly ends the growth: a larger request would exceed the limit of a step.
const slowly = 500 * time.Millisecond

// carried is the result of sending.
type carried struct {
	bytes   int64
	took    time.Duration
	senders int
}

// rate returns bytes per second. It includes the round trip, so it is a minimum.
func (c carried) rate() float64 { return float64(c.bytes) / max(c.took, time.Microsecond).Seconds() }

// measureBandwidth determines the need, which may take longer than a step, and sends requests.
func (v *visit) measureBandwidth(ctx context.Context) Finding {
	if v.needs == (need{}) {
		var err error
		if v.needs, err = needOf(ctx, v.Scenario); err != nil {
			return judgeResult(err, "the scenario's rate", "", "")
		}
	}
	return v.limited(v.sendLarger)(ctx)
}

// sendLarger sends larger and larger requests until the need is met. The result is a minimum: a
// connection of a few requests does not reach its full speed.
func (v *visit) sendLarger(ctx context.Context) Finding {
	var best carried
	for _, size := range []struct{ senders, properties int }{{1, 1}, {1, 4}, {1, 15}, {2, 15}, {4, 15}, {maxSenders, 15}} {
		got, why := v.send(ctx, size.senders, size.properties)
		if why != "" && best.bytes == 0 {
			return Finding{Verdict: CannotTell, Measured: "a write to a missing table " + why, Bound: v.needs.String()}
		}
		if why == "" && got.rate() > best.rate() {
			best = got
		}
		if why != "" || best.rate() >= v.needs.sent && size.properties > 1 || got.took > slowly {
			break
		}
	}
	return best.judged(v.needs)
}

// judged compares the rate with the need. Receiving is not measured: there is nothing to read.
func (c carried) judged(n need) Finding {
	measured := fmt.Sprintf("at least %s/s sent, %s at once", document.Bytes(int64(c.rate())), document.Counted(c.senders, "request"))
	const other = "receiving was not measured"
	return judge(n.String(),
		rule{c.rate() < n.sent, Warn, measured, "longer loads are faster; otherwise use a closer machine, a faster line, or lower rates"},
		rule{c.rate() < n.received, Warn, measured, other + "; the scenario receives more: a closer machine helps"},
		rule{true, Pass, measured, other})
}

// send sends concurrent requests that the service rejects because their table is missing. It
// returns why another reply prevents a measurement.
func (v *visit) send(ctx context.Context, senders, properties int) (carried, string) {
	// The table's name contains the current instant, so that it cannot exist.
	op := &target.Operation{Table: fmt.Sprintf("%s%d", absentTable, v.Clock.Started().UnixNano())}
	op.Verb = entity.Insert
	op.Change = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "absent", Row: "absent"}}
	text := strings.Repeat("loadgen ", propertyBytes/len("loadgen "))
	for i := range properties {
		op.Change.Properties = append(op.Change.Properties, entity.Property{Name: fmt.Sprintf("p%d", i), Value: entity.String(text)})
	}
	began := v.Clock.Now()
	outcomes := make(chan target.Outcome, senders)
	for range senders {
		go func() { outcomes <- v.client.Do(ctx, op) }()
	}
	c, why := carried{senders: senders}, ""
	for range senders {
		o := <-outcomes
		c.bytes += o.BytesOut
		switch o.Status {
		case 404:
		case 0:
			why = "got no reply: " + o.Detail
		case 403:
			why = "is forbidden for this credential (403)"
		default:
			why = fmt.Sprintf("got %d %s", o.Status, o.Code)
		}
	}
	c.took = v.Clock.Now().Sub(began)
	return c, why
}

// absentTable is the prefix of the name of a missing table.
const absentTable = "loadgendoctornone"
