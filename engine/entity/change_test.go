package entity_test

import (
	"testing"

	"loadgen/engine/entity"
)

func TestVerbsReadAsTheyAreWritten(t *testing.T) {
	for v := entity.Insert; v <= entity.DeleteTable; v++ {
		if got, ok := entity.ParseVerb(v.String()); got != v || !ok {
			t.Errorf("ParseVerb(%s) = %v, %v; want %v", v, got, ok, v)
		}
		if got, want := v.IsChange(), v < entity.Get; got != want {
			t.Errorf("%v.IsChange() = %v; want %v", v, got, want)
		}
	}
	for _, name := range []string{"", "unknown", "Insert", "upsert"} {
		if got, ok := entity.ParseVerb(name); ok {
			t.Errorf("ParseVerb(%q) = %v; want none", name, got)
		}
	}
	for _, v := range []entity.Verb{0, entity.DeleteTable + 1, 255} {
		if v.String() != "unknown" || v.IsChange() {
			t.Errorf("Verb(%d) = %v, a change: %v; want unknown and none", v, v, v.IsChange())
		}
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
		if got := row.match.Accepts(row.version); got != row.want {
			t.Errorf("%s: Accepts(%d) = %v; want %v", row.name, row.version, got, row.want)
		}
	}
	if entity.MatchExactly(0).IsNone() || entity.MatchAny.IsNone() || !(entity.Match{}).IsNone() {
		t.Error("IsNone is wrong; want it of the zero Match alone")
	}
}

func TestStatusOfCodes(t *testing.T) {
	for code, want := range map[entity.Code]int{
		entity.OK: 200, entity.InvalidInput: 400, entity.TableNotFound: 404, entity.ResourceNotFound: 404,
		entity.TableAlreadyExists: 409, entity.EntityAlreadyExists: 409, entity.ConditionNotSatisfied: 412,
		entity.RequestBodyTooLarge: 413, entity.OperationTimedOut: 500, entity.ServerBusy: 503,
		"SomethingNew": 400,
	} {
		if got := code.Status(); got != want {
			t.Errorf("Code(%q).Status() = %d; want %d", code, got, want)
		}
	}
}
