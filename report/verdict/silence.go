package verdict

import (
	"fmt"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// Silence is a time in which attempts were in flight and the target answered none.
type Silence struct{ From, To time.Duration }

// String describes the silence.
func (s Silence) String() string {
	return fmt.Sprintf("the target answered nothing from %s to %s s", document.Seconds(s.From), document.Seconds(s.To))
}

// The thresholds of a silence.
const (
	// minSilence is how long a target answers nothing, and timesUsual the multiple of its median slowest reply of a
	// second, so that a slow target is not called silent; minWaiting attempts wait for it.
	minSilence = 200 * time.Millisecond
	timesUsual = 3
	minWaiting = 4
)

// Silences returns the silences of the target, in the order of time.
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
	least := minSilence
	if len(longest) > 0 {
		least = max(least, time.Duration(timesUsual*statistics.Median(longest))*time.Microsecond)
	}
	var silences []Silence
	for _, one := range joined {
		if one.To-one.From >= least && one.Waiting >= minWaiting {
			silences = append(silences, Silence{one.From, one.To})
		}
	}
	return silences
}

// silenceAt describes the longest silence of the target that a row is in, or follows within the time in which delayed
// operations are sent: as long again, and a second. It is empty for none.
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

// waitedIn returns a function that describes the silence or queue of the target for which operations of a second were
// late; empty if there is none, or the generator is the cause.
func waitedIn(record *results.Record, list []Strain) func(second int64) string {
	silences, strains := Silences(record), make(map[int64]Strain)
	for _, one := range list {
		strains[one.Second] = one
	}
	return func(second int64) string {
		switch one, known := strains[second]; {
		case !known || one.Cause.Generators():
			return ""
		case one.Cause == TargetQueues:
			return one.Cause.String()
		default:
			return silenceAt(silences, one.Interval)
		}
	}
}

// LateIn returns a function that reports whether the generator caused the lateness of a step: late seconds during a
// silence of the target are the target's.
func LateIn(record *results.Record) func(figure.Step) bool { return lateIn(Strains(record)) }

func lateIn(strains []Strain) func(figure.Step) bool {
	return func(step figure.Step) bool {
		generators, targets := 0, 0
		for _, one := range strains {
			switch inside := step.Contains(one.Second); {
			case inside && one.Cause.Generators():
				generators++
			case inside && one.Cause != OnTime:
				targets++
			}
		}
		return !step.OnTime() && (generators > 0 || targets == 0)
	}
}
