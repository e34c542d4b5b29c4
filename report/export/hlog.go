package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"loadgen/results"
)

// hlogUnits stands above the lines of every log. HistogramLogProcessor takes values for
// nanoseconds unless it is told otherwise, and looks at no line with a tag unless that is
// asked for.
const hlogUnits = `#Response times of operations that succeeded: from the instant at which one was due to the end of its last attempt
#Values are in microseconds, to three significant digits, up to one hour; Interval_Max is in milliseconds
#HistogramLogProcessor wants: -tag NAME -outputValueUnitRatio 1000
`

const hlogAbout = hlogUnits + `#A line is an operation in a phase of the run, the shortest stretch that the record keeps it by
`

const hlogColumns = `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"

// HistogramLog writes an interval log of HdrHistogram, format 1.3: the response times of
// each kind of operation in each phase in which any succeeded, with the operation's name
// as its tag. The lines of a tag together are the summary's response_us of that operation.
// The summary is not looked at. Its error is that of encoding or of the writer, wrapped.
func HistogramLog(w io.Writer, record *results.Record, _ *results.Summary) error {
	var text strings.Builder
	logHead(&text, &record.Manifest)
	fmt.Fprintf(&text, "#Scenario %s, validity %s\n", remark(record.Manifest.Scenario.Name), remark(record.Validity))
	text.WriteString(hlogAbout + hlogColumns)
	tags := namesOf(record.Manifest.Operations, tag)
	for p := range record.Phases {
		phase := &record.Phases[p]
		begin, end := max(0, phase.Begin), phase.End
		if record.Duration > 0 && (end <= begin || end > record.Duration) {
			// The run ended within it, or it is a closed loop that has no other end.
			end = record.Duration
		}
		of := "reported"
		if !phase.Reported {
			of = "not reported, for it is no part of the measurement"
		}
		fmt.Fprintf(&text, "#Phase %s: %s\n", remark(phase.Name), of)
		for k := range phase.Kinds[:min(len(phase.Kinds), len(tags))] {
			response, lost := phase.Kinds[k].Response, phase.Kinds[k].Lost
			if over := response.Over(); over > 0 {
				fmt.Fprintf(&text, "#%s: %d took longer than an hour, and count as one\n", remark(tags[k]), over)
			}
			if n := lost.Count(); n > 0 {
				fmt.Fprintf(&text, "#%s: %d did not succeed, and are in no line\n", remark(tags[k]), n)
			}
			if err := logLine(&text, tags[k], begin, max(0, end-begin), response); err != nil {
				return err
			}
		}
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("exchange: writing the histogram log: %w", err)
	}
	return nil
}

// logHead writes the format, and when the run began: what times of lines count from.
func logHead(text *strings.Builder, m *results.Manifest) {
	text.WriteString("#[Histogram log format version 1.3]\n")
	// The readers know no instant before 1970, and a record that says so is wrong.
	if begun := m.Started.UTC(); begun.UnixMilli() >= 0 {
		epoch := seconds(time.Duration(begun.UnixMilli()), time.Second/time.Millisecond)
		fmt.Fprintf(text, "#[StartTime: %s (seconds since epoch), %s]\n#[BaseTime: %s (seconds since epoch)]\n",
			epoch, begun.Format(time.RFC3339), epoch)
	}
}

// logLine writes the line of what an operation came to from an instant on, for so long;
// nothing where that is empty.
func logLine(text *strings.Builder, tag string, from, length time.Duration, response *results.Histogram) error {
	encoded, err := response.Encoded()
	if err != nil {
		return fmt.Errorf("exchange: %w", err)
	}
	if encoded != "" {
		fmt.Fprintf(text, "Tag=%s,%s,%s,%s,%s\n", tag, seconds(from, time.Second), seconds(length, time.Second),
			seconds(time.Duration(response.Max()), time.Millisecond/time.Microsecond), encoded)
	}
	return nil
}

// seconds writes an amount of which so many are one, to three digits behind the point.
func seconds(amount, one time.Duration) string {
	thousandths := amount / (one / 1000)
	return fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000)
}

// remark returns a name as a comment may hold it: readers look for times in comments.
func remark(name string) string {
	return fmt.Sprintf("%q", strings.ReplaceAll(short(name), "#[", "# ["))
}

// longestName is how many characters of a name are written: benchstat gives up at a line
// of 64 KiB.
const longestName = 200

// short returns a name on one line, of so many characters at most.
func short(name string) string {
	name = Plain(name)
	if utf8.RuneCountInString(name) <= longestName {
		return name
	}
	return string([]rune(name)[:longestName-1]) + "…"
}

// namesOf returns the names of the kinds of operation as a form writes them, each another.
func namesOf(kinds []results.Kind, written func(string) string) []string {
	names, taken := make([]string, len(kinds)), make(map[string]bool)
	for i, kind := range kinds {
		name := written(short(kind.Name))
		for n := 2; taken[name]; n++ {
			name = written(short(kind.Name)) + "_" + strconv.Itoa(n)
		}
		names[i], taken[name] = name, true
	}
	return names
}

// tag returns a name as the tag of a line: it ends at a comma, and must not hold a space.
func tag(name string) string { return strings.ReplaceAll(Word(name), ",", "_") }

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

// Second writes the lines of a second. Response has the times of each kind of operation.
func (l *IntervalLog) Second(second *results.Interval, response []*results.Histogram) {
	var text strings.Builder
	for k := range response {
		if err := logLine(&text, l.tags[k], time.Duration(second.Second)*time.Second, time.Second, response[k]); err != nil && l.failure == nil {
			l.failure = err
		}
	}
	l.write([]byte(text.String()))
}
