package wire_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func TestParseResource(t *testing.T) {
	one := func(partition, row string) wire.Resource {
		return wire.Resource{Kind: wire.EntityResource, Table: "Races", Key: entity.Key{Partition: partition, Row: row}}
	}
	races := wire.Resource{Kind: wire.EntitySetResource, Table: "Races"}
	tables := wire.Resource{Kind: wire.TablesResource}
	none := wire.Resource{}
	for _, row := range []struct {
		name, path string
		want       wire.Resource
		code       entity.Code
	}{
		{"nothing is the account", "", wire.Resource{Kind: wire.ServiceResource}, ""},
		{"a batch", "$batch", wire.Resource{Kind: wire.BatchResource}, ""},
		{"a batch with its dollar sign escaped", "%24batch", wire.Resource{Kind: wire.BatchResource}, ""},
		{"the tables", "Tables", tables, ""},
		{"the tables with parentheses", "Tables()", tables, ""},
		{"the tables in any case, since no table has that name", "tables%28%29", tables, ""},
		{"one table", "Tables('Races')", wire.Resource{Kind: wire.TableResource, Table: "Races"}, ""},
		{"one table as clients escape it", "Tables(%27$MetricsTransactionsTable%27)", wire.Resource{Kind: wire.TableResource, Table: "$MetricsTransactionsTable"}, ""},
		{"one table that no table can be", "Tables('')", wire.Resource{Kind: wire.TableResource}, ""},
		{"an entity set", "Races", races, ""},
		{"an entity set with parentheses", "Races()", races, ""},
		{"a table of metrics", "$MetricsHourPrimaryTransactionsTable", wire.Resource{Kind: wire.EntitySetResource, Table: "$MetricsHourPrimaryTransactionsTable"}, ""},
		{"an entity", "Races(PartitionKey='p',RowKey='r')", one("p", "r"), ""},
		{"and blanks wherever they can be", "Races( PartitionKey = 'p' , RowKey = 'r' )", one("p", "r"), ""},
		{"an entity with its keys the other way round", "Races(RowKey='r',PartitionKey='p')", one("p", "r"), ""},
		{"an entity without any letter of a key", "Races(PartitionKey='',RowKey='')", one("", ""), ""},
		{"all that can be escaped is", "Races%28PartitionKey%3D%27p%27%2CRowKey%3D%27r%27%29", one("p", "r"), ""},
		{"a doubled quote is one", "Races(PartitionKey='O''Brien',RowKey='O%27%27X')", one("O'Brien", "O'X"), ""},
		{"a key that looks like the end", "Races(PartitionKey=''',RowKey=''x'')',RowKey='r')", one("',RowKey='x')", "r"), ""},
		{"a percent sign is decoded once", "Races(PartitionKey='100%2525',RowKey='%2527')", one("100%25", "%27"), ""},
		{"a plus sign is a plus sign", "Races(PartitionKey='a+b',RowKey='a%2Bb')", one("a+b", "a+b"), ""},
		{"as recorded, with all of these",
			"Races(PartitionKey=%27partition1-%C3%B4-%20-%27%27-%22-%2520-%2527-pk%27,RowKey=%27row-%C3%B4-%20-%27%27%27%27-%22-%2520-%2527-rk1%27)",
			one(`partition1-ô- -'-"-%20-%27-pk`, `row-ô- -''-"-%20-%27-rk1`), ""},
		{"an escaped slash is of the key, which another rule forbids", "Races(PartitionKey='a%2Fb',RowKey='r')", one("a/b", "r"), ""},
		{"a slash at the end says nothing", "Races/", wire.Resource{Kind: wire.EntitySetResource, Table: "Races"}, ""},
		{"letters of an escape may be small", "Races(PartitionKey='%c3%b4',RowKey='r')", one("ô", "r"), ""},
		{"whether a table can have the name is another's question", "a-b", wire.Resource{Kind: wire.EntitySetResource, Table: "a-b"}, ""},
		{"an escape cut short", "Races%2", none, entity.InvalidURI},
		{"a lone percent sign", "Races(PartitionKey='100%',RowKey='r')", none, entity.InvalidURI},
		{"an escape that is no number", "Races%G0", none, entity.InvalidURI},
		{"bytes that are no text", "Races(PartitionKey='%FF',RowKey='r')", none, entity.InvalidURI},
		{"text that is longer than need be", "Races(PartitionKey='%C0%80',RowKey='r')", none, entity.InvalidURI},
		{"two segments", "account/Races", none, entity.InvalidURI},
		{"two slashes at the end", "Races//", none, entity.InvalidURI},
		{"an escaped slash in a name", "Races%2FX", none, entity.InvalidURI},
		{"keys of no table", "(PartitionKey='p',RowKey='r')", none, entity.InvalidURI},
		{"a quote in a name", "Ra'ces", none, entity.InvalidURI},
		{"an end without a beginning", "Races)", none, entity.InvalidURI},
		{"a beginning without an end", "Races(PartitionKey='p',RowKey='r'", none, entity.InvalidInput},
		{"text after the end", "Races(PartitionKey='p',RowKey='r')x", none, entity.InvalidInput},
		{"one key", "Races(PartitionKey='p')", none, entity.InvalidInput},
		{"the same key twice", "Races(PartitionKey='p',PartitionKey='p')", none, entity.InvalidInput},
		{"a third key", "Races(PartitionKey='p',RowKey='r',X='x')", none, entity.InvalidInput},
		{"a key of another name", "Races(PartitionKey='p',rowkey='r')", none, entity.InvalidInput},
		{"a value without a name", "Races('p','r')", none, entity.InvalidInput},
		{"a number", "Races(PartitionKey=1,RowKey=2)", none, entity.InvalidInput},
		{"no comma", "Races(PartitionKey='p' RowKey='r')", none, entity.InvalidInput},
		{"a lone quote in a key", "Races(PartitionKey='O'Brien',RowKey='r')", none, entity.InvalidInput},
		{"an odd number of quotes", "Races(PartitionKey=''',RowKey='r')", none, entity.InvalidInput},
		{"double quotes", `Races(PartitionKey="p",RowKey="r")`, none, entity.InvalidInput},
		{"a table without quotes", "Tables(Races)", none, entity.InvalidInput},
		{"two tables", "Tables('a','b')", none, entity.InvalidInput},
		{"an entity of the tables", "Tables(PartitionKey='p',RowKey='r')", none, entity.InvalidInput},
	} {
		got, code, detail := wire.ParseResource(row.path)
		assert.Truef(t, got == row.want && code == row.code && (code == entity.OK) == (detail == "") && !strings.Contains(detail, "\n"),
			"%s: ParseResource(%q) = %+v, %q, %q; want %+v, %q", row.name, row.path, got, code, detail, row.want, row.code)
	}
}

func TestAppendPaths(t *testing.T) {
	path := func(table, partition, row string) []byte {
		return wire.AppendEntityPath([]byte("/"), table, entity.Key{Partition: partition, Row: row})
	}
	for _, row := range []struct {
		name string
		got  []byte
		want string
	}{
		{"a key with a blank and a quote", path("T", "a b", "O'X"), "/T(PartitionKey='a%20b',RowKey='O%27%27X')"},
		{"an empty key", path("T", "", ""), "/T(PartitionKey='',RowKey='')"},
		{"what may stand for itself does", path("$T0", "AZaz09-._~", ""), "/$T0(PartitionKey='AZaz09-._~',RowKey='')"},
		{"nothing else does", path("T", "%+&=(),/?#!*@:;$", "ô"),
			"/T(PartitionKey='%25%2B%26%3D%28%29%2C%2F%3F%23%21%2A%40%3A%3B%24',RowKey='%C3%B4')"},
		{"a table", wire.AppendTablePath([]byte("/"), "T"), "/Tables('T')"},
		{"a table whose name is none", wire.AppendTablePath(nil, "O'X /"), "Tables('O%27%27X%20%2F')"},
		{"a query's value", wire.AppendQueryValue([]byte("$filter="), "RowKey eq 'a+b'"), "$filter=RowKey%20eq%20%27a%2Bb%27"},
		{"a token", wire.AppendQueryValue(nil, "1!8!8J+PgyA-"), "1%218%218J%2BPgyA-"},
	} {
		assert.Equal(t, row.want, string(row.got), row.name)
	}
}

func FuzzParseResource(f *testing.F) {
	for _, path := range []string{"", "$batch", "Tables('a''b')", "Races()", "Races(PartitionKey='p',%20RowKey='O%27%27X')",
		"Races%28RowKey='',PartitionKey='%C3%B4'%29", "Races(PartitionKey='%2525+',RowKey='''')", "%", "a/b", "T('"} {
		f.Add(path, "O'Brien")
	}
	f.Fuzz(func(t *testing.T, path, row string) {
		key := entity.Key{Partition: path, Row: row}
		written := string(wire.AppendEntityPath(nil, "Races", key))
		got, code, _ := wire.ParseResource(written)
		want := wire.Resource{Kind: wire.EntityResource, Table: "Races", Key: key}
		if valid := utf8.ValidString(path) && utf8.ValidString(row); valid != (code == entity.OK) || valid && got != want {
			t.Fatalf("ParseResource(%s) = %+v, %q; want %+v", written, got, code, want)
		}
		// The library's own decoding is the second way to the same answer.
		if decoded, err := url.PathUnescape(written); err != nil || decoded != quoted(key) {
			t.Fatalf("AppendEntityPath(%+q) = %s, which decodes to %s, %v; want %s", key, written, decoded, err, quoted(key))
		}
		if value, err := url.QueryUnescape(string(wire.AppendQueryValue(nil, path))); value != path || err != nil {
			t.Fatalf("AppendQueryValue(%+q) decodes to %+q, %v; want the same", path, value, err)
		}
		roundTripResource(t, path)
	})
}

// quoted is a key as an address has it before it is escaped.
func quoted(k entity.Key) string {
	double := strings.NewReplacer("'", "''")
	return "Races(PartitionKey='" + double.Replace(k.Partition) + "',RowKey='" + double.Replace(k.Row) + "')"
}

// roundTripResource writes what a path names and reads it again.
func roundTripResource(t *testing.T, path string) {
	r, code, _ := wire.ParseResource(path)
	written := ""
	switch r.Kind {
	case wire.EntityResource:
		written = string(wire.AppendEntityPath(nil, r.Table, r.Key))
	case wire.TableResource:
		written = string(wire.AppendTablePath(nil, r.Table))
	default:
		require.Equalf(t, code != entity.OK, r.Kind == 0, "ParseResource(%q) = %+v, %q", path, r, code)
		return
	}
	if again, code, _ := wire.ParseResource(written); again != r || code != entity.OK {
		t.Fatalf("ParseResource(%q) = %+v; written as %s it is %+v", path, r, written, again)
	}
}
