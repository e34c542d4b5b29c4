package azure_test

import (
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target/azure"
)

var _ drive.Wire = (*azure.NetHTTP)(nil)

// offered is a load of gets and inserts at one rate, on one partition.
const offered = `name: twice
seed: 7
workers: 64
attributes: {event: {list: [NYC]}, bib: {sequence: 1}}
entity: {size: 300, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: 200, transaction: 100, lanes: 2}}
  - name: peak
    peak: {partition_key: NYC, rates: [400, 2500], each: 2s, hold: false, operations: [{verb: get, weight: 3}, {verb: insert}]}
retry: none
`

// driven runs the scenario by one of the drivers, over HTTP in memory, and holds its
// books to those of the server.
func driven(t *testing.T, name string, runner func(*drive.Live, *azure.NetHTTP) drive.Runner) *results.Record {
	var record *results.Record
	synctest.Test(t, func(t *testing.T) {
		s, err := scenarios.Parse("twice.yaml", []byte(offered))
		if err != nil {
			t.Fatal(err)
		}
		clk := clock.NewReal()
		m := openInMemory(t, azure.Options{AskCounted: true, Connections: s.Workers})
		campaign, err := campaign.NewCampaign(campaign.Options{Scenario: s, Table: "twice"})
		if err != nil {
			t.Fatal(err)
		}
		folder := new(results.Memory)
		recorder, err := results.NewRecorder(folder, results.Manifest{Operations: campaign.Kinds()})
		if err != nil {
			t.Fatal(err)
		}
		other := m.NetHTTP()
		live := &drive.Live{Clock: clk, Target: m.Target, Workers: s.Workers}
		if err := campaign.Run(t.Context(), runner(live, other), &drive.Ledger{Recorder: recorder}); err != nil {
			t.Fatalf("%s: Run = %v; want no error", name, err)
		}
		counts := results.TargetCounts(m.Counts())
		if err := recorder.Finish(clk.Now().Offset(), results.Valid, nil, &counts); err != nil {
			t.Fatal(err)
		}
		other.Close()
		if record, err = results.Read(folder); err != nil {
			t.Fatal(err)
		}
		sum := record.Total(results.Everything)
		if sum.Scheduled != sum.Sent+sum.Dropped || sum.Attempts != sum.Ok+sum.Throttled+sum.Failed ||
			sum.Attempts != counts.Requests || sum.Counted != counts.Entities || sum.Failed > 0 {
			t.Errorf("%s: %+v, and the server counted %+v; want books that close, and nothing failed", name, sum, counts)
		}
	})
	return record
}

// middle returns the median of a histogram, 0 of an empty one.
func middle(h *results.Histogram) time.Duration {
	micros, _ := h.Quantile(.5)
	return time.Duration(micros) * time.Microsecond
}

// Both drivers come to the same counts and the same times, of a load that the
// partition holds and of one that it does not.
func TestBothDriversAgree(t *testing.T) {
	native := driven(t, "native", func(l *drive.Live, _ *azure.NetHTTP) drive.Runner { return l })
	second := driven(t, "vegeta", func(l *drive.Live, n *azure.NetHTTP) drive.Runner {
		return &drive.Vegeta{Live: l, Wire: n, Epoch: l.Clock.(clock.Real).Started()}
	})
	for _, name := range []string{"peak 400/s", "peak 2500/s"} {
		of := func(p *results.Phase, _ results.Kind) bool { return p.Name == name }
		a, b := native.Total(of), second.Total(of)
		t.Logf("%s: scheduled %d, sent %d, ok %d and %d; service p50 %v and %v, response p50 %v and %v", name, a.Scheduled, a.Sent,
			a.Ok, b.Ok, middle(a.Service[results.Ok]), middle(b.Service[results.Ok]), middle(a.Response), middle(b.Response))
		if a.Scheduled == 0 || a.Scheduled != b.Scheduled || a.Sent != b.Sent || a.Dropped != b.Dropped || a.Ok != b.Ok || a.Throttled != b.Throttled {
			t.Errorf("%s: %+v, by vegeta %+v; want the same counts", name, a, b)
		}
		for what, pair := range map[string][2]*results.Histogram{
			"service": {a.Service[results.Ok], b.Service[results.Ok]}, "response": {a.Response, b.Response},
		} {
			one, other := middle(pair[0]), middle(pair[1])
			if one == 0 || (one-other).Abs() > one/50 {
				t.Errorf("%s: %s p50 = %v, by vegeta %v; want them within 2 %%", name, what, one, other)
			}
		}
	}
	if sum := second.Total(results.Reported); sum.Throttled == 0 || sum.Cut != 0 {
		t.Errorf("%d were refused, %d cut; want some refused and none cut", sum.Throttled, sum.Cut)
	}
}
