package coverage_test

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func dataModel() []row {
	const group = "Data model"
	return []row{
		{1, group, guide, "Entities of one table need no common schema: a property can have another type in each entity.",
			overHTTP(
				`t Races --json '{"PartitionKey":"a","RowKey":"1","Value":7}'`,
				`t Races --json '{"PartitionKey":"a","RowKey":"2","Value":"seven"}'`),
			"types of one property", "types read back", quick,
			vary(exactly[int], typesOfOneProperty, 3, 8)},
		{2, group, guide, "The service sets Timestamp, whatever the client sends, and forms the ETag from it.",
			overHTTP(
				`t Races --json '{"PartitionKey":"a","RowKey":"1","Timestamp":"1999-01-01T00:00:00Z"}'`),
			"year that the client sends", "the year of the service's clock, 2026", quick,
			vary(func(int) band { return exactly(epoch().Year()) }, yearOfTimestamp, 1999, 2040)},
		{3, group, patterns, "One request each creates, lists, sets policies of and deletes a table; the name of a deleted table is free after a delay, a new name at once.",
			"`loadgen simulate name-reuse --anti-pattern`", "delay of a deleted name, s", "seconds until the name is free", quick,
			vary(exactly[int], secondsUntilReuse, 10, 60)},
		{4, group, guide, "One index, in lexical order of PartitionKey and RowKey, orders every result; keys may be empty, but not null.",
			overHTTP(
				`t Races --json '{"PartitionKey":"b","RowKey":""}'`,
				`t Races --json '{"PartitionKey":"","RowKey":"2"}'`,
				`t Races --json '{"PartitionKey":null,"RowKey":"3"}'`,
				`t 'Races()'`),
			"entities inserted in random order", "pairs of neighbours in ascending order: entities - 1", quick,
			vary(func(n int) band { return exactly(n - 1) }, ascending, 5, 60)},
	}
}

// typesOfOneProperty inserts an entity for each type and returns of how many types the
// property is that is read back.
func typesOfOneProperty(t testing.TB, n int) float64 {
	w := newWire(t)
	values := []string{`"Value":"text"`, `"Value":7`, `"Value":1.5`, `"Value":true`,
		`"Value":"7","Value@odata.type":"Edm.Int64"`,
		`"Value":"2014-07-31T18:00:00Z","Value@odata.type":"Edm.DateTime"`,
		`"Value":"c9da6455-213d-42c9-9a79-3e9149a57833","Value@odata.type":"Edm.Guid"`,
		`"Value":"AAEC","Value@odata.type":"Edm.Binary"`}
	types := make(map[string]bool)
	for i, value := range values[:n] {
		row := fmt.Sprint(i)
		w.insert("one", row, value)
		reply := decoded(w, w.want(200, "GET", at("one", row), "", "Accept: application/json;odata=fullmetadata"))
		typed, _ := reply["Value@odata.type"].(string)
		if typed == "" {
			typed = fmt.Sprintf("%T", reply["Value"])
			if number, is := reply["Value"].(float64); is && number != math.Trunc(number) {
				typed = "double"
			}
		}
		types[typed] = true
	}
	return float64(len(types))
}

// yearOfTimestamp returns the year of the Timestamp that an entity has, 0 where its ETag is
// not made of it.
func yearOfTimestamp(t testing.TB, sent int) float64 {
	w := newWire(t)
	w.insert("one", "1", fmt.Sprintf(`"Timestamp":"%d-01-01T00:00:00Z"`, sent))
	reply := w.want(200, "GET", at("one", "1"), "")
	stamp, _ := decoded(w, reply)["Timestamp"].(string)
	if reply.Header().Get("Etag") != `W/"datetime'`+url.QueryEscape(stamp)+`'"` {
		return 0
	}
	return float64(instant(stamp).Year())
}

// secondsUntilReuse drops a table of 50 entities by one request, makes one of a new name at
// once, and returns after how many seconds the old name can be used.
func secondsUntilReuse(t testing.TB, kept int) float64 {
	w := newWire(t, set("name_delay", time.Duration(kept)*time.Second), "round_trip=0s", "write_time=0s")
	const policy = "<SignedIdentifiers><SignedIdentifier><Id>readers</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>"
	w.want(204, "PUT", "/Races?comp=acl", policy)
	assert.Contains(t, w.want(200, "GET", "/Races?comp=acl", "").Body.String(), "<Id>readers</Id>", "the table's policies")
	assert.Contains(t, w.want(200, "GET", "/Tables", "").Body.String(), "Races", "the list of tables")
	for i := range 50 {
		w.insert("one", fmt.Sprint(i), "")
	}
	w.want(204, "DELETE", "/Tables('Races')", "")
	w.want(201, "POST", "/Tables", `{"TableName":"Races2"}`)
	from := w.Clock.Now().Offset()
	for second := 0; ; second++ {
		w.Clock.Set(from + time.Duration(second)*time.Second)
		if reply := w.send("POST", "/Tables", `{"TableName":"Races"}`); reply.Code == 201 || second > 1000 {
			return float64(second)
		}
	}
}

// ascending inserts entities, the last one under empty keys, and returns how many neighbours
// of what is read back ascend.
func ascending(t testing.TB, n int) float64 {
	w := newWire(t)
	for i := range n - 1 {
		number := i * 37 % 101
		w.insert(strconv.Itoa(number%7), strconv.Itoa(number), "")
	}
	w.insert("", "", "")
	assert.Equal(t, 400, w.send("POST", "/Races", `{"PartitionKey":null,"RowKey":"1"}`).Code, "a key of null")
	entities, _, _ := w.pages(url.Values{})
	up := 0
	for i := 1; i < len(entities); i++ {
		before, after := entities[i-1], entities[i]
		by := strings.Compare(before["PartitionKey"].(string), after["PartitionKey"].(string))
		if by < 0 || by == 0 && before["RowKey"].(string) < after["RowKey"].(string) {
			up++
		}
	}
	return float64(up)
}
