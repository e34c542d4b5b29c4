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

// need is what a scenario asks of the way to the service, in bytes a second at its busiest.
type need struct {
	scenario       string
	sent, received float64
}

// mostNeeded bounds how many attempts of a scenario are played for what it needs.
const mostNeeded = 200_000

// needOf plays a scenario on the virtual clock.
func needOf(ctx context.Context, s *scenarios.Scenario) (need, error) {
	plan := run.Plan{Scenario: s}
	rehearsed, err := plan.Rehearse(ctx, mostNeeded)
	if err != nil {
		return need{}, err
	}
	n := need{scenario: s.Name}
	n.sent, n.received = rehearsed.Busiest()
	return n, nil
}

// String is the need in words.
func (n need) String() string {
	return fmt.Sprintf("%s/s sent, %s/s received by %s", document.Bytes(int64(n.sent)), document.Bytes(int64(n.received)), n.scenario)
}

// What is sent to learn what the way carries: entities of about so many properties of so many
// bytes, to a table that is not there.
const (
	propertyBytes  = 30_000
	mostProperties = 15
	// mostSenders is how many send at once, where one does not carry what is needed.
	mostSenders = 8
	// slowly ends the growth: a larger request would take longer than a step may.
	slowly = 500 * time.Millisecond
)

// carried is what went over the way.
type carried struct {
	bytes int64
	took  time.Duration
	// senders is how many sent at once.
	senders int
}

// rate is in bytes per second. The round trip is in it, so that it is the least that the way carries.
func (c carried) rate() float64 { return float64(c.bytes) / max(c.took, time.Microsecond).Seconds() }

// measureBandwidth sends larger and larger requests until what is needed was carried, and says
// what was: at least, for a connection of a few requests has not come to its full speed.
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
		if properties < mostProperties {
			properties = min(mostProperties, properties*4)
		} else if senders *= 2; senders > mostSenders {
			break
		}
	}
	return best.judged(v.needs, bound)
}

// judged holds what was carried against what is needed. What comes back was not measured: nothing
// is there that could be read.
func (c carried) judged(n need, bound string) Finding {
	measured := fmt.Sprintf("at least %s/s sent, %s at once", document.Bytes(int64(c.rate())), document.Counted(c.senders, "request"))
	const other = "receiving was not measured"
	switch {
	case c.rate() < n.sent:
		return warning(measured, bound, "longer loads are faster; otherwise use a closer machine, "+
			"a faster line, or lower rates")
	case c.rate() < n.received:
		return warning(measured, bound, other+"; the scenario receives more: a closer machine helps")
	default:
		return findingFor(true, measured, bound, other)
	}
}

// send sends so many requests at once that the service refuses, since their table is not
// there. It says why where there is no telling by them.
func (v *visit) send(ctx context.Context, senders, properties int) (carried, string) {
	// So many times about 30 kB, to a table that nobody has made: its name has the instant in it.
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

// absentTable begins the name of a table that is nowhere.
const absentTable = "loadgendoctornone"
