package verdict

import (
	"fmt"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// Silence is a time in which attempts were under way and the target answered none.
type Silence struct{ From, To time.Duration }

// String returns the sentence that tells of it.
func (s Silence) String() string {
	return fmt.Sprintf("the target answered nothing from %s to %s s", document.Seconds(s.From), document.Seconds(s.To))
}

// What counts as one.
const (
	// shortestSilence is how long a target has to answer nothing; and so many times as
	// long as its slowest reply of a second mostly takes, so that one who takes its time
	// is not called silent; and fewestWaiting attempts have to wait for it.
	shortestSilence = 200 * time.Millisecond
	timesUsual      = 3
	fewestWaiting   = 4
)

// Silences returns when the target answered nothing though attempts were under way, in
// the order of time.
func Silences(record *results.Record) []Silence {
	var longest []int64
	var joined []results.Stretch
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if row.Service.Max != nil {
			longest = append(longest, *row.Service.Max)
		}
		if row.Generator == nil {
			continue
		}
		for _, part := range row.Generator.Unanswered {
			if last := len(joined) - 1; last >= 0 && joined[last].To == part.From {
				joined[last].To = part.To
				joined[last].Waiting = max(joined[last].Waiting, part.Waiting)
				continue
			}
			joined = append(joined, part)
		}
	}
	least := shortestSilence
	if len(longest) > 0 {
		least = max(least, time.Duration(timesUsual*statistics.Median(longest))*time.Microsecond)
	}
	var silences []Silence
	for _, one := range joined {
		if one.To-one.From >= least && one.Waiting >= fewestWaiting {
			silences = append(silences, Silence{one.From, one.To})
		}
	}
	return silences
}

// silenceAt returns in words the longest silence of the target that a row lies in, or as
// soon after which as what was due meanwhile may take to be made up for: as long again, and
// a second. Empty is none.
func silenceAt(silences []Silence, row *results.Interval) string {
	begin, end := row.Span()
	longest := Silence{}
	for _, s := range silences {
		near := s.From < end && begin < s.To+(s.To-s.From)+time.Second
		if near && s.To-s.From > longest.To-longest.From {
			longest = s
		}
	}
	if longest == (Silence{}) {
		return ""
	}
	return longest.String()
}

// waitedIn returns what tells of a second which silence of the target those operations
// waited for that were sent late in it, or never; empty where there is none, or the
// generator is to blame.
func waitedIn(record *results.Record) func(second int64) string {
	silences, strains := Silences(record), make(map[int64]Strain)
	for _, one := range Strains(record) {
		strains[one.Second] = one
	}
	return func(second int64) string {
		switch one, known := strains[second]; {
		case !known || one.Cause.Generators():
			return ""
		case one.Cause == TargetQueues:
			return one.Cause.String()
		default:
			return silenceAt(silences, one.row)
		}
	}
}

// LateIn returns which steps the generator sent late, as its own doing: where each late
// second was one of the target's silence, the wait is the target's.
func LateIn(record *results.Record) func(figure.Step) bool {
	strains := Strains(record)
	return func(step figure.Step) bool {
		in := StrainedIn(step, strains)
		return !step.OnTime() && (in.Late > 0 || in.Silent == 0)
	}
}
