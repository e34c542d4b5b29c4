package baseline

import "loadgen/results"

// Heat is what a heat map came to. Its cells, which can be a megabyte, are in a digest.
type Heat struct {
	SecondsPerColumn int64 `json:"seconds_per_column"`
	Columns          int   `json:"columns"`
	Rows             int   `json:"rows"`
	// Partitions is how many there were, nil where those were too many to count.
	Partitions *int64 `json:"partitions"`
	MostMissed int64  `json:"most_missed"`
	// Told are the sums of the rows, Rest and Nowhere those of what has none.
	Told    HeatSum `json:"told"`
	Rest    HeatSum `json:"rest"`
	Nowhere HeatSum `json:"nowhere"`
	Digest  string  `json:"digest"`
}

// HeatSum is what cells sum to: attempts, and entities where the name says so.
type HeatSum struct {
	Served    int64 `json:"served_entities"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	Demanded  int64 `json:"demanded_entities"`
}

// heatOf returns what a map came to, nil for none.
func heatOf(m *results.Heat) *Heat {
	if m == nil {
		return nil
	}
	h := &Heat{SecondsPerColumn: m.SecondsPerColumn, Columns: m.Columns, Rows: len(m.Rows), Partitions: m.Partitions,
		MostMissed: m.MostMissed, Digest: digest(m)}
	for i := range m.Rows {
		h.Told.add(&m.Rows[i].HeatCells)
	}
	h.Rest.add(&m.Rest)
	h.Nowhere.add(&m.Nowhere)
	return h
}

func (s *HeatSum) add(c *results.HeatCells) {
	s.Served += total(c.Served)
	s.Throttled += total(c.Throttled)
	s.Failed += total(c.Failed)
	s.Demanded += total(c.Demanded)
}

func total(list []int64) int64 {
	sum := int64(0)
	for _, n := range list {
		sum += n
	}
	return sum
}
