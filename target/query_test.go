package target_test

import (
	"errors"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// Each constructor asks for what the documents call so, and says which partition
// it is about.
func TestQueriesAreOfTheirClass(t *testing.T) {
	filtered := func(text string) target.Query {
		q, err := target.Filtered(text)
		if err != nil {
			t.Fatalf("Filtered(%q) = %v; want a query", text, err)
		}
		return q
	}
	for _, row := range []struct {
		name  string
		query target.Query
		class filter.Class
		key   string
		one   bool
		text  string
	}{
		{"a point", target.OnePoint(entity.Key{Partition: "p", Row: "r"}), filter.ClassPoint, "p", true, "PartitionKey eq 'p' and RowKey eq 'r'"},
		{"the point of two empty keys", target.OnePoint(entity.Key{}), filter.ClassPoint, "", true, "PartitionKey eq '' and RowKey eq ''"},
		{"rows", target.RowsFrom("p", "r"), filter.ClassRowRange, "p", true, "PartitionKey eq 'p' and RowKey ge 'r'"},
		{"a partition", target.OnePartition("p"), filter.ClassPartitionScan, "p", true, "PartitionKey eq 'p'"},
		{"two partitions", target.Partitions("p", "q"), filter.ClassPartitionRangeScan, "", false, "PartitionKey ge 'p' and PartitionKey le 'q'"},
		{"partitions from a key to itself", target.Partitions("p", "p"), filter.ClassPartitionScan, "p", true, "PartitionKey eq 'p'"},
		{"the table", target.Query{}, filter.ClassTableScan, "", false, ""},
		{"a partition and a property", filtered("PartitionKey eq 'p' and (Age gt 3)"), filter.ClassPartitionScan, "p", true, "PartitionKey eq 'p'"},
		{"alternatives of rows", filtered("PartitionKey eq 'p' and (RowKey eq 'a' or RowKey eq 'b')"), filter.ClassPartitionScan, "p", true, "PartitionKey eq 'p'"},
		{"a row without its partition", filtered("RowKey eq 'r'"), filter.ClassTableScan, "", false, ""},
		{"no filter", filtered(""), filter.ClassTableScan, "", false, ""},
	} {
		op := target.Operation{Verb: entity.Query, Query: row.query}
		text, said := row.query.Range.Text()
		key, one := op.PartitionKey()
		if class := row.query.Range.Class(); class != row.class || !said || text != row.text || key != row.key || one != row.one {
			t.Errorf("%s: a %v of %q in partition %q, %v; want a %v of %q in %q, %v",
				row.name, class, text, key, one, row.class, row.text, row.key, row.one)
		}
	}
}

func TestAFilterThatIsNone(t *testing.T) {
	for _, text := range []string{"Age >> 3", "Age gt", "(", "startswith(Name, 'a')", "Age gt 3 and", strings.Repeat("(", 200)} {
		if _, err := target.Filtered(text); !errors.Is(err, target.ErrFilter) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Filtered(%.20q) = %v; want ErrFilter in one line", text, err)
		}
	}
}

func TestRestOfAQuery(t *testing.T) {
	q := target.RowsFrom("p", "5")
	at := func(partition, row string) target.Token {
		return target.Token{Present: true, NextPartitionKey: partition, NextRowKey: row}
	}
	for _, row := range []struct {
		name  string
		token target.Token
		from  entity.Key
		empty bool
	}{
		{"no token", target.Token{}, entity.Key{Partition: "p", Row: "5"}, false},
		{"a token within", at("p", "7"), entity.Key{Partition: "p", Row: "7"}, false},
		{"a token before it leaves it whole", at("a", "7"), entity.Key{Partition: "p", Row: "5"}, false},
		{"a token behind it leaves nothing", at("q", ""), entity.Key{Partition: "q"}, true},
	} {
		q.Token = row.token
		if got := q.Rest(); got.From != row.from || got.To != q.Range.To || got.Empty() != row.empty {
			t.Errorf("%s: Rest() = %+v, empty %v; want it from %v, empty %v", row.name, got, got.Empty(), row.from, row.empty)
		}
	}
}
