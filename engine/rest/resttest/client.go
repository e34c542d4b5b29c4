package resttest

import (
	"cmp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// Client sends operations to one account. It is safe for concurrent use.
type Client struct {
	*azure.Target
	t      testing.TB
	number atomic.Uint64
	closed sync.Once
}

// NewClient returns a client. Clock defaults to real time, Connections to 16.
func NewClient(t testing.TB, at azure.Endpoint, o azure.Options) *Client {
	t.Helper()
	if clk := clock.NewReal(); o.Clock == nil {
		o.Clock, o.Calendar = clk, clk
	}
	o.Endpoint, o.RunID, o.Connections = at, cmp.Or(o.RunID, "test"), cmp.Or(o.Connections, 16)
	client, err := azure.New(o)
	require.NoError(t, err)
	c := &Client{Target: client, t: t}
	t.Cleanup(c.Close)
	return c
}

// Close closes the client. It may be called more than once.
func (c *Client) Close() { c.closed.Do(c.Target.Close) }

// Dial returns a client for a connection string that requests the number of counted entities.
func Dial(t testing.TB, connection string) *Client {
	t.Helper()
	endpoint, err := azure.ParseConnectionString(connection)
	require.NoErrorf(t, err, "ParseConnectionString(%q)", connection)
	return NewClient(t, endpoint, azure.Options{AskCounted: true})
}

// Write returns an operation on one entity or on a table.
func Write(verb entity.Verb, table, partition, row string, properties ...entity.Property) *target.Operation {
	op := &target.Operation{Verb: verb, Table: table,
		Change: entity.Change{Verb: verb, Key: entity.Key{Partition: partition, Row: row}, Properties: properties}}
	if verb == entity.Delete {
		op.Change.Match = entity.MatchAny
	}
	return op
}

// Send sends an operation with the next number.
func (c *Client) Send(op *target.Operation) target.Outcome {
	op.Number = c.number.Add(1)
	return c.Do(c.t.Context(), op)
}

// Try sends the operation that [Write] returns.
func (c *Client) Try(verb entity.Verb, table, partition, row string, properties ...entity.Property) target.Outcome {
	return c.Send(Write(verb, table, partition, row, properties...))
}

// Must is like Try but fails the test unless the operation succeeds.
func (c *Client) Must(verb entity.Verb, table, partition, row string, properties ...entity.Property) target.Outcome {
	c.t.Helper()
	got := c.Try(verb, table, partition, row, properties...)
	require.Truef(c.t, got.Code == entity.OK && got.Status != 0,
		"%v of %s %q %q = %d %s %s; want success", verb, table, partition, row, got.Status, got.Code, got.Detail)
	return got
}
