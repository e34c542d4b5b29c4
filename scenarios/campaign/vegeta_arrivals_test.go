package campaign_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
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

// Vegeta keeps to every kind of arrival, to the nanosecond, and ends where the
// scenario has had enough: what is recorded is what Live records.
func TestVegetaKeepsToEveryArrival(t *testing.T) {
	for _, traffic := range []string{
		"arrivals: {constant: 120}, for: 3s",
		"arrivals: {poisson: 90}, for: 3s",
		"arrivals: {ramp: {from: 20, to: 200}}, for: 3s, warm_up: 1s",
		"arrivals: {steps: {rates: [50, 150], each: 2s}}",
		"arrivals: {burst: {base: 20, peak: 300, every: 1s, length: 100ms}}, for: 3s",
		"arrivals: {sine: {mean: 100, amplitude: 80, period: 2s}}, for: 3s",
		"arrivals: {trace: t.csv}",
		"arrivals: {constant: 100}, for: 60s, stop_when_stable: 20%",
		"arrivals: {constant: 2000}, for: 60s, stop_on: [throttled > 10%]",
	} {
		var records [2]*results.Record
		var ended [2]error
		for i := range records {
			synctest.Test(t, func(t *testing.T) {
				s := trafficked(t, traffic+", operations: [{verb: get}, {verb: insert}]", "0,get,NYC,1\n0.5,insert,NYC,a\n0.5,insert,NYC,b\n1.75,get,NYC,3\n")
				s.Retry = "none"
				clk := clock.NewReal()
				w := newWorld(t, s, clk)
				var runner drive.Runner = &drive.Live{Clock: clk, Target: w.target, Workers: cmp.Or(s.Workers, scenarios.FewestWorkers)}
				if i == 1 {
					runner = &drive.Vegeta{Live: &drive.Live{Clock: clk, Target: w.target, Workers: cmp.Or(s.Workers, scenarios.FewestWorkers)}, Wire: wired{w.target}, Epoch: clk.Started()}
				}
				records[i], ended[i] = w.run(t, t.Context(), runner, campaign.Options{Scenario: s, Table: "traffic"})
			})
		}
		if a, b := ended[0], ended[1]; (a == nil) != (b == nil) || errors.Is(a, drive.ErrStopped) != errors.Is(b, drive.ErrStopped) {
			t.Errorf("%s: Run = %v, by vegeta %v; want the same", traffic, a, b)
		}
		// A stop comes to vegeta between two hits, so that what follows is later.
		one, other := records[0].Total(results.Reported), records[1].Total(results.Reported)
		if one.Sent < 4 || !reflect.DeepEqual(one, other) || records[1].Duration < records[0].Duration ||
			records[1].Duration > records[0].Duration+50*time.Millisecond {
			t.Errorf("%s: recorded in %v are %+v, by vegeta in %v %+v; want the same", traffic,
				records[0].Duration, one, records[1].Duration, other)
		}
	}
}
