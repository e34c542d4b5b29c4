package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

var batchBase = wire.Base{URL: "http://127.0.0.1:10002/races", Account: "races"}

const racePartition = "2026 Seoul__Half"

func raceKey(row string) entity.Key { return entity.Key{Partition: racePartition, Row: row} }

// raceChanges are one change of each kind: those of the golden request.
func raceChanges() []entity.Change {
	seen := ticks("2026-11-20T11:48:19.5Z")
	properties := func(p ...entity.Property) []entity.Property { return p }
	return []entity.Change{
		{Verb: entity.Insert, Key: raceKey("0001__Kim O'Neil"), Properties: properties(
			entity.Property{Name: "Club", Value: entity.String("Zürich")}, entity.Property{Name: "Fee", Value: entity.Double(79.5)})},
		{Verb: entity.Replace, Key: raceKey("0002__O'Brien"), Match: entity.MatchExactly(seen),
			Properties: properties(entity.Property{Name: "Bib", Value: entity.Int32(2)})},
		{Verb: entity.Merge, Key: raceKey("0003"), Match: entity.MatchAny,
			Properties: properties(entity.Property{Name: "Chip", Value: entity.Int64(5432873627392)})},
		{Verb: entity.InsertOrReplace, Key: raceKey("0004"),
			Properties: properties(entity.Property{Name: "Paid", Value: entity.Boolean(true)})},
		{Verb: entity.InsertOrMerge, Key: raceKey("0005")},
		{Verb: entity.Delete, Key: raceKey("0006"), Match: entity.MatchAny},
	}
}

// hundred is a transaction of a hundred inserts of about 1 KiB.
func hundred() []entity.Change {
	changes := make([]entity.Change, 100)
	for i := range changes {
		changes[i] = entity.Change{Verb: entity.Insert, Key: raceKey(fmt.Sprintf("%04d__Kim", i)), Properties: []entity.Property{
			{Name: "Name", Value: entity.String("Kim Tanaka")}, {Name: "Bib", Value: entity.Int32(int32(i))},
			{Name: "Paid", Value: entity.Boolean(true)}, {Name: "Fee", Value: entity.Double(79.5)},
			{Name: "Chip", Value: entity.Int64(5432873627392)},
			{Name: "Notes", Value: entity.String(strings.Repeat("the course is closed at six; ", 27))},
		}}
	}
	return changes
}

func TestAppendBatchIsTheGoldenRequest(t *testing.T) {
	changes := raceChanges()
	want := golden(t, "batch_request.txt")
	if got := string(wire.AppendBatch([]byte("before "), "7d9c", batchBase, "Races", changes, nil)); got != "before "+want {
		t.Errorf("AppendBatch = %s; want %s", got, want)
	}
	foreign := func(v entity.Ticks) string { return fmt.Sprintf(`W/"version %d"`, v) }
	got := string(wire.AppendBatch(nil, "7d9c", batchBase, "Races", changes[1:3], foreign))
	if !strings.Contains(got, "If-Match: W/\"version 639307720995000000\"\r\n") || !strings.Contains(got, "If-Match: *\r\n") {
		t.Errorf("AppendBatch with tags of another service = %s; want those", got)
	}
}
