package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/results"
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

// needOf rehearses a scenario on the virtual clock.
func needOf(ctx context.Context, s *scenarios.Scenario) (need, error) {
	plan := run.Plan{Scenario: s}
	rehearsed, err := plan.Rehearse(ctx, maxNeeded)
	if err != nil {
		return need{}, err
	}
	n := need{scenario: s.Name}
	n.sent, n.received = rehearsed.Busiest()
	return n, nil
}

func (n need) String() string {
	return fmt.Sprintf("%s/s sent, %s/s received by %s", document.Bytes(int64(n.sent)), document.Bytes(int64(n.received)), n.scenario)
}

// The probe inserts entities of up to maxProperties properties into a missing table.
const (
	propertyBytes = 30_000
	maxProperties = 15
	// maxSenders is the maximum number of concurrent requests.
	maxSenders = 8
	// slowly ends the growth: a larger request would exceed the limit of a step.
	slowly = 500 * time.Millisecond
)

// carried is the result of sending.
type carried struct {
	bytes   int64
	took    time.Duration
	senders int
}

// rate returns bytes per second. It includes the round trip, so it is a minimum.
func (c carried) rate() float64 { return float64(c.bytes) / max(c.took, time.Microsecond).Seconds() }

// measureBandwidth sends larger and larger requests until the need is met. The result is a minimum:
// a connection of a few requests does not reach its full speed.
func (v *visit) measureBandwidth(ctx context.Context) Finding {
	if v.needs == (need{}) {
		s := v.scenario
		var err error
		if s == nil {
			s, err = stress()
		}
		if err == nil {
			v.needs, err = needOf(ctx, s)
		}
		if err != nil {
			return Finding{Verdict: Fail, Measured: results.OneLine(err), Bound: "the scenario's rate"}
		}
	}
	bound := v.needs.String()
	ctx, release := clock.Within(ctx, v.clock, visitLimit, context.Canceled)
	defer release()
	var best carried
	senders := 1
	for properties := 1; ; {
		got, why := v.send(ctx, senders, properties)
		if why != "" {
			if best.bytes == 0 {
				return unknown(why, bound)
			}
			break
		}
		if got.rate() > best.rate() {
			best = got
		}
		if best.rate() >= v.needs.sent && properties > 1 || got.took > slowly {
			break
		}
		if properties < maxProperties {
			properties = min(maxProperties, properties*4)
		} else if senders *= 2; senders > maxSenders {
			break
		}
	}
	return best.judged(v.needs, bound)
}

// judged compares the rate with the need. Receiving is not measured: there is nothing to read.
func (c carried) judged(n need, bound string) Finding {
	measured := fmt.Sprintf("at least %s/s sent, %s at once", document.Bytes(int64(c.rate())), document.Counted(c.senders, "request"))
	const other = "receiving was not measured"
	return judge(measured, bound, other,
		rule{c.rate() < n.sent, Warn, "longer loads are faster; otherwise use a closer machine, a faster line, or lower rates"},
		rule{c.rate() < n.received, Warn, other + "; the scenario receives more: a closer machine helps"})
}

// send sends concurrent requests that the service rejects because their table is missing. It
// returns why another reply prevents a measurement.
func (v *visit) send(ctx context.Context, senders, properties int) (carried, string) {
	// The table's name contains the current instant, so that it cannot exist.
	op := &target.Operation{Table: fmt.Sprintf("%s%d", absentTable, v.clock.Started().UnixNano())}
	op.Verb = entity.Insert
	op.Change = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "absent", Row: "absent"}}
	text := strings.Repeat("loadgen ", propertyBytes/len("loadgen "))
	for i := range properties {
		op.Change.Properties = append(op.Change.Properties, entity.Property{Name: fmt.Sprintf("p%d", i), Value: entity.String(text)})
	}
	began := v.clock.Now()
	outcomes := make(chan target.Outcome, senders)
	for range senders {
		go func() { outcomes <- v.client.Do(ctx, op) }()
	}
	c := carried{senders: senders}
	why := ""
	for range senders {
		o := <-outcomes
		c.bytes += o.BytesOut
		if o.Status == 404 || why != "" {
			continue
		}
		why = "a write to a missing table "
		switch o.Status {
		case 0:
			why += "got no reply: " + o.Detail
		case 403:
			why += "is forbidden for this credential (403)"
		default:
			why += fmt.Sprintf("got %d %s", o.Status, o.Code)
		}
	}
	c.took = v.clock.Now().Sub(began)
	return c, why
}

// absentTable is the prefix of the name of a missing table.
const absentTable = "loadgendoctornone"
