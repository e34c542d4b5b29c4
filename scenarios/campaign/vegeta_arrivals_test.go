package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// wired makes HTTP of a target: what an outcome says is in the headers of the reply.
type wired struct{ target.Target }

func (w wired) RoundTrip(ctx context.Context, op *target.Operation) (*http.Response, error) {
	outcome := w.Do(ctx, op)
	if outcome.Status == 0 {
		return nil, errors.New(outcome.Detail)
	}
	header := http.Header{"Code": {string(outcome.Code)}, "Counted": {fmt.Sprint(outcome.Counted)}, "Returned": {fmt.Sprint(outcome.Returned)}}
	return &http.Response{StatusCode: outcome.Status, Header: header, Body: http.NoBody}, nil
}

func (wired) Outcome(_ *target.Operation, status int, header http.Header, _ []byte) target.Outcome {
	outcome := target.Outcome{Status: status, Code: entity.Code(header.Get("Code"))}
	fmt.Sscan(header.Get("Counted")+" "+header.Get("Returned"), &outcome.Counted, &outcome.Returned)
	return outcome
}

// Vegeta keeps to random arrivals and to a trace, to the nanosecond, and ends where the
// scenario has had enough: what is recorded is what Live records.
func TestVegetaKeepsToEveryArrival(t *testing.T) {
	rows := []string{
		"arrivals: {poisson: 90}, for: 3s, warm_up: 1s",
		"arrivals: {trace: t.csv}",
		"arrivals: {constant: 100}, for: 60s, stop_when_stable: 20%",
		"arrivals: {constant: 2000}, for: 60s, stop_on: [throttled > 10%]",
	}
	for _, traffic := range spread(rows, tier(3, len(rows))) {
		var both [2]ran
		for i := range both {
			inBubble(t, func(t *testing.T, clk clock.Real) {
				s := trafficked(t, traffic+", operations: [{verb: get}, {verb: insert}]", "0,get,NYC,1\n0.5,insert,NYC,a\n0.5,insert,NYC,b\n1.75,get,NYC,3\n")
				s.Retry = "none"
				w := newWorld(t, s, clk)
				runner := w.runner()
				if i == 1 {
					runner = &drive.Vegeta{Live: w.through(w), Wire: wired{w}, Epoch: clk.Started()}
				}
				both[i] = carry(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "traffic"}, nil)
			})
		}
		if a, b := both[0].ended, both[1].ended; (a == nil) != (b == nil) || errors.Is(a, drive.ErrStopped) != errors.Is(b, drive.ErrStopped) {
			t.Errorf("%s: Run = %v, by vegeta %v; want the same", traffic, a, b)
		}
		// A stop comes to vegeta between two hits, so that what follows is later.
		live, vegeta := both[0].record, both[1].record
		one, other := live.Total(results.Reported), vegeta.Total(results.Reported)
		assert.Truef(t, one.Sent >= 4 && reflect.DeepEqual(one, other) && vegeta.Duration >= live.Duration && vegeta.Duration <= live.Duration+50*time.Millisecond,
			"%s: recorded in %v are %+v, by vegeta in %v %+v; want the same",
			traffic, live.Duration, one, vegeta.Duration, other)
	}
}
