package entity_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

// registration is an entity of ten properties and about 1 KiB.
func registration() []entity.Property {
	return []entity.Property{
		{"Name", entity.String("Kim Tanaka")},
		{"Bib", entity.Int32(12345)},
		{"Age", entity.Int32(37)},
		{"Paid", entity.Boolean(true)},
		{"Fee", entity.Double(79.5)},
		{"Registered", entity.DateTime(636396960326680946)},
		{"Ticket", entity.GUID([16]byte{0xDD, 0x3C, 15: 1})},
		{"Club", entity.String("Zürich Runners")},
		{"Chip", entity.Int64(5_432_873_627_392)},
		{"Notes", entity.String(strings.Repeat("the course is closed at six; ", 30))},
	}
}

// randomValue draws a value of any type, at its limits too.
func randomValue(rng *rand.Rand) entity.Value {
	switch kind := entity.Type(1 + rng.IntN(8)); kind {
	case entity.TypeString:
		return entity.String(strings.Repeat("é\U0001F3C3x", rng.IntN(60)))
	case entity.TypeBinary:
		return entity.Binary(bytes.Repeat([]byte{0xFF, 0}, rng.IntN(80)))
	case entity.TypeBoolean:
		return entity.Boolean(rng.IntN(2) == 0)
	case entity.TypeDateTime:
		return entity.DateTime(entity.Ticks(rng.Int64()))
	case entity.TypeDouble:
		return entity.Double(math.Float64frombits(rng.Uint64()))
	case entity.TypeGUID:
		return entity.GUID([16]byte{byte(rng.Uint32()), 15: byte(rng.Uint32())})
	case entity.TypeInt32:
		return entity.Int32(int32(rng.Uint32()) >> rng.IntN(32))
	default:
		return entity.Int64(int64(rng.Uint64()) >> rng.IntN(64))
	}
}

func randomProperties(rng *rand.Rand, most int) []entity.Property {
	properties := make([]entity.Property, 0, most)
	for _, i := range rng.Perm(most)[:rng.IntN(most+1)] {
		properties = append(properties, entity.Property{Name: fmt.Sprintf("P%d", i), Value: randomValue(rng)})
	}
	return properties
}

// walked returns what a cursor finds.
func walked(p entity.Packed) (all []entity.Property, err error) {
	c := p.Cursor()
	for next := (entity.Property{}); c.Next(&next); {
		all = append(all, next)
	}
	return all, c.Err()
}

func TestPackRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for run := range 300 {
		want := randomProperties(rng, 1+run%entity.MaxProperties)
		ticks := entity.Ticks(rng.Uint64())
		packed := entity.Pack(nil, ticks, want)
		require.Equalf(t, ticks, packed.Timestamp(), "run %d: Timestamp()", run)
		got, err := packed.Unpack(nil)
		require.Truef(t, err == nil && slices.Equal(got, want), "run %d: Unpack() = %v, %v; want %v", run, got, err, want)
		if got, err := walked(packed); err != nil || !slices.Equal(got, want) {
			t.Fatalf("run %d: a cursor finds %v, %v; want %v", run, got, err, want)
		}
		for _, p := range want {
			if v, ok := packed.Lookup(p.Name); !ok || !v.Equal(p.Value) {
				t.Fatalf("run %d: Lookup(%s) = %v, %v; want %v", run, p.Name, v, ok, p.Value)
			}
		}
		v, ok := packed.Lookup("absent")
		require.Truef(t, !ok, "run %d: Lookup(absent) = %v; want none", run, v)
	}
}

func TestPackAppendsAndUnpackAppends(t *testing.T) {
	buffer := make([]byte, 0, 4096)
	packed := entity.Pack(buffer, 5, registration())
	assert.True(t, &packed[0] == &buffer[:1][0], "Pack did not use the room that it was given")
	again := entity.Pack([]byte("before"), 5, registration())
	assert.Truef(t, bytes.Equal(again[len("before"):], packed),
		"Pack after other bytes = %q; want the same block after them", again)
	first := entity.Property{Name: "First", Value: entity.Int32(1)}
	got, err := packed.Unpack([]entity.Property{first})
	assert.Truef(t, err == nil && len(got) == 11 && got[0] == first,
		"Unpack after one property = %v, %v; want that and ten more", got, err)
}

func TestPackIsCompact(t *testing.T) {
	// Names and values have 990 bytes.
	assert.LessOrEqual(t, len(entity.Pack(nil, 1, registration())), 990+990/10, "bytes of a block")
}

func TestAllocations(t *testing.T) {
	properties := registration()
	packed := entity.Pack(nil, 1, properties)
	room := make([]entity.Property, 0, 16)
	change := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "2011 New York City Marathon__Full"}, Properties: properties}
	batch := inserts(100)
	for _, row := range []struct {
		name string
		do   func()
		want float64
	}{
		{"packing allocates the block", func() { entity.Pack(nil, 1, properties) }, 1},
		{"a merge allocates the block", func() { entity.MergePacked(packed, 2, properties[2:4]) }, 1},
		{"unpacking into room allocates nothing", func() { packed.Unpack(room) }, 0},
		{"validating a registration allocates nothing", func() { change.Validate() }, 0},
		{"nor does validating ascending rows", func() { entity.ValidateBatch(batch) }, 0},
		{"a sort key of common text and back allocates nothing", func() { entity.FromSortKey(entity.SortKey("Zürich 한 \uE000")) }, 0},
		{"a look at a property allocates nothing", func() { packed.Lookup("Notes") }, 0},
	} {
		assert.Equalf(t, row.want, testing.AllocsPerRun(20, row.do), "%s: allocations", row.name)
	}
}

func TestPackPanicsOnAValueWithoutType(t *testing.T) {
	defer func() {
		assert.Regexp(t, "^entity: ", fmt.Sprint(recover()), "Pack of a value without a type panics with")
	}()
	entity.Pack(nil, 1, named("a", entity.Value{}))
}

func TestCorruptBlocksAreRefused(t *testing.T) {
	good := entity.Pack(nil, 1, named("Age", entity.Int32(300)))
	body := func(b ...byte) entity.Packed {
		return append(entity.Packed{1, 0, 0, 0, 0, 0, 0, 0, 1, 0}, b...)
	}
	for _, row := range []struct {
		name  string
		block entity.Packed
	}{
		{"nothing at all", nil},
		{"a head cut short", good[:9]},
		{"a value cut short", good[:len(good)-1]},
		{"a byte too many", append(slices.Clone(good), 0)},
		{"a count beyond what is there", entity.Packed{1, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF}},
		{"a name beyond the end", body(9, 'a', 7, 2)},
		{"an endless length", body(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)},
		{"a length in a longer form than need be", body(0x81, 0x00, 'a', 7, 2)},
		{"a length of 64 bits", body(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 'a', 7, 2)},
		{"an Int64 of 65 bits", body(1, 'a', 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2)},
		{"an Int64 whose last byte is empty", body(1, 'a', 8, 0x80, 0)},
		{"an Int64 without end", body(1, 'a', 8, 0xFF)},
		{"a type that does not exist", body(1, 'a', 9, 2)},
		{"no type", body(1, 'a', 0, 2)},
		{"a truth value of two", body(1, 'a', 3, 2)},
		{"an Int32 of 33 bits", body(1, 'a', 7, 0x80, 0x80, 0x80, 0x80, 0x20)},
		{"a GUID cut short", body(1, 'a', 6, 1, 2, 3)},
		{"a double cut short", body(1, 'a', 5, 1, 2, 3)},
		{"a string cut short", body(1, 'a', 1, 4, 'x')},
	} {
		kept := named("Kept", entity.Int32(1))
		got, err := row.block.Unpack(kept)
		assert.Truef(t, errors.Is(err, entity.ErrCorrupt) && slices.Equal(got, kept),
			"%s: Unpack() = %v, %v; want what was there and %v", row.name, got, err, entity.ErrCorrupt)
		if _, err := walked(row.block); !errors.Is(err, entity.ErrCorrupt) {
			t.Errorf("%s: a cursor ends with %v; want %v", row.name, err, entity.ErrCorrupt)
		}
		row.block.Timestamp()
		row.block.Lookup("zz")
		entity.MergePacked(row.block, 2, named("b", entity.Int32(1)))
	}
	assert.Zero(t, entity.Packed(nil).Timestamp(), "Timestamp() of no block")
	code, _ := entity.Packed(nil).Validate(entity.Key{})
	assert.Equal(t, entity.InvalidInput, code, "Validate() of no block")
	assert.Nil(t, entity.MergePacked(good[:len(good)-1], 2, nil), "MergePacked of a block cut short")
}

func FuzzUnpack(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	f.Add([]byte(entity.Pack(nil, 1, registration())), "Bib")
	f.Add([]byte(entity.Pack(nil, 1, nil)), "")
	for range 8 {
		f.Add([]byte(entity.Pack(nil, entity.Ticks(rng.Int64()), randomProperties(rng, 9))), "P1")
	}
	f.Fuzz(func(t *testing.T, block []byte, name string) {
		packed := entity.Packed(block)
		found, ok := packed.Lookup(name)
		merged := entity.MergePacked(packed, 3, named("Fresh", entity.Boolean(true)))
		packed.Validate(entity.Key{})
		properties, err := packed.Unpack(nil)
		if again, other := walked(packed); !errors.Is(other, err) || err == nil && !slices.Equal(again, properties) {
			t.Fatalf("a cursor over %x = %v, %v; Unpack has %v, %v", block, again, other, properties, err)
		}
		if err != nil {
			return
		}
		if again := entity.Pack(nil, packed.Timestamp(), properties); !bytes.Equal(again, block) {
			t.Fatalf("Pack(Unpack(%x)) = %x; want the same bytes", block, []byte(again))
		}
		i := slices.IndexFunc(properties, func(p entity.Property) bool { return p.Name == name })
		if ok != (i >= 0) || ok && !found.Equal(properties[i].Value) {
			t.Fatalf("Lookup(%q) = %v, %v; Unpack has it at %d of %v", name, found, ok, i, properties)
		}
		if _, err := merged.Unpack(nil); err != nil {
			t.Fatalf("a merge into a good block %x cannot be read: %v", block, err)
		}
	})
}

// naiveMerge is what a merge means, said once more over lists.
func naiveMerge(stored, changes []entity.Property) []entity.Property {
	merged := slices.Clone(stored)
	for _, change := range changes {
		i := slices.IndexFunc(merged, func(p entity.Property) bool { return p.Name == change.Name })
		if i < 0 {
			merged = append(merged, change)
		} else {
			merged[i] = change
		}
	}
	return merged
}

func TestMergePackedAgainstLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for run := range 400 {
		most := 1 + run%300
		stored, changes := randomProperties(rng, most), randomProperties(rng, most)
		packed := entity.Pack(nil, 1, stored)
		merged := entity.MergePacked(packed, 2, changes)
		want := entity.Pack(nil, 2, naiveMerge(stored, changes))
		require.Truef(t, slices.Equal(merged, want),
			"run %d: MergePacked(%v, %v) = %q; want %q", run, stored, changes, merged, want)
		require.Truef(t, slices.Equal(packed, entity.Pack(nil, 1, stored)), "run %d: MergePacked altered what was stored", run)
	}
}
