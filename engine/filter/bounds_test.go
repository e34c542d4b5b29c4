package filter_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

func TestRangeOfAFilter(t *testing.T) {
	all, empty := filter.WholeTable(), filter.Range{Bounded: true}
	from := func(pk string) filter.Range { return filter.Range{From: entity.Key{Partition: pk}} }
	for _, row := range []struct {
		name, text string
		want       filter.Range
		exact      bool
	}{
		{"no filter reads the table", "", all, true},
		{"nor does true narrow it", "true", all, true},
		{"false reads nothing", "false", empty, true},
		{"a PartitionKey", "PartitionKey eq 'p'", filter.OnePartition("p"), true},
		{"on the right side too", "'p' eq PartitionKey", filter.OnePartition("p"), true},
		{"the empty one", "PartitionKey eq ''", filter.OnePartition(""), true},
		{"one with a quote", "PartitionKey eq 'O''Brien'", filter.OnePartition("O'Brien"), true},
		{"partitions from one on", "PartitionKey ge 'p'", from("p"), true},
		{"partitions after one", "PartitionKey gt 'p'", from("p\x00"), true},
		{"partitions before one", "PartitionKey lt 'p'", filter.PartitionRange("", "p"), true},
		{"partitions up to one", "'p' ge PartitionKey", filter.PartitionRange("", "p\x00"), true},
		{"partitions between two", "PartitionKey gt 'a' and PartitionKey le 'p'", filter.PartitionRange("a\x00", "p\x00"), true},
		{"the narrower of two bounds counts", "PartitionKey ge 'a' and PartitionKey gt 'b' and PartitionKey lt 'y' and PartitionKey le 'x'", filter.PartitionRange("b\x00", "x\x00"), true},
		{"in the order of the index", "PartitionKey ge '\uE000' and PartitionKey ge '\U0001F3C3'", from("\uE000"), true},
		{"bounds that leave one partition are one", "PartitionKey ge 'p' and PartitionKey le 'p' and RowKey eq 'r'", filter.Point("p", "r"), true},

		{"a point", "PartitionKey eq 'p' and RowKey eq 'r'", filter.Point("p", "r"), true},
		{"in any order and parentheses", "('r' eq RowKey)and((PartitionKey eq 'p'))", filter.Point("p", "r"), true},
		{"rows between two", "PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'", filter.Rows("p", "a", "b"), true},
		{"rows from one on", "RowKey ge 'a' and PartitionKey eq 'p'", filter.RowsFrom("p", "a"), true},
		{"rows after one, up to another", "PartitionKey eq 'p' and RowKey gt 'a' and RowKey le 'b'", filter.Rows("p", "a\x00", "b\x00"), true},
		{"a RowKey alone is a table scan", "RowKey eq 'r'", all, false},
		{"rows of several partitions read them whole", "PartitionKey ge 'a' and PartitionKey lt 'c' and RowKey eq 'r'", filter.PartitionRange("a", "c"), false},

		{"another property reads the partition", "PartitionKey eq 'p' and Age gt 30", filter.OnePartition("p"), false},
		{"another property alone reads the table", "Age gt 30", all, false},
		{"so does Timestamp", "Timestamp gt datetime'2011-01-01T00:00:00Z'", all, false},
		{"ne narrows nothing", "PartitionKey ne 'p'", all, false},
		{"not narrows nothing", "not (PartitionKey eq 'p')", all, false},
		{"nor does it widen what stands beside it", "PartitionKey eq 'p' and not (RowKey eq 'r')", filter.OnePartition("p"), false},

		{"two PartitionKeys joined by or are a table scan", "PartitionKey eq 'a' or PartitionKey eq 'b'", all, false},
		{"so is one beside another property", "PartitionKey eq 'a' or Age gt 30", all, false},
		{"two RowKeys joined by or are a partition scan", "PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')", filter.OnePartition("p"), false},
		{"so are two points of one partition", "PartitionKey eq 'p' and RowKey eq 'a' or PartitionKey eq 'p' and RowKey eq 'b'", filter.OnePartition("p"), false},
		{"two points of two partitions are a table scan", "PartitionKey eq 'p' and RowKey eq 'a' or PartitionKey eq 'q' and RowKey eq 'a'", all, false},
		{"both sides of an or may say the same", "PartitionKey eq 'p' and RowKey ge 'a' or 'a' le RowKey and PartitionKey eq 'p'", filter.RowsFrom("p", "a"), true},
		{"the same range beside other properties", "PartitionKey eq 'p' and Age eq 1 or PartitionKey eq 'p' and Age eq 2", filter.OnePartition("p"), false},
		{"one side may be true of the whole range", "PartitionKey eq 'p' and Age eq 1 or PartitionKey eq 'p'", filter.OnePartition("p"), true},
		{"a third side counts too", "PartitionKey eq 'p' or PartitionKey eq 'p' or PartitionKey eq 'q'", all, false},

		{"two PartitionKeys at once are impossible", "PartitionKey eq 'b' and PartitionKey eq 'a'", filter.PartitionRange("b", "a\x00"), true},
		{"two RowKeys at once are", "PartitionKey eq 'p' and RowKey eq 'b' and RowKey eq 'a'", filter.Rows("p", "b", "a\x00"), true},
		{"in any partition", "RowKey gt 'b' and RowKey lt 'a' and Age gt 30", empty, true},
		{"nothing comes before the empty key", "PartitionKey lt ''", empty, true},
		{"nor before the first row", "PartitionKey eq 'p' and RowKey lt ''", filter.Rows("p", "", ""), true},
		{"a key is no number", "PartitionKey eq 5", empty, true},
		{"nor does it differ from one", "PartitionKey eq 'p' and RowKey ne 5", filter.Rows("p", "", ""), true},
		{"nor is it a truth value", "RowKey", empty, true},
	} {
		e := parsed(t, row.text)
		assert.Truef(t, e.Range() == row.want && e.Exact() == row.exact,
			"%s: Parse(%q) spans %+q, exactly: %v", row.name, row.text, spelled(e.Range()), e.Exact())
	}
	var zero filter.Expression
	assert.Truef(t, zero.Range() == all && zero.Exact() && zero.Keeps(key("a", "b"), nil) && zero.String() == "",
		"the zero Expression is %q over %v; want no filter", zero.String(), zero.Range())
}

func spelled(r filter.Range) []string {
	return []string{r.From.Partition, r.From.Row, r.To.Partition, r.To.Row, map[bool]string{true: "bounded"}[r.Bounded]}
}

// Comparisons of keys that are joined by and have a range that holds just what
// they keep, as long as those of RowKey stand beside a PartitionKey.
func TestRangeOfAConjunctionIsTight(t *testing.T) {
	keys, ranges := universe(), []string{"lt", "le", "gt", "ge", "eq"}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(12, seed))
		both := tree{op: "and"}
		for range rng.IntN(4) {
			both.parts = append(both.parts, keyComparison(rng, "PartitionKey", ranges[rng.IntN(len(ranges))]))
		}
		if rng.IntN(2) == 0 {
			both.parts = append(both.parts, keyComparison(rng, "PartitionKey", "eq"))
			for range rng.IntN(3) {
				both.parts = append(both.parts, keyComparison(rng, "RowKey", ranges[rng.IntN(len(ranges))]))
			}
		}
		if len(both.parts) == 0 {
			both.parts = append(both.parts, tree{op: "true"})
		}
		rng.Shuffle(len(both.parts), func(i, j int) { both.parts[i], both.parts[j] = both.parts[j], both.parts[i] })
		text := both.spell(rng)
		e := parsed(t, text)
		require.Truef(t, e.Exact(), "seed %d: Parse(%q).Exact() = false; want true", seed, text)
		i := slices.IndexFunc(keys, func(k entity.Key) bool { return e.Range().Contains(k) != both.holds(row{key: k}) })
		require.Negativef(t, i, "seed %d: Parse(%q).Range().Contains is wrong of key %d of the universe", seed, text, i)
	}
}

// What has a text is held by TestTextLeadsBackToTheRange; the shortest spelling is here.
func TestTextOfARange(t *testing.T) {
	for _, row := range []struct {
		r    filter.Range
		want string
	}{
		{filter.Point("O'Brien", "'"), "PartitionKey eq 'O''Brien' and RowKey eq ''''"},
		{filter.Rows("p", "", "b\x00"), "PartitionKey eq 'p' and RowKey le 'b'"},
		{filter.Rows("p", "", ""), "PartitionKey eq 'p' and RowKey lt ''"},
		{filter.PartitionRange("a\x00", "b\x00"), "PartitionKey gt 'a' and PartitionKey le 'b'"},
		{filter.Range{To: key("a", "b")}, ""},
		{filter.Range{From: key("a", "x"), To: key("c", "r"), Bounded: true},
			"PartitionKey eq 'a' and RowKey ge 'x' or PartitionKey gt 'a' and PartitionKey lt 'c' or PartitionKey eq 'c' and RowKey lt 'r'"},
		{filter.OnePartition("b").StartingAt(key("c", "x")), "PartitionKey lt ''"},
	} {
		got, ok := row.r.Text()
		assert.Truef(t, got == row.want && ok, "%+q.Text() = %q, %v; want %q", spelled(row.r), got, ok, row.want)
	}
	for _, row := range []struct {
		name string
		r    filter.Range
	}{
		{"a partition that no key has", filter.OnePartition("a\x00")},
		{"a bound with a NUL within", filter.Rows("p", "a\x00b", "c")},
		{"a bound that is no text", filter.Rows("p", "a\xFF", "c")},
		{"bounds that no $filter is long enough for", filter.OnePartition(strings.Repeat("'", filter.MaxText/2))},
	} {
		got, ok := row.r.Text()
		assert.Truef(t, !ok && got == "", "%s: %.200v.Text() = %.80q, %v; want none", row.name, spelled(row.r), got, ok)
	}
}

// Text and Parse are each other's inverse; whatever spans partitions from or to
// within one keeps the same entities of the whole table.
func TestTextLeadsBackToTheRange(t *testing.T) {
	keys := universe()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(13, seed))
		a, b, cut := keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]
		for _, r := range []filter.Range{
			filter.OnePartition(a.Partition), filter.Point(a.Partition, a.Row), filter.Rows(a.Partition, a.Row, b.Row),
			filter.RowsFrom(a.Partition, a.Row), filter.RowPrefix(a.Partition, b.Row), filter.PartitionRange(a.Partition, b.Partition),
			{From: a, To: b, Bounded: true}, {From: a}, filter.WholeTable(), filter.WholeTable().StartingAfter(a),
		} {
			for _, r := range []filter.Range{r, r.StartingAt(cut), r.StartingAfter(cut)} {
				checkText(t, r, keys)
			}
		}
	}
}

func checkText(t *testing.T, r filter.Range, keys []entity.Key) {
	t.Helper()
	text, ok := r.Text()
	_, one := r.Partition()
	require.Truef(t, ok, "%+q.Text() = %q, %v; want a text", spelled(r), text, ok)
	e := parsed(t, text)
	if exact := one || r.Empty() || r.From.Row == "" && (!r.Bounded || r.To.Row == ""); !exact {
		require.Truef(t, e.Range() == filter.WholeTable() && !e.Exact(), "Parse(%q).Range() = %+q", text, spelled(e.Range()))
		i := slices.IndexFunc(keys, func(k entity.Key) bool { return e.Keeps(k, nil) != r.Contains(k) })
		require.Negativef(t, i, "Parse(%q).Keeps is wrong of key %d of the universe", text, i)
		return
	}
	require.Truef(t, e.Exact() && e.String() == text && e.Range().Empty() == r.Empty(),
		"Parse(%q) = %q, exactly: %v; want the same, as of %+q", text, e, e.Exact(), spelled(r))
	require.Truef(t, r.Empty() || e.Range() == r, "Parse(%q).Range() = %+q", text, spelled(e.Range()))
	i := slices.IndexFunc(keys, func(k entity.Key) bool {
		return e.Keeps(k, nil) != r.Contains(k) || e.Range().Contains(k) != r.Contains(k)
	})
	require.Negativef(t, i, "Parse(%q).Keeps or Contains is wrong of key %d of the universe", text, i)
}
