package azure_test

import (
	"context"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target/azure"
)

// The clock of these attempts stands at the epoch, 11:48:19.
func TestRetryAfter(t *testing.T) {
	for _, row := range []struct {
		name, headers string
		want          time.Duration
	}{
		{"nothing is asked", "", 0},
		{"seconds", "Retry-After: 7\n", 7 * time.Second},
		{"seconds, the name in another case", "retry-after: 7\n", 7 * time.Second},
		{"no seconds", "Retry-After: 0\n", 0},
		{"an hour", "Retry-After: 3600\n", time.Hour},
		{"more than an hour is an hour", "Retry-After: 3601\n", time.Hour},
		{"more than any number is an hour", "Retry-After: 99999999999999999999\n", time.Hour},
		{"a number that overflows a duration", "Retry-After: 18446744073709551615\n", time.Hour},
		{"a negative number is none", "Retry-After: -1\n", 0},
		{"a sign is none", "Retry-After: +1\n", 0},
		{"a fraction is none", "Retry-After: 1.5\n", 0},
		{"words are none", "Retry-After: soon\n", 0},
		{"an empty value is none", "Retry-After:\n", 0},
		{"milliseconds", "x-ms-retry-after-ms: 1500\n", 1500 * time.Millisecond},
		{"too many milliseconds", "x-ms-retry-after-ms: 18446744073709551615\n", time.Hour},
		{"the finer goes first", "Retry-After: 7\nx-ms-retry-after-ms: 12\n", 12 * time.Millisecond},
		{"unless it is none", "Retry-After: 7\nx-ms-retry-after-ms: 1e3\n", 7 * time.Second},
		{"a date, by this machine's clock", "Retry-After: Fri, 20 Nov 2026 11:48:29 GMT\n", 10 * time.Second},
		{"a date, by the service's clock", "Date: Fri, 20 Nov 2026 11:40:00 GMT\nRetry-After: Fri, 20 Nov 2026 11:41:00 GMT\n", time.Minute},
		{"a date beside one that cannot be read", "Date: x\nRetry-After: Fri, 20 Nov 2026 11:48:29 GMT\n", 10 * time.Second},
		{"a date as RFC 850 had it", "Retry-After: Friday, 20-Nov-26 11:48:29 GMT\n", 10 * time.Second},
		{"a date gone by", "Retry-After: Fri, 20 Nov 2026 11:48:09 GMT\n", 0},
		{"a date in a far year", "Retry-After: Fri, 20 Nov 9999 11:48:29 GMT\n", time.Hour},
		{"a date long gone by", "Retry-After: Fri, 20 Nov 0001 11:48:29 GMT\n", 0},
	} {
		subject, _ := openAt(t, always(framed("HTTP/1.1 503 Busy\n"+row.headers+"Content-Length: 0\n\n", false)), azure.Options{Clock: still{clock.NewReal()}})
		op := single(entity.Insert, "1", entity.Match{})
		if got := subject.Do(context.Background(), &op); got.Status != 503 || got.RetryAfter != row.want {
			t.Errorf("%s: Do(%q) = %d, to be retried after %v; want 503, %v", row.name, row.headers, got.Status, got.RetryAfter, row.want)
		}
	}
}
