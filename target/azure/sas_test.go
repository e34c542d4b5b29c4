package azure_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/target"
	"loadgen/target/azure"
)

// issue returns a shared access signature that opens a range of a table's keys, as the
// service's documents have it: what a broker does for each of its users.
func issue(table, permissions string, from, to entity.Key) string {
	const version, expiry = "2019-02-02", "2099-01-01T00:00:00Z"
	signed := strings.Join([]string{permissions, "", expiry, "/table/races/" + strings.ToLower(table), "", "", "", version,
		from.Partition, from.Row, to.Partition, to.Row}, "\n")
	v := url.Values{"sv": {version}, "sp": {permissions}, "se": {expiry}, "tn": {table}, "sig": {races.MAC(signed)}}
	for name, value := range map[string]string{"spk": from.Partition, "srk": from.Row, "epk": to.Partition, "erk": to.Row} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// Each user has a client of their own by a signature of their keys: it reads their
// entities, and is refused those of others, other rows and every write.
func TestSignatureOfAUserOpensTheUsersKeys(t *testing.T) {
	e := openEmbedded(t, azure.Options{})
	do := func(by target.Target, verb entity.Verb, pk, rk string) int {
		c := entity.Change{Verb: verb, Key: entity.Key{Partition: pk, Row: rk}}
		o := by.Do(t.Context(), &target.Operation{Verb: verb, Table: "Inbox", Change: c})
		return o.Status
	}
	if got := do(e, entity.CreateTable, "", ""); got >= 300 {
		t.Fatalf("creating the table: %d", got)
	}
	for _, user := range []string{"ann", "ann & co", "bob"} {
		for row := range 4 {
			do(e, entity.Insert, user, fmt.Sprint(row))
		}
	}
	by := func(signature string) target.Target {
		endpoint, err := azure.ParseURL(e.service.URL, "", nil)
		if err == nil {
			endpoint, err = endpoint.WithSAS(signature)
		}
		if err != nil {
			t.Fatal(err)
		}
		return resttest.NewClient(t, endpoint, azure.Options{})
	}
	key := func(pk, rk string) entity.Key { return entity.Key{Partition: pk, Row: rk} }
	ann := by(issue("Inbox", "r", key("ann", ""), key("ann", "")))
	company := by(issue("Inbox", "r", key("ann & co", ""), key("ann & co", "")))
	rows := by(issue("Inbox", "r", key("bob", "1"), key("bob", "2")))
	writer := by(issue("Inbox", "ru", key("bob", "1"), key("bob", "2")))
	forged := by(issue("Outbox", "r", key("ann", ""), key("ann", "")))
	for _, row := range []struct {
		sentence string
		client   target.Target
		verb     entity.Verb
		pk, rk   string
		want     int
	}{
		{"ann reads her own", ann, entity.Get, "ann", "0", 200},
		{"one that is not there is not there", ann, entity.Get, "ann", "9", 404},
		{"she is refused bob's", ann, entity.Get, "bob", "0", 403},
		{"and what only begins like hers", ann, entity.Get, "ann & co", "0", 403},
		{"and to write her own", ann, entity.Insert, "ann", "5", 403},
		{"a name that has to be escaped is a name", company, entity.Get, "ann & co", "0", 200},
		{"and opens no shorter one", company, entity.Get, "ann", "0", 403},
		{"a range of rows opens its first", rows, entity.Get, "bob", "1", 200},
		{"nor after", rows, entity.Get, "bob", "3", 403},
		{"an upsert needs the right to add, too", writer, entity.InsertOrMerge, "bob", "1", 403},
		{"a signature of another table opens nothing", forged, entity.Get, "ann", "0", 403},
	} {
		if got := do(row.client, row.verb, row.pk, row.rk); got != row.want {
			t.Errorf("%s: %v of (%s, %s) = %d; want %d", row.sentence, row.verb, row.pk, row.rk, got, row.want)
		}
	}
	o := ann.Do(t.Context(), &target.Operation{Verb: entity.Query, Table: "Inbox"})
	if o.Status != 200 || o.Returned != 4 {
		t.Errorf("a query of the whole table by ann's signature = %d with %d entities; want her 4", o.Status, o.Returned)
	}
}

// BenchmarkIssueSignature is what a broker's CPU pays for one signature.
func BenchmarkIssueSignature(b *testing.B) {
	user := entity.Key{Partition: "user 4711"}
	b.ReportAllocs()
	for b.Loop() {
		issue("Inbox", "r", user, user)
	}
}
