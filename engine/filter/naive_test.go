package filter_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results/resultstest"
)

// row is an entity in Go's own types: string, []byte, bool, time.Time, float64,
// [16]byte, int32 and int64.
type row struct {
	key        entity.Key
	timestamp  time.Time
	properties map[string]any
}

func (r row) packed() entity.Packed {
	var properties []entity.Property
	for _, name := range slices.Sorted(maps.Keys(r.properties)) {
		properties = append(properties, entity.Property{Name: name, Value: valueOf(r.properties[name])})
	}
	return entity.Pack(nil, entity.TicksOf(r.timestamp), properties)
}

func valueOf(v any) entity.Value {
	switch v := v.(type) {
	case string:
		return entity.String(v)
	case []byte:
		return entity.Binary(v)
	case bool:
		return entity.Boolean(v)
	case time.Time:
		return entity.DateTime(entity.TicksOf(v))
	case float64:
		return entity.Double(v)
	case [16]byte:
		return entity.GUID(v)
	case int32:
		return entity.Int32(v)
	default:
		return entity.Int64(v.(int64))
	}
}

// lookup returns the property of that name, nil where there is none.
func (r row) lookup(name string) any {
	switch name {
	case "PartitionKey":
		return r.key.Partition
	case "RowKey":
		return r.key.Row
	case "Timestamp":
		return r.timestamp
	}
	return r.properties[name]
}

// tree is a filter as the naive evaluator sees it: a comparison where it has a
// name, else op over its parts, or a truth value.
type tree struct {
	op, name string
	constant any
	parts    []tree
}

func (t tree) holds(r row) bool {
	switch t.op {
	case "and":
		return !slices.ContainsFunc(t.parts, func(part tree) bool { return !part.holds(r) })
	case "or":
		return slices.ContainsFunc(t.parts, func(part tree) bool { return part.holds(r) })
	case "not":
		return !t.parts[0].holds(r)
	case "true":
		return true
	case "false":
		return false
	}
	c, comparable := naiveCompare(r.lookup(t.name), t.constant)
	switch {
	case !comparable:
		return false
	case c == nil:
		return t.op == "ne"
	}
	return map[string]bool{"eq": *c == 0, "ne": *c != 0, "lt": *c < 0, "le": *c <= 0, "gt": *c > 0, "ge": *c >= 0}[t.op]
}

// naiveCompare compares by ways other than the package's: as exact fractions,
// as UTF-16, as text. It returns nil for a NaN.
func naiveCompare(a, b any) (c *int, comparable bool) {
	as, aIsNumber := fraction(a)
	bs, bIsNumber := fraction(b)
	if aIsNumber || bIsNumber {
		if !aIsNumber || !bIsNumber || as == nil || bs == nil {
			return nil, aIsNumber && bIsNumber
		}
		order := as.Cmp(bs)
		return &order, true
	}
	if fmt.Sprintf("%T", a) != fmt.Sprintf("%T", b) || a == nil {
		return nil, false
	}
	order := 0
	switch a := a.(type) {
	case string:
		order = slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b.(string))))
	case []byte:
		order = strings.Compare(hex.EncodeToString(a), hex.EncodeToString(b.([]byte)))
	case [16]byte:
		order = strings.Compare(spellGUID(a), spellGUID(b.([16]byte)))
	case time.Time:
		order = a.Compare(b.(time.Time))
	case bool:
		if a != b.(bool) {
			order = 1
		}
	}
	return &order, true
}

// fraction returns a number exactly, nil for a NaN, and false for what is none.
func fraction(v any) (*big.Float, bool) {
	exact := new(big.Float).SetPrec(2000)
	switch v := v.(type) {
	case int32:
		return exact.SetInt64(int64(v)), true
	case int64:
		return exact.SetInt64(v), true
	case float64:
		if math.IsNaN(v) {
			return nil, true
		}
		return exact.SetFloat64(v), true
	default:
		return nil, false
	}
}

// pool has values near each other, so that comparisons come out all ways.
func pool() []any {
	at := time.Date(2012, 11, 10, 3, 4, 5, 200, time.UTC)
	values := []any{
		int32(0), int32(5), int32(-5), int32(math.MaxInt32), int64(5), int64(1 << 53), int64(1<<53 + 1),
		int64(math.MaxInt64), int64(math.MaxInt64 - 1), int64(math.MinInt64),
		5.0, 5.5, -5.5, math.Copysign(0, -1), 1e300, float64(1 << 53), float64(1 << 63), -float64(1 << 63),
		true, false, at, at.Add(100), at.Add(time.Millisecond),
		[16]byte{1, 2, 3, 4, 5}, [16]byte{1, 2, 3, 5}, [16]byte{4, 3, 2, 1, 6: 9, 15: 255},
		[]byte{}, []byte{1}, []byte{1, 0}, []byte{255}, []byte(strings.Repeat("\x01", 70)),
	}
	for _, s := range []string{"", "a", "ab", "a'", "A", "b\uE000", "b\U0001F3C3", "\uFFFF", "5"} {
		values = append(values, s)
	}
	return values
}

// stored has what an entity may have beside what a filter can say.
func stored() []any { return append(pool(), math.NaN(), math.Inf(1), math.Inf(-1)) }

var (
	someKeys, someConstants, someValues = universe(), pool(), stored()

	propertyNames = []string{"P", "Flag", "And", "änd_1", "X"}
	keyNames      = []string{"PartitionKey", "RowKey"}
	signs         = []string{"eq", "ne", "lt", "le", "gt", "ge"}
)

func fixedRows() []row {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := []row{{timestamp: time.Date(2011, 1, 1, 0, 0, 0, 0, time.UTC)}}
	for range 12 {
		rows = append(rows, randomRow(rng))
	}
	return rows
}

func randomRow(rng *rand.Rand) row {
	r := row{
		key: someKeys[rng.IntN(len(someKeys))], properties: map[string]any{},
		timestamp: time.Date(2012, 11, 10, 3, 4, 5, 100*rng.IntN(3), time.UTC),
	}
	for _, name := range propertyNames {
		if rng.IntN(4) > 0 {
			r.properties[name] = someValues[rng.IntN(len(someValues))]
		}
	}
	return r
}

// randomTree returns a filter of at most that depth, half of it about keys.
func randomTree(rng *rand.Rand, depth int) tree {
	if depth == 0 || rng.IntN(3) == 0 {
		return randomComparison(rng)
	}
	switch rng.IntN(8) {
	case 0:
		return tree{op: []string{"true", "false"}[rng.IntN(2)]}
	case 1:
		return tree{op: "not", parts: []tree{randomTree(rng, depth-1)}}
	default:
		t := tree{op: []string{"and", "and", "or"}[rng.IntN(3)]}
		for range 2 + rng.IntN(2) {
			t.parts = append(t.parts, randomTree(rng, depth-1))
		}
		return t
	}
}

func randomComparison(rng *rand.Rand) tree {
	if rng.IntN(2) == 0 {
		return keyComparison(rng, keyNames[rng.IntN(2)], signs[rng.IntN(len(signs))])
	}
	t := tree{op: signs[rng.IntN(len(signs))], constant: someConstants[rng.IntN(len(someConstants))]}
	t.name = append(propertyNames, "Timestamp", "Missing", "PartitionKey", "RowKey")[rng.IntN(len(propertyNames)+4)]
	if _, truth := t.constant.(bool); truth {
		t.op = signs[rng.IntN(2)]
	}
	return t
}

func keyComparison(rng *rand.Rand, name, sign string) tree {
	return tree{op: sign, name: name, constant: someKeys[rng.IntN(len(someKeys))].Row}
}

// spell writes the filter in one of the ways in which clients write it.
func (t tree) spell(rng *rand.Rand) string {
	text := ""
	switch {
	case t.name != "":
		text = t.spellComparison(rng)
	case t.op == "not":
		text = inCase(rng, "not") + "(" + t.parts[0].spell(rng) + ")"
	case len(t.parts) == 0:
		text = inCase(rng, t.op)
	default:
		for i, part := range t.parts {
			if i > 0 {
				text += blank(rng) + inCase(rng, t.op) + blank(rng)
			}
			inner := part.spell(rng)
			if part.op == "or" || part.op == "and" && t.op == "and" || rng.IntN(4) == 0 {
				inner = "(" + inner + ")"
			}
			text += inner
		}
	}
	if rng.IntN(8) == 0 {
		text = "( " + text + ")"
	}
	return text
}

func (t tree) spellComparison(rng *rand.Rand) string {
	if t.constant == true && t.op == "eq" && rng.IntN(2) == 0 {
		return t.name
	}
	constant := spellConstant(rng, t.constant)
	if rng.IntN(3) > 0 {
		return t.name + blank(rng) + inCase(rng, t.op) + blank(rng) + constant
	}
	mirror := map[string]string{"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[t.op]
	return constant + blank(rng) + inCase(rng, mirror) + blank(rng) + t.name
}

func spellConstant(rng *rand.Rand, v any) string {
	switch v := v.(type) {
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []byte:
		return inCase(rng, []string{"x", "binary"}[rng.IntN(2)]) + "'" + inCase(rng, hex.EncodeToString(v)) + "'"
	case [16]byte:
		return inCase(rng, "guid") + "'" + inCase(rng, spellGUID(v)) + "'"
	case time.Time:
		return inCase(rng, "datetime") + "'" + v.Format([]string{
			"2006-01-02T15:04:05.0000000Z", "2006-01-02T15:04:05.9999999", "2006-01-02T15:04:05.0000000+00:00"}[rng.IntN(3)]) + "'"
	case float64:
		return fmt.Sprintf([]string{"%.20e", "%.20E"}[rng.IntN(2)], v)
	case int64:
		return fmt.Sprintf("%d%s", v, []string{"L", "l"}[rng.IntN(2)])
	case bool:
		return inCase(rng, fmt.Sprint(v))
	default:
		return fmt.Sprint(v)
	}
}

func spellGUID(g [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
}

func blank(rng *rand.Rand) string { return []string{" ", "  ", "\t", " \r\n"}[rng.IntN(4)] }

func inCase(rng *rand.Rand, word string) string {
	return []func(string) string{strings.ToUpper, strings.ToLower}[rng.IntN(2)](word)
}

func TestKeepsAsANaiveEvaluatorDoes(t *testing.T) {
	kept, exact, narrow := 0, 0, 0
	const trees, rowsEach = 2000, 16
	for seed := range uint64(trees) {
		rng := rand.New(rand.NewPCG(11, seed))
		want := randomTree(rng, rng.IntN(5))
		text := want.spell(rng)
		e := parsed(t, text)
		printed := parsed(t, e.String())
		if e.Range() != printed.Range() || e.Exact() != printed.Exact() {
			t.Fatalf("seed %d: Parse(%q) spans %v; want %v, as of %q", seed, e, printed.Range(), e.Range(), text)
		}
		if e.Exact() {
			exact++
		}
		for range rowsEach {
			r := randomRow(rng)
			packed, holds, in := r.packed(), want.holds(r), e.Range().Contains(r.key)
			if got := e.Keeps(r.key, packed); got != holds {
				t.Fatalf("seed %d: Parse(%q).Keeps(%+v) = %v; want %v", seed, text, r, got, holds)
			}
			if got := printed.Keeps(r.key, packed); got != holds {
				t.Fatalf("seed %d: Parse(%q).Keeps(%+v) = %v; want %v", seed, e, r, got, holds)
			}
			if holds && !in {
				t.Fatalf("seed %d: Parse(%q).Range() = %+v without %+q, which it keeps", seed, text, e.Range(), r.key)
			}
			if e.Exact() && in && !holds {
				t.Fatalf("seed %d: Parse(%q).Exact() = true over %+v; want %+v kept", seed, text, e.Range(), r)
			}
			if holds {
				kept++
			}
			if !in {
				narrow++
			}
		}
	}
	// The test is worth its name only where all of this occurs.
	if all := trees * rowsEach; kept < all/10 || kept > all*9/10 || exact < trees/20 || narrow < all/20 {
		t.Errorf("kept %d, outside of the range %d of %d; exact %d of %d: too one-sided", kept, narrow, all, exact, trees)
	}
}

// runner is an entity with a property of every type.
func runner() row {
	return row{
		key:       key("2011 New York City Marathon__Full", "1234__Kim__F__37"),
		timestamp: time.Date(2011, 11, 6, 9, 40, 0, 1234567*100, time.UTC),
		properties: map[string]any{
			"Name": "Kim's", "Age": int32(37), "Chip": int64(1<<53 + 1), "Speed": 12.5, "Lost": math.NaN(), "Zero": math.Copysign(0, -1),
			"Paid": true, "Born": time.Date(1974, 2, 28, 0, 0, 0, 0, time.UTC),
			"Id":  [16]byte{0x41, 0x85, 0x40, 0x4a, 0x58, 0x18, 0x48, 0xc3, 0xb9, 0xbe, 0xf2, 0x17, 0xdf, 0x0d, 0xba, 0x6f},
			"Tag": []byte{1, 2, 0x32},
		},
	}
}

// A block that was not packed by this package has no properties.
func TestKeepsOfABrokenEntity(t *testing.T) {
	for _, p := range []entity.Packed{nil, {1, 2, 3}, make(entity.Packed, 9)} {
		assert.Falsef(t, parsed(t, "Age ne 5 or Paid").Keeps(entity.Key{}, p), "Keeps(%v) = true; want false", p)
	}
}

func TestKeepsAllocatesNothing(t *testing.T) {
	r := runner()
	long := []byte(strings.Repeat("long", 100))
	r.properties["Tag"], r.properties["Name"] = long, string(long)
	packed := r.packed()
	e := parsed(t, fmt.Sprintf("PartitionKey ge '2011' and RowKey ne 'x' and Timestamp gt datetime'2011-01-01T00:00:00Z' and Name eq '%s'"+
		" and Tag ge X'%x' and Id ne guid'00000000-0000-0000-0000-000000000000' and Chip gt 5.0 and Paid and not (Club eq 1)", long, long))
	require.Truef(t, e.Keeps(r.key, packed), "Parse(%q).Keeps(a runner) = false; want true", e)
	assert.EqualValues(t, 0, testing.AllocsPerRun(100, func() { e.Keeps(r.key, packed) }), "allocations of Keeps")
	assert.False(t, parsed(t, "rowkey ne '' or age ne 1").Keeps(r.key, packed), "Keeps of names in another case")
}

func TestShape(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/shapes.txt", 3) {
		assert.Equalf(t, row[2], parsed(t, row[1]).Shape(), "%s: Parse(%q).Shape()", row[0], row[1])
	}
}
