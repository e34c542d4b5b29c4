package keys

import (
	"math"

	"loadgen/engine/clock"
)

// HotSet takes a few of its values for most of the entities: each of the hot ones
// as often as any other of them, and likewise the rest.
type HotSet struct {
	_ struct{} `object:"a hot set"`
	Ranked
	// Hot is which share of the values is hot, above 0 and below 1: the first of
	// them, their number rounded to the nearest.
	Hot float64 `yaml:"hot,required" says:"Hot share of the values." form:"share"`
	// Share is how often one of those is taken, 0 to 1.
	Share float64 `yaml:"share,required" says:"Share of entities with a hot value." form:"share"`
}

var _ Distribution = HotSet{}

func (h HotSet) hot() int64 { return int64(math.Round(h.Hot * float64(h.size()))) }

// Faults implements [Distribution].
func (h HotSet) Faults(path string) []error {
	path += ".hot_set"
	faults := h.Ranked.Faults(path)
	switch size := h.size(); {
	case !(h.Hot > 0 && h.Hot < 1):
		faults = append(faults, valueFaultf(path+".hot", "hot is %s of the values; expected above 0%% and below 100%%", Percent(h.Hot)))
	case len(faults) == 0 && (h.hot() < 1 || h.hot() >= size):
		faults = append(faults, valueFaultf(path+".hot",
			"hot is %s of %d values, %d; expected a hot value and another", Percent(h.Hot), size, h.hot()))
	}
	return faults
}

func (h HotSet) place(i int) (path, what string) { return h.Ranked.place(".hot_set", i) }

// Compile implements [Distribution].
func (h HotSet) Compile(once clock.Stream) ValueSource {
	return h.source(heated{h.hot(), h.size() - h.hot(), h.Share}, once)
}

// heated picks one of the first, or one of the rest.
type heated struct {
	hot, cold int64
	share     float64
}

func (h heated) pick(_ uint64, draw clock.Draw) int64 {
	if draw.Float64() < h.share {
		return int64(draw.IntN(int(h.hot)))
	}
	return h.hot + int64(draw.IntN(int(h.cold)))
}
