package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"loadgen/report/document"
	"loadgen/report/live"
)

// The limits of a heat map: columns of a second each, rows, and the last columns that decide which rows are shown.
const (
	columns = 60
	rows    = 12
	recent  = 3
)

// heatMap is the load of partitions in the last seconds. The zero value is empty.
type heatMap struct{ columns []column }

// column is one second: the load of the hottest partitions, and of all.
type column struct {
	of       map[string]live.PartitionLoad
	demanded int64
}

func (h *heatMap) add(s *live.Second) {
	c := column{of: make(map[string]live.PartitionLoad, len(s.Hottest)), demanded: s.Demanded}
	for _, w := range s.Hottest {
		c.of[w.Name] = w
	}
	if len(h.columns) == columns {
		h.columns = append(h.columns[:0], h.columns[1:]...)
	}
	h.columns = append(h.columns, c)
}

// row is a partition with its load in the last columns, and its demand in all of them.
type row struct {
	name string
	live.PartitionLoad
	whole int64
}

// hottest returns the partitions with the most demand in the last columns, then those with the
// most in all of them, and the demand of all others in the last ones.
func (h *heatMap) hottest() (list []row, rest int64) {
	sums := make(map[string]row)
	for i, c := range h.columns {
		late := i >= len(h.columns)-recent
		if late {
			rest += c.demanded
		}
		for name, w := range c.of {
			sum := sums[name]
			sum.name, sum.whole = name, sum.whole+w.Demanded()
			if late {
				sum.Served, sum.Throttled = sum.Served+w.Served, sum.Throttled+w.Throttled
			}
			sums[name] = sum
		}
	}
	list = slices.SortedFunc(maps.Values(sums), func(a, b row) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(b.whole, a.whole), cmp.Compare(a.name, b.name))
	})
	list = list[:min(len(list), rows)]
	for i := range list {
		rest -= list[i].Demanded()
	}
	return list, max(0, rest)
}

// longestKey is the number of characters that are shown of a partition's name.
const longestKey = 40

// table returns the map as a table: a row for each of the hottest partitions, and one for the others. Partitions is their
// number; more says that there are more.
func (h *heatMap) table(partitions int, more bool) document.Table {
	t := document.NewTable("heat", "Heat by partition, the last minute", "partition|words", "second by second, until now|words", "demand|rate|unit=entities/s",
		"throttled|share", "of all|share|spare=1")
	t.Notes = []string{fmt.Sprintf("A second is darker the higher the demand, and orange as far as it was throttled. The numbers are of the last %d seconds. "+
		"Seconds in which a partition was not among the %d hottest are missing.", recent, live.MaxHottest)}
	list, rest := h.hottest()
	seconds := float64(max(1, min(recent, len(h.columns))))
	most, all := int64(1), rest
	for i := range list {
		all += list[i].Demanded()
		for _, c := range h.columns {
			one := c.of[list[i].name]
			most = max(most, one.Demanded())
		}
	}
	for _, one := range list {
		strip, busiest := make([]document.Shade, columns), int64(0)
		for i, c := range h.columns {
			w := c.of[one.name]
			demanded := w.Demanded()
			busiest = max(busiest, demanded)
			strip[columns-len(h.columns)+i] = document.Shade{Heat: float64(demanded) / float64(most),
				Throttled: float64(w.Throttled) / float64(max(1, demanded))}
		}
		t.Add(document.Cut(one.name, longestKey), document.Strip{Text: fmt.Sprintf("at most %s entities in a second", document.Count(busiest)), Shades: strip},
			float64(one.Demanded())/seconds, document.RatioOf(one.Throttled, max(1, one.Demanded())), document.RatioOf(one.Demanded(), max(1, all)))
	}
	if others := partitions - len(list); others > 0 && len(list) > 0 {
		name := document.Counted(others, "other")
		if more {
			name = "more than " + name
		}
		t.Add(name, "together", float64(rest)/seconds, "", document.RatioOf(rest, max(1, all)))
	}
	return t
}
