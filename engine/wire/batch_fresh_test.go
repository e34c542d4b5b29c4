package wire_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// Changes without a body may come before the first with one, also in a request
// that nothing was parsed into before.
func TestDeletesBeforeTheFirstBody(t *testing.T) {
	changes := []entity.Change{
		{Verb: entity.Delete, Key: entity.Key{Partition: "p", Row: "1"}, Match: entity.MatchAny},
		{Verb: entity.Delete, Key: entity.Key{Partition: "p", Row: "2"}, Match: entity.MatchAny},
		{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "3"},
			Properties: []entity.Property{{Name: "Age", Value: entity.Int32(55)}}},
	}
	base := wire.Base{URL: "https://races.table.example.net", Account: "races"}
	body := wire.AppendBatch(nil, "fresh", base, "Registrations", changes, nil)
	var request wire.BatchRequest
	if code, index, detail := request.Parse("batch_fresh", string(body)); code != entity.OK {
		t.Fatalf("Parse = %s at %d: %s; want it read", code, index, detail)
	}
	if len(request.Changes) != 3 || request.Changes[2].Key != changes[2].Key || len(request.Changes[2].Properties) != 1 {
		t.Errorf("Parse read %+v; want %+v", request.Changes, changes)
	}
}
