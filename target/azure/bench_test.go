package azure_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// cannedProperties make an entity of about 1 KB.
func cannedProperties() []entity.Property {
	properties := []entity.Property{
		{Name: "Age", Value: entity.Int32(55)}, {Name: "Bib", Value: entity.Int64(1234)},
		{Name: "Seconds", Value: entity.Double(14712.5)}, {Name: "Finished", Value: entity.Boolean(true)},
		{Name: "Chip", Value: entity.GUID([16]byte{1, 2, 3})}, {Name: "Born", Value: entity.DateTime(630822816000000000)},
	}
	for i := range 6 {
		properties = append(properties, entity.Property{Name: fmt.Sprintf("Split%d", i), Value: entity.String(strings.Repeat("x", 80))})
	}
	return properties
}

func cannedEntity() string {
	return `{"odata.metadata":"http://127.0.0.1/races/$metadata#Runners/@Element","odata.etag":"W/\"datetime'2026-11-20T11%3A48%3A20.4827041Z'\"",` +
		`"PartitionKey":"NYC 2011","RowKey":"1","Timestamp":"2026-11-20T11:48:20.4827041Z","Age":55,"Bib@odata.type":"Edm.Int64","Bib":"1234","Seconds":14712.5,` +
		`"Finished":true,"Chip@odata.type":"Edm.Guid","Chip":"01020300-0000-0000-0000-000000000000","Born@odata.type":"Edm.DateTime","Born":"2000-01-01T00:00:00Z"` +
		strings.Repeat(`,"Split`+strings.Repeat("y", 10)+`":"`+strings.Repeat("x", 80)+`"`, 1) +
		`,"A":"` + strings.Repeat("x", 200) + `","B":"` + strings.Repeat("x", 200) + `"}`
}

// BenchmarkDo shows what an attempt allocates beside what the other side of a
// connection in memory does.
func BenchmarkDo(b *testing.B) {
	insert := single(entity.Insert, "1", entity.Match{})
	insert.Change.Properties = cannedProperties()
	for _, row := range []struct {
		name, reply string
		op          target.Operation
	}{
		{"insert", created, insert},
		{"get", framed("HTTP/1.1 200 OK\nContent-Type: application/json\n\n"+cannedEntity(), false), get("1")},
	} {
		b.Run(row.name, func(b *testing.B) {
			n := &network{answer: func(int, *http.Request) (string, bool) { return row.reply, true }}
			subject := open(b, azure.Options{Endpoint: endpointAt(b, "http://127.0.0.1/races")})
			n.join(b, subject)
			b.ReportAllocs()
			for b.Loop() {
				if got := subject.Do(context.Background(), &row.op); got.Class(target.Expected{}) != results.Ok {
					b.Fatalf("Do = %+v; want a success", got)
				}
			}
		})
	}
}
