//go:build live && unix

package azure_test

import "testing"

// What a request costs the client on the processor, flat out over 32
// connections: at most 0.8 times what it costs vegeta, and 1.25 times what it
// costs a bare net/http client that is given the bytes, by the median of ten
// rounds. The server is a process of its own.
func TestLiveClientCPU(t *testing.T) {
	const mostOfBare, mostOfVegeta = 1.25, .8
	for name, op := range ordinary() {
		for n := 1; ; n++ {
			costs := measureClients(t, op)
			bare, attack := costs.against("bare"), costs.against("vegeta")
			t.Logf("%s, run %d: ours %.1f µs, bare %.1f µs, vegeta %.1f µs; ours/bare %.2f, ours/vegeta %.2f", name, n,
				median(costs["ours"]), median(costs["bare"]), median(costs["vegeta"]), bare, attack)
			if bare <= mostOfBare && attack <= mostOfVegeta {
				break
			}
			if n == 3 {
				t.Errorf("%s: ours/bare %.2f, ours/vegeta %.2f in the third run; want at most %v and %v", name, bare, attack, mostOfBare, mostOfVegeta)
				break
			}
		}
	}
}
