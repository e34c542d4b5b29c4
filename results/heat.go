package results

import (
	"fmt"
	"slices"
)

// Heat is where the load went, by partition and by time: the same attempts that the
// books count, laid out on a grid whose cells sum to the books exactly.
//
// A column is a stretch of SecondsPerColumn whole seconds of the run, the first from
// second 0. An attempt belongs to the column in which it ended, as in intervals.ndjson.
// A row is one partition; Rest holds what was not told apart, so that memory is bounded
// however many partitions there are, and Nowhere the attempts that name no partition,
// such as a query of the whole table.
type Heat struct {
	SecondsPerColumn int64 `json:"seconds_per_column"`
	Columns          int   `json:"columns"`
	// Rows are the partitions with the most demand, in the order of their keys.
	Rows []HeatRow `json:"rows"`
	// Rest is everything that went to other partitions, and what went to those of Rows
	// before they were followed. Nowhere is everything that went to no single partition.
	Rest    HeatCells `json:"rest"`
	Nowhere HeatCells `json:"nowhere"`
	// Partitions is how many there were in all, nil where there were too many to count.
	Partitions *int64 `json:"partitions"`
	// MostMissed bounds what any row may lack of its own demand, because it went into
	// Rest before the partition was followed; 0 says that the rows are exact.
	MostMissed int64 `json:"most_missed"`
}

// HeatRow is one partition over time.
type HeatRow struct {
	// Table is what the name of the partition's table adds to that of the test table,
	// empty for the test table itself.
	Table string `json:"table,omitempty"`
	Key   string `json:"key"`
	HeatCells
}

func (r *HeatRow) place() place { return place{r.Table, r.Key} }

// HeatCells has an entry for each column; a slice of nothing but zeros is nil.
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

// HeatSum is what cells sum to: attempts, and entities where the name says so.
type HeatSum struct {
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	Demanded  int64 `json:"demanded_entities"`
}

// Sum returns the sums over all columns.
func (c *HeatCells) Sum() HeatSum {
	return HeatSum{total(c.Served), total(c.Throttled), total(c.Failed), total(c.Demanded)}
}

func total(list []int64) (sum int64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// SharesClass is the partitions of a phase that were offered about as much: how evenly
// they were served. The classes are those of doubling loads, so that what happened to
// cold partitions beside a hot one can be told whatever counts as cold.
type SharesClass struct {
	// From is the least entities per second that a partition of the class was offered: a
	// power of two, or 0 for the class below 1.
	From int64 `json:"from_entities_per_second"`
	// Partitions is how many there are, Offered and Served their entities in all.
	Partitions int64 `json:"partitions"`
	Offered    int64 `json:"offered_entities"`
	Served     int64 `json:"served_entities"`
	// Shares and Squares are the sums, over the partitions, of the share of what it was
	// offered that each was served (at most 1), and of its square: Jain's index of
	// fairness is Shares² / (Partitions · Squares).
	Shares  float64 `json:"sum_of_shares"`
	Squares float64 `json:"sum_of_squared_shares"`
}

// check returns an error that wraps [ErrCorrupt] for a map that is not laid out as one is,
// so that whoever reads a record may index its cells by column. No map is in order.
func (h *Heat) check() error {
	if h == nil {
		return nil
	}
	if h.SecondsPerColumn < 1 || h.Columns < 0 || h.Columns > MostColumns || len(h.Rows) > mostFollowed {
		return fmt.Errorf("%w: the heat map has %d rows and %d columns of %d s; expected at most %d and %d, of 1 s or more",
			ErrCorrupt, len(h.Rows), h.Columns, h.SecondsPerColumn, mostFollowed, MostColumns)
	}
	faulty := h.Rest.uneven(h.Columns) || h.Nowhere.uneven(h.Columns)
	for i := range h.Rows {
		faulty = faulty || h.Rows[i].uneven(h.Columns)
	}
	if faulty {
		return fmt.Errorf("%w: the heat map has cells for another number of columns than its %d", ErrCorrupt, h.Columns)
	}
	return nil
}

// uneven reports whether cells are there for another number of columns, or less than
// nothing is in one.
func (c *HeatCells) uneven(columns int) bool {
	for _, series := range c.Series() {
		if *series != nil && len(*series) != columns || slices.ContainsFunc(*series, func(n int64) bool { return n < 0 }) {
			return true
		}
	}
	return false
}
