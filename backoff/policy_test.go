package backoff_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/backoff"
)

// Every preset is sound, and says where it is from.
func TestPresets(t *testing.T) {
	var names []string
	for _, preset := range backoff.Presets() {
		names = append(names, preset.Name)
		if faults := preset.Validate(); len(faults) > 0 || preset.Formula == "" || preset.Source == "" {
			t.Errorf("%s: %v, formula %q, source %q; want it sound and explained", preset.Name, faults, preset.Formula, preset.Source)
		}
	}
	slices.Sort(names)
	want := []string{"azcore", "azure-core-net", "botocore-standard", "decorrelated-jitter", "documented", "equal-jitter", "fixed-1s",
		"fixed-5s", "full-jitter", "js", "ladder", "linear", "none", "short", "storage-net", "was-1.x"}
	if got := backoff.Names(); !slices.Equal(got, want) || !slices.Equal(names, want) {
		t.Errorf("Names() = %q of the presets %q; want %q", got, names, want)
	}
	if got, err := backoff.ByName("short"); err != nil || !reflect.DeepEqual(got, backoff.Policy{Name: "short", Retries: 3, Delay: short}) {
		t.Errorf("ByName(short) = %+v, %v; want 3 retries by %+v", got, err, short)
	}
}

func TestByNameOfAnUnknownNameNamesTheNearest(t *testing.T) {
	for _, row := range []struct{ name, given, nearest string }{
		{"a letter too few", "shrt", "nearest: short"},
		{"a letter wrong", "dokumented", "nearest: documented"},
		{"another case", "Documented", "nearest: documented"},
		{"the empty name is nearest to the shortest", "", "nearest: js"},
		{"equally far from two names", "shone", "nearest: none, short"},
		{"a name of a million bytes is cut", strings.Repeat("x", 1_000_000), "nearest: fixed-1s"},
		{"bytes that are no text are quoted", "\xff\x00", `"\xff\x00"; nearest: js`},
	} {
		_, err := backoff.ByName(row.given)
		assert.Truef(t, errors.Is(err, backoff.ErrUnknown) && strings.Contains(err.Error(), row.nearest) && len(err.Error()) <= 200,
			"%s: ByName(%.20q) = %.300v; want ErrUnknown with %q in a short line", row.name, row.given, err, row.nearest)
	}
}

func TestPolicyGivesUpAfterItsRetries(t *testing.T) {
	for _, row := range []struct {
		name   string
		policy backoff.Policy
		x      int
		wait   time.Duration
		again  bool
	}{
		{"the zero policy never retries", backoff.Policy{}, 1, 0, false},
		{"the last retry is allowed", backoff.Policy{Retries: 3, Delay: backoff.Ladder{s}}, 3, s, true},
		{"the one after it is not", backoff.Policy{Retries: 3, Delay: backoff.Ladder{s}}, 4, 0, false},
		{"far beyond is not", backoff.Policy{Retries: 3, Delay: documented}, 1000, 0, false},
		{"a thousand retries are at the cap", backoff.Policy{Retries: 1000, Delay: documented}, 1000, 90 * s, true},
		{"without a delay a retry goes at once", backoff.Policy{Retries: 1}, 1, 0, true},
		{"a negative fixed wait is none", backoff.Policy{Retries: 1, Delay: backoff.Ladder{-s}}, 1, 0, true},
	} {
		wait, again := row.policy.Wait(row.x, 0.5)
		assert.Truef(t, wait == row.wait && again == row.again,
			"%s: %+v.Wait(%d, 0.5) = %v, %v; want %v, %v", row.name, row.policy, row.x, wait, again, row.wait, row.again)
	}
	assert.Panics(t, func() { backoff.Policy{Retries: 1}.Wait(0, 0) }, "there is no wait before retry zero")
}

func TestValidateNamesEveryFault(t *testing.T) {
	for _, row := range []struct {
		name   string
		of     interface{ Validate() []error }
		fields []string
	}{
		{"the zero policy is valid", backoff.Policy{}, nil},
		{"negative retries", backoff.Policy{Retries: -1}, []string{"retries"}},
		{"more retries than anybody waits for", backoff.Policy{Retries: 1001, Delay: short}, []string{"retries"}},
		{"retries without a delay", backoff.Policy{Retries: 1}, []string{"delay"}},
		{"a negative fixed wait", backoff.Policy{Retries: 1, Delay: backoff.Ladder{-1}}, []string{"rung 1"}},
		{"an empty formula", backoff.Policy{Retries: 1, Delay: backoff.Exponential{}}, []string{"base (z)", "max (zmax)"}},
		{"least above most", backoff.Policy{Retries: 1, Delay: backoff.Exponential{Base: 1, Min: 3, Max: 2}}, []string{"min (zmin)"}},
		{"statuses that no retry helps, and some that it may", backoff.Policy{Codes: []int{200, 399, 400, 429, 599, 600, -1}},
			[]string{"codes has 200", "codes has 399", "codes has 600", "codes has -1"}},
		{"all at once", backoff.Policy{Retries: -1, Delay: backoff.Exponential{Base: -1, Min: -1, Max: -2}},
			[]string{"retries", "base (z)", "min (zmin)", "max (zmax)", "min (zmin)"}},

		{"linear without a step", backoff.Linear{}, []string{"step is 0s"}},
		{"linear with the cap below the step", backoff.Linear{Step: 2, Max: 1}, []string{"max 1ns"}},
		{"a negative rung", backoff.Ladder{1, -1}, []string{"rung 2 is -1ns"}},
		{"full jitter, base and cap", backoff.FullJitter(0, -1), []string{"base is 0s", "max -1ns"}},
		{"equal jitter, cap under base", backoff.EqualJitter(2, 1), []string{"max 1ns"}},
		{"decorrelated, negative base", backoff.Decorrelated{Base: -1, Cap: 1}, []string{"base is -1ns"}},
		{"a share that falls", backoff.Proportional{Base: 1, Cap: 1, Low: 2, High: 1}, []string{"2 to 1"}},
		{"sound shares", azcore, nil},
		{"all that a multiplied wait has", backoff.Multiplied{Min: -1, Max: -1, Multiplier: .5, Low: -1, High: 2001}, []string{"base", "min", "max", "multiplier", "share"}},
		{"a negative limit", backoff.Policy{Elapsed: -1}, []string{"elapsed"}},

		{"an empty budget", &backoff.RetryBudget{Ratio: 1}, []string{"most is 0"}},
		{"a budget without ratio", &backoff.RetryBudget{Most: 1}, []string{"ratio is 0"}},
		{"a quota without cost", &backoff.TokenQuota{Most: 1, TimeoutCost: 1}, []string{"cost is 0"}},
		{"a multiplier below one", &backoff.Adaptive{K: 999, Window: s}, []string{"k is 999"}},
		{"no window", &backoff.Adaptive{K: 2000}, []string{"window is 0s"}},
		{"a rate that never falls", &backoff.AIMD{Increase: 1, Decrease: 1000, Interval: 1, Least: 1}, []string{"decrease is 1000"}},
		{"a rate that is no number", &backoff.AIMD{Increase: math.NaN(), Decrease: 1, Interval: 1, Least: 1}, []string{"increase is NaN"}},
		{"beta of one", &backoff.Cubic{Beta: 1000, Scale: 1, Least: 1}, []string{"beta is 1000"}},
		{"no least", &backoff.Cubic{Beta: 1, Scale: 1}, []string{"least is 0"}},
		{"a sound budget", backoff.NewRetryBudget(), nil},
		{"a sound quota", backoff.NewTokenQuota(), nil},
		{"sound throttling", backoff.NewAdaptive(), nil},
		{"a sound rise and fall", backoff.NewAIMD(), nil},
		{"a sound cubic", backoff.NewCubic(), nil},
	} {
		faults := row.of.Validate()
		require.Lenf(t, faults, len(row.fields), "%s: Validate()", row.name)
		for i, field := range row.fields {
			assert.Truef(t, errors.Is(faults[i], backoff.ErrInvalid) && strings.Contains(faults[i].Error(), field),
				"%s: fault %d = %v; want ErrInvalid about %q", row.name, i, faults[i], field)
		}
	}
}

func TestRetryable(t *testing.T) {
	documented, with := backoff.Policy{Retries: 1}, backoff.Policy{Retries: 1}.WithStatuses(backoff.TooManyRequests)
	only := backoff.Policy{Retries: 1, Codes: []int{408, 503}}
	for _, row := range []struct {
		name         string
		status       int
		code         string
		want         bool
		ifWith, only bool
	}{
		{"server busy", 503, "ServerBusy", true, true, true},
		{"time-out of the server", 500, "OperationTimedOut", true, true, false},
		{"any other internal error", 500, "InternalError", true, true, false},
		{"gateway time-out", 504, "", true, true, false},
		{"bad request answers alike each time", 400, "InvalidInput", false, false, false},
		{"unauthorized stays so", 401, "", false, false, false},
		{"the entity is missing", 404, "ResourceNotFound", false, false, false},
		{"request time-out is a 4xx", 408, "", false, false, true},
		{"too many requests, of Cosmos DB", 429, "TooManyRequests", false, true, false},
		{"success", 204, "", false, false, false},
		{"no reply at all", 0, "", true, true, true},
		{"a transaction's part that says only busy", 0, "ServerBusy", true, true, true},
		{"a transaction's part that says only that it took too long", 0, "OperationTimedOut", true, true, false},
		{"a transaction's part that says only conflict", 0, "EntityAlreadyExists", false, false, false},
		{"a negative status", -503, "", false, false, false},
	} {
		for _, by := range []struct {
			name   string
			policy backoff.Policy
			want   bool
		}{
			{"the documents' codes", documented, row.want},
			{"429 beside them", with, row.ifWith},
			{"codes of its own", only, row.only},
			{"no retries, and no reply", backoff.Policy{}, row.want && (row.status != 0 || row.code != "")},
		} {
			assert.Equalf(t, by.want, by.policy.Retryable(row.status, row.code),
				"%s, %s: Retryable(%d, %q)", row.name, by.name, row.status, row.code)
		}
	}
}

// The list and the rule say the same, and adding nothing changes nothing.
func TestDocumentedCodesAreWhatNoCodesStandFor(t *testing.T) {
	listed := backoff.Policy{Retries: 1, Codes: backoff.DocumentedCodes()}
	for status := -1; status <= 700; status++ {
		want := status == 0 || status >= 500 && status <= 599 && status != 501 && status != 505
		for name, policy := range map[string]backoff.Policy{"no codes": {Retries: 1}, "the list": listed, "with nothing": backoff.Policy{Retries: 1}.WithStatuses()} {
			assert.Equalf(t, want, policy.Retryable(status, ""), "%s: Retryable(%d, \"\")", name, status)
		}
	}
	if again := listed.WithStatuses(503, 429, 503); len(again.Codes) != len(listed.Codes)+1 || !slices.IsSorted(again.Codes) {
		t.Errorf("With(503, 429, 503) = %v; want one code more, sorted", again.Codes)
	}
	assert.Len(t, backoff.DocumentedCodes(), 98, "the 100 of the 5xx but two")
}

func TestOneRetryGoesAtOnce(t *testing.T) {
	for _, row := range []struct {
		name       string
		status     int
		code       string
		unanswered int
		want       bool
	}{
		{"the first attempt without a reply", 0, "", 1, true},
		{"the second waits", 0, "", 2, false},
		{"a service that is busy is given time", 503, "ServerBusy", 0, false},
		{"even after one without a reply", 503, "ServerBusy", 1, false},
		{"a part that says busy is a reply", 0, "ServerBusy", 1, false},
		{"none was unanswered", 0, "", 0, false},
	} {
		assert.Equalf(t, row.want, (backoff.Policy{}).RetriesAtOnce(row.status, row.code, row.unanswered),
			"%s: RetriesAtOnce(%d, %q, %d)", row.name, row.status, row.code, row.unanswered)
	}
	var waiting []string
	for _, p := range backoff.Presets() {
		if !p.RetriesAtOnce(0, "", 1) {
			waiting = append(waiting, p.Name)
		}
	}
	want := []string{"azcore", "azure-core-net", "botocore-standard", "js", "storage-net", "was-1.x"}
	assert.Truef(t, slices.Equal(waiting, want), "the presets %q never retry at once; want those of clients, %q", waiting, want)
}

func TestChooseTakesNamesInTheirOrder(t *testing.T) {
	all, err := backoff.Choose()
	assert.Truef(t, err == nil && len(all) == len(backoff.Presets()), "Choose() = %d presets, %v; want all", len(all), err)
	some, err := backoff.Choose("js", "azcore")
	assert.Truef(t, err == nil && len(some) == 2 && some[0].Name == "js" && some[1].Name == "azcore",
		"Choose(js, azcore) = %v, %v", some, err)
	_, err = backoff.Choose("azcor", "js", "jss")
	assert.Truef(t, errors.Is(err, backoff.ErrUnknown) && strings.Count(err.Error(), "unknown policy") == 2,
		"Choose of two typos = %v; want both", err)
}

func TestEveryLimiterHasAName(t *testing.T) {
	for _, name := range backoff.Limiters() {
		if make := backoff.LimiterByName(name); make == nil || make() == nil || make() == make() {
			t.Errorf("LimiterByName(%s) makes none, or the same again; want one for each client", name)
		}
	}
	assert.Nil(t, backoff.LimiterByName("adaptiv"), "LimiterByName of a typo makes a limiter; want none")
}
