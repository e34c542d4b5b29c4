package azure_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/wire"
	"loadgen/target"
	"loadgen/target/azure"
	"loadgen/target/targettest"
)

const (
	embeddedAccount = "races"
	embeddedKey     = "c2VjcmV0c2VjcmV0c2VjcmV0"
)

// embedded is an engine behind a socket of this machine, with a client of it.
type embedded struct {
	*azure.Target
	handler *rest.Handler
	// url is that of the account.
	url string
}

// Counts implements target.Counter with the books of the server.
func (e *embedded) Counts() target.Counts { return target.Counts(e.handler.Counts()) }

// openEmbedded serves an engine of a profile until the test ends. A scheme of 0
// is the client's own choice.
func openEmbedded(t testing.TB, profile string, scheme wire.SigningScheme, asked bool, by ...azure.Client) *embedded {
	t.Helper()
	m, err := model.New(profile)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := wire.NewSecret(embeddedKey)
	if err != nil {
		t.Fatal(err)
	}
	clk := clock.NewReal()
	e := engine.New(engine.Options{Model: m, Accounts: []string{embeddedAccount}, Calendar: clk, Seed: 1})
	handler, err := rest.New(rest.Options{Engine: e, Clock: clk, Calendar: clk,
		Accounts: []rest.Account{{Name: embeddedAccount, Secret: secret}}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := rest.Listen(rest.ListenOptions{Address: "127.0.0.1:0", Handler: handler})
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := azure.ParseURL(server.URL()+"/"+embeddedAccount, "", secret)
	if err != nil {
		t.Fatal(err)
	}
	client, err := azure.New(azure.Options{Endpoint: endpoint, Scheme: scheme, Connections: 16, AskCounted: asked,
		Clock: clk, Calendar: clk, RunID: "test", Client: append(by, azure.Native)[0]})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := server.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &embedded{client, handler, server.URL() + "/" + embeddedAccount}
}

func TestConformsOverHTTP(t *testing.T) {
	for _, row := range []struct {
		sentence, profile string
		scheme            wire.SigningScheme
		asked             bool
	}{
		{"documented limits, entities told by the engine", model.Documented, wire.SharedKeyLite, true},
		{"documented limits, entities derived", model.Documented, wire.SharedKeyLite, false},
		{"no limits, signed the long way", model.Off, wire.SharedKey, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			e := openEmbedded(t, row.profile, row.scheme, row.asked)
			number := 0
			targettest.Run(t, func(*testing.T) targettest.Subject {
				number++
				subject := targettest.Live(e)
				subject.Unlimited, subject.Derived = row.profile == model.Off, !row.asked
				if !row.asked {
					// A range of keys that begins within one partition and ends in
					// another has the service read the whole table, of which the
					// client is told nothing.
					subject.Counts = nil
				}
				subject.Prefix = fmt.Sprintf("conform%d", number)
				return subject
			})
		})
	}
}

// The fault wrapper around the client passes, too; its plan is empty.
func TestConformsThroughTheFaultWrapper(t *testing.T) {
	e := openEmbedded(t, model.Off, 0, true)
	clk := clock.NewReal()
	targettest.Run(t, func(t *testing.T) targettest.Subject {
		subject := targettest.Live(target.WrapFaults(e, engine.FaultPlan{}, 1, clk))
		subject.Counts, subject.Unlimited = nil, true
		return subject
	})
}

// walk draws operations on a few keys, so that they meet one another.
func walk(rng *rand.Rand, number uint64, version entity.Ticks) *target.Operation {
	verbs := []entity.Verb{entity.Insert, entity.InsertOrReplace, entity.Replace, entity.Merge, entity.InsertOrMerge,
		entity.Delete, entity.Get, entity.Batch, entity.Query, entity.Query, entity.CreateTable, entity.DeleteTable}
	op := &target.Operation{Verb: verbs[rng.IntN(len(verbs))], Table: "Registrations", Number: number}
	if op.Verb == entity.DeleteTable && rng.IntN(10) > 0 {
		op.Verb = entity.Query
	}
	key := func() entity.Key {
		return entity.Key{Partition: string(rune('p' + rng.IntN(3))), Row: fmt.Sprintf("%03d", rng.IntN(100))}
	}
	change := func(verb entity.Verb, k entity.Key) entity.Change {
		c := entity.Change{Verb: verb, Key: k}
		if verb != entity.Delete {
			c.Properties = []entity.Property{{Name: "Number", Value: entity.Int64(int64(number))}, {Name: "Zoë", Value: entity.Double(3)}}
		}
		switch verb {
		case entity.Replace, entity.Merge, entity.Delete:
			if c.Match = entity.MatchAny; rng.IntN(3) == 0 {
				c.Match = entity.MatchExactly(version)
			}
		}
		return c
	}
	switch op.Verb {
	case entity.Batch:
		k := key()
		for i := range 1 + rng.IntN(40) {
			k.Row = fmt.Sprintf("%03d", i+rng.IntN(3))
			op.Changes = append(op.Changes, change([]entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge, entity.Insert}[rng.IntN(3)], k))
		}
	case entity.Query:
		ranges := []filter.Range{filter.All(), filter.OnePartition(key().Partition), filter.RowsFrom("q", "050"),
			filter.Rows("p", "010", "020"), filter.RowPrefix("r", "00"), filter.Point("p", "007"), filter.PartitionRange("p", "r")}
		op.Query = target.Query{Range: ranges[rng.IntN(len(ranges))], Top: rng.IntN(50)}
	case entity.CreateTable, entity.DeleteTable:
	default:
		op.Change = change(op.Verb, key())
		if rng.IntN(50) == 0 {
			op.Change.Key.Row = "no/slash"
		}
	}
	return op
}

// What the engine tells and what the documented rule derives are the same, for
// whatever a client can send, success or failure.
func TestDerivedCountsAreWhatTheEngineTells(t *testing.T) {
	statuses := map[int]int{}
	for seed := range uint64(4) {
		told, derived := openEmbedded(t, model.Off, 0, true), openEmbedded(t, model.Off, 0, false)
		rng := rand.New(rand.NewPCG(seed, 0))
		var version entity.Ticks
		for number := range uint64(400) {
			op := walk(rng, number, version)
			a, b := told.Do(t.Context(), op), derived.Do(t.Context(), op)
			if a.Status != b.Status || a.Counted != b.Counted || a.Returned != b.Returned {
				t.Fatalf("seed %d, operation %d, %v: told %d (status %d, %d returned), derived %d (status %d, %d returned)",
					seed, number, op.Verb, a.Counted, a.Status, a.Returned, b.Counted, b.Status, b.Returned)
			}
			if a.Status == 0 {
				t.Fatalf("seed %d, operation %d, %v: %s", seed, number, op.Verb, a.Detail)
			}
			statuses[a.Status]++
			if a.Version != 0 && a.Version == b.Version {
				version = a.Version
			}
		}
		if a, b := told.Counts(), derived.Counts(); a != b {
			t.Errorf("seed %d: the two servers counted %+v and %+v", seed, a, b)
		}
	}
	for _, status := range []int{200, 202, 204, 400, 404, 409, 412} {
		if statuses[status] == 0 {
			t.Errorf("no status %d among %v: the walk shows too little", status, statuses)
		}
	}
}
