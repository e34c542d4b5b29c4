package results_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
)

func TestForecastCosts(t *testing.T) {
	p := results.Price{PerMillion: .036, PerGBEgress: .08}
	// 2.5 million at 0.036 are 0.09, 5 GB at 0.08 are 0.4.
	assert.Equal(t, &results.Cost{Price: p, Transactions: .09, Egress: .4, Total: .49}, p.Forecast(2_500_000, 5_000_000_000))
	assert.Nil(t, results.Price{PerGiBMonth: 3}.Forecast(1, 1), "a forecast does not store")
}
