package contest

import (
	"fmt"
	"math"
	"strconv"

	"loadgen/report/document"
	"loadgen/results"
)

// hottest is the partition that throttled most, with its demand: as the heat map has it, or
// where the record has none, the partition that was offered most. It is nil where neither
// is known.
func hottest(record *results.Record) *Reason {
	one, a, while := byHeat(record), "entities/s", "meanwhile"
	if one == nil {
		one, a, while = byOffer(record), "entities in its busiest second", "in that phase"
	}
	if one == nil {
		return nil
	}
	one.Kind, one.Target = HotPartition, float64(record.Manifest.Targets.Partition)
	name := strconv.Quote(*one.Partition)
	if one.Table != "" {
		name += " of the table …" + strconv.Quote(one.Table)
	}
	from := ""
	if one.FromSecond != nil {
		from = fmt.Sprintf(" from second %d on", *one.FromSecond)
	}
	switch {
	case one.Target <= 0:
		one.Says = fmt.Sprintf("the partition %s was throttled most%s: it was asked for up to %s %s", name, from, document.Rate(one.Demand), a)
	case one.Demand < one.Target:
		one.Says = fmt.Sprintf("the partition %s was throttled most%s, though it was asked for no more than %s %s of the %s that one bears: %s",
			name, from, document.Rate(one.Demand), a, document.Rate(one.Target), belowTarget(record))
	default:
		one.Says = fmt.Sprintf("the partition %s sank it%s: it was asked for up to %s %s and bears %s", name, from,
			document.Rate(one.Demand), a, document.Rate(one.Target))
	}
	if one.Share > 0 {
		one.Says += fmt.Sprintf(", %s of all demand %s", document.Share(one.Share), while)
	}
	return one
}

// belowTarget says what can refuse a partition that was asked for less than it bears.
func belowTarget(record *results.Record) string {
	const burst = "for an instant it was more, as in a burst, or with queries that count much"
	const layer = "its range shared a server or was being moved"
	switch {
	case !record.Manifest.Modelled():
		return burst + "; or " + layer
	case record.Manifest.Start == "cold":
		return layer + ", or " + burst
	default:
		// No server and no range is modelled that it could share.
		return burst
	}
}

// byHeat takes the partition from the measured part of the heat map, in which retries are
// demand.
func byHeat(record *results.Record) *Reason {
	heat := record.Heat
	if heat == nil || heat.SecondsPerColumn <= 0 {
		return nil
	}
	// A column in which the measured load only began is left to what prepared it, unless there
	// is no other: what is throttled there says nothing of the design.
	begin, end := measuredSpan(record)
	width := float64(heat.SecondsPerColumn)
	to := int(math.Max(0, math.Ceil(end.Seconds()/width)-1))
	from := min(int(math.Max(0, math.Ceil(begin.Seconds()/width))), to)
	at, most := -1, int64(0)
	for i := range heat.Rows {
		if throttled := sumColumns(heat.Rows[i].Throttled, from, to); throttled > most {
			at, most = i, throttled
		}
	}
	if at < 0 {
		return nil
	}
	row := &heat.Rows[at]
	one := &Reason{Table: row.Table, Partition: new(row.Key)}
	first, last := -1, -1
	for column, throttled := range row.Throttled {
		if throttled <= 0 || column < from || column > to {
			continue
		}
		if last = column; first < 0 {
			first = column
		}
	}
	one.FromSecond = new(int64(first) * heat.SecondsPerColumn)
	all := sumColumns(heat.Rest.Demanded, first, last) + sumColumns(heat.Nowhere.Demanded, first, last)
	for i := range heat.Rows {
		all += sumColumns(heat.Rows[i].Demanded, first, last)
	}
	for _, demanded := range row.Demanded[min(from, len(row.Demanded)):min(to+1, len(row.Demanded))] {
		one.Demand = max(one.Demand, float64(demanded)/float64(heat.SecondsPerColumn))
	}
	if all > 0 {
		one.Share = float64(sumColumns(row.Demanded, first, last)) / float64(all)
	}
	return one
}

// byOffer takes the partition that was offered most in a second of a reported phase; when
// it was first throttled is when anything was.
func byOffer(record *results.Record) *Reason {
	var one *Reason
	for p := range record.Phases {
		phase := &record.Phases[p]
		if !phase.Reported || phase.Seconds() <= 0 || len(phase.Offered) == 0 {
			continue
		}
		hot := phase.Offered[0]
		if demand := float64(hot.Busiest); one == nil || demand > one.Demand {
			one = &Reason{Partition: new(hot.Key), Demand: demand}
			if all := offered(phase); all > 0 {
				one.Share = min(1, float64(hot.Entities)/float64(all))
			}
		}
	}
	if one == nil {
		return nil
	}
	from, _ := measuredSpan(record)
	for i := range record.Intervals {
		if second := record.Intervals[i].Second; second >= int64(from.Seconds()) && record.Intervals[i].Throttled > 0 {
			one.FromSecond = &second
			break
		}
	}
	return one
}

func offered(phase *results.Phase) (all int64) {
	for k := range phase.Kinds {
		all += phase.Kinds[k].Offered
	}
	return all
}

// sumColumns sums some columns, from one to another, both included.
func sumColumns(values []int64, from, to int) (sum int64) {
	for _, value := range values[min(from, len(values)):min(to+1, len(values))] {
		sum += value
	}
	return sum
}
