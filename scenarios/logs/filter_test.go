package logs_test

import (
	"strings"
	"testing"
	"time"

	"loadgen/scenarios/logs"
)

// What a query asks for is kept with its constants, whether it is a page after the first
// with it; hashed, of its keys nothing is left but hashes, and of bounds nothing at all.
func TestWhatQueriesAskFor(t *testing.T) {
	hashed := func(key string) string { return strings.ToUpper(key) }
	for _, row := range []struct {
		sentence, query, filter, hashed string
		further                         bool
	}{
		{"a partition scan", "$filter=PartitionKey%20eq%20'p'", "PartitionKey eq 'p'", "PartitionKey eq 'P'", false},
		{"a point", "$filter=PartitionKey%20eq%20'p'%20and%20RowKey%20eq%20'r'", "PartitionKey eq 'p' and RowKey eq 'r'", "PartitionKey eq 'P' and RowKey eq 'R'", false},
		{"bounds", "$filter=PartitionKey%20eq%20'p'%20and%20RowKey%20ge%20'r'", "PartitionKey eq 'p' and RowKey ge 'r'", "", false},
		{"partitions", "$filter=PartitionKey%20ge%20'p'", "PartitionKey ge 'p'", "", false},
		{"all of the table", "", "", "", false},
		{"a page after the first", "$filter=PartitionKey%20eq%20'p'&NextPartitionKey=1!4!cA--&NextRowKey=1!4!cg--", "PartitionKey eq 'p'", "PartitionKey eq 'P'", true},
		{"a filter that is none", "$filter=PartitionKey%20is%20'p'", "", "", false},
	} {
		e := request(time.Second, "QueryEntities", "p", "", 200)
		e.URL = "https://races.table.core.windows.net/Runners()?" + row.query
		path := write(t, t.TempDir()+"/table.log", e)
		for i, hash := range []func(string) string{nil, hashed} {
			entries, _ := read(t, logs.Options{Hash: hash}, path)
			got, want := &entries[0], []string{row.filter, row.hashed}[i]
			if len(entries) != 1 || got.Filter != want || got.Further != row.further || got.ClientRequestID != e.ClientRequestID {
				t.Errorf("%s, hashed %v: filter %q, further %v, client %q; want %q, %v, %q", row.sentence, i > 0, got.Filter, got.Further, got.ClientRequestID,
					want, row.further, e.ClientRequestID)
			}
		}
	}
}
