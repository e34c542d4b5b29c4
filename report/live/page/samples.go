package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

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
	t.Notes = []string{fmt.Sprintf("Dark: high demand. Orange: throttled. Numbers: last %d seconds. "+
		"Only the %d hottest partitions of a second count.", recent, live.MaxHottest)}
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

// sample is one or several whole seconds of a run.
type sample struct {
	// second is its first second, since the start of the run.
	second float64
	// offered and served are entities, throttled attempts, each per second.
	offered, served, throttled float64
	// p50 and p99 are response times of the ten seconds before its end, in milliseconds;
	// late is the share of operations that were sent late, cpu the share of the generator's cores
	// that was busy, both in percent. A nil value is unknown.
	p50, p99, late, cpu *float64
}

// maxSamples is the maximum number of samples of a run: from there on pairs are merged.
const maxSamples = 600

// history has the samples of a run from its start on. The zero value is empty.
type history struct {
	// each is the number of seconds of a sample; open has those of an unfinished one.
	each    int
	samples []sample
	open    []sample
}

func (h *history) add(one sample) {
	h.each = max(1, h.each)
	h.open = append(h.open, one)
	if len(h.open) < h.each {
		return
	}
	h.samples = append(h.samples, merge(h.open))
	h.open = h.open[:0]
	if len(h.samples) < maxSamples {
		return
	}
	for i := range len(h.samples) / 2 {
		h.samples[i] = merge(h.samples[2*i : 2*i+2])
	}
	h.samples = h.samples[:len(h.samples)/2]
	h.each *= 2
}

// merge combines samples: rates and shares are means, times are maxima.
func merge(list []sample) sample {
	one := sample{second: list[0].second}
	for i := range list {
		one.offered += list[i].offered / float64(len(list))
		one.served += list[i].served / float64(len(list))
		one.throttled += list[i].throttled / float64(len(list))
		one.p50, one.p99 = live.MaxKnown(one.p50, list[i].p50), live.MaxKnown(one.p99, list[i].p99)
	}
	one.late = mean(list, func(s *sample) *float64 { return s.late })
	one.cpu = mean(list, func(s *sample) *float64 { return s.cpu })
	return one
}

// mean returns the mean of the known values, nil if there are none.
func mean(list []sample, value func(*sample) *float64) *float64 {
	sum, known := 0., 0
	for i := range list {
		if v := value(&list[i]); v != nil {
			sum, known = sum+*v, known+1
		}
	}
	if known == 0 {
		return nil
	}
	return new(sum / float64(known))
}

// line returns one value of every sample.
func line(list []sample, name string, meaning document.Meaning, value func(*sample) *float64) document.Line {
	l := document.Line{Name: name, Meaning: meaning, Values: make([]*float64, len(list))}
	for i := range list {
		l.Values[i] = value(&list[i])
	}
	return l
}

// inMillis returns a duration in milliseconds, nil for nil.
func inMillis(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return new(float64(d.Microseconds()) / 1000)
}
