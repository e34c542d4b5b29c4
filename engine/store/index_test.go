package store_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/store"
	"loadgen/engine/store/storetest"
)

// A partition that has become large is found by another structure than it is scanned by:
// whatever is written, both hold the same.
func TestGetsAndPagesAgree(t *testing.T) {
	const keys, unindexed = 600, 255
	rng := rand.New(rand.NewPCG(27, 1))
	s := filled(t)
	want := map[string]entity.Ticks{}
	at, grown, emptied := start, 0, 0
	rowOf := func(n int) string { return fmt.Sprintf("%03d-\U0001F3C3", n) }
	write := func(verb entity.Verb) entity.Change {
		c := entity.Change{Verb: verb, Key: key("Large", rowOf(rng.IntN(keys))), Properties: storetest.Int32s(2)}
		if verb == entity.Delete {
			c.Match = entity.MatchAny
		}
		return c
	}
	for step := range 4000 {
		at += 10
		verbs := []entity.Verb{entity.InsertOrReplace, entity.InsertOrMerge, entity.Insert, entity.Delete}
		changes := []entity.Change{write(verbs[rng.IntN(len(verbs))]), write(verbs[rng.IntN(len(verbs))])}
		if step/1000%2 == 1 { // It shrinks until nothing is left, and grows again.
			changes = []entity.Change{write(entity.Delete)}
			changes[0].Key.Row = rowOf(step % keys)
		}
		if got := s.ApplyBatch(table, changes, at); got.Code == entity.OK {
			for i := range changes {
				if want[changes[i].Key.Row] = got.Versions[i]; got.Versions[i] == 0 {
					delete(want, changes[i].Key.Row)
				}
			}
		}
		if len(want) == 0 {
			emptied++
			continue
		}
		if rows, indexed := s.Indexed(table, "Large"); rows != len(want) || indexed != 0 && indexed != rows || indexed == 0 && rows > unindexed {
			t.Fatalf("step %d: %d rows and %d in the index; want %d, and as many or none of a few", step, rows, indexed, len(want))
		} else if indexed > 0 {
			grown++
		}
		row := rowOf(rng.IntN(keys))
		if got, code := s.Get(table, key("Large", row)); (code == entity.OK) != (want[row] != 0) || got.Timestamp() != want[row] {
			t.Fatalf("step %d: Get(%q) = %q of %v; want %v", step, row, code, got.Timestamp(), want[row])
		}
		page, _ := s.Scan(table, store.Query{Range: filter.OnePartition("Large")})
		for _, r := range page.Rows {
			if got, _ := s.Get(table, r.Key); got.Timestamp() != r.Entity.Timestamp() || got.Timestamp() != want[r.Key.Row] {
				t.Fatalf("step %d: Get(%q) is of %v and its row of %v; want %v", step, r.Key.Row, got.Timestamp(), r.Entity.Timestamp(), want[r.Key.Row])
			}
		}
		if len(page.Rows) != len(want) {
			t.Fatalf("step %d: a page of %d rows; want %d", step, len(page.Rows), len(want))
		}
	}
	assert.Truef(t, grown >= 500 && emptied != 0, "the partition was large in %d steps and empty in %d; want both", grown, emptied)
}
