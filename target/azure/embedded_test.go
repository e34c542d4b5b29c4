package azure_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/wire"
	"loadgen/scenarios/drive"
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

// openInMemory serves an engine of the documented limits behind pipes, fit for a bubble of
// synctest.
func openInMemory(t *testing.T, o azure.Options) *embedded {
	t.Helper()
	clk, pipes := clock.NewReal(), resttest.NewPipes()
	s := resttest.New(t,
		resttest.Options{Profile: model.Documented, Key: races, Rest: rest.Options{Clock: clk, Calendar: clk}})
	server := &http.Server{Handler: s}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(pipes) })
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	o.Clock, o.Calendar = clk, clk
	client := resttest.NewClient(t, endpointAt(t, "http://races.example.net"), o).Target
	client.DialWith(func(context.Context, string, string) (net.Conn, error) { return pipes.Dial(), nil })
	return &embedded{client, s}
}

func TestConformsOverHTTP(t *testing.T) {
	for _, row := range []struct {
		sentence string
		options  azure.Options
		wrap     func(*embedded) target.Target
	}{
		{"signed the long way", azure.Options{Scheme: wire.SharedKey}, nil},
		{"by the client of net/http", azure.Options{Client: azure.ByNetHTTP}, nil},
		{"by a driver with net/http", azure.Options{}, func(e *embedded) target.Target { return netHTTP(t, e.Target) }},
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

// Under the documented limits too, whether the engine says what it counted or the client
// derives it.
func TestConformsUnderLimits(t *testing.T) {
	for _, asked := range []bool{true, false} {
		for _, check := range targettest.Checks() {
			t.Run(fmt.Sprintf("asked %v: %s", asked, check.Name), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					subject := targettest.Live(openInMemory(t, azure.Options{AskCounted: asked}))
					if !asked {
						// A range of keys that begins within one partition and ends in another has the
						// service read the whole table, of which the client is told nothing.
						subject.Derived, subject.Counts = true, nil
					}
					check.Run(t, subject)
				})
			})
		}
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

var _ drive.Wire = (*azure.NetHTTP)(nil)

// issue returns a shared access signature that opens a range of a table's keys, as the
// service's documents have it: what a broker does for each of its users.
func issue(table, permissions string, from, to entity.Key) string {
	const version, expiry = "2019-02-02", "2099-01-01T00:00:00Z"
	signed := strings.Join([]string{permissions, "", expiry, "/table/races/" + strings.ToLower(table), "", "", "", version,
		from.Partition, from.Row, to.Partition, to.Row}, "\n")
	v := url.Values{"sv": {version}, "sp": {permissions}, "se": {expiry}, "tn": {table}, "sig": {races.MAC(signed)}}
	for name, value := range map[string]string{"spk": from.Partition, "srk": from.Row, "epk": to.Partition, "erk": to.Row} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// Each user has a client of their own by a signature of their keys, whatever their name: it
// reads their entities, and nothing else. Which keys a signature opens is a matter of the server.
func TestSignatureOfAUserOpensTheUsersKeys(t *testing.T) {
	e := openEmbedded(t, azure.Options{})
	send := func(to target.Target, verb entity.Verb, pk, row string) target.Outcome {
		return do(t, to, *resttest.Write(verb, "Inbox", pk, row))
	}
	users := []string{"ann", "ann & co"}
	send(e, entity.CreateTable, "", "")
	for _, user := range users {
		for row := range 4 {
			send(e, entity.Insert, user, fmt.Sprint(row))
		}
	}
	for i, user := range users {
		keys := entity.Key{Partition: user}
		endpoint := must(must(azure.ParseURL(e.service.URL, "", nil)).WithSAS(issue("Inbox", "r", keys, keys)))
		client := resttest.NewClient(t, endpoint, azure.Options{})
		for name, got := range map[string][2]int{
			"an entity of theirs":     {send(client, entity.Get, user, "3").Status, 200},
			"one that is not there":   {send(client, entity.Get, user, "9").Status, 404},
			"one of somebody else":    {send(client, entity.Get, users[1-i], "3").Status, 403},
			"a write":                 {send(client, entity.Insert, user, "5").Status, 403},
			"a query of all, in rows": {int(send(client, entity.Query, "", "").Returned), 4},
		} {
			assert.Equalf(t, got[1], got[0], "%s: %s", user, name)
		}
	}
}

// BenchmarkIssueSignature is what a broker's CPU pays for one signature.
func BenchmarkIssueSignature(b *testing.B) {
	user := entity.Key{Partition: "user 4711"}
	b.ReportAllocs()
	for b.Loop() {
		issue("Inbox", "r", user, user)
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
