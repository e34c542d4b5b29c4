//go:build peers

package azure_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/target/azure"
	"loadgen/target/targettest"
)

func TestAzuriteConforms(t *testing.T) { azuriteConforms(t, azure.Native) }

func TestAzuriteConformsOverNetHTTP(t *testing.T) { azuriteConforms(t, azure.ByNetHTTP) }

func azuriteConforms(t *testing.T, by azure.Client) {
	text := os.Getenv("LOADGEN_AZURITE")
	require.NotEmpty(t, text, "LOADGEN_AZURITE is not set; run this by .ci/azurite")
	clk := clock.NewReal()
	client := must(azure.New(azure.Options{Endpoint: must(azure.ParseConnectionString(text)), Connections: 16, Clock: clk,
		Calendar: clk, RunID: "conform", Client: by}))
	t.Cleanup(client.Close)
	for _, check := range targettest.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			subject := targettest.Live(client)
			subject.Unlimited, subject.Derived = true, true
			subject.Prefix = "conform" + strconv.FormatInt(clock.NewReal().Started().UnixNano(), 36)
			complaints := check.Failures(subject)
			reason, listed := deviations[check.Name]
			switch {
			case !listed && len(complaints) > 0:
				t.Errorf("Azurite fails this, and no deviation is listed:\n%s", strings.Join(complaints, "\n"))
			case listed && len(complaints) == 0:
				t.Errorf("Azurite passes this; the deviation %q is listed all the same", reason)
			case listed:
				t.Logf("a deviation, as listed: %s\n%s", reason, strings.Join(complaints, "\n"))
			}
		})
	}
}
