package entity_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loadgen/engine/entity"
)

// naiveMerge is what a merge means, said once more over lists.
func naiveMerge(stored, changes []entity.Property) []entity.Property {
	merged := slices.Clone(stored)
	for _, change := range changes {
		i := slices.IndexFunc(merged, func(p entity.Property) bool { return p.Name == change.Name })
		if i < 0 {
			merged = append(merged, change)
		} else {
			merged[i] = change
		}
	}
	return merged
}

func TestMergePackedTable(t *testing.T) {
	a, b, c := entity.Property{Name: "A", Value: entity.Int32(1)},
		entity.Property{Name: "B", Value: entity.String("two")}, entity.Property{Name: "C", Value: entity.Boolean(true)}
	longB := entity.Property{Name: "B", Value: entity.Int64(1 << 40)}
	list := func(p ...entity.Property) []entity.Property { return p }
	for _, row := range []struct {
		name    string
		stored  []entity.Property
		changes []entity.Property
		want    []entity.Property
	}{
		{"nothing into nothing", nil, nil, nil},
		{"no change keeps all", list(a, b, c), nil, list(a, b, c)},
		{"all is new to an empty entity", nil, list(b, a), list(b, a)},
		{"what is named takes value and type in its place", list(a, b, c), list(longB), list(a, longB, c)},
		{"what is new comes at the end", list(a, c), list(b), list(a, c, b)},
		{"an order other than the stored one changes no place", list(a, b, c), list(c, longB, a), list(a, longB, c)},
		{"new and old mix", list(b), list(a, longB, c), list(longB, a, c)},
	} {
		stored := entity.Pack(nil, 9, row.stored)
		before := slices.Clone(stored)
		merged := entity.MergePacked(stored, 10, row.changes)
		got, err := merged.Unpack(nil)
		if err != nil || !slices.Equal(got, row.want) || merged.Timestamp() != 10 {
			t.Errorf("%s: MergePacked = %v at %d, %v; want %v at 10", row.name, got, merged.Timestamp(), err, row.want)
		}
		if !slices.Equal(stored, before) {
			t.Errorf("%s: MergePacked altered what was stored", row.name)
		}
	}
}

func TestMergePackedAgainstLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for run := range 400 {
		most := 1 + run%300
		stored, changes := randomProperties(rng, most), randomProperties(rng, most)
		merged := entity.MergePacked(entity.Pack(nil, 1, stored), 2, changes)
		want := entity.Pack(nil, 2, naiveMerge(stored, changes))
		if !slices.Equal(merged, want) {
			t.Fatalf("run %d: MergePacked(%v, %v) = %q; want %q", run, stored, changes, merged, want)
		}
	}
}
