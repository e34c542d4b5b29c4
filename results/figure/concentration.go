package figure

import (
	"cmp"
	"slices"

	"loadgen/results"
)

// Concentration is the part of the load that meets a limit, while the other partitions of the same seconds are served.
type Concentration struct {
	// Partitions is the number of throttled partitions. Key is that with the most throttled attempts.
	Partitions int
	Key        string
	// Demand is their share of the demanded entities, 0 to 1.
	Demand float64
}

// concentrationOf returns the partitions with nearly all throttled attempts of a ladder, nil if these receive most of the
// load, as with a limit of all partitions, or if that is unknown. The partitions without a row of the heat map count as one.
func concentrationOf(heat *results.Heat, l *Ladder) *Concentration {
	const nearlyAll, most = 0.99, 0.95
	if heat == nil || heat.SecondsPerColumn <= 0 || len(l.Kinds) > 0 {
		return nil
	}
	type load struct {
		key                 string
		throttled, demanded int64
	}
	first, _ := l.Steps[0].wholeSeconds()
	_, end := l.Steps[len(l.Steps)-1].wholeSeconds()
	columns := [2]int{int((first + heat.SecondsPerColumn - 1) / heat.SecondsPerColumn), int(end / heat.SecondsPerColumn)}
	loads, all := []load{{"", sumOf(heat.Rest.Throttled, columns), sumOf(heat.Rest.Demanded, columns)}}, load{}
	for i := range heat.Rows {
		row := &heat.Rows[i]
		loads = append(loads, load{row.Key, sumOf(row.Throttled, columns), sumOf(row.Demanded, columns)})
	}
	for _, one := range loads {
		all.throttled, all.demanded = all.throttled+one.throttled, all.demanded+one.demanded
	}
	slices.SortStableFunc(loads, func(a, b load) int { return cmp.Compare(b.throttled, a.throttled) })
	c, throttled, demanded := &Concentration{Key: loads[0].key}, int64(0), int64(0)
	for ; float64(throttled) < nearlyAll*float64(all.throttled); c.Partitions++ {
		one := loads[c.Partitions]
		throttled, demanded = throttled+one.throttled, demanded+one.demanded
	}
	if c.Demand = ShareOf(demanded, all.demanded); c.Partitions == 0 || c.Key == "" || c.Demand >= most {
		return nil
	}
	return c
}

// sumOf returns the sum of the cells of some columns.
func sumOf(cells []int64, columns [2]int) (sum int64) {
	for _, n := range cells[min(columns[0], len(cells)):min(max(columns[0], columns[1]), len(cells))] {
		sum += n
	}
	return sum
}
