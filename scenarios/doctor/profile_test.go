package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/doctor"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// whole has every field.
func whole() *doctor.Profile {
	return &doctor.Profile{Version: 1, At: "127.0.0.1:10002", Kind: doctor.EmulatorProfile, Server: "Azurite-Table/3.35.0", On: time.Date(2026, 11, 25, 18, 30, 0, 0, time.UTC),
		Lasted: 3*time.Minute + 2*time.Second, Requests: 31_000, Throttled: 900, Failed: 1, Entities: 80_000, Sent: 1 << 30, Received: 1 << 20, Base: "documented",
		Values: []doctor.ProfileValue{
			{Name: "partition_target", Value: "1234", Low: "1230", High: "1239", Samples: 8225, By: "served of an overload"},
			{Name: "read_time", Value: "2.917ms", Low: "2.6ms", High: "3.276ms", Samples: 1000, By: "p50(get), with \"quotes\" and: colons"},
		},
		Figures:  []doctor.ProfileValue{{Name: "p50(get)", Value: "3.7ms", Low: "3.6ms", High: "3.8ms", Samples: 1000, By: "at 50/s"}},
		Unlearnt: []doctor.ProfileGap{{What: "account_target", Why: "it was not asked for"}}}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	for name, p := range map[string]*doctor.Profile{"all fields": whole(), "nothing learnt": {Version: 1, Kind: doctor.UnknownProfile, Base: "headroom", On: whole().On}} {
		read, err := doctor.ParseProfile("p.yaml", p.Text())
		assert.Truef(t, err == nil && reflect.DeepEqual(read, p), "%s: Parse(Text()) = %+v, %v", name, read, err)
	}
}

func TestDamagedProfiles(t *testing.T) {
	text := string(whole().Text())
	for _, row := range []struct{ sentence, was, is, says string }{
		{"a file of another kind", text, "name: stress\n", "1:1: not a profile: no loadgen_profile"},
		{"a list", text, "- 1\n", "not a profile"},
		{"no YAML", "kind: \"emulator\"", "kind: [", "p.yaml:"},
		{"an older version", "loadgen_profile: 1", "loadgen_profile: 0", "version 0; expected 1"},
		{"a field that nobody knows", "kind:", "knid:", `unknown field "knid"; did you mean "kind"?`},
		{"a parameter that nobody knows", `"partition_target"`, `"partition_targets"`, "partition_targets"},
		{"a parameter that does not exist, by its line", "name: partition_target", "name: partition_goal", "p.yaml:18:"},
		{"a value that the model cannot take", `"1234"`, `"-3"`, "expected"},
		{"a value of another unit", `"2.917ms"`, `"2917"`, "duration"},
		{"an interval without its value", `high: "1239"`, `high: "1231"`, "outside its interval"},
		{"no samples", "samples: 8225", "samples: 0", "expected a whole number from 1"},
		{"a profile of the model that nobody knows", `base: "documented"`, `base: "documentd"`, `did you mean "documented"?`},
		{"a day that is none", "2026-11-25", "2026-13-25", "expected an instant"},
		{"text that moves a cursor", "it was not asked for", `\x1b[2J`, "expected a line"},
		{"a value that is there twice", `"read_time"`, `"partition_target"`, "partition_target"},
		{"what ends in the middle", text, text[:len(text)/2], "p.yaml:"},
	} {
		was := row.was
		if !strings.Contains(text, was) {
			was = strings.ReplaceAll(was, `"`, "")
		}
		damaged := strings.Replace(text, was, row.is, 1)
		require.Truef(t, damaged != text, "%s: there is no %q in\n%s", row.sentence, row.was, text)
		_, err := doctor.ParseProfile("p.yaml", []byte(damaged))
		var faults fields.Faults
		assert.Truef(t, errors.As(err, &faults) && strings.Contains(err.Error(), row.says) && faults[0].File == "p.yaml" &&
			faults[0].Line != 0, "%s: %v; want a located fault that says %q", row.sentence, err, row.says)
	}
}

func TestUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.yaml")
	require.NoError(t, os.WriteFile(file, whole().Text(), 0o644))
	s := runtest.Builtin(t, "stress")
	require.NoError(t, doctor.UseProfile(s, file))
	require.NoError(t, s.Set("model.write_time", "9ms"))
	m, err := s.PartitionModel()
	assert.Truef(t, err == nil && m.PartitionTarget == 1234 && m.ReadTime == 2917*time.Microsecond &&
		m.WriteTime == 9*time.Millisecond && m.AccountTarget == 20_000, "the model is %+v, %v", m, err)
	assert.Equal(t, "mine.yaml, measured at 127.0.0.1:10002 on 2026-11-25", s.Model.Name(), "the model is called")
	again, err := scenarios.Parse("again", s.Text())
	assert.Truef(t, err == nil && bytes.Equal(again.Text(), s.Text()) && again.Model.Name() == s.Model.Name(),
		"the scenario's text does not keep what was measured: %v\n%s", err, s.Text())
	require.NoError(t, doctor.UseProfile(s, "headroom"))
	assert.Truef(t, s.Model.Name() == "headroom" && s.Model.Measured == nil, "the model is called %q", s.Model.Name())
	for name, says := range map[string]string{"documentd": `did you mean "documented"?`, "no-such.yaml": "read profile: no such file", t.TempDir(): "read profile"} {
		err := doctor.UseProfile(s, name)
		assert.ErrorIs(t, err, fields.ErrInvalid, name)
		assert.ErrorContains(t, err, says, name)
	}
}

// Whatever a file holds is read or refused, with a line; what is read is written and read alike.
func FuzzParse(f *testing.F) {
	f.Add(whole().Text())
	f.Add([]byte("loadgen_profile: 1\n"))
	f.Add([]byte("loadgen_profile: 1\nvalues: [{name: read_time}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := doctor.ParseProfile("p.yaml", text)
		var faults fields.Faults
		if err != nil {
			require.Truef(t, errors.As(err, &faults), "Parse = %v; want faults", err)
			return
		}
		again, err := doctor.ParseProfile("p.yaml", p.Text())
		require.Truef(t, err == nil && bytes.Equal(again.Text(), p.Text()),
			"%v\n%s\nis read again as\n%s", err, p.Text(), again.Text())
	})
}

// served is a service of our own that is measured as a stranger would be.
func served(t *testing.T, set ...string) run.Endpoint {
	t.Helper()
	return runtest.Must(run.ParseConnectionString(resttest.Open(t, serve.Options{Quiet: true, Set: set}).ConnectionString()))
}

// remote are options of a small calibration of a service.
func remote(at run.Endpoint, budget int64) doctor.CalibrationOptions {
	return doctor.CalibrationOptions{On: run.Remote, Accounts: []run.Endpoint{at}, Budget: budget, Rate: 50, MaxRate: 500, Workers: 64, Seed: 1,
		Now: time.Now(), Consent: func(run.Ask) error { return nil }}
}

func TestNothingIsSentWithoutConsent(t *testing.T) {
	t.Parallel()
	o := remote(served(t), 5000)
	refusal := errors.New("no")
	var asked run.Ask
	o.Consent = func(a run.Ask) error {
		asked = a
		return refusal
	}
	out, err := doctor.Calibrate(t.Context(), o)
	assert.Truef(t, out == nil && errors.Is(err, refusal), "Calibrate = %v, %v; want the refusal", out, err)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	o.Consent = func(run.Ask) error { return nil }
	out, err = doctor.Calibrate(done, o)
	assert.Truef(t, out == nil && errors.Is(err, context.Canceled), "a context that is done: %v, %v", out, err)
	assert.Truef(t, asked.Requests == 5000 && asked.AtMost == 5000 && asked.Sent != 0 && asked.Lasts >= time.Minute &&
		strings.Contains(asked.Where, "127.0.0.1"), "asked for %+v; want all of it, within the budget", asked)
}

func TestOptionsAreChecked(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*doctor.CalibrationOptions)
		says     string
	}{
		{"there is a budget", func(o *doctor.CalibrationOptions) { o.Budget = 0 }, "budget"},
		{"it bears the first experiment", func(o *doctor.CalibrationOptions) { o.Budget = 999 }, "budget"},
		{"the gentle rate is gentle", func(o *doctor.CalibrationOptions) { o.Rate = 1000 }, "rate"},
		{"the ladder has an end", func(o *doctor.CalibrationOptions) { o.MaxRate = 1e6 }, "max-rate"},
		{"one account", func(o *doctor.CalibrationOptions) { o.Accounts = make([]run.Endpoint, 2) }, "target"},
		{"an operation takes its time", func(o *doctor.CalibrationOptions) { o.Each = time.Millisecond }, "each"},
		{"the account's rate", func(o *doctor.CalibrationOptions) { o.AccountRate = 1 }, "account-limit"},
	} {
		o := doctor.CalibrationOptions{Budget: 5000, Rate: 50, MaxRate: 500}
		row.change(&o)
		out, err := doctor.Calibrate(t.Context(), o)
		assert.Nil(t, out, row.sentence)
		assert.ErrorContains(t, err, row.says, row.sentence)
	}
}

// What the budget does not bear is left out and told; what was measured is never more.
func TestTheBudgetIsKept(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	tr := drawn(t, 1)
	for _, budget := range []int64{1000, 4500} {
		o := doctor.CalibrationOptions{On: run.Simulated, Budget: budget, Rate: 50, MaxRate: 2000, Model: tr.asked, Seed: 1}
		out, err := doctor.Calibrate(t.Context(), o)
		if budget < 2900 {
			assert.Truef(t, err != nil && out == nil, "budget %d: %v, %v; want nothing measured, and why", budget, out, err)
			continue
		}
		assert.Truef(t, err == nil && out.Ended == nil && out.Profile.Requests <= budget,
			"budget %d: %v, %v with %d requests; want at most the budget", budget, err, out.Ended, out.Profile.Requests)
		assert.Contains(t, string(out.Profile.Text()), "the remaining budget is too small: needs")
		_, found := out.Profile.Parameter("read_time")
		assert.Truef(t, found, "budget %d: no latencies were learnt", budget)
	}
}

// An account that limits is found where that is asked for.
func TestAccountLimit(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	tr := drawn(t, 0)
	tr.asked.Overrides = append(tr.asked.Overrides[1:], override("partition_target", "100000"), override("account_target", "3210"))
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 100_000, Rate: 50, MaxRate: 300, Model: tr.asked, Seed: 1, AccountRate: 10_000}
	out := runtest.Must(doctor.Calibrate(t.Context(), o))
	v, found := out.Profile.Parameter("account_target")
	assert.Truef(t, found && off(v.Int64(), 3210) <= 0.05 && covers(v, 3210), "account_target is %+v, %t", v, found)
	_, found = out.Profile.Parameter("partition_target")
	assert.Truef(t, !found, "a limit of a partition was found that there is not: %+v", out.Profile.Values)
}

// Interrupted, it tells what was learnt by then.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 20_000, Rate: 50, MaxRate: 500, Model: drawn(t, 1).asked, Seed: 1}
	// Once the second experiment begins, the latencies are known.
	o.Progress = &after{lines: 2, then: cancel}
	out, err := doctor.Calibrate(ctx, o)
	require.Truef(t, err == nil && errors.Is(out.Ended, context.Canceled), "Calibrate = %v, %v", out, err)
	assert.Contains(t, strings.Join(out.Document("").Answer.Says, " "), "Interrupted", "told")
	_, found := out.Profile.Parameter("read_time")
	assert.True(t, found, "the profile has not what was learnt")
	assert.Contains(t, string(out.Profile.Text()), "interrupted before its measurement")
}

// However early a calibration of a service is interrupted, its table is dropped.
func TestInterruptedTablesAreDropped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := remote(served(t), 5000)
	o.Remains = new(run.Remains)
	made := make(chan struct{})
	go func() {
		defer close(made)
		for clk := clock.NewReal(); len(o.Remains.List()) == 0; {
			if clk.Sleep(t.Context(), clk.Now().Add(time.Millisecond)) != nil {
				return
			}
		}
		cancel()
	}()
	out, err := doctor.Calibrate(ctx, o)
	<-made
	ended := err
	if out != nil {
		ended = out.Ended
	}
	assert.ErrorIs(t, ended, context.Canceled, "ended by")
	assert.Empty(t, o.Remains.List(), "left behind")
}

// after calls a function at the n-th line.
type after struct {
	lines int
	then  func()
}

func (a *after) Write(p []byte) (int, error) {
	if a.lines--; a.lines == 0 {
		a.then()
	}
	return len(p), nil
}

func override(name, text string) scenarios.Override {
	return scenarios.Override{Name: name, Text: text}
}

// TestMain has memory collected less often: what is simulated makes much that soon is of no use.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// truth is a service whose limits and times were drawn. One in three grants headroom: its limit
// comes in slowly; the others hold partitions hard, with an allowance.
type truth struct {
	asked scenarios.Model
	model *model.Model
	soft  bool
}

func drawn(t *testing.T, seed uint64) truth {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 31))
	between := func(low, high float64) float64 { return low * math.Pow(high/low, rng.Float64()) }
	span := func(low, high time.Duration) string {
		return time.Duration(between(float64(low), float64(high))).Round(time.Microsecond).String()
	}
	number := func(low, high float64) string { return strconv.Itoa(int(between(low, high))) }
	list := []scenarios.Override{
		{Name: "partition_target", Text: number(200, 600)}, {Name: "partition_burst", Text: span(100*time.Millisecond, 900*time.Millisecond)},
		{Name: "round_trip", Text: span(500*time.Microsecond, 20*time.Millisecond)}, {Name: "read_time", Text: span(2*time.Millisecond, 20*time.Millisecond)},
		{Name: "write_time", Text: span(3*time.Millisecond, 30*time.Millisecond)}, {Name: "entity_time", Text: span(50*time.Microsecond, 300*time.Microsecond)},
		{Name: "throttle_time", Text: span(time.Millisecond, 10*time.Millisecond)}, {Name: "time_spread", Text: number(200, 600)},
		{Name: "scan_rate", Text: number(3000, 20_000)},
	}
	tr := truth{soft: seed%3 == 2}
	if tr.soft {
		list = append(list, scenarios.Override{Name: "headroom", Text: number(1500, 2500)})
	}
	tr.asked = scenarios.Model{Profile: model.Documented, Overrides: list}
	s := scenarios.Scenario{Model: tr.asked}
	tr.model = runtest.Must(s.PartitionModel())
	return tr
}

// limit is what a partition is served at most, in entities per second.
func (tr truth) limit() int64 {
	if !tr.soft {
		return tr.model.PartitionTarget
	}
	return tr.model.PartitionTarget * tr.model.Idle.Headroom / 1000
}

// medians are the times that a client sees, by arithmetic: the median of a log-normal variable of
// mean 1 and variation c is 1 / √(1 + c²).
func (tr truth) medians() map[string]time.Duration {
	m := tr.model
	c := float64(m.TimeSpread) / 1000
	half := func(work time.Duration) time.Duration {
		return m.RoundTrip + time.Duration(float64(work)/math.Sqrt(1+c*c))
	}
	return map[string]time.Duration{
		"p50(get)": half(m.ReadTime), "p50(insert)": half(m.WriteTime), "p50(throttled)": m.RoundTrip + m.ThrottleTime,
		"p50(page)":        half(m.ReadTime) + 100*time.Second/time.Duration(m.ScanRate),
		"p50(transaction)": half(m.WriteTime) + 99*m.EntityTime,
		"p50(get 16 KiB)":  half(m.ReadTime), "p50(insert 16 KiB)": half(m.WriteTime),
	}
}

// learnt measures a truth on the virtual clock.
func learnt(t *testing.T, tr truth, seed uint64) *doctor.Profile {
	t.Helper()
	o := doctor.CalibrationOptions{On: run.Simulated, Budget: 200_000, Rate: doctor.DefaultRate, MaxRate: 2000, Model: tr.asked, Seed: seed,
		Now: time.Date(2026, 11, 25, 0, 0, 0, 0, time.UTC)}
	out := runtest.Must(doctor.Calibrate(t.Context(), o))
	require.NoError(t, out.Ended)
	return out.Profile
}

// off returns by which part a value is beside a truth.
func off(v, truth int64) float64 { return math.Abs(float64(v)/float64(truth) - 1) }

// What was drawn is found within 5%, and each interval covers its truth as often as it says.
func TestDrawnTruthsAreFound(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	covered, cases := map[string]int{}, map[string]int{}
	worst := map[string]float64{}
	check := func(p *doctor.Profile, seed int, name string, v doctor.ProfileValue, found bool, value, truth int64, within float64) {
		if !found {
			t.Errorf("truth %d: %s was not learnt: %v", seed, name, p.Unlearnt)
			return
		}
		cases[name]++
		if covers(v, truth) {
			covered[name]++
		}
		beside := off(value, truth)
		worst[name] = max(worst[name], beside)
		assert.Truef(t, beside <= within, "truth %d: %s is %s, from %s to %s", seed, name, v.Value, v.Low, v.High)
	}
	const within, anything = 0.05, 10
	for seed := range resultstest.Cases(3, 24) {
		seed++ // one of two, and of three, is soft
		tr := drawn(t, uint64(seed))
		p := learnt(t, tr, uint64(seed)+1)
		v, found := p.Parameter("partition_target")
		check(p, seed, "partition_target", v, found, v.Int64(), tr.limit(), within)
		if v, found = p.Parameter("partition_burst"); !tr.soft {
			check(p, seed, "partition_burst", v, found, int64(v.Duration()), int64(tr.model.PartitionBurst), within)
		}
		for name, truth := range tr.medians() {
			v, found := p.Figure(name)
			check(p, seed, name, v, found, int64(v.Duration()), int64(truth), within)
		}
		// How times divide into the way and the work is told with an interval: nothing says so
		// but their distribution.
		m := tr.model
		for name, truth := range map[string]time.Duration{"round_trip": m.RoundTrip, "read_time": m.ReadTime, "write_time": m.WriteTime,
			"entity_time": m.EntityTime, "throttle_time": m.ThrottleTime} {
			v, found := p.Parameter(name)
			check(p, seed, name, v, found, int64(v.Duration()), int64(truth), anything)
		}
		for name, truth := range map[string]int64{"time_spread": m.TimeSpread, "scan_rate": m.ScanRate} {
			v, found := p.Parameter(name)
			check(p, seed, name, v, found, v.Int64(), truth, anything)
		}
	}
	for name, n := range cases {
		t.Logf("%-18s %d of %d covered, at most %.1f%% off", name, covered[name], n, 100*worst[name])
		if chance := atMost(covered[name], n, 0.95); chance < 0.001 {
			t.Errorf("%s: %d of %d intervals cover the truth; by 95%% each there are so few with a chance of %.5f", name, covered[name], n, chance)
		}
	}
}

// atMost is the chance of at most k of n successes of a share p.
func atMost(k, n int, p float64) float64 {
	sum := 0.0
	for i := range k + 1 {
		ways, _ := math.Lgamma(float64(n + 1))
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(ways - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// covers reports whether a truth, in the value's own unit, nanoseconds for durations, lies in its interval.
func covers(v doctor.ProfileValue, truth int64) bool {
	amount := func(text string) (int64, bool) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
		d, err := time.ParseDuration(text)
		return int64(d), err == nil
	}
	low, sound := amount(v.Low)
	high, also := amount(v.High)
	return sound && also && low <= truth && truth <= high
}
