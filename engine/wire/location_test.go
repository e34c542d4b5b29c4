package wire_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func TestAppendLocation(t *testing.T) {
	rendering := wire.Rendering{Base: wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}, Table: "Races"}
	for _, row := range []struct {
		name string
		key  entity.Key
		want string
	}{
		{"an ordinary key", entity.Key{Partition: "p", Row: "r"}, "(PartitionKey='p',RowKey='r')"},
		{"an empty key", entity.Key{}, "(PartitionKey='',RowKey='')"},
		{"a key of the kinds that were recorded", entity.Key{Partition: `ô-'-"`, Row: "''-%20"},
			"(PartitionKey='%C3%B4-''-%22',RowKey='''''-%2520')"},
		{"a key that would end a header", entity.Key{Partition: "\r\nA: b"}, "(PartitionKey='%0D%0AA%3A%20b',RowKey='')"},
	} {
		const start = "http://127.0.0.1:10002/races/Races"
		got := string(rendering.AppendLocation([]byte("Location: "), row.key))
		if got != "Location: "+start+row.want {
			t.Errorf("%s: AppendLocation(%+q) = %s; want %s", row.name, row.key, got, start+row.want)
			continue
		}
		r, code, detail := wire.ParseResource(got[len("Location: http://127.0.0.1:10002/races/"):])
		if want := (wire.Resource{Kind: wire.EntityResource, Table: "Races", Key: row.key}); r != want || code != entity.OK {
			t.Errorf("%s: ParseResource of what AppendLocation(%+q) wrote = %+v, %q, %q; want %+v", row.name, row.key, r, code, detail, want)
		}
	}
}
