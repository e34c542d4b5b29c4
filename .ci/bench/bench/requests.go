package bench

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// What the servers hold: a table with one partition of a thousand entities whose JSON is about 1 KiB,
// from which a scan picks one in a hundred.
const (
	benchTable   = "bench"
	pageKey      = "2011 New York City Marathon__Full"
	pageRows     = 1000
	batchRows    = 100
	pickedOfPage = pageRows / 100
	entityBytes  = 1024
)

// The operations on servers, as figures name them.
const (
	whatInsert = "insert"
	whatGet    = "get"
	whatBatch  = "transaction of 100"
	whatPage   = "page of 1,000"
	whatScan   = "filter scan of 1,000"
)

// requests makes the operations of one server, whose entities it numbers.
type requests struct {
	to       target.Target
	inserted atomic.Uint64
	filtered target.Query
	shape    []entity.Property
	// again repeats a request that met a closed connection: a server of Node's closes
	// what was idle for 5 s, and a busy machine may take the second that the client leaves.
	again bool
}

func newRequests(to target.Target) (*requests, error) {
	filtered, err := target.Filtered("PartitionKey eq '" + pageKey + "' and Distance eq 7")
	if err != nil {
		return nil, err
	}
	return &requests{to: to, filtered: filtered, shape: shape(0, entityBytes)}, nil
}

// rowKey is the key of a row; some of its letters are escaped in a path.
func rowKey(n uint64) string { return fmt.Sprintf("%08d__Kim__F__37", n) }

// shape are the properties of an entity whose JSON has about the given number of bytes, most of them text
// that is another one in each entity.
func shape(number uint64, bytes int) []entity.Property {
	const others, keys = 324, 52 // what the rest comes to, what the keys alone do
	if bytes <= others {
		return []entity.Property{{Name: "Notes", Value: entity.String(filler(number, max(1, bytes-keys)))}}
	}
	return []entity.Property{
		{Name: "Distance", Value: entity.Int32(int32(number % 100))},
		{Name: "Fee", Value: entity.Double(255.5)},
		{Name: "Paid", Value: entity.Int64(9_007_199_254_740_993)},
		{Name: "Fast", Value: entity.Boolean(true)},
		{Name: "Born", Value: entity.DateTime(630822816000000000)},
		{Name: "Notes", Value: entity.String(filler(number, bytes-others))},
	}
}

// filler is incompressible text of the given length.
func filler(number uint64, letters int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
	var text strings.Builder
	text.Grow(letters)
	state := number + 0x9E3779B97F4A7C15
	for range letters {
		// SplitMix64 (Steele, Lea and Flood 2014), one step a letter.
		state += 0x9E3779B97F4A7C15
		z := (state ^ state>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		text.WriteByte(alphabet[(z^z>>31)%uint64(len(alphabet))])
	}
	return text.String()
}

// furnish makes the table and the partition that is read, in transactions.
func (r *requests) furnish(ctx context.Context) error {
	if err := r.send(ctx, &target.Operation{Verb: entity.CreateTable, Table: benchTable}, 0); err != nil {
		return err
	}
	for from := 0; from < pageRows; from += batchRows {
		op := target.Operation{Verb: entity.Batch, Table: benchTable, Number: uint64(from)}
		for n := uint64(from); n < uint64(from+batchRows); n++ {
			op.Changes = append(op.Changes, entity.Change{Verb: entity.Insert,
				Key: entity.Key{Partition: pageKey, Row: rowKey(n)}, Properties: shape(n, entityBytes)})
		}
		if err := r.send(ctx, &op, 0); err != nil {
			return err
		}
	}
	return nil
}

// send sends an operation that has to succeed, and to return the given number of entities if that is not 0.
func (r *requests) send(ctx context.Context, op *target.Operation, want int64) error {
	got := r.to.Do(ctx, op)
	if r.again && (got.Fault == target.ConnectionReset || got.Fault == target.ConnectionClosed) {
		got = r.to.Do(ctx, op)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case got.Class(target.Expected{}) != results.Ok:
		return fmt.Errorf("%s: %d %s %s %s", op.Verb, got.Status, got.Code, got.Fault, got.Detail)
	case want > 0 && got.Returned != want:
		return fmt.Errorf("%s: %d entities returned; want %d", op.Verb, got.Returned, want)
	default:
		return nil
	}
}

// doing is what lanes do, each in turn with a number.
type doing func(lane int, number uint64) error

// named returns a function that performs an operation over a number of lanes.
func (r *requests) named(ctx context.Context, what string, lanes int) doing {
	switch what {
	case whatInsert:
		return func(lane int, number uint64) error {
			op := target.Operation{Verb: entity.Insert, Table: benchTable, Number: number}
			op.Change = entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: laneKey(lane), Row: rowKey(r.inserted.Add(1))}, Properties: r.shape}
			return r.send(ctx, &op, 0)
		}
	case whatGet:
		return func(_ int, number uint64) error {
			op := target.Operation{Verb: entity.Get, Table: benchTable, Number: number}
			op.Change = entity.Change{Verb: entity.Get, Key: entity.Key{Partition: pageKey, Row: rowKey(7)}}
			return r.send(ctx, &op, 1)
		}
	case whatBatch:
		changes := make([][]entity.Change, lanes)
		for lane := range changes {
			changes[lane] = upserts(lane)
		}
		return func(lane int, number uint64) error {
			return r.send(ctx, &target.Operation{Verb: entity.Batch, Table: benchTable, Number: number, Changes: changes[lane]}, 0)
		}
	case whatPage:
		return func(_ int, number uint64) error {
			return r.send(ctx, &target.Operation{Verb: entity.Query, Table: benchTable, Number: number, Query: target.OnePartition(pageKey)}, pageRows)
		}
	default:
		return func(_ int, number uint64) error {
			return r.send(ctx, &target.Operation{Verb: entity.Query, Table: benchTable, Number: number, Query: r.filtered}, pickedOfPage)
		}
	}
}

func laneKey(lane int) string { return fmt.Sprintf("2011 Berlin Marathon__%02d", lane) }

// upserts are those of a transaction: the same entities again and again, so that the table does
// not grow with how fast it is.
func upserts(lane int) []entity.Change {
	var changes []entity.Change
	for n := range uint64(batchRows) {
		changes = append(changes, entity.Change{Verb: entity.InsertOrReplace,
			Key: entity.Key{Partition: laneKey(lane) + "__all", Row: rowKey(n)}, Properties: shape(n, entityBytes)})
	}
	return changes
}
