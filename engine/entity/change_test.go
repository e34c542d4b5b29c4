package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
)

func TestVerbsReadAsTheyAreWritten(t *testing.T) {
	for v := entity.Insert; v <= entity.DeleteTable; v++ {
		got, ok := entity.ParseVerb(v.String())
		assert.Truef(t, got == v && ok, "ParseVerb(%s) = %v, %v; want %v", v, got, ok, v)
		assert.Equalf(t, v < entity.Get, v.IsChange(), "%v.IsChange()", v)
	}
	for _, name := range []string{"", "unknown", "Insert", "upsert"} {
		got, ok := entity.ParseVerb(name)
		assert.Truef(t, !ok, "ParseVerb(%q) = %v; want none", name, got)
	}
	for _, v := range []entity.Verb{0, entity.DeleteTable + 1, 255} {
		assert.Truef(t, v.String() == "unknown" && !v.IsChange(),
			"Verb(%d) = %v, a change: %v; want unknown and none", v, v, v.IsChange())
	}
}

func TestMatchAccepts(t *testing.T) {
	for _, row := range []struct {
		name    string
		match   entity.Match
		version entity.Ticks
		want    bool
	}{
		{"no condition accepts all", entity.Match{}, 5, true},
		{"a star accepts all", entity.MatchAny, 5, true},
		{"a version accepts itself", entity.MatchExactly(5), 5, true},
		{"a version accepts no other", entity.MatchExactly(5), 6, false},
		{"the version zero is a condition", entity.MatchExactly(0), 6, false},
	} {
		assert.Equalf(t, row.want, row.match.Accepts(row.version), "%s: Accepts(%d)", row.name, row.version)
	}
	assert.True(t, !entity.MatchExactly(0).IsNone() && !entity.MatchAny.IsNone() && (entity.Match{}).IsNone(),
		"IsNone is wrong; want it of the zero Match alone")
}

func TestStatusOfCodes(t *testing.T) {
	for code, want := range map[entity.Code]int{entity.OK: 200, entity.TableNotFound: 404, entity.EntityAlreadyExists: 409,
		entity.ConditionNotSatisfied: 412, entity.OperationTimedOut: 500, entity.ServerBusy: 503, "SomethingNew": 400} {
		assert.Equalf(t, want, code.Status(), "Code(%q).Status()", code)
	}
}
