package azure_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
	"loadgen/target/azure"
)

// BenchmarkDo shows what an attempt allocates beside what the other side of a
// connection in memory does.
func BenchmarkDo(b *testing.B) {
	insert := single(entity.Insert, "1", entity.Match{})
	large := entity.Property{Name: "Notes", Value: entity.String(strings.Repeat("x", 800))}
	insert.Change.Properties = append(insert.Change.Properties, large)
	body := `{"PartitionKey":"NYC 2011","RowKey":"1","Timestamp":"2026-11-20T11:48:20.4827041Z","Age":55,"Notes":"` +
		strings.Repeat("x", 800) + `"}`
	for _, row := range []struct {
		name, reply string
		op          target.Operation
	}{
		{"insert", created, insert},
		{"get", framed("HTTP/1.1 200 OK\nContent-Type: application/json\n\n"+body, false), get("1")},
	} {
		b.Run(row.name, func(b *testing.B) {
			n := &network{answer: func(int, *http.Request) (string, bool) { return row.reply, true }}
			subject := open(b, azure.Options{})
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
