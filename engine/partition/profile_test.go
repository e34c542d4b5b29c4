package partition

import (
	"fmt"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

func TestProfileKeepsItsSumsAndItsBounds(t *testing.T) {
	for seed := range uint64(20) {
		draw := clock.NewStream(seed, "profile").At(0)
		var p profile
		var load, bytes int64
		exact := map[string]int64{}
		for range 5000 {
			key := fmt.Sprintf("%03d", draw.IntN(1+draw.IntN(300)))
			l, b := int64(draw.IntN(1000)), int64(draw.IntN(100))
			p.touch(key, l, b)
			load, bytes = load+l, bytes+b
			exact[key] += l
		}
		var sums mark
		for i, m := range p.marks {
			sums.load += m.load
			sums.bytes += m.bytes
			if i > 0 && entity.Compare(p.marks[i-1].key, m.key) >= 0 {
				t.Fatalf("seed %d: marks %q and %q are not in order", seed, p.marks[i-1].key, m.key)
			}
		}
		if len(p.marks) > mostMarks || sums.load != load || sums.bytes != bytes || p.load != load || p.bytes != bytes {
			t.Errorf("seed %d: %d marks of %d load, %d bytes; want at most %d of %d, %d", seed, len(p.marks), sums.load, sums.bytes, mostMarks, load, bytes)
		}
		// Against the exact answer: the share below the boundary, within a few marks.
		c, divides := p.cut(byLoad, thousand)
		var below int64
		for key, l := range exact {
			if key < c.key {
				below += l
			}
		}
		if share := below * thousand / load; !divides || share < 440 || share > 560 {
			t.Errorf("seed %d: cut at %q leaves %d of 1000 below; want about half", seed, c.key, share)
		}
	}
}

func TestProfileCuts(t *testing.T) {
	rows := []struct {
		sentence string
		loads    []int64
		greatest int64
		key      string
		below    int64
		divides  bool
	}{
		{"nothing cannot be cut", nil, 1000, "", 0, false},
		{"one key cannot be cut", []int64{5}, 1000, "", 0, false},
		{"keys without load cannot be cut", []int64{0, 0, 0}, 1000, "", 0, false},
		{"two equal keys are cut between", []int64{5, 5}, 950, "b", 500, true},
		{"of two cuts as good, the lower", []int64{5, 5, 5}, 950, "b", 333, true},
		{"the load counts, not the keys", []int64{1, 1, 1, 3}, 950, "d", 500, true},
		{"a hot key first stays alone", []int64{90, 5, 5}, 950, "b", 900, true},
		{"a key hotter than a side may be is not cut off", []int64{96, 2, 2}, 950, "b", 960, false},
		{"exactly as hot as a side may be", []int64{95, 5}, 950, "b", 950, true},
		{"keys without load beside a hot one do not help", []int64{100, 0, 0}, 950, "b", 1000, false},
	}
	for _, row := range rows {
		var p profile
		for i, load := range row.loads {
			p.touch(string(rune('a'+i)), load, 1)
		}
		c, divides := p.cut(byLoad, row.greatest)
		if divides != row.divides || c.key != row.key || c.below != row.below {
			t.Errorf("%s: cut of %v = %q, %d below, %v; want %q, %d, %v", row.sentence, row.loads, c.key, c.below, divides, row.key, row.below, row.divides)
		}
	}
}

func TestProfileSplitsAndGrowsTogether(t *testing.T) {
	var p profile
	for i := range 10 {
		p.touch(string(rune('a'+i)), int64(i), 100)
	}
	above := p.split(cut{at: 4})
	if p.load != 0+1+2+3 || p.bytes != 400 || above.load != 45-6 || above.bytes != 600 || above.marks[0].key != "e" {
		t.Errorf("split at e = %+v and %+v; want 6 and 39 load, 400 and 600 bytes", p, above)
	}
	p.append(&above)
	if p.load != 45 || p.bytes != 1000 || len(p.marks) != 10 {
		t.Errorf("append = %+v; want what there was", p)
	}
	for range 200 {
		p.fade(1 << averageBits / 2)
	}
	if p.load != 0 || p.bytes != 1000 {
		t.Errorf("after much fading load %d, bytes %d; want 0, 1000", p.load, p.bytes)
	}
}

func byLoad(m mark) int64 { return m.load }
