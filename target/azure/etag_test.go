package azure_test

import (
	"context"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/target"
	"loadgen/target/azure"
)

// A service compares entity tags as texts: what it is sent has to be written as
// it writes them.
func TestETagStyles(t *testing.T) {
	tagged := func(fraction string) string {
		return "HTTP/1.1 204 No Content\nContent-Length: 0\nETag: W/\"datetime'2026-11-20T11%3A48%3A20" + fraction + "Z'\"\n\n"
	}
	page := func(fraction string) string {
		return "HTTP/1.1 200 OK\nContent-Type: application/json\n\n" +
			`{"value":[{"odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A19.4827041Z'\"","PartitionKey":"p","RowKey":"0","Timestamp":"2026-11-20T11:48:19.4827041Z"},` +
			`{"odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A20` + fraction + `Z'\"","PartitionKey":"p","RowKey":"1","Timestamp":"2026-11-20T11:48:20` + fraction + `Z"}]}`
	}
	merge := single(entity.Merge, "1", entity.MatchAny)
	query := target.Operation{Verb: entity.Query, Table: "Runners"}
	for _, row := range []struct {
		name    string
		first   target.Operation
		reply   string
		version string
		want    string
	}{
		{"nothing has been seen", merge, tagged(""), "11:48:20.4827", "20.4827Z"},
		{"no style shows in a tag that ends with another digit", merge, tagged(".4827041"), "11:48:20.4827", "20.4827Z"},
		{"the real service trims zeros", merge, tagged(".4827"), "11:48:20.4827", "20.4827Z"},
		{"the real service trims a whole fraction", merge, tagged(""), "11:48:20", "20Z"},
		{"Azurite prints seven digits", merge, tagged(".4827000"), "11:48:20.4827", "20.4827000Z"},
		{"Azurite prints them of one digit", merge, tagged(".4827000"), "11:48:20.4", "20.4000000Z"},
		{"Azurite prints them of a whole second", merge, tagged(".0000000"), "11:48:20", "20.0000000Z"},
		{"seven that end with another digit are the same in both", merge, tagged(".4827000"), "11:48:20.4827041", "20.4827041Z"},
		{"a page of Azurite shows it too", query, page(".4827000"), "11:48:20.4827", "20.4827000Z"},
		{"a page of the real service shows the other", query, page(".4827"), "11:48:20.4827", "20.4827Z"},
		{"a page whose tags do not tell", query, page(".4827001"), "11:48:20.4827", "20.4827Z"},
		{"a tag that is none", merge, strings.Replace(tagged(""), "W/", "", 1), "11:48:20.4827", "20.4827Z"},
	} {
		subject, server := openAt(t, always(framed(row.reply, false)), azure.Options{})
		if got := subject.Do(context.Background(), &row.first); got.Status == 0 {
			t.Errorf("%s: Do = %+v; want a reply", row.name, got)
		}
		conditional := single(entity.Merge, "1", entity.MatchExactly(ticks(t, "2026-11-20T"+row.version+"Z")))
		batch := target.Operation{Verb: entity.Batch, Table: "Runners", Changes: []entity.Change{conditional.Change}}
		for n, op := range []*target.Operation{&conditional, &batch} {
			subject.Do(context.Background(), op)
			want := "If-Match: W/\"datetime'2026-11-20T11%3A48%3A" + row.want + "'\"\r\n"
			if request := string(server.requests()[n+1]); !strings.Contains(request, want) {
				t.Errorf("%s: %v sent\n%s\nwant %s in it", row.name, op.Verb, request, want)
			}
		}
	}
}

// A service that trims at first and pads later is taken for what it did later:
// two services behind one name, or one that was replaced.
func TestETagStyleChanges(t *testing.T) {
	replies := []string{".4827", ".4827000", ".4827", ""}
	wants := []string{"20.4827Z", "20.4827Z", "20.4827000Z", "20.4827000Z"}
	subject, server := openAt(t, func(number int, _ []byte) (string, bool) {
		return framed("HTTP/1.1 204 No Content\nContent-Length: 0\nETag: W/\"datetime'2026-11-20T11%3A48%3A20"+replies[number]+"Z'\"\n\n", false), false
	}, azure.Options{})
	op := single(entity.Merge, "1", entity.MatchExactly(ticks(t, "2026-11-20T11:48:20.4827Z")))
	for n, want := range wants {
		got := subject.Do(context.Background(), &op)
		if !strings.Contains(string(server.requests()[n]), want) {
			t.Errorf("request %d:\n%s\nwant %s in it", n, server.requests()[n], want)
		}
		if n < 3 && got.Version != ticks(t, "2026-11-20T11:48:20.4827Z") {
			t.Errorf("Do %d = version %v; want the one of the tag", n, got.Version)
		}
	}
}
