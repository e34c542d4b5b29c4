package campaign_test

import (
	"context"
	"math"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
)

// What is forecast is what a run that is throttled nothing then does: requests and
// entities but for what chance decides.
func TestForecastIsWhatARunDoes(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		sentence string
		settings []string
	}{
		{"the peak of gets, inserts and merges", nil},
		{"every kind of operation, queries of several pages among them", []string{everyKind}},
		{"a lone rate without a hold", []string{"phases.peak.rates=[200]", "phases.peak.hold=false"}},
	} {
		s := small(t, append([]string{"model.profile=off"}, row.settings...)...)
		w := newWorld(t, s, nil)
		o := campaign.Options{Scenario: s, Table: "stress"}
		c, err := campaign.NewCampaign(o)
		if err != nil {
			t.Fatal(err)
		}
		forecast := c.Forecast()
		record, err := w.run(t, context.Background(), &drive.Virtual{Target: w.target}, o)
		if err != nil {
			t.Fatal(err)
		}
		sum := record.Total(results.Everything)
		near := func(what string, forecast, done int64, share float64) {
			if off := math.Abs(float64(forecast-done)) / float64(done); off > share {
				t.Errorf("%s: Forecast: %d %s; the run made %d, %.1f %% off, want %.0f %%", row.sentence, forecast, what, done, 100*off, 100*share)
			}
		}
		near("requests", forecast.Requests, sum.Attempts, 0.06)
		near("entities", forecast.Entities, sum.Counted, 0.06)
		if most := forecast.AtMost; most < forecast.Requests || most > 6*forecast.Requests {
			t.Errorf("%s: AtMost = %d of %d requests; want more, by the retries of a peak", row.sentence, most, forecast.Requests)
		}
		if forecast.Sent < forecast.Requests*500 || forecast.Received < forecast.Requests*400 {
			t.Errorf("%s: %d bytes sent and %d received in %d requests; want the headers at least",
				row.sentence, forecast.Sent, forecast.Received, forecast.Requests)
		}
		var peak time.Duration
		for _, phase := range record.Phases {
			if phase.Rate > 0 {
				peak += phase.End - phase.Begin
			}
		}
		if forecast.Lasts != peak {
			t.Errorf("%s: Lasts = %v; the peak lasted %v", row.sentence, forecast.Lasts, peak)
		}
	}
}

// What a query leaves out of the entities does not come over the wire; that it reads
// them all the same is not told by the bytes.
func TestForecastOfAProjection(t *testing.T) {
	forecast := func(settings ...string) campaign.Forecast {
		c, err := campaign.NewCampaign(campaign.Options{Scenario: small(t, settings...), Table: "stress"})
		if err != nil {
			t.Fatal(err)
		}
		return c.Forecast()
	}
	whole, projected := forecast("phases.peak.operations=[{verb: query, rows: 10}]"), forecast("phases.peak.operations=[{verb: query, rows: 10}]", "phases.peak.operations.0.select=[Age]")
	if projected.Requests != whole.Requests || projected.Entities != whole.Entities || projected.Sent != whole.Sent {
		t.Errorf("Forecast() with a projection = %+v; want requests and entities of %+v", projected, whole)
	}
	headers := forecast("phases.peak.operations=[{verb: delete}]").Received
	if full, some := whole.Received-headers, projected.Received-headers; full <= 0 || 5*some > full {
		t.Errorf("Forecast() = %d bytes received, and %d with one property; want most of the entities' bytes gone", full, some)
	}
}
