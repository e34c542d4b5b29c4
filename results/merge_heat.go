package results

import (
	"cmp"
	"slices"
	"strings"
)

// heat is that of all parts, nil where one of them keeps none. Its cells sum to the parts'
// cells, whatever has a row of its own.
func heat(parts []MergePart) *Heat {
	sum := &Heat{Rows: []HeatRow{}}
	for _, part := range parts {
		if part.Record.Heat == nil {
			return nil
		}
		sum.SecondsPerColumn = max(sum.SecondsPerColumn, part.Record.Heat.SecondsPerColumn)
	}
	for _, part := range parts {
		of := part.Record.Heat
		factor := int(sum.SecondsPerColumn / of.SecondsPerColumn)
		sum.Columns = max(sum.Columns, (of.Columns+factor-1)/factor)
	}
	rows := make(map[place]*missingRow)
	for _, part := range parts {
		of := part.Record.Heat
		factor := int(sum.SecondsPerColumn / of.SecondsPerColumn)
		sum.Rest.Add(&of.Rest, factor, sum.Columns)
		sum.Nowhere.Add(&of.Nowhere, factor, sum.Columns)
		for i := range of.Rows {
			at := place{of.Rows[i].Table, of.Rows[i].Key}
			if rows[at] == nil {
				rows[at] = &missingRow{HeatRow: HeatRow{Table: at.table, Key: at.key}}
			}
			rows[at].Add(&of.Rows[i].HeatCells, factor, sum.Columns)
		}
	}
	for _, part := range parts {
		missing(part.Record.Heat, rows)
	}
	var list []missingRow
	for _, one := range rows {
		list = append(list, *one)
	}
	sum.keepRows(list)
	number := int64(len(rows))
	sum.Partitions = &number
	for _, part := range parts {
		if of := part.Record.Heat; of.Partitions == nil || *of.Partitions != int64(len(of.Rows)) {
			// It does not name all that it has.
			sum.Partitions = nil
			if len(parts) == 1 {
				sum.Partitions = of.Partitions
			}
		}
	}
	return sum
}

// Add adds cells of another resolution: factor columns of more are one column of c, which gets the given number of
// columns.
func (c *HeatCells) Add(more *HeatCells, factor, columns int) {
	to := c.Series()
	for k, from := range more.Series() {
		if *from != nil && *to[k] == nil {
			*to[k] = make([]int64, columns)
		}
		for i, n := range *from {
			(*to[k])[i/factor] += n
		}
	}
}

// missing adds to each row how much of it a part may have among the rest: what its own row
// there may lack, and of one that has none there no more than the least of its rows, and
// than all of the rest.
func missing(of *Heat, rows map[place]*missingRow) {
	rest, least := total(of.Rest.Demanded), int64(0)
	own := make(map[place]bool)
	for i := range of.Rows {
		demanded := total(of.Rows[i].Demanded)
		if i == 0 || demanded < least {
			least = demanded
		}
		own[place{of.Rows[i].Table, of.Rows[i].Key}] = true
	}
	for at, one := range rows {
		if own[at] {
			one.missed += of.MostMissed
		} else {
			one.missed += min(rest, least+of.MostMissed)
		}
	}
}

// missingRow is a row, and the most of its demand that it may lack.
type missingRow struct {
	HeatRow
	missed int64
}

// keepRows gives the map the rows with the most demand, in the order of their keys, and adds the others to its rest.
func (h *Heat) keepRows(rows []missingRow) {
	byKey := func(a, b missingRow) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Key, b.Key))
	}
	slices.SortFunc(rows, func(a, b missingRow) int {
		return cmp.Or(cmp.Compare(total(b.Demanded), total(a.Demanded)), byKey(a, b))
	})
	kept := rows[:min(len(rows), KeptRows)]
	for _, one := range rows[len(kept):] {
		h.Rest.Add(&one.HeatCells, 1, h.Columns)
	}
	slices.SortFunc(kept, byKey)
	for _, one := range kept {
		h.Rows = append(h.Rows, one.HeatRow)
		h.MostMissed = max(h.MostMissed, one.missed)
	}
}
