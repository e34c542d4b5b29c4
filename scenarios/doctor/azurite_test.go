//go:build peers

package doctor_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// azurite is the one that .ci/azurite has started.
func azurite(t *testing.T) run.Endpoint {
	t.Helper()
	text := os.Getenv("LOADGEN_AZURITE")
	require.NotEmpty(t, text, "LOADGEN_AZURITE is not set; run this by .ci/azurite")
	endpoint := runtest.Must(run.ParseConnectionString(text))
	return endpoint
}

// everyday is a table of six thousand entities in 32 partitions, of which some are read, and some
// added, at 50/s each.
const everyday = `name: everyday
table: everyday
retry: none
attributes: {group: {uniform: [100, 131]}, id: {sequence: 1}}
entity: {size: 1024, filler: Filler, properties: [{name: Id, type: Int64, value: "{id}"}]}
design: {partition_key: "{group}", row_key: "{id:09d}"}
phases:
  - {name: load, load: {entities: 6400, transaction: 100, lanes: 4}}
  - {name: gets, traffic: {arrivals: {constant: 50}, for: 10s, operations: [{name: get, verb: get}]}}
  - {name: inserts, traffic: {arrivals: {constant: 50}, for: 10s, operations: [{name: insert, verb: insert}]}}
`

// medians sends everyday's operations and returns the median service time of each, in seconds.
func medians(t *testing.T, p run.Plan, seed uint64, measured *doctor.Profile) map[string]float64 {
	t.Helper()
	s := runtest.Must(scenarios.Parse("everyday", []byte(everyday)))
	if s.Seed = seed; measured != nil {
		s.UseMeasured(measured.Base, measured.Measured("azurite.yaml"))
	}
	p.Scenario, p.NoProbe, p.Memory = s, true, new(results.Memory)
	record := runtest.Must(run.Run(t.Context(), p))
	found := make(map[string]float64)
	for _, name := range []string{"get", "insert"} {
		all := record.Total(func(p *results.Phase, k results.Kind) bool { return p.Reported && k.Name == name })
		median, told := all.Service[results.Ok].Quantile(0.5)
		require.Truef(t, told, "the median of %s is not told", name)
		found[name] = float64(median) / 1e6
	}
	return found
}

// calibrated measures Azurite, and logs what was learnt.
func calibrated(t *testing.T, at run.Endpoint, each time.Duration, budget int64) *doctor.Profile {
	t.Helper()
	o := remote(at, budget)
	o.MaxRate, o.Each = 100, each
	out, err := doctor.Calibrate(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, out.Ended)
	text := out.Profile.Text()
	p, err := doctor.ParseProfile("azurite.yaml", text)
	require.NoErrorf(t, err, "the profile is none: %v\n%s", err, text)
	assert.Truef(t, p.Kind == doctor.EmulatorProfile && p.Failed == 0 && p.Throttled == 0,
		"measured %s, %d failed, %d throttled; want an emulator of which nothing fails", p.Kind, p.Failed, p.Throttled)
	return p
}

// A calibration of Azurite comes to its end, and the simulator under its profile has the times
// that it measured. What Azurite itself takes at another time is as steady as the machine: that is
// held by the median of five pairs, with the tag long.
func TestAzuriteCalibrated(t *testing.T) {
	p := calibrated(t, azurite(t), 3*time.Second, 1000)
	simulated := medians(t, run.Plan{On: run.Simulated}, 1, p)
	for name, got := range simulated {
		v, found := p.Figure("p50(" + name + ")")
		require.True(t, found, name)
		assert.InEpsilonf(t, v.Duration().Seconds(), got, 0.2, "the simulator's p50(%s) and the profile's", name)
		t.Logf("p50(%s): profile %v, simulated %.2f ms", name, v.Duration(), 1e3*got)
	}
}
