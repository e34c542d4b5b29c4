package backoff_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/backoff"
)

func TestPresets(t *testing.T) {
	for _, row := range []struct {
		name    string
		retries int
		delay   backoff.Delay
	}{
		{"none", 0, nil},
		{"documented", 3, documented},
		{"short", 3, short},
	} {
		got, err := backoff.ByName(row.name)
		if err != nil {
			t.Fatalf("ByName(%q): %v; want a policy", row.name, err)
		}
		if want := (backoff.Policy{Name: row.name, Retries: row.retries, Delay: row.delay}); got != want {
			t.Errorf("ByName(%q) = %+v; want %+v", row.name, got, want)
		}
		if faults := got.Validate(); len(faults) > 0 {
			t.Errorf("ByName(%q).Validate() = %v; want no fault", row.name, faults)
		}
	}
	if got, want := backoff.Names(), []string{"documented", "none", "short"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q; want %q", got, want)
	}
}

func TestByNameOfAnUnknownNameNamesTheNearest(t *testing.T) {
	for _, row := range []struct{ name, given, nearest string }{
		{"a letter too few", "shrt", "nearest: short"},
		{"a letter wrong", "dokumented", "nearest: documented"},
		{"another case", "Documented", "nearest: documented"},
		{"the empty name is nearest to the shortest", "", "nearest: none"},
		{"equally far from two names", "shone", "nearest: none, short"},
		{"a name of a million bytes is cut", strings.Repeat("x", 1_000_000), "nearest: documented"},
		{"bytes that are no text are quoted", "\xff\x00", `"\xff\x00"; nearest: none`},
	} {
		_, err := backoff.ByName(row.given)
		if !errors.Is(err, backoff.ErrUnknown) || !strings.Contains(err.Error(), row.nearest) || len(err.Error()) > 200 {
			t.Errorf("%s: ByName(%.20q) = %.300v; want ErrUnknown with %q in a short line", row.name, row.given, err, row.nearest)
		}
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
		{"the last retry is allowed", backoff.Policy{Retries: 3, Delay: backoff.Fixed{Every: s}}, 3, s, true},
		{"the one after it is not", backoff.Policy{Retries: 3, Delay: backoff.Fixed{Every: s}}, 4, 0, false},
		{"far beyond is not", backoff.Policy{Retries: 3, Delay: documented}, 1000, 0, false},
		{"a thousand retries are at the cap", backoff.Policy{Retries: 1000, Delay: documented}, 1000, 90 * s, true},
		{"without a delay a retry goes at once", backoff.Policy{Retries: 1}, 1, 0, true},
		{"a negative fixed wait is none", backoff.Policy{Retries: 1, Delay: backoff.Fixed{Every: -s}}, 1, 0, true},
	} {
		if wait, again := row.policy.Wait(row.x, 0.5); wait != row.wait || again != row.again {
			t.Errorf("%s: %+v.Wait(%d, 0.5) = %v, %v; want %v, %v", row.name, row.policy, row.x, wait, again, row.wait, row.again)
		}
	}
}

func TestWaitBeforeRetryZeroPanics(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "backoff: ") {
			t.Errorf("Wait(0, 0) panicked with %q; want a text that begins with the package", got)
		}
	}()
	backoff.Policy{Retries: 1}.Wait(0, 0)
}

func TestValidateNamesEveryFault(t *testing.T) {
	for _, row := range []struct {
		name   string
		policy backoff.Policy
		fields []string
	}{
		{"the zero policy is valid", backoff.Policy{}, nil},
		{"negative retries", backoff.Policy{Retries: -1}, []string{"retries"}},
		{"more retries than anybody waits for", backoff.Policy{Retries: 1001, Delay: short}, []string{"retries"}},
		{"retries without a delay", backoff.Policy{Retries: 1}, []string{"delay"}},
		{"a negative fixed wait", backoff.Policy{Retries: 1, Delay: backoff.Fixed{Every: -1}}, []string{"every"}},
		{"an empty formula", backoff.Policy{Retries: 1, Delay: backoff.Exponential{}}, []string{"base (z)", "max (zmax)"}},
		{"least above most", backoff.Policy{Retries: 1, Delay: backoff.Exponential{Base: 1, Min: 3, Max: 2}}, []string{"min (zmin)"}},
		{"all at once", backoff.Policy{Retries: -1, Delay: backoff.Exponential{Base: -1, Min: -1, Max: -2}},
			[]string{"retries", "base (z)", "min (zmin)", "max (zmax)", "min (zmin)"}},
	} {
		faults := row.policy.Validate()
		if len(faults) != len(row.fields) {
			t.Errorf("%s: Validate() = %v; want %d faults", row.name, faults, len(row.fields))
			continue
		}
		for i, field := range row.fields {
			if !errors.Is(faults[i], backoff.ErrInvalid) || !strings.Contains(faults[i].Error(), field) {
				t.Errorf("%s: fault %d = %v; want ErrInvalid about %q", row.name, i, faults[i], field)
			}
		}
	}
}

func TestRetryable(t *testing.T) {
	eager := backoff.Policy{TooManyRequests: true, NoReply: true}
	for _, row := range []struct {
		name           string
		status         int
		code           string
		want, ifWanted bool
	}{
		{"server busy", 503, "ServerBusy", true, true},
		{"time-out of the server", 500, "OperationTimedOut", true, true},
		{"any other internal error", 500, "InternalError", true, true},
		{"gateway time-out", 504, "", true, true},
		{"not implemented stays so", 501, "NotImplemented", false, false},
		{"HTTP version not supported stays so", 505, "", false, false},
		{"the last of the 5xx", 599, "", true, true},
		{"beyond the 5xx", 600, "", false, false},
		{"bad request answers alike each time", 400, "InvalidInput", false, false},
		{"unauthorized stays so", 401, "", false, false},
		{"the entity is missing", 404, "ResourceNotFound", false, false},
		{"request time-out is a 4xx", 408, "", false, false},
		{"too many requests, of Cosmos DB", 429, "TooManyRequests", false, true},
		{"success", 204, "", false, false},
		{"no reply at all", 0, "", false, true},
		{"a transaction's part that says only busy", 0, "ServerBusy", true, true},
		{"a transaction's part that says only conflict", 0, "EntityAlreadyExists", false, false},
		{"a negative status", -503, "", false, false},
	} {
		if got := backoff.Retryable(row.status, row.code); got != row.want {
			t.Errorf("%s: Retryable(%d, %q) = %v; want %v", row.name, row.status, row.code, got, row.want)
		}
		if got := (backoff.Policy{}).Retryable(row.status, row.code); got != row.want {
			t.Errorf("%s: Policy{}.Retryable(%d, %q) = %v; want %v", row.name, row.status, row.code, got, row.want)
		}
		if got := eager.Retryable(row.status, row.code); got != row.ifWanted {
			t.Errorf("%s: eager.Retryable(%d, %q) = %v; want %v", row.name, row.status, row.code, got, row.ifWanted)
		}
	}
}
