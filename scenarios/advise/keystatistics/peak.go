package keystatistics

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// moment is one row in time. The key is the low half of its hash: keys that share it are too few to matter.
type moment struct {
	at       clock.Instant
	key      uint32
	entities uint32
}

// moments keeps rows in time: all of them up to a maximum, above it one of thin rows, which counts for thin.
type moments struct {
	max, thin int
	seen      uint64
	kept      []moment
}

func (m *moments) add(one moment) {
	if m.max == 0 {
		return
	}
	m.seen++
	// The hash keeps bursts of a regular stream.
	if m.thin > 1 && m.seen*0x9e3779b97f4a7c15>>32%uint64(m.thin) != 0 {
		return
	}
	if len(m.kept) == m.max {
		m.thin = 2 * max(1, m.thin)
		i := uint64(0)
		m.kept = slices.DeleteFunc(m.kept, func(moment) bool {
			i++
			return (i-1)*0x9e3779b97f4a7c15>>63 != 0
		})
	}
	m.kept = append(m.kept, one)
}

// Peak is how busy the rows are at their busiest time. All rates are entities per second of the file.
type Peak struct {
	// PerSecond is the rate of all rows in their busiest second. If chance explains that second, it is the
	// rate of the busiest longer window.
	PerSecond float64
	// Mean is the rate of all rows over the whole time.
	Mean float64
	// Weight is the number of rows that each kept one stands for.
	Weight float64
	// Key is the partition with the highest share of it, Tail the tail with the highest share.
	Key, Tail Busiest
	// Resolution is the unit of the instants if they have whole minutes, hours or days only.
	Resolution time.Duration
}

// Busiest is a partition, or a tail, in the window in which a target limits it most.
type Busiest struct {
	PartitionKey string
	// Average is its share of all entities, Share its rate in the window as a share of the peak.
	Average, Share float64
	// From is the begin of the window, Window its length, 0 for all rows.
	From   clock.Instant
	Window time.Duration
	// Capacity is the number of targets of one partition that all rows together may have at the peak, so
	// that this one exceeds none; 0 for no limit.
	Capacity float64
}

// windowLengths are the lengths of windows, in descending order.
var windowLengths = [...]time.Duration{time.Hour, 30 * time.Minute, 10 * time.Minute, 5 * time.Minute, 2 * time.Minute, time.Minute,
	30 * time.Second, 20 * time.Second, 10 * time.Second, 5 * time.Second, 3 * time.Second, 2 * time.Second, time.Second}

// burstLength is the time in which an idle partition saves its target for a burst, as the model assumes.
const burstLength = 100 * time.Millisecond

// byChance returns the number of entities in the busiest of a number of windows that chance explains, if
// their mean and the size of a row are given: the maximum of as many values of a normal distribution, and
// more for few rows (Bernstein).
func byChance(mean, size, windows float64) float64 {
	// Windows overlap, and up to ten partitions matter.
	const overlap = 300
	z := math.Sqrt(2 * math.Log(overlap*max(1, windows)))
	return mean + z*math.Sqrt(mean*size) + z*z/3*size
}

// crowd is a number of rows in the order of their instants, each with the weight of several.
type crowd struct {
	rows   []moment
	weight float64
	// entities is their number, size the mean number that a row of this crowd adds, by their squares.
	entities, size float64
}

func newCrowd(rows []moment, weight float64) crowd {
	sum, squares := 0.0, 0.0
	for i := range rows {
		e := float64(rows[i].entities)
		sum, squares = sum+e, squares+e*e
	}
	return crowd{rows, weight, sum * weight, weight * squares / max(1, sum)}
}

// maxWindow returns the maximum number of entities in a window, and when that begins.
func (c *crowd) maxWindow(window time.Duration) (entities float64, begin clock.Instant) {
	most, sum, from := uint64(0), uint64(0), 0
	for i := range c.rows {
		sum += uint64(c.rows[i].entities)
		for ; c.rows[i].at-c.rows[from].at >= clock.Instant(window); from++ {
			sum -= uint64(c.rows[from].entities)
		}
		if sum > most {
			most, begin = sum, c.rows[from].at
		}
	}
	return float64(most) * c.weight, begin
}

// rates calls visit with the rates that the crowd has in windows of ever shorter lengths, from a mean rate
// on. It skips windows with a rate that chance explains by that of a longer one, considering the number of
// windows that all entities fill.
func (c *crowd) rates(mean float64, span time.Duration, visit func(rate float64, begin clock.Instant, window time.Duration)) {
	visit(mean, 0, 0)
	for _, window := range windowLengths {
		if window >= span {
			continue
		}
		expected := mean * window.Seconds()
		most, begin := c.maxWindow(window)
		if most > byChance(expected, c.size, c.entities/expected) {
			mean = most / window.Seconds()
			visit(mean, begin, window)
		}
	}
}

// peak returns the rate of the busiest window.
func (c *crowd) peak(mean float64, span time.Duration) (peak float64) {
	c.rates(mean, span, func(rate float64, _ clock.Instant, _ time.Duration) { peak = max(peak, rate) })
	return peak
}

// limit sets the window in which the crowd limits the peak of all rows most, from a mean rate on.
func (b *Busiest) limit(c *crowd, mean, peak float64, span time.Duration) {
	c.rates(mean, span, func(rate float64, begin clock.Instant, window time.Duration) {
		allowance := 1.0
		if window > 0 && window < time.Minute {
			allowance += burstLength.Seconds() / window.Seconds()
		}
		if capacity := max(1, allowance*peak/rate); rate > 0 && (b.Capacity == 0 || capacity < b.Capacity) {
			b.Capacity, b.Share, b.From, b.Window = capacity, rate/peak, begin, window
		}
	})
}

// sorted returns the rows in the order of their instants, those of one instant spread evenly until the
// next one, at most over a unit of the instants; and that unit.
func (m *moments) sorted() ([]moment, time.Duration) {
	rows, order := m.kept, func(a, b moment) int { return cmp.Compare(a.at, b.at) }
	if !slices.IsSortedFunc(rows, order) {
		slices.SortStableFunc(rows, order)
	}
	unit := resolution(rows)
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].at == rows[from].at {
			to++
		}
		length := unit
		if to < len(rows) {
			length = min(length, rows[to].at.Sub(rows[from].at))
		}
		for i := range rows[from:to] {
			rows[from+i].at += clock.Instant(int64(float64(length) * float64(i) / float64(to-from)))
		}
		from = to
	}
	return rows, unit
}

// resolution returns the longest unit of a day, an hour, a minute and a second that divides all instants,
// or a second.
func resolution(rows []moment) time.Duration {
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute}
	for i := range rows {
		for len(units) > 0 && int64(rows[i].at)%int64(units[0]) != 0 {
			units = units[1:]
		}
	}
	return append(units, time.Second)[0]
}

// peak returns how busy the rows are at their busiest time, and the tails of a number of samples.
func (s *Statistics) peak(tails *tailSearch, samples int) (p Peak) {
	rows, unit := s.moments.sorted()
	if len(rows) < 2 {
		return p
	}
	if unit > time.Second {
		p.Resolution = unit
	}
	p.Weight = float64(max(1, s.moments.thin))
	weight, span := p.Weight, rows[len(rows)-1].at.Sub(rows[0].at)
	all := newCrowd(rows, weight)
	seconds, entities := max(span, time.Second).Seconds(), all.entities
	p.Mean = entities / seconds
	p.PerSecond = all.peak(p.Mean, span)
	if entities == 0 {
		return p
	}
	tails.limit(&p, float64(s.counts.Inserted)/float64(max(1, samples)), span)
	variance := noise(rows)
	hottest, rates, shown := uint32(0), []float64(nil), 0.0
	slices.SortFunc(rows, func(a, b moment) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	for from, to := 0, 0; from < len(rows); from = to {
		for to = from; to < len(rows) && rows[to].key == rows[from].key; to++ {
			continue
		}
		one, key := newCrowd(rows[from:to], weight), Busiest{}
		n := one.entities
		if p.Key.Capacity > 0 && p.PerSecond >= p.Key.Capacity*n {
			// All its entities in one second are too few.
			continue
		}
		key.limit(&one, n/seconds, p.PerSecond, span)
		if key.Capacity == 0 {
			continue
		}
		rates = append(rates, 1/key.Capacity)
		if p.Key.Capacity == 0 || key.Capacity < p.Key.Capacity {
			key.Average, hottest = n/entities, rows[from].key
			p.Key, shown = key, float64(to-from)
			if key.Window > 0 {
				shown = min(shown, key.Share*p.PerSecond*key.Window.Seconds()/one.size)
			}
		}
	}
	if p.Key.Capacity > 1 {
		p.Key.Capacity = max(1, 1/withoutChance(rates, 1/p.Key.Capacity, shown, variance))
	}
	p.Key.PartitionKey = s.weights.name(hottest)
	return p
}

// withoutChance returns the rate of the busiest of several keys without what chance adds to a maximum, by the
// number of rows that show it and the noise of the rows: the keys that are about as busy are taken as equal.
func withoutChance(rates []float64, most, rows, noise float64) float64 {
	// Of few rows a part of the excess may be real: maxPart bounds what is taken for chance. scale is the mean of
	// the maximum as a part of its bound.
	const maxPart, scale = 0.1, 0.85
	near, deviation := 0.0, math.Sqrt(noise/max(1, rows))
	for _, rate := range rates {
		if rate >= most*(1-2*deviation) {
			near++
		}
	}
	// About the maximum of as many values of a normal distribution, each the maximum of some windows.
	return most * (1 - min(maxPart, scale*deviation*math.Sqrt(2*math.Log(max(1, near)))))
}

// noise returns the variance of the rows of a second as a share of their number: about 1 if they come by chance,
// 0 if they are even. Seconds are compared with their neighbours.
func noise(rows []moment) float64 {
	counts := make(map[clock.Instant]float64)
	for i := range rows {
		counts[rows[i].at/clock.Instant(time.Second)]++
	}
	var ratios []float64
	for at, n := range counts {
		if next, some := counts[at+1]; some {
			ratios = append(ratios, (next-n)*(next-n)/(next+n))
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	// chance is the median by chance: that of a chi-squared distribution. Rows with a small part of it are even.
	const chance, even = 0.455, 0.25
	slices.Sort(ratios)
	if ratio := ratios[len(ratios)/2] / chance; ratio >= even {
		return min(1, ratio)
	}
	return 0
}
