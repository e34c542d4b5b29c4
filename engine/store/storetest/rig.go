package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
)

// rig plays random requests to a store and to the naive one.
type rig struct {
	t     *testing.T
	rng   *rand.Rand
	store engine.Store
	again func(engine.Store) engine.Store
	naive *naive
	at    entity.Ticks
	label string
}

func pick[T any](r *rig, from []T) T { return from[r.rng.IntN(len(from))] }

func (r *rig) key() entity.Key {
	return entity.Key{Partition: pick(r, partitionKeys), Row: pick(r, rowKeys)}
}

func (r *rig) properties() []entity.Property {
	values := []entity.Value{
		entity.Int32(r.rng.Int32()), entity.String(strings.Repeat("é", r.rng.IntN(9))), entity.Boolean(true),
		entity.Double(r.rng.Float64()), entity.Int64(r.rng.Int64()), entity.GUID([16]byte{byte(r.at)}),
	}
	var properties []entity.Property
	for _, i := range r.rng.Perm(6)[:r.rng.IntN(5)] {
		properties = append(properties, entity.Property{Name: fmt.Sprintf("P%d", i), Value: pick(r, values)})
	}
	return properties
}

func (r *rig) change(table string, k entity.Key) entity.Change {
	c := entity.Change{Verb: entity.Insert + entity.Verb(r.rng.IntN(6)), Key: k, Properties: r.properties()}
	if c.Verb == entity.Replace || c.Verb == entity.Merge || c.Verb == entity.Delete {
		now := r.naive.tables[strings.ToLower(table)][k].version
		c.Match = pick(r, []entity.Match{
			entity.MatchAny, entity.MatchAny, entity.MatchExactly(now), entity.MatchExactly(now - 1), entity.MatchExactly(r.at)})
	}
	return c
}

// checkVersion holds that a version never repeats, never stands before the
// instant of the write, and is that instant where nothing stands against it.
func (r *rig) checkVersion(table string, c *entity.Change, version entity.Ticks) {
	if c.Verb == entity.Delete {
		require.Truef(r.t, version == 0, "%s: version after a delete = %d; want 0", r.label, version)
		return
	}
	newest, all := r.naive.newest[strings.ToLower(table)], entity.Ticks(0)
	for _, v := range newest {
		all = max(all, v)
	}
	unhindered := r.at
	if unhindered%10 == 0 {
		unhindered++
	}
	if version <= newest[c.Key] || version < r.at || version%10 == 0 || r.at > all && version != unhindered {
		r.t.Fatalf("%s: version of %+v written at %d = %d; want it after %d, with a last digit, and %d if it is past %d",
			r.label, c.Key, r.at, version, newest[c.Key], unhindered, all)
	}
}

func (r *rig) apply(table string) {
	c := r.change(table, r.key())
	want := r.naive.possible(table, &c)
	if r.rng.IntN(20) == 0 {
		c.Key.Row, want = "a/b", entity.OutOfRangeInput
	}
	got := r.store.Apply(table, &c, r.at)
	require.Truef(r.t, got.Code == want && (got.Detail == "") == (want == entity.OK),
		"%s: Apply(%s, %+v) = %+v; want %q", r.label, table, c, got, want)
	if want == entity.OK {
		r.checkVersion(table, &c, got.Version)
		r.naive.carryOut(table, &c, got.Version)
	}
}

func (r *rig) applyBatch(table string) {
	pk := pick(r, partitionKeys)
	var changes []entity.Change
	for _, i := range r.rng.Perm(len(rowKeys))[:1+r.rng.IntN(5)] {
		changes = append(changes, r.change(table, entity.Key{Partition: pk, Row: rowKeys[i]}))
	}
	want, index := entity.OK, 0
	for i := range changes {
		if want = r.naive.possible(table, &changes[i]); want != entity.OK {
			index = i
			break
		}
	}
	if r.rng.IntN(20) == 0 {
		changes = append(changes, changes[0])
		want, index = entity.InvalidDuplicateRow, len(changes)-1
	}
	got := r.store.ApplyBatch(table, changes, r.at)
	require.Truef(r.t, got.Code == want && got.FailedIndex == index && (got.Versions != nil) == (want == entity.OK),
		"%s: ApplyBatch(%s, %+v) = %+v; want %q at %d", r.label, table, changes, got, want, index)
	for i, version := range got.Versions {
		r.checkVersion(table, &changes[i], version)
	}
	for i, version := range got.Versions {
		r.naive.carryOut(table, &changes[i], version)
	}
}

func (r *rig) get(table string) {
	k, want := r.key(), entity.OK
	stored, exists := r.naive.tables[strings.ToLower(table)][k]
	switch {
	case r.naive.tables[strings.ToLower(table)] == nil:
		want = entity.TableNotFound
	case !exists:
		want = entity.ResourceNotFound
	}
	got, code := r.store.Get(table, k)
	if code != want || want == entity.OK && !slices.Equal(got, entity.Pack(nil, stored.version, stored.properties)) {
		r.t.Fatalf("%s: Get(%s, %+v) = %q, %q; want %+v, %q", r.label, table, k, got, code, stored, want)
	}
}

func (r *rig) query() store.Query {
	a, b := r.key(), r.key()
	q := store.Query{Range: pick(r, []filter.Range{
		filter.WholeTable(), filter.WholeTable().StartingAt(a), filter.PartitionRange(a.Partition, b.Partition), filter.OnePartition(a.Partition),
		filter.Rows(a.Partition, a.Row, b.Row), filter.RowsFrom(a.Partition, a.Row), filter.RowPrefix(a.Partition, a.Row),
		filter.Point(a.Partition, a.Row), {From: a, To: b, Bounded: true},
	})}
	q.Top = pick(r, []int{0, 1, 3, 7, 5000})
	q.ScanLimit = pick(r, []int{0, 0, 1, 4, 10})
	if r.rng.IntN(3) == 0 {
		q.Keep = func(k entity.Key, _ entity.Packed) bool { return len(k.Row)%2 == 0 }
	}
	return q
}

// scan reads a query to its end, page by page.
func (r *rig) scan(table string) {
	q := r.query()
	if r.naive.tables[strings.ToLower(table)] == nil {
		if _, code := r.store.Scan(table, q); code != entity.TableNotFound {
			r.t.Fatalf("%s: Scan(%s) = %q; want %q", r.label, table, code, entity.TableNotFound)
		}
		return
	}
	for {
		keys, want := r.naive.scan(table, q)
		got, code := r.store.Scan(table, q)
		if code != entity.OK || got.Scanned != want.Scanned || !slices.Equal(got.Spans, want.Spans) ||
			got.Next != want.Next || got.More != want.More || len(got.Rows) != len(keys) {
			r.t.Fatalf("%s: Scan(%s, %+v) = %+v, %q; want %+v with %q", r.label, table, q, got, code, want, keys)
		}
		for i, row := range got.Rows {
			stored := r.naive.tables[strings.ToLower(table)][keys[i]]
			if row.Key != keys[i] || !slices.Equal(row.Entity, entity.Pack(nil, stored.version, stored.properties)) {
				r.t.Fatalf("%s: Scan(%s, %+v) row %d = %+v; want %+v of %+v", r.label, table, q, i, row, stored, keys[i])
			}
		}
		if !got.More {
			return
		}
		q.Range = q.Range.StartingAt(got.Next)
	}
}

func (r *rig) step() {
	// Time stands still now and then, and once in a while goes back.
	r.at += pick(r, []entity.Ticks{0, 0, 1, 3, 1000, -5})
	table := pick(r, tableNames[:4])
	switch n := r.rng.IntN(100); {
	case n < 50:
		r.apply(table)
	case n < 65:
		r.applyBatch(table)
	case n < 80:
		r.get(pick(r, tableNames))
	case n < 95:
		r.scan(pick(r, tableNames))
	case n < 96:
		r.note(pick(r, append([]string{""}, tableNames...)))
	case n < 98:
		got, want := r.store.CreateTable(table), r.naive.create(table)
		require.Truef(r.t, got == want, "%s: CreateTable(%s) = %q; want %q", r.label, table, got, want)
	case n < 99:
		got, want := r.store.DeleteTable(table, 0, 0), r.naive.drop(table)
		require.Truef(r.t, got == want, "%s: DeleteTable(%s) = %q; want %q", r.label, table, got, want)
	default:
		if r.again != nil {
			r.store = r.again(r.store)
		}
		r.compareWhole(table)
	}
}

func (r *rig) note(table string) {
	text := pick(r, []string{"", "a", "<b/>"})
	got, want := r.store.SetNote(table, []byte(text)), r.naive.note(table, text)
	require.Truef(r.t, got == want, "%s: SetNote(%q) = %q; want %q", r.label, table, got, want)
}

func (r *rig) compareWhole(table string) {
	entities := r.naive.tables[strings.ToLower(table)]
	got, want := r.store.Count(table), int64(len(entities))
	require.Truef(r.t, got == want, "%s: Count(%s) = %d; want %d", r.label, table, got, want)
	for _, name := range []string{"", table} {
		got, want := string(r.store.Note(name)), r.naive.notes[strings.ToLower(name)]
		require.Truef(r.t, got == want, "%s: Note(%q) = %q; want %q", r.label, name, got, want)
	}
	if got, want := r.store.HasTable(table), entities != nil; got != want {
		r.t.Fatalf("%s: HasTable(%s) = %v; want %v", r.label, table, got, want)
	}
	if entities == nil {
		return
	}
	known := map[string]bool{}
	for k := range entities {
		known[k.Partition] = true
	}
	if got := partitions(r.store, table, len(known)); got != len(known) {
		r.t.Fatalf("%s: directory of %s holds %d partitions; want %d", r.label, table, got, len(known))
	}
}

// Model plays seeds times a thousand random requests to a store and to a map, sorted when
// asked, and compares every answer. Again, where it is not nil, closes a store and opens
// it anew, which changes nothing.
func Model(t *testing.T, seeds int, open Opener, again func(engine.Store) engine.Store) {
	t.Helper()
	for seed := range uint64(seeds) {
		r := &rig{t: t, rng: rand.New(rand.NewPCG(seed, 1)), store: open(t), again: again, naive: newNaive(), at: 636396960326680946}
		r.store.CreateTable("Races")
		r.naive.create("Races")
		for n := range 1000 {
			r.label = fmt.Sprintf("seed %d, request %d", seed, n)
			r.step()
		}
		for _, table := range tableNames {
			r.compareWhole(table)
		}
		names := r.store.TableNames()
		if len(names) != len(r.naive.names) {
			t.Fatalf("seed %d: TableNames() = %q; want %q", seed, names, r.naive.names)
		}
		for _, name := range names {
			if r.naive.names[strings.ToLower(name)] != name {
				t.Fatalf("seed %d: TableNames() = %q; want %q", seed, names, r.naive.names)
			}
		}
	}
}
