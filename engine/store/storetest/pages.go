package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/store"
)

// Many returns a store of several partitions, of one row up to several levels
// of the tree, and all its keys in order.
func Many(t testing.TB, open Opener) (engine.Store, []entity.Key) {
	s := Filled(t, open)
	var keys []entity.Key
	for p, size := range []int{1, 2500, 1, 63, 64, 1200, 1, 1} {
		for i := range size {
			keys = append(keys, Key(fmt.Sprintf("partition-%02d", p), fmt.Sprintf("%06d", i*11%size)))
		}
	}
	for _, k := range keys {
		MustApply(t, s, &entity.Change{Verb: entity.Insert, Key: k}, Start)
	}
	slices.SortFunc(keys, entity.Key.Compare)
	return s, keys
}

func pagesTogetherAreTheWhole(t *testing.T, open Opener) {
	s, keys := Many(t, open)
	for _, row := range []struct {
		name  string
		query store.Query
		pages int
	}{
		{"pages of the service's size", store.Query{}, (len(keys) + 999) / 1000},
		{"a size beyond the service's is the service's", store.Query{Top: 2000}, (len(keys) + 999) / 1000},
		{"a negative size is the service's", store.Query{Top: -1, ScanLimit: -1}, (len(keys) + 999) / 1000},
		{"pages of 64", store.Query{Top: 64}, (len(keys) + 63) / 64},
		{"pages of 100 scanned", store.Query{ScanLimit: 100}, (len(keys) + 99) / 100},
	} {
		var got []entity.Key
		pages := 0
		for more := true; more; pages++ {
			page, code := s.Scan(Table, row.query)
			require.Equalf(t, entity.OK, code, "%s: Scan", row.name)
			for _, r := range page.Rows {
				got = append(got, r.Key)
			}
			if more = page.More; more {
				row.query.Range = row.query.Range.StartingAt(page.Next)
			}
		}
		assert.Truef(t, slices.Equal(got, keys) && pages == row.pages,
			"%s: %d keys on %d pages; want the %d that there are on %d", row.name, len(got), pages, len(keys), row.pages)
	}
}
