package campaign_test

import (
	"math"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/campaign"
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
		o := stress(s)
		forecast, record := planned(t, o).Forecast(), recorded(t, newWorld(t, s, nil).run(t, o))
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
		return planned(t, stress(small(t, settings...))).Forecast()
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

// Of entities whose sizes follow a curve as many bytes are stored as the generator says of each
// of them, to the byte, and as the mean foresees within four standard errors.
func TestForecastOfSizesByACurve(t *testing.T) {
	s := small(t, "model.profile=off", "entity.size={lognormal: {p50: 1800, sigma: 0.8, min: 600, max: 40000}}")
	o := stress(s)
	forecast, record := planned(t, o).Forecasts()[0], recorded(t, newWorld(t, s, nil).run(t, o))
	generator, err := s.Generator()
	if err != nil {
		t.Fatal(err)
	}
	want, squares, many := int64(0), 0., s.Loaded(1)
	for n := range many {
		size := int64(entity.Size(generator.Key(n), generator.Properties(n)))
		want, squares = want+size, squares+float64(size)*float64(size)
	}
	stored := int64(0)
	for _, phase := range record.Phases {
		for _, kind := range phase.Kinds {
			if phase.Name == s.Phases[0].Name {
				stored += kind.Stored
			}
		}
	}
	if stored != want {
		t.Errorf("%d bytes were stored; want %d, the sizes of %d entities", stored, want, many)
	}
	mean, _ := generator.MeanSize()
	exact := float64(want) / float64(many)
	if off := math.Abs(mean-exact) / math.Sqrt((squares/float64(many)-exact*exact)/float64(many)); off > 4 {
		t.Errorf("the mean of the sizes is %.1f bytes, foreseen %.1f: %.1f standard errors apart; want 4 at most", exact, mean, off)
	}
	if content := float64(many) * mean * 5 / 8; float64(forecast.Sent) < content || float64(forecast.Sent) > 2.5*content {
		t.Errorf("%d bytes are forecast to be sent; want those of entities, about %.0f, and their heads", forecast.Sent, content)
	}
}
