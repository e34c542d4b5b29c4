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

// hlogUnits is the head of every log. HistogramLogProcessor assumes nanoseconds and ignores
// lines with tags by default.
const hlogUnits = `#Response times of successful operations, from when each was due to the end of its last attempt
#Values in microseconds, three significant digits, at most one hour; Interval_Max in milliseconds
#HistogramLogProcessor needs: -tag NAME -outputValueUnitRatio 1000
`

const hlogColumns = `"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"` + "\n"

// HistogramLog writes an interval log of HdrHistogram, format 1.3: the response times of
// each kind of operation in each phase with successes, tagged with the operation's name.
// The lines of a tag add up to the summary's response_us of that operation.
func HistogramLog(w io.Writer, record *results.Record, _ *results.Summary) error {
	var text strings.Builder
	logHead(&text, &record.Manifest)
	fmt.Fprintf(&text, "#Scenario %s, validity %s\n", remark(record.Manifest.Scenario.Name), remark(record.Validity))
	text.WriteString(hlogUnits + "#Each line is an operation in a phase of the run\n" + hlogColumns)
	tags := namesOf(record.Manifest.Operations, tag)
	for p := range record.Phases {
		phase := &record.Phases[p]
		begin, end := max(0, phase.Begin), phase.End
		if record.Duration > 0 && (end <= begin || end > record.Duration) {
			// The run ended during the phase, or it is a closed loop without an end.
			end = record.Duration
		}
		reported := "reported"
		if !phase.Reported {
			reported = "not reported: not part of the measurement"
		}
		fmt.Fprintf(&text, "#Phase %s: %s\n", remark(phase.Name), reported)
		for k := range phase.Kinds[:min(len(phase.Kinds), len(tags))] {
			response, lost := phase.Kinds[k].Response, phase.Kinds[k].Lost
			if over := response.Overlong(); over > 0 {
				fmt.Fprintf(&text, "#%s: %d took longer than an hour, counted as one hour\n", remark(tags[k]), over)
			}
			if n := lost.Count(); n > 0 {
				fmt.Fprintf(&text, "#%s: %d failed and are in no line\n", remark(tags[k]), n)
			}
			if err := logLine(&text, tags[k], begin, max(0, end-begin), response); err != nil {
				return err
			}
		}
	}
	if _, err := io.WriteString(w, text.String()); err != nil {
		return fmt.Errorf("export: writing the histogram log: %w", err)
	}
	return nil
}

// logHead writes the format version and the start of the run, the base of the lines' times.
func logHead(text *strings.Builder, m *results.Manifest) {
	text.WriteString("#[Histogram log format version 1.3]\n")
	// Readers reject instants before 1970.
	if begun := m.Started.UTC(); begun.UnixMilli() >= 0 {
		epoch := seconds(time.Duration(begun.UnixMilli()), time.Second/time.Millisecond)
		fmt.Fprintf(text, "#[StartTime: %s (seconds since epoch), %s]\n#[BaseTime: %s (seconds since epoch)]\n",
			epoch, begun.Format(time.RFC3339), epoch)
	}
}

// logLine writes the line of an operation's responses in an interval, unless there are none.
func logLine(text *strings.Builder, tag string, from, length time.Duration, response *results.Histogram) error {
	encoded, err := response.Encoded()
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if encoded != "" {
		fmt.Fprintf(text, "Tag=%s,%s,%s,%s,%s\n", tag, seconds(from, time.Second), seconds(length, time.Second),
			seconds(time.Duration(response.Max()), time.Millisecond/time.Microsecond), encoded)
	}
	return nil
}

// seconds formats amount/unit with three decimals.
func seconds(amount, unit time.Duration) string {
	thousandths := amount / (unit / 1000)
	return fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000)
}

// remark quotes a name for a comment. Readers look for times after "#[".
func remark(name string) string {
	return fmt.Sprintf("%q", strings.ReplaceAll(short(name), "#[", "# ["))
}

// maxName is the maximum length of a name, in characters. benchstat rejects lines of 64 KiB.
const maxName = 200

// short returns a name on one line, of maxName characters at most.
func short(name string) string {
	name = Plain(name)
	if utf8.RuneCountInString(name) <= maxName {
		return name
	}
	return string([]rune(name)[:maxName-1]) + "…"
}

// namesOf returns distinct names of the kinds of operation in a format.
func namesOf(kinds []results.Kind, format func(string) string) []string {
	names, used := make([]string, len(kinds)), make(map[string]bool)
	for i, kind := range kinds {
		name := format(short(kind.Name))
		for n := 2; used[name]; n++ {
			name = format(short(kind.Name)) + "_" + strconv.Itoa(n)
		}
		names[i], used[name] = name, true
	}
	return names
}

// tag returns a name as a tag, without commas and spaces.
func tag(name string) string { return strings.ReplaceAll(Word(name), ",", "_") }

// IntervalLog writes an interval log of HdrHistogram, format 1.3, during a run: a line for
// each kind of operation and second with successes, tagged with the operation's name. The
// lines of a tag add up to the record's histograms of that operation in all phases. A
// killed run leaves complete lines. It is not safe for concurrent use.
type IntervalLog struct {
	rows
	tags []string
}

// NewIntervalLog writes the head of a run's log.
func NewIntervalLog(w io.Writer, m *results.Manifest) *IntervalLog {
	l := &IntervalLog{rows: rows{to: w}, tags: namesOf(m.Operations, tag)}
	var text strings.Builder
	logHead(&text, m)
	fmt.Fprintf(&text, "#Scenario %s\n", remark(m.Scenario.Name))
	text.WriteString(hlogUnits + "#Each line is an operation in a second of the run\n" + hlogColumns)
	l.write([]byte(text.String()))
	return l
}

// Second writes the lines of a second, with response times by kind of operation.
func (l *IntervalLog) Second(second *results.Interval, response []*results.Histogram) {
	var text strings.Builder
	for k := range response {
		if err := logLine(&text, l.tags[k], time.Duration(second.Second)*time.Second, time.Second, response[k]); err != nil && l.failure == nil {
			l.failure = err
		}
	}
	l.write([]byte(text.String()))
}
