//go:build peers

package azure_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"loadgen/engine/clock"
	"loadgen/target/azure"
	"loadgen/target/targettest"
)

// openAzurite returns a client of the Azurite that .ci/azurite has started.
func openAzurite(t *testing.T, by azure.Client) *azure.Target {
	t.Helper()
	text := os.Getenv("LOADGEN_AZURITE")
	if text == "" {
		t.Fatal("LOADGEN_AZURITE is not set; run this by .ci/azurite")
	}
	endpoint, err := azure.ParseConnectionString(text)
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewReal()
	client, err := azure.New(azure.Options{Endpoint: endpoint, Connections: 16, Clock: clk, Calendar: clk, RunID: "conform", Client: by})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// listener is a targettest.Reporter that takes down what is complained of.
type listener struct {
	mu         sync.Mutex
	complaints []string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.complaints = append(l.complaints, fmt.Sprintf(format, args...))
}

// FailNow ends the goroutine of the check, as that of testing.T does.
func (l *listener) FailNow() { panic(l) }

// hear runs a check and returns what it complains of.
func hear(check targettest.Check, subject targettest.Subject) (complaints []string) {
	l := new(listener)
	defer func() {
		if ended := recover(); ended != nil && ended != any(l) {
			panic(ended)
		}
		complaints = l.complaints
	}()
	check.Run(l, subject)
	return l.complaints
}

func TestAzuriteConforms(t *testing.T) { azuriteConforms(t, azure.Native) }

func TestAzuriteConformsOverNetHTTP(t *testing.T) { azuriteConforms(t, azure.ByNetHTTP) }

func azuriteConforms(t *testing.T, by azure.Client) {
	client := openAzurite(t, by)
	for _, check := range targettest.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			subject := targettest.Live(client)
			subject.Unlimited, subject.Derived = true, true
			subject.Prefix = "conform" + strconv.FormatInt(clock.NewReal().Started().UnixNano(), 36)
			complaints := hear(check, subject)
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
