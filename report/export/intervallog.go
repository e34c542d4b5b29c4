package export

import (
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/results"
)

// intervalAbout stands above the lines of an interval log.
const intervalAbout = hlogUnits + `#A line is an operation in a whole second of the run in which any of it ended with success
`

// IntervalLog writes an interval log of HdrHistogram, format 1.3, while a run goes on: a line
// for each kind of operation and whole second in which any of it ended with success, with the
// operation's name as its tag and the response times since the instants at which they were
// due. The lines of a tag together are the record's histograms of that operation in all
// phases, count for count. Lines are written whole: a run that is killed leaves a log that
// ends earlier. It belongs to one goroutine.
type IntervalLog struct {
	rows
	tags []string
}

// NewIntervalLog writes what stands above the lines of a run's log.
func NewIntervalLog(w io.Writer, m *results.Manifest) *IntervalLog {
	l := &IntervalLog{rows: rows{to: w}, tags: namesOf(m.Operations, tag)}
	var text strings.Builder
	logHead(&text, m)
	fmt.Fprintf(&text, "#Scenario %s\n", remark(m.Scenario.Name))
	text.WriteString(intervalAbout + hlogColumns)
	l.write([]byte(text.String()))
	return l
}

// Second writes the lines of a second. Kinds has an entry for each kind of operation.
func (l *IntervalLog) Second(second *results.Interval, kinds []results.Heard) {
	var text strings.Builder
	for k := range kinds {
		if err := logLine(&text, l.tags[k], time.Duration(second.Second)*time.Second, time.Second, kinds[k].Response); err != nil && l.failure == nil {
			l.failure = err
		}
	}
	l.write([]byte(text.String()))
}
