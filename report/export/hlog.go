package export

import (
	"fmt"
	"io"
	"strings"
	"time"

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
		if err := logPhase(&text, record, &record.Phases[p], tags); err != nil {
			return err
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

// logPhase writes a phase: what it is as a comment, then its lines.
func logPhase(text *strings.Builder, record *results.Record, p *results.Phase, tags []string) error {
	begin, end := max(0, p.Begin), p.End
	if record.Duration > 0 && (end <= begin || end > record.Duration) {
		// The run ended within it, or it is a closed loop that has no other end.
		end = record.Duration
	}
	of := "reported"
	if !p.Reported {
		of = "not reported, for it is no part of the measurement"
	}
	fmt.Fprintf(text, "#Phase %s: %s\n", remark(p.Name), of)
	for k := range p.Kinds[:min(len(p.Kinds), len(tags))] {
		response, lost := p.Kinds[k].Response, p.Kinds[k].Lost
		if over := response.Over(); over > 0 {
			fmt.Fprintf(text, "#%s: %d took longer than an hour, and count as one\n", remark(tags[k]), over)
		}
		if n := lost.Count(); n > 0 {
			fmt.Fprintf(text, "#%s: %d did not succeed, and are in no line\n", remark(tags[k]), n)
		}
		if err := logLine(text, tags[k], begin, max(0, end-begin), response); err != nil {
			return err
		}
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
