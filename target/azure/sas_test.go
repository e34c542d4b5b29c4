package azure_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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

// Each user has a client of their own by a signature of their keys, whatever their name: it
// reads their entities, and nothing else. Which keys a signature opens is a matter of the server.
func TestSignatureOfAUserOpensTheUsersKeys(t *testing.T) {
	e := openEmbedded(t, azure.Options{})
	send := func(to target.Target, verb entity.Verb, pk, row string) target.Outcome {
		return do(t, to, *resttest.Write(verb, "Inbox", pk, row))
	}
	users := []string{"ann", "ann & co"}
	send(e, entity.CreateTable, "", "")
	for _, user := range users {
		for row := range 4 {
			send(e, entity.Insert, user, fmt.Sprint(row))
		}
	}
	for i, user := range users {
		keys := entity.Key{Partition: user}
		endpoint := must(must(azure.ParseURL(e.service.URL, "", nil)).WithSAS(issue("Inbox", "r", keys, keys)))
		client := resttest.NewClient(t, endpoint, azure.Options{})
		for name, got := range map[string][2]int{
			"an entity of theirs":     {send(client, entity.Get, user, "3").Status, 200},
			"one that is not there":   {send(client, entity.Get, user, "9").Status, 404},
			"one of somebody else":    {send(client, entity.Get, users[1-i], "3").Status, 403},
			"a write":                 {send(client, entity.Insert, user, "5").Status, 403},
			"a query of all, in rows": {int(send(client, entity.Query, "", "").Returned), 4},
		} {
			assert.Equalf(t, got[1], got[0], "%s: %s", user, name)
		}
	}
}
