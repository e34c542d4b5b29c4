//go:build ci

package coverage_test

import (
	"strings"
	"testing"
)

// Each placing of accounts comes to what the rule says of it, by the very command of the page.
func TestAnAccountForEachRegion(t *testing.T) {
	for _, p := range placings() {
		played := play(t, "account-ceiling", strings.Split(strings.TrimPrefix(p.command(), "loadgen simulate account-ceiling --set "), " --set ")...)
		if got := played.of(t, "throttled(save) %"); !p.throttled().has(got) {
			t.Errorf("%s: %s throttles %v; foretold %v", p.says, p.command(), got, p.throttled())
		}
		if got := played.of(t, "mean(save)") / 1e6; !p.takes().has(got) {
			t.Errorf("%s: by %s a save takes %v ms; foretold %v", p.says, p.command(), got, p.takes())
		}
	}
}
