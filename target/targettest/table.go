package targettest

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

func addTables(add func(string, func(*script))) {
	add("a table is created once", tableCreatedOnce)
	add("an operation on a missing table is told so", tableMissing)
	add("a deleted table is gone with its entities", tableDeleted)
}

func tableCreatedOnce(s *script) {
	s.wants(entity.TableAlreadyExists, target.Operation{Verb: entity.CreateTable, Table: s.table})
	s.wants(entity.TableAlreadyExists, target.Operation{Verb: entity.CreateTable, Table: strings.ToUpper(s.table)})
	s.must(write(entity.Insert, row("1")))
}

func tableMissing(s *script) {
	missing := s.table + "Missing"
	key, exists := row("1"), entity.MatchAny
	for _, op := range []target.Operation{
		write(entity.Insert, key),
		writeIf(entity.Replace, exists, key),
		writeIf(entity.Merge, exists, key),
		write(entity.InsertOrReplace, key),
		write(entity.InsertOrMerge, key),
		writeIf(entity.Delete, exists, key),
		get(key),
		{Verb: entity.Query, Query: partition("p")},
		{Verb: entity.Batch, Changes: []entity.Change{write(entity.Insert, key).Change}},
	} {
		op.Table = missing
		s.wants(entity.TableNotFound, op)
	}
	// The service calls a table a resource where the operation is on the table
	// itself.
	outcome := s.do(target.Operation{Verb: entity.DeleteTable, Table: missing})
	if outcome.Status != 404 || outcome.Code != entity.TableNotFound && outcome.Code != entity.ResourceNotFound {
		s.Errorf("delete-table of a missing table = %s; want 404", result(&outcome))
	}
}

func tableDeleted(s *script) {
	other := s.table + "Other"
	s.create(other)
	s.must(write(entity.Insert, row("1")))
	inOther := write(entity.Insert, row("1"))
	inOther.Table = other
	s.must(inOther)

	s.must(target.Operation{Verb: entity.DeleteTable, Table: other})
	gone := get(row("1"))
	gone.Table = other
	s.wants(entity.TableNotFound, gone)
	s.holds(row("1"))
}
