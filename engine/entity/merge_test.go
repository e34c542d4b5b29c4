package entity_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

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

func TestMergePackedAgainstLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for run := range 400 {
		most := 1 + run%300
		stored, changes := randomProperties(rng, most), randomProperties(rng, most)
		packed := entity.Pack(nil, 1, stored)
		merged := entity.MergePacked(packed, 2, changes)
		want := entity.Pack(nil, 2, naiveMerge(stored, changes))
		require.Truef(t, slices.Equal(merged, want),
			"run %d: MergePacked(%v, %v) = %q; want %q", run, stored, changes, merged, want)
		require.Truef(t, slices.Equal(packed, entity.Pack(nil, 1, stored)), "run %d: MergePacked altered what was stored", run)
	}
}
