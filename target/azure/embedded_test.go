package azure_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest/resttest"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/targettest"
)

// races is the account of the tests.
var races = resttest.Key{Account: "races", Secret: testKey}

// embedded is a client of an engine, with the books of the server.
type embedded struct {
	*azure.Target
	service *resttest.Service
}

// Counts implements target.Counter.
func (e *embedded) Counts() target.Counts { return target.Counts(e.service.Counts()) }

// openEmbedded serves an engine without limits on a socket of this machine.
func openEmbedded(t testing.TB, o azure.Options) *embedded {
	t.Helper()
	s := resttest.Listen(t, resttest.Options{Key: races})
	return &embedded{resttest.NewClient(t, s.Endpoint(t), o).Target, s}
}

func TestConformsOverHTTP(t *testing.T) {
	for _, row := range []struct {
		sentence string
		options  azure.Options
		wrap     func(*embedded) target.Target
	}{
		{"by the client of net/http", azure.Options{}, func(e *embedded) target.Target { return netHTTP{e.Target} }},
		{"through a fault wrapper without a plan", azure.Options{}, func(e *embedded) target.Target {
			return target.WrapFaults(e, engine.FaultPlan{}, 1, clock.NewReal())
		}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			row.options.AskCounted = true
			e, number := openEmbedded(t, row.options), 0
			var way target.Target = e
			if row.wrap != nil {
				way = row.wrap(e)
			}
			targettest.Run(t, func(*testing.T) targettest.Subject {
				number++
				subject := targettest.Live(way)
				subject.Unlimited, subject.Prefix, subject.Counts = true, fmt.Sprint("conform", number), e.Counts
				return subject
			})
		})
	}
}

// What the engine tells and what the documented rule derives are the same, for
// whatever a client can send, success or failure.
func TestDerivedCountsAreWhatTheEngineTells(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		told, derived := openEmbedded(t, azure.Options{AskCounted: true}), openEmbedded(t, azure.Options{})
		walk := targettest.NewWalk(seed)
		walk.Drops = true
		for number := range 400 {
			op := walk.Next()
			a, b := told.Do(t.Context(), op), derived.Do(t.Context(), op)
			require.Truef(t, a.Status == b.Status && a.Counted == b.Counted && a.Returned == b.Returned,
				"seed %d, operation %d, %v: told %d (status %d, %d returned), derived %d (status %d, %d returned)", seed, number,
				op.Verb, a.Counted, a.Status, a.Returned, b.Counted, b.Status, b.Returned)
			require.Truef(t, a.Status != 0, "seed %d, operation %d, %v: %s", seed, number, op.Verb, a.Detail)
			if a.Version == b.Version {
				walk.Saw(op, a)
			}
		}
		if a, b := told.Counts(), derived.Counts(); a != b {
			t.Errorf("seed %d: the two servers counted %+v and %+v", seed, a, b)
		}
	}
}

// deviations are the checks of the conformance suite that Azurite fails, and
// why: the table of docs/development/measurements.md. A check that is listed must fail, so that
// the table stays true.
var deviations = map[string]string{
	"a transaction keeps to one partition": "it carries out a transaction over several partitions, which the service refuses",
	"a transaction holds at most 100 writes": "its refusal has a line before the status that is no part of an HTTP reply, " +
		"so that a client is told nothing",
	"the books close over attempts of every kind": "the check sends a transaction over two partitions: see above",
}

func TestDeviationsAreThoseOfTheDocs(t *testing.T) {
	page := must(os.ReadFile("../../docs/development/measurements.md"))
	_, text, _ := strings.Cut(string(page), "\n## Azurite\n")
	known := make(map[string]bool)
	for _, check := range targettest.Checks() {
		known[check.Name] = true
	}
	for name, reason := range deviations {
		assert.Truef(t, known[name], "a deviation is listed for %q, and there is no such check", name)
		row := "| " + name + " | " + reason + " |"
		assert.Truef(t, strings.Contains(text, row), "docs/development/measurements.md has no row %q", row)
	}
	assert.Equal(t, len(deviations), strings.Count(text, "\n| a ")+strings.Count(text, "\n| the "),
		"rows of docs/development/measurements.md")
}
