package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"loadgen/report/document"
	"loadgen/report/live"
	"loadgen/results"
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
	loads    map[partition]results.PartitionLoad
	demanded int64
}

func (h *heatMap) add(s *live.Second) {
	c := column{loads: make(map[partition]results.PartitionLoad, len(s.Hottest)), demanded: s.Demanded}
	for _, load := range s.Hottest {
		c.loads[partition{load.Table, load.PartitionKey}] = load
	}
	if len(h.columns) == columns {
		h.columns = append(h.columns[:0], h.columns[1:]...)
	}
	h.columns = append(h.columns, c)
}

// row is a partition with its load in the last columns, and its demand in all of them.
type row struct {
	results.PartitionLoad
	total int64
}

// hottest returns the partitions with the highest demand in the last columns, then those with the
// highest in all columns, and the demand of all others in the last ones.
func (h *heatMap) hottest() (list []row, others int64) {
	sums := make(map[partition]row)
	for i, c := range h.columns {
		late := i >= len(h.columns)-recent
		if late {
			others += c.demanded
		}
		for at, load := range c.loads {
			sum := sums[at]
			sum.Table, sum.PartitionKey, sum.total = load.Table, load.PartitionKey, sum.total+load.Demanded()
			if late {
				sum.Served, sum.Throttled = sum.Served+load.Served, sum.Throttled+load.Throttled
			}
			sums[at] = sum
		}
	}
	list = slices.SortedFunc(maps.Values(sums), func(a, b row) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(b.total, a.total), cmp.Compare(a.Name(), b.Name()))
	})
	list = list[:min(len(list), rows)]
	for i := range list {
		others -= list[i].Demanded()
	}
	return list, max(0, others)
}

// maxKey is the maximum length of a shown name, in characters.
const maxKey = 40

// table returns the map as a table: a row for each of the hottest partitions, and one for the others. Partitions is their
// number, or a lower bound if limited.
func (h *heatMap) table(partitions int, limited bool) document.Table {
	t := document.NewTable("heat", "Heat by partition, the last minute", "partition|words", "second by second, until now|words", "demand|rate|unit=entities/s",
		"throttled|share", "of all|share|spare=1")
	t.Notes = []string{fmt.Sprintf("Darker is higher demand, orange is throttled. Numbers are of the last %d seconds. "+
		"Only the %d hottest partitions of each second are counted.", recent, live.MaxHottest)}
	list, others := h.hottest()
	seconds := float64(max(1, min(recent, len(h.columns))))
	highest, all := int64(1), others
	for i := range list {
		all += list[i].Demanded()
		for _, c := range h.columns {
			load := c.loads[partition{list[i].Table, list[i].PartitionKey}]
			highest = max(highest, load.Demanded())
		}
	}
	for _, one := range list {
		strip, busiest := make([]document.Shade, columns), int64(0)
		for i, c := range h.columns {
			load := c.loads[partition{one.Table, one.PartitionKey}]
			demanded := load.Demanded()
			busiest = max(busiest, demanded)
			strip[columns-len(h.columns)+i] = document.Shade{Heat: float64(demanded) / float64(highest),
				Throttled: float64(load.Throttled) / float64(max(1, demanded))}
		}
		t.Add(document.Cut(one.Name(), maxKey), document.Strip{Text: fmt.Sprintf("at most %s entities in a second", document.Count(busiest)), Shades: strip},
			float64(one.Demanded())/seconds, document.RatioOf(one.Throttled, max(1, one.Demanded())), document.RatioOf(one.Demanded(), max(1, all)))
	}
	if more := partitions - len(list); more > 0 && len(list) > 0 {
		name := document.Counted(more, "other")
		if limited {
			name = "more than " + name
		}
		t.Add(name, "together", float64(others)/seconds, "", document.RatioOf(others, max(1, all)))
	}
	return t
}
