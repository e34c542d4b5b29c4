package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// seconds shows the run by second: rates, times, refusals by answer, attempts in flight and the generator's lag. The
// figures are those of intervals.ndjson.
func (a *author) seconds() {
	if len(a.Intervals) == 0 {
		return
	}
	a.section("seconds")
	a.lines("lines of seconds")
	rates := []track{perSecond("due", document.Offered, func(i *results.Interval) int64 { return i.Scheduled }),
		perSecond("succeeded", document.Served, func(i *results.Interval) int64 { return i.Succeeded })}
	if a.anySecond(func(i *results.Interval) bool { return i.Dropped != 0 }) {
		rates = append(rates, perSecond("dropped", document.Failed, func(i *results.Interval) int64 { return i.Dropped }))
	}
	a.Append(a.series("rate", rates...))
	entities := a.series("entities", perSecond("served", document.Served, func(i *results.Interval) int64 { return i.Served }),
		perSecond("returned", document.Returned, func(i *results.Interval) int64 { return i.Returned }))
	if a.AimsAtTarget() {
		entities.Level = &document.Level{Name: "target of a partition", Value: float64(a.Manifest.Targets.Partition)}
	}
	response, ofResponse := a.highQuantile(func(i *results.Interval) results.Quantiles { return i.Response })
	service, ofService := a.highQuantile(func(i *results.Interval) results.Quantiles { return i.Service })
	times := a.series("time", inMillis("response p50", document.First, func(i *results.Interval) *int64 { return i.Response.P50 }),
		inMillis("response "+response, document.Second, ofResponse), inMillis("service "+service, document.Third, ofService))
	times.Log = true
	a.Append(entities, times, a.refusalSeries())
	if a.anySecond(func(i *results.Interval) bool { return i.InFlight != 0 }) {
		a.Append(a.series("in-flight", track{"under way", document.First, func(i *results.Interval) *float64 { return new(float64(i.InFlight)) }}))
	}
	// In virtual time nothing is late.
	if a.Manifest.Time != "virtual" && a.anySecond(func(i *results.Interval) bool { return i.Lag.Max != nil }) {
		high, of := a.highQuantile(func(i *results.Interval) results.Quantiles { return i.Lag })
		lag := a.series("lag", inMillis("p50", document.First, func(i *results.Interval) *int64 { return i.Lag.P50 }),
			inMillis(high, document.Second, of),
			inMillis("max", document.Third, func(i *results.Interval) *int64 { return i.Lag.Max }))
		lag.Log = true
		a.Append(lag)
	}
}

// Unit is the number of seconds in the longest row of the record.
func (a *author) Unit() int64 {
	unit := int64(1)
	for i := range a.Intervals {
		unit = max(unit, a.Intervals[i].Seconds())
	}
	return unit
}

// measured returns the seconds of reported phases: preparation, verification and reading back would set the scale of
// the axis. Operations of a phase may end after it.
func (a *author) measured() document.Stretch {
	begin, end, found := a.taken.Span()
	if !found {
		return document.Stretch{}
	}
	reported := make(map[string]bool)
	for _, step := range figure.Reported(a.Record) {
		reported[step.Phase.Name] = true
	}
	for i := range a.Intervals {
		if row := &a.Intervals[i]; reported[row.Phase] {
			end = max(end, row.End())
		}
	}
	return document.Stretch{From: float64(begin), To: float64(end)}
}

// some reports whether a second is of a kind.
func (a *author) anySecond(is func(*results.Interval) bool) bool {
	return slices.ContainsFunc(a.Intervals, func(row results.Interval) bool { return is(&row) })
}

// track is a line of a series, and the value of a second in it; nil is a gap.
type track struct {
	name    string
	meaning document.Meaning
	of      func(*results.Interval) *float64
}

// perSecond is a track of counts, inMillis one of durations.
func perSecond(name string, meaning document.Meaning, of func(*results.Interval) int64) track {
	return track{name, meaning, func(i *results.Interval) *float64 { return new(i.PerSecond(of(i))) }}
}

func inMillis(name string, meaning document.Meaning, of func(*results.Interval) *int64) track {
	return track{name, meaning, func(i *results.Interval) *float64 {
		micros := of(i)
		if micros == nil {
			return nil
		}
		return new(float64(*micros) / 1000)
	}}
}

// series returns tracks over the seconds of the record, with gaps for missing ones.
func (a *author) series(id string, tracks ...track) document.Series {
	words := strings.Split(a.joined("series "+id), " "+document.PartSeparator+" ")
	s := document.Series{ID: id, Title: words[0], Unit: words[1], Says: words[2], Marks: a.marks(), Shown: a.measured()}
	for _, t := range tracks {
		s.Lines = append(s.Lines, document.Line{Name: t.name, Meaning: t.meaning})
	}
	for i := range a.Intervals {
		row := &a.Intervals[i]
		if i > 0 {
			before := &a.Intervals[i-1]
			if row.Second <= before.Second {
				// Out of order: the validity says so, and an axis cannot show it.
				continue
			}
			if row.Second > before.End() {
				s.Seconds = append(s.Seconds, float64(before.End()))
				for l := range s.Lines {
					s.Lines[l].Values = append(s.Lines[l].Values, nil)
				}
			}
		}
		s.Seconds = append(s.Seconds, float64(row.Second))
		for l, t := range tracks {
			s.Lines[l].Values = append(s.Lines[l].Values, t.of(row))
		}
	}
	// The title has the maximum of the first lines.
	const told = 2
	var heights []string
	for _, l := range s.Lines[:min(len(s.Lines), told)] {
		most := 0.
		for i, v := range l.Values {
			if v != nil && s.Shown.Contains(s.Seconds[i]) {
				most = max(most, *v)
			}
		}
		if most > 0 {
			heights = append(heights, l.Name+" up to "+document.Figures(most))
		}
	}
	if len(heights) > 0 {
		s.Title += ": " + document.Enumerated(heights)
	}
	return s
}

// highQuantile returns the p99 of seconds, or their p90 if no second has enough operations for a p99.
func (a *author) highQuantile(of func(*results.Interval) results.Quantiles) (string, func(*results.Interval) *int64) {
	if !a.anySecond(func(i *results.Interval) bool { return of(i).P99 != nil }) &&
		a.anySecond(func(i *results.Interval) bool { return of(i).P90 != nil }) {
		return "p90", func(i *results.Interval) *int64 { return of(i).P90 }
	}
	return "p99", func(i *results.Interval) *int64 { return of(i).P99 }
}

// maxCodes is the number of throttling codes with a line of their own.
const maxCodes = 4

// refusalSeries shows throttled attempts by answer, if the record has it, and failed ones.
func (a *author) refusalSeries() document.Series {
	tracks := []track{perSecond("throttled", document.Throttled, func(i *results.Interval) int64 { return i.Throttled })}
	var sum results.Causes
	for _, row := range a.Intervals {
		sum.Merge(row.Causes.Only(results.Throttled))
	}
	if ways := sum.Frequent(); len(ways) > 1 {
		for _, way := range ways[:min(len(ways), maxCodes)] {
			tracks = append(tracks, perSecond("throttled: "+way.String(), document.Throttled, func(i *results.Interval) int64 {
				for _, one := range i.Causes {
					if one.Class == way.Class && one.Status == way.Status && one.Code == way.Code {
						return one.Attempts
					}
				}
				return 0
			}))
		}
	} else if len(ways) == 1 {
		tracks[0].name = "throttled: " + ways[0].String()
	}
	tracks = append(tracks, perSecond("failed", document.Failed, func(i *results.Interval) int64 { return i.Failed }))
	return a.series("throttled", tracks...)
}

// maxMarks is the maximum number of marks of load balancing on a time axis; the table of minutes counts them all.
const maxMarks = 200

// marks are the beginnings of phases, and decisions of the partition layer.
func (a *author) marks() []document.Mark {
	var marks []document.Mark
	for _, step := range figure.Reported(a.Record) {
		text := step.Phase.Name
		// Many names contain the rate already.
		if rate := document.Rate(step.Phase.Rate); step.Phase.Rate > 0 && !step.Phase.Varying && !strings.Contains(text, strings.ReplaceAll(rate, ",", "")) {
			text = fmt.Sprintf("%s (%s/s)", step.Phase.Name, rate)
		}
		marks = append(marks, document.Mark{Second: step.Phase.Begin.Seconds(), Text: text})
	}
	balanced := 0
	for i := range a.Events {
		if e := &a.Events[i]; e.Balanced() && balanced < maxMarks {
			balanced++
			marks = append(marks, document.Mark{Second: time.Duration(e.At).Seconds(), Text: e.What, Balance: true})
		}
	}
	slices.SortStableFunc(marks, func(x, y document.Mark) int { return cmp.Compare(x.Second, y.Second) })
	return marks
}
