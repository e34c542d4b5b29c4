package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
)

// ofEngine is the embedded engine, called directly.
const ofEngine = "engine"

// The requests to the engine in process.
const (
	whatUpsert    = "upsert"
	whatPointRead = "get"
	whatScanPage  = "page of 1,000"
	whatMemory    = "live memory"
)

// The sizes of tables, in entities of [entityBytes]; the largest is of small ones.
var sizes = [...]int{1e4, 1e5, 1e6}

const (
	largeSize  = 10_000_000
	largeBytes = 100
	// rowsEach is how many rows a partition has.
	rowsEach = 1000
	// goroutinesAt is the size at which goroutines are varied.
	goroutinesAt = 1e5
)

// filled is an engine with a number of entities.
type filled struct {
	engine   *engine.Engine
	entities int
	bytes    int
	live     uint64
}

// fill fills an engine and measures what that takes of memory once the garbage is gone.
func (b *bench) fill(ctx context.Context, entities, bytes int) (*filled, error) {
	b.Tell(fmt.Sprintf("%s: filling %s", GroupEngine, sizeName(entities)))
	unlimited, err := model.New(model.Off)
	if err != nil {
		return nil, err
	}
	before := heap()
	f := &filled{entities: entities, bytes: bytes, engine: engine.New(engine.Options{Model: unlimited, Accounts: []string{bareAccount}, Calendar: b.Clock})}
	now := b.Clock.Now()
	if got := f.engine.Submit(now, &engine.Request{Account: bareAccount, Table: benchTable, Verb: entity.CreateTable}); got.Code != entity.OK {
		return nil, fmt.Errorf("%s %s", got.Code, got.Detail)
	}
	changes := make([]entity.Change, batchRows)
	for from := 0; from < entities; from += batchRows {
		for i := range changes {
			changes[i] = entity.Change{Verb: entity.Insert, Key: f.key(uint64(from + i)), Properties: shape(uint64(from+i), bytes)}
		}
		if got := f.engine.Submit(now, &engine.Request{Account: bareAccount, Table: benchTable, Verb: entity.Batch, Changes: changes}); got.Code != entity.OK {
			return nil, fmt.Errorf("%s %s", got.Code, got.Detail)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	clear(changes)
	f.live = heap() - before
	return f, nil
}

// heap is how many bytes of objects are alive.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// key is that of entity n: a thousand of them to a partition.
func (f *filled) key(n uint64) entity.Key {
	return entity.Key{Partition: fmt.Sprintf("p%06d", n/rowsEach), Row: fmt.Sprintf("%03d", n%rowsEach)}
}

// prepared is what a goroutine asks for: keys and entities that are made before it is measured.
const preparedKeys = 4096

// requests returns what goroutines do, each over keys that are drawn.
func (f *filled) requests(clk clock.Real, what string) doing {
	keys := make([]entity.Key, preparedKeys)
	drawn := clock.NewStream(1, "bench/keys")
	for i := range keys {
		draw := drawn.Draw(uint64(i))
		keys[i] = f.key(draw.Uint64() % uint64(f.entities))
	}
	properties := shape(1, f.bytes)
	requests := sync.Pool{New: func() any { return new(engine.Request) }}
	return func(lane int, number uint64) error {
		key := keys[(number*31+uint64(lane)*977)%preparedKeys]
		r := requests.Get().(*engine.Request)
		defer requests.Put(r)
		*r = engine.Request{Account: bareAccount, Table: benchTable, Number: number, Change: &entity.Change{Key: key}}
		want := 0
		switch what {
		case whatUpsert:
			r.Verb, r.Change.Verb, r.Change.Properties = entity.InsertOrReplace, entity.InsertOrReplace, properties
		case whatPointRead:
			r.Verb, r.Change.Verb = entity.Get, entity.Get
		default:
			r.Verb, r.Query, want = entity.Query, engine.Query{Range: filter.OnePartition(key.Partition)}, rowsEach
		}
		if got := f.engine.Submit(clk.Now(), r); got.Code != entity.OK || len(got.Rows) != want {
			return fmt.Errorf("%s: %s %s, %d rows", r.Verb, got.Code, got.Detail, len(got.Rows))
		}
		return nil
	}
}

// engine measures the engine by goroutines, and by how much it holds.
func (b *bench) engine(ctx context.Context) error {
	list := sizes[:]
	if b.Quick {
		list = list[:2]
	}
	var tables []*filled
	for _, size := range list {
		f, err := b.fill(ctx, size, entityBytes)
		if err != nil {
			return err
		}
		tables = append(tables, f)
		b.remembered(f)
	}
	var cells []cell
	for _, what := range []struct {
		name string
		per  int
	}{{whatUpsert, 0}, {whatPointRead, 0}, {whatScanPage, rowsEach}} {
		for _, f := range tables {
			cells = append(cells, b.asking(f, what.name, what.per, 1, sizeName(f.entities)))
		}
		for _, n := range goroutines() {
			cells = append(cells, b.asking(tables[slices.Index(list, goroutinesAt)], what.name, what.per, n, fmt.Sprintf("%s, %d goroutines", sizeName(goroutinesAt), n)))
		}
	}
	if err := b.rounds(ctx, cells); err != nil || !b.Large {
		return err
	}
	tables = nil
	f, err := b.fill(ctx, largeSize, largeBytes)
	if err != nil {
		return err
	}
	b.remembered(f)
	return b.rounds(ctx, []cell{b.asking(f, whatUpsert, 0, 1, largeName), b.asking(f, whatPointRead, 0, 1, largeName), b.asking(f, whatScanPage, rowsEach, 1, largeName)})
}

// largeName names the large table, whose entities are small.
const largeName = "10⁷ entities of 100 B"

// goroutines are how many ask at once, two and more: up to twice the cores.
func goroutines() []int {
	var list []int
	for n := 2; n <= 2*runtime.GOMAXPROCS(0) && runtime.GOMAXPROCS(0) > 1; n *= 2 {
		list = append(list, n)
	}
	return list
}

func (b *bench) asking(f *filled, what string, per, goroutines int, at string) cell {
	thing := ""
	if per > 0 {
		thing = "row"
	}
	do := f.requests(b.Clock, what)
	return cell{Cell: Cell{GroupEngine, what, at, ofEngine}, per: per, thing: thing, run: func(ctx context.Context) (reading, error) {
		return measureHere(ctx, b.Clock, goroutines, slice, do)
	}}
}

// remembered writes down what a table takes of memory.
func (b *bench) remembered(f *filled) {
	at := sizeName(f.entities) + " of 1 KiB"
	if f.bytes != entityBytes {
		at = largeName
	}
	b.report.add(Figure{Cell: Cell{GroupEngine, whatMemory, at, ofEngine}, Unit: "MB"}, []float64{float64(f.live) / 1e6})
}
