package azure_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/wire"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
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

// counted is the other way to an embedded engine, with the books of the server.
type counted struct {
	byNetHTTP
	*embedded
}

// Do implements target.Target.
func (c counted) Do(ctx context.Context, op *target.Operation) target.Outcome {
	return c.byNetHTTP.Do(ctx, op)
}

func TestConformsOverHTTP(t *testing.T) {
	itself := func(_ *testing.T, e *embedded) target.Target { return e }
	for _, row := range []struct {
		sentence string
		options  azure.Options
		way      func(*testing.T, *embedded) target.Target
	}{
		{"signed the long way", azure.Options{Scheme: wire.SharedKey}, itself},
		{"by the client of net/http", azure.Options{Client: azure.ByNetHTTP}, itself},
		{"by a driver with net/http", azure.Options{}, func(t *testing.T, e *embedded) target.Target {
			return counted{netHTTP(t, e.Target), e}
		}},
		{"through a fault wrapper without a plan", azure.Options{}, func(_ *testing.T, e *embedded) target.Target {
			return target.WrapFaults(e, engine.FaultPlan{}, 1, clock.NewReal())
		}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			row.options.AskCounted = true
			way, number := row.way(t, openEmbedded(t, row.options)), 0
			targettest.Run(t, func(*testing.T) targettest.Subject {
				number++
				subject := targettest.Live(way)
				subject.Unlimited, subject.Prefix = true, fmt.Sprint("conform", number)
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

// offered is a load of gets and inserts at one rate, on one partition.
const offered = `name: twice
seed: 7
workers: 64
attributes: {event: {list: [NYC]}, bib: {sequence: 1}}
entity: {size: 300, filler: Notes}
design: {partition_key: "{event}", row_key: "{bib}"}
phases:
  - {name: load, load: {entities: 200, transaction: 100, lanes: 2}}
  - name: peak
    peak: {partition_key: NYC, rates: [400, 2500], each: 1s, hold: false,
      operations: [{verb: get, weight: 3}, {verb: insert}]}
retry: none
`

// driven runs the scenario by one of the drivers, over HTTP in memory, and holds its
// books to those of the server.
func driven(t *testing.T, name string, runner func(*drive.Live, *azure.NetHTTP) drive.Runner) *results.Record {
	var record *results.Record
	synctest.Test(t, func(t *testing.T) {
		s := must(scenarios.Parse("twice.yaml", []byte(offered)))
		clk := clock.NewReal()
		m := openInMemory(t, azure.Options{AskCounted: true, Connections: s.Workers})
		campaign := must(campaign.NewCampaign(campaign.Options{Scenario: s, Table: "twice"}))
		folder := new(results.Memory)
		recorder := must(results.NewRecorder(folder, results.Manifest{Operations: campaign.Kinds()}))
		other := m.NetHTTP()
		live := &drive.Live{Clock: clk, Target: m.Target, Workers: s.Workers}
		require.NoErrorf(t, campaign.Run(t.Context(), runner(live, other), &drive.Ledger{Recorder: recorder}), "%s: Run", name)
		counts := results.TargetCounts(m.Counts())
		require.NoError(t, recorder.Finish(clk.Now().Offset(), results.Valid, nil, &counts))
		other.Close()
		record = must(results.Read(folder))
		sum := record.Total(results.Everything)
		assert.Truef(t, sum.Scheduled == sum.Sent+sum.Dropped && sum.Attempts == sum.Ok+sum.Throttled+sum.Failed &&
			sum.Attempts == counts.Requests && sum.Counted == counts.Entities && sum.Failed <= 0,
			"%s: %+v, and the server counted %+v; want books that close, and nothing failed", name, sum, counts)
	})
	return record
}

// middle returns the median of a histogram, 0 of an empty one.
func middle(h *results.Histogram) time.Duration {
	micros, _ := h.Quantile(.5)
	return time.Duration(micros) * time.Microsecond
}

// Both drivers come to the same counts and the same times, of a load that the
// partition holds and of one that it does not.
func TestBothDriversAgree(t *testing.T) {
	native := driven(t, "native", func(l *drive.Live, _ *azure.NetHTTP) drive.Runner { return l })
	second := driven(t, "vegeta", func(l *drive.Live, n *azure.NetHTTP) drive.Runner {
		return &drive.Vegeta{Live: l, Wire: n, Epoch: l.Clock.(clock.Real).Started()}
	})
	for _, name := range []string{"peak 400/s", "peak 2500/s"} {
		of := func(p *results.Phase, _ results.Kind) bool { return p.Name == name }
		a, b := native.Total(of), second.Total(of)
		t.Logf("%s: scheduled %d, sent %d, ok %d and %d; service p50 %v and %v, response p50 %v and %v", name, a.Scheduled, a.Sent,
			a.Ok, b.Ok, middle(a.Service[results.Ok]), middle(b.Service[results.Ok]), middle(a.Response), middle(b.Response))
		if a.Scheduled == 0 || a.Scheduled != b.Scheduled || a.Sent != b.Sent || a.Dropped != b.Dropped || a.Ok != b.Ok || a.Throttled != b.Throttled {
			t.Errorf("%s: %+v, by vegeta %+v; want the same counts", name, a, b)
		}
		for what, pair := range map[string][2]*results.Histogram{
			"service": {a.Service[results.Ok], b.Service[results.Ok]}, "response": {a.Response, b.Response},
		} {
			one, other := middle(pair[0]), middle(pair[1])
			assert.Truef(t, one != 0 && (one-other).Abs() <= one/50,
				"%s: %s p50 = %v, by vegeta %v; want them within 2 %%", name, what, one, other)
		}
	}
	if sum := second.Total(results.Reported); sum.Throttled == 0 || sum.Cut != 0 {
		t.Errorf("%d were refused, %d cut; want some refused and none cut", sum.Throttled, sum.Cut)
	}
}
