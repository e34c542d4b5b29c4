package results

import (
	"fmt"
	"slices"
)

// Heat is the load by partition and time: the attempts of the counts on a grid whose cells sum to the counts exactly.
//
// A column is a stretch of SecondsPerColumn whole seconds of the run, the first from second 0. An attempt belongs to
// the column in which it ended, as in intervals.ndjson. A row is one partition; Rest has the partitions that are not
// distinguished, so that memory is bounded, and Nowhere the attempts without a partition, such as a query of the whole
// table.
type Heat struct {
	SecondsPerColumn int64 `json:"seconds_per_column"`
	Columns          int   `json:"columns"`
	// Rows are the partitions with the most demand, in the order of their keys.
	Rows []HeatRow `json:"rows"`
	// Rest has the load of other partitions, and of those of Rows before they were followed. Nowhere has the load of
	// requests without a single partition.
	Rest    HeatCells `json:"rest"`
	Nowhere HeatCells `json:"nowhere"`
	// Partitions is their number, nil if there were too many to count.
	Partitions *int64 `json:"partitions"`
	// MostMissed is the maximum demand that any row may lack because it went into Rest before the partition was
	// followed; 0 means that rows are exact.
	MostMissed int64 `json:"most_missed"`
}

// HeatRow is one partition over time.
type HeatRow struct {
	// Table is the suffix that the name of the partition's table adds to that of the test table, empty for the test
	// table itself.
	Table string `json:"table,omitempty"`
	Key   string `json:"key"`
	HeatCells
}

func (r *HeatRow) place() place { return place{r.Table, r.Key} }

// HeatCells has an entry for each column; a slice of zeros is nil.
type HeatCells struct {
	// Served are the entities counted for successes, Throttled and Failed are attempts.
	Served    []int64 `json:"served_entities,omitempty"`
	Throttled []int64 `json:"throttled,omitempty"`
	Failed    []int64 `json:"failed,omitempty"`
	// Demanded are the entities that the attempts meant to touch: served or throttled. A
	// throttled attempt counts as what its operation was due to touch.
	Demanded []int64 `json:"demanded_entities,omitempty"`
}

// Series returns the four series in the order of their fields.
func (c *HeatCells) Series() [4]*[]int64 {
	return [...]*[]int64{&c.Served, &c.Throttled, &c.Failed, &c.Demanded}
}

// HeatSum has the sums of cells: attempts, or entities if the name has that word.
type HeatSum struct {
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	Demanded  int64 `json:"demanded_entities"`
}

// Sum returns the sums over all columns.
func (c *HeatCells) Sum() HeatSum {
	return HeatSum{sumOf(c.Served), sumOf(c.Throttled), sumOf(c.Failed), sumOf(c.Demanded)}
}

func sumOf(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// SharesClass has the partitions of a phase that were offered a similar load, and how evenly they were served. Loads
// double from class to class, so that cold partitions can be compared with a hot one by any definition of cold.
type SharesClass struct {
	// From is the least entities per second that a partition of the class was offered: a
	// power of two, or 0 for the class below 1.
	From int64 `json:"from_entities_per_second"`
	// Partitions is how many there are, Offered and Served their entities in all.
	Partitions int64 `json:"partitions"`
	Offered    int64 `json:"offered_entities"`
	Served     int64 `json:"served_entities"`
	// Shares and Squares are the sums, over the partitions, of the served share of the offered load (at most 1), and
	// of its square: Jain's index of fairness is Shares² / (Partitions · Squares).
	Shares  float64 `json:"sum_of_shares"`
	Squares float64 `json:"sum_of_squared_shares"`
}

// check returns an error that wraps [ErrCorrupt] for a map of invalid shape, so that readers may index its cells by
// column. nil is valid.
func (h *Heat) check() error {
	if h == nil {
		return nil
	}
	if h.SecondsPerColumn < 1 || h.Columns < 0 || h.Columns > MaxColumns || len(h.Rows) > maxFollowed {
		return fmt.Errorf("%w: the heat map has %d rows and %d columns of %d s; expected at most %d and %d, of 1 s or more",
			ErrCorrupt, len(h.Rows), h.Columns, h.SecondsPerColumn, maxFollowed, MaxColumns)
	}
	faulty := h.Rest.isUneven(h.Columns) || h.Nowhere.isUneven(h.Columns)
	for i := range h.Rows {
		faulty = faulty || h.Rows[i].isUneven(h.Columns)
	}
	if faulty {
		return fmt.Errorf("%w: the heat map has cells for another number of columns than its %d", ErrCorrupt, h.Columns)
	}
	return nil
}

// uneven reports whether cells are there for another number of columns, or less than
// nothing is in one.
func (c *HeatCells) isUneven(columns int) bool {
	for _, series := range c.Series() {
		if *series != nil && len(*series) != columns || slices.ContainsFunc(*series, func(n int64) bool { return n < 0 }) {
			return true
		}
	}
	return false
}

// The bounds of a heat map: at most about 10 MB while it is recorded, for maxFollowed partitions with load in every
// column.
const (
	// maxFollowed is the maximum number of partitions that are followed at a time.
	maxFollowed = 1024
	// KeptRows is how many partitions of [Heat] have a row at most, MaxColumns how many
	// columns there are.
	KeptRows   = 100
	MaxColumns = 240
	// maxDistinct is up to how many partitions are counted.
	maxDistinct = 10_000
)

// heatRecorder counts attempts by partition and time. It follows the partitions with the most demand, see [HeaviestKeys]; the
// cells of one that is replaced go to the rest, which keeps the sum of them. A followed partition lacks at most what its
// place inherited.
type heatRecorder struct {
	// shift is the binary logarithm of the seconds in a column.
	shift uint
	// heaviest has the followed partitions by demand, places finds them.
	heaviest      *HeaviestKeys[place, followed]
	places        *placeMap[followedPlace]
	rest, nowhere [MaxColumns]heatCell
	// distinct has all partitions so far if they are more than are followed; uncounted reports that they are too many.
	distinct  map[place]struct{}
	uncounted bool
	// keepsRecent keeps the load of the last seconds for [Recorder.PartitionLoads]; demanded is that of all
	// partitions.
	keepsRecent bool
	demanded    recentLoads
}

// recentLoad is the load of a partition, or of all partitions, in a second.
type recentLoad struct{ second, served, throttled int64 }

// recentLoads has the last seconds, each at its number's remainder.
type recentLoads [maxRecent]recentLoad

// add adds entities to a second.
func (r *recentLoads) add(second, served, throttled int64) {
	one := &r[second%maxRecent]
	switch {
	case one.second > second:
		return // too long ago
	case one.second < second:
		*one = recentLoad{second: second}
	}
	one.served += served
	one.throttled += throttled
}

// sum returns the load of the seconds from one up to another.
func (r *recentLoads) sum(from, to int64) (sum recentLoad) {
	for i := range r {
		if one := &r[i]; from <= one.second && one.second < to {
			sum.served += one.served
			sum.throttled += one.throttled
		}
	}
	return sum
}

// followed is what is kept of a partition with cells of its own.
type followed struct {
	// cells has the columns with load, in order.
	cells []columnCell
	// recent is nil unless recent loads are kept.
	recent *recentLoads
}

type followedPlace = KeyPlace[place, followed]

// heatCell has sums of attempts, columnCell those of one column.
type heatCell [4]int64

// The counts of a heatCell.
const (
	cellServed = iota
	cellThrottled
	cellFailed
	cellDemanded
)

type columnCell struct {
	column int
	heatCell
}

func cellOf(a *Attempt) heatCell {
	switch a.Class {
	case Ok:
		return heatCell{cellServed: a.Counted, cellDemanded: a.Counted}
	case Throttled:
		// It counts as what its own request meant to touch.
		due := a.Due
		if due <= 0 && a.HasPartition {
			due = a.ownEntities()
		}
		return heatCell{cellThrottled: 1, cellDemanded: due}
	default:
		return heatCell{cellFailed: 1}
	}
}

// Demanded returns the entities that the attempt meant to touch at its partition and that
// were served there or throttled: what [Heat] counts as demand.
func (a *Attempt) Demanded() int64 { return cellOf(a)[cellDemanded] }

func (c *heatCell) add(other *heatCell) {
	for i, n := range other {
		c[i] += n
	}
}

// attempt adds an attempt that is counted in a second of the run.
func (h *heatRecorder) attempt(second int64, a *Attempt) {
	column := h.column(second)
	cell := cellOf(a)
	served, throttled := cell[cellDemanded], int64(0)
	if a.Class != Ok {
		served, throttled = 0, served
	}
	if h.keepsRecent {
		h.demanded.add(second, served, throttled)
	}
	if !a.HasPartition {
		h.nowhere[column].add(&cell)
		return
	}
	one := h.placeOf(place{a.Table, a.PartitionKey}, cell[cellDemanded])
	if one == nil {
		h.rest[column].add(&cell)
		return
	}
	of := &one.Value
	if h.keepsRecent {
		of.addRecent(second, served, throttled)
	}
	one.Weight += cell[cellDemanded]
	// Attempts come nearly in the order of their ends.
	i := len(of.cells)
	for i > 0 && of.cells[i-1].column > column {
		i--
	}
	if i == 0 || of.cells[i-1].column < column {
		of.cells = slices.Insert(of.cells, i, columnCell{column, cell})
	} else {
		of.cells[i-1].add(&cell)
	}
}

// placeOf returns the place of a partition, nil if it gets none.
func (h *heatRecorder) placeOf(at place, demand int64) *followedPlace {
	if one := h.places.find(at); one != nil {
		return one
	}
	return h.follow(at, demand)
}

// addRecent adds entities to a second of the partition.
func (f *followed) addRecent(second, served, throttled int64) {
	if f.recent == nil {
		f.recent = new(recentLoads)
	}
	f.recent.add(second, served, throttled)
}

// column returns the column of a second, and widens the columns if it lies after the last one.
func (h *heatRecorder) column(second int64) int {
	for second>>h.shift >= MaxColumns {
		h.shift++
		foldPairs(&h.rest)
		foldPairs(&h.nowhere)
		for one := range h.heaviest.Places {
			f := &one.Value
			kept := f.cells[:0]
			for _, cell := range f.cells {
				cell.column /= 2
				if last := len(kept) - 1; last >= 0 && kept[last].column == cell.column {
					kept[last].add(&cell.heatCell)
				} else {
					kept = append(kept, cell)
				}
			}
			f.cells = kept
		}
	}
	return int(second >> h.shift)
}

// fold puts every two columns together.
func foldPairs(cells *[MaxColumns]heatCell) {
	for i := range cells {
		cell := cells[i]
		cells[i] = heatCell{}
		cells[i/2].add(&cell)
	}
}

// init makes the recorder follow partitions.
func (h *heatRecorder) init() {
	h.heaviest = NewHeaviestKeys(maxFollowed, func(at place) place { return at }, h.renew)
	h.places = &placeMap[followedPlace]{all: h.heaviest.places}
}

// follow returns the place of a partition that has none yet, nil if it gets none: a partition without demand replaces no
// other.
func (h *heatRecorder) follow(at place, demand int64) *followedPlace {
	full := h.heaviest.IsFull()
	if full && !h.uncounted {
		if h.distinct == nil {
			h.distinct = make(map[place]struct{}, 2*maxFollowed)
			for one := range h.heaviest.Places {
				h.distinct[one.Key] = struct{}{}
			}
		}
		h.distinct[at] = struct{}{}
		if len(h.distinct) > maxDistinct {
			h.distinct, h.uncounted = nil, true
		}
	}
	if full && demand == 0 {
		return nil
	}
	return h.heaviest.Add(at, 0)
}

// renew adds the cells of a partition that is no longer followed to the rest, and keeps their memory.
func (h *heatRecorder) renew(one *followedPlace) {
	of := &one.Value
	for i := range of.cells {
		h.rest[of.cells[i].column].add(&of.cells[i].heatCell)
	}
	h.places.forget(one.Key)
	of.cells = of.cells[:0]
	if of.recent != nil {
		*of.recent = recentLoads{}
	}
}

// heat returns the map of a run with a number of whole seconds.
func (h *heatRecorder) heat(seconds int64) *Heat {
	h.column(max(0, seconds-1)) // a quiet end makes columns wider, too
	width := int64(1) << h.shift
	m := &Heat{SecondsPerColumn: width, Columns: int((seconds + width - 1) / width), Rows: []HeatRow{}}
	if !h.uncounted {
		m.Partitions = new(int64(max(len(h.distinct), h.heaviest.Len())))
	}
	m.Rest, m.Nowhere = cellsOf(&h.rest, m.Columns), cellsOf(&h.nowhere, m.Columns)
	var rows []missingRow
	for one := range h.heaviest.Places {
		var cells [MaxColumns]heatCell
		for _, cell := range one.Value.cells {
			cells[cell.column] = cell.heatCell
		}
		rows = append(rows, missingRow{HeatRow{Table: one.Key.table, Key: one.Key.key, HeatCells: cellsOf(&cells, m.Columns)}, one.Inherited})
	}
	m.keepRows(rows)
	return m
}

// cellsOf returns the first columns as a record has them.
func cellsOf(cells *[MaxColumns]heatCell, columns int) (list HeatCells) {
	for k, series := range list.Series() {
		for i := range cells[:columns] {
			if n := cells[i][k]; n != 0 {
				if *series == nil {
					*series = make([]int64, columns)
				}
				(*series)[i] = n
			}
		}
	}
	return list
}
