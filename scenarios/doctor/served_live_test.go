//go:build live

package doctor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// A service on a socket whose limits and times are secret is found within 5%, in real time. Its
// times are large against what a busy machine adds, and its partitions save up two seconds, so
// that what a generator that stood still did not ask for is not lost to them. A machine that kept
// somebody waiting meanwhile is held to what no wait can do: shorten a reply.
func TestLiveSecretsOfAServiceAreFound(t *testing.T) {
	secrets := []string{"partition_target=230", "partition_burst=2s", "round_trip=60ms", "read_time=100ms", "write_time=160ms", "entity_time=1ms",
		"throttle_time=140ms", "time_spread=100", "scan_rate=2000"}
	tr := truth{asked: scenarios.Model{Profile: model.Documented}}
	var set []string
	for _, one := range secrets {
		set = append(set, "model."+one)
		name, value, _ := strings.Cut(one, "=")
		tr.asked.Overrides = append(tr.asked.Overrides, override(name, value))
	}
	s := scenarios.Scenario{Model: tr.asked}
	tr.model = runtest.Must(s.PartitionModel())
	at := served(t, set...)
	o := remote(at, 10_000) // too little for the bursts, which take 20 s
	o.Rate, o.MaxRate, o.Each, o.Workers = 100, 1000, 2*time.Second, 256
	health := run.StartHealthSampler(run.HealthOptions{Clock: clock.NewReal(), Source: run.NewHealthProcess(), Cores: 1})
	out, err := doctor.Calibrate(t.Context(), o)
	stood := health.Stop().StoodStill
	require.NoError(t, err)
	require.NoError(t, out.Ended)
	p := out.Profile
	wrong := ""
	v, found := p.Parameter("partition_target")
	worst := off(v.Int64(), tr.model.PartitionTarget)
	if !found || worst > 0.05 {
		wrong = "partition_target is " + v.Value
	}
	for name, truth := range tr.medians() {
		v, found := p.Figure(name)
		beside := off(int64(v.Duration()), int64(truth))
		assert.Truef(t, !found || float64(v.Duration()) >= 0.95*float64(truth),
			"%s is %s; no reply comes before %v", name, v.Value, truth)
		if !found || beside > 0.05 {
			wrong += "; " + name + " is " + v.Value + ", not " + truth.String()
		}
		worst = max(worst, beside)
	}
	t.Logf("at most %.1f%% off%s; the machine stood still for %v, %d requests, %d throttled", 100*worst, wrong, stood, p.Requests, p.Throttled)
	assert.Truef(t, wrong == "" || stood > 0, "%s; want them within 5%%, for the machine kept up\n%s", wrong, p.Text())
}
