package targettest

import (
	"bytes"
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

func addSingles(add func(string, func(*script))) {
	add("what is inserted can be read, property by property", insertIsRead)
	add("an entity is inserted once", insertedOnce)
	add("a missing entity is told so", entityMissing)
	add("replace leaves nothing of what was there", replaceAll)
	add("merge keeps what it does not name", mergeKeeps)
	add("insert-or-replace does either", upsertReplaces)
	add("insert-or-merge does either", upsertMerges)
	add("a deleted entity is gone and can be inserted anew", deleted)
	add("a write is the target's own and a read stays as it was", ownership)
}

// everyType returns a property of each type, some at the ends of their range.
func everyType() []entity.Property {
	return []entity.Property{
		text("Name", "Zoë O'Neill \U0001F3C3"),
		text("Empty", ""),
		{Name: "Photo", Value: entity.Binary([]byte{0, 1, 0xff})},
		{Name: "Finished", Value: entity.Boolean(true)},
		{Name: "Born", Value: entity.DateTime(630822816000000000)},
		{Name: "Seconds", Value: entity.Double(14712.5)},
		{Name: "Chip", Value: entity.GUID([16]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})},
		{Name: "Age", Value: entity.Int32(-1 << 31)},
		{Name: "Bib", Value: entity.Int64(1<<63 - 1)},
	}
}

func insertIsRead(s *script) {
	inserted := s.must(write(entity.Insert, row("1"), everyType()...))
	read := s.holds(row("1"), everyType()...)
	if inserted.Version == 0 || read.Version != inserted.Version || read.Entity.Timestamp() != inserted.Version {
		s.Errorf("version at insert %d, at get %d, in the entity %d; want one and the same, not 0",
			inserted.Version, read.Version, read.Entity.Timestamp())
	}
	if inserted.Code != entity.OK || inserted.Next.Present || len(inserted.Rows) > 0 {
		s.Errorf("insert = %+v; want no code, rows or token", inserted)
	}
	s.must(write(entity.Insert, row("2")))
	s.holds(row("2"))
}

func insertedOnce(s *script) {
	s.must(write(entity.Insert, row("1"), text("A", "first")))
	s.wants(entity.EntityAlreadyExists, write(entity.Insert, row("1"), text("A", "second"), text("B", "more")))
	s.holds(row("1"), text("A", "first"))
	s.must(write(entity.Insert, entity.Key{Partition: "q", Row: "1"}, text("A", "another partition's")))
	s.holds(row("1"), text("A", "first"))
}

func entityMissing(s *script) {
	s.must(write(entity.Insert, row("1")))
	for _, op := range []target.Operation{
		get(row("2")),
		get(entity.Key{Partition: "q", Row: "1"}),
		writeIf(entity.Replace, entity.MatchAny, row("2")),
		writeIf(entity.Merge, entity.MatchAny, row("2")),
		writeIf(entity.Delete, entity.MatchAny, row("2")),
	} {
		s.wants(entity.ResourceNotFound, op)
	}
	s.lacks(row("2"))
}

func replaceAll(s *script) {
	s.must(write(entity.Insert, row("1"), text("A", "a"), text("B", "b")))
	s.must(writeIf(entity.Replace, entity.MatchAny, row("1"), text("B", "new"), text("C", "c")))
	s.holds(row("1"), text("B", "new"), text("C", "c"))
	s.must(writeIf(entity.Replace, entity.MatchAny, row("1")))
	s.holds(row("1"))
}

func mergeKeeps(s *script) {
	s.must(write(entity.Insert, row("1"), text("A", "a"), text("B", "b")))
	number := entity.Property{Name: "B", Value: entity.Int32(7)}
	s.must(writeIf(entity.Merge, entity.MatchAny, row("1"), number, text("C", "c")))
	s.holds(row("1"), text("A", "a"), number, text("C", "c"))
	s.must(writeIf(entity.Merge, entity.MatchAny, row("1")))
	s.holds(row("1"), text("A", "a"), number, text("C", "c"))
}

func upsertReplaces(s *script) {
	s.must(write(entity.InsertOrReplace, row("1"), text("A", "a"), text("B", "b")))
	s.holds(row("1"), text("A", "a"), text("B", "b"))
	s.must(write(entity.InsertOrReplace, row("1"), text("B", "new")))
	s.holds(row("1"), text("B", "new"))
}

func upsertMerges(s *script) {
	s.must(write(entity.InsertOrMerge, row("1"), text("A", "a"), text("B", "b")))
	s.holds(row("1"), text("A", "a"), text("B", "b"))
	s.must(write(entity.InsertOrMerge, row("1"), text("B", "new"), text("C", "c")))
	s.holds(row("1"), text("A", "a"), text("B", "new"), text("C", "c"))
}

func deleted(s *script) {
	s.must(write(entity.Insert, row("1"), text("A", "a")))
	s.must(write(entity.Insert, row("2"), text("A", "a")))
	s.must(writeIf(entity.Delete, entity.MatchAny, row("1")))
	s.lacks(row("1"))
	s.holds(row("2"), text("A", "a"))
	s.wants(entity.ResourceNotFound, writeIf(entity.Delete, entity.MatchAny, row("1")))
	s.must(write(entity.Insert, row("1"), text("B", "b")))
	s.holds(row("1"), text("B", "b"))
}

func ownership(s *script) {
	properties := []entity.Property{text("A", "a"), text("B", "b")}
	s.must(write(entity.Insert, row("1"), properties...))
	clear(properties)
	read := s.holds(row("1"), text("A", "a"), text("B", "b"))
	kept := slices.Clone(read.Entity)
	s.must(writeIf(entity.Replace, entity.MatchAny, row("1"), text("A", "x"), text("B", "y")))
	s.must(writeIf(entity.Merge, entity.MatchAny, row("1"), text("A", "z")))
	if !bytes.Equal(kept, read.Entity) {
		s.Errorf("an entity that was read changed when another version was written")
	}
}
