package history

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/text"
)

// How many nights, series and unread runs are told of one by one.
const (
	shownNights = 30
	shownSeries = 12
	shownUnread = 10
)

// Text prints a document for people: of each scenario what it comes to, then the steps
// of each series, and the last nights of the last one.
func Text(w io.Writer, d *Document) error {
	var out bytes.Buffer
	for i := range d.Scenarios {
		if i > 0 {
			out.WriteString("\n")
		}
		d.Scenarios[i].text(&out, d.Metrics)
	}
	for i, unread := range d.Unread {
		if i == shownUnread {
			fmt.Fprintf(&out, "and %d more\n", len(d.Unread)-shownUnread)
			break
		}
		fmt.Fprintf(&out, "left out: %s: %s\n", unread.Name, unread.Reason)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (s *Scenario) text(out *bytes.Buffer, metrics []Metric) {
	fmt.Fprintln(out, s.Sentence())
	if s.Virtual {
		fmt.Fprintln(out, "  all runs are in virtual time, where nothing but a change of the program makes nights differ")
	}
	if left := s.leftOut(); left != "" {
		fmt.Fprintf(out, "  left out: %s\n", left)
	}
	first := max(0, len(s.Series)-shownSeries)
	if first > 0 {
		fmt.Fprintf(out, "  %d earlier series are not shown\n", first)
	}
	for i := first; i < len(s.Series); i++ {
		series := &s.Series[i]
		indent := "  "
		if len(s.Series) > 1 {
			series.heading(out, i)
			indent = "    "
		}
		for t := range series.Trends {
			if len(series.Nights) < 2 {
				break // what there is to say of one night has been said
			}
			for _, sentence := range series.Trends[t].sentences() {
				fmt.Fprintf(out, "%s%s\n", indent, sentence)
			}
		}
	}
	if s.Outcome() == compare.Inconclusive {
		return
	}
	out.WriteString("  a step shows from its third night on at the soonest\n\n")
	s.Series[len(s.Series)-1].table(out, metrics)
}

// heading says how long a series is, and why it is one of its own.
func (s *Series) heading(out *bytes.Buffer, number int) {
	fmt.Fprintf(out, "  series %d: %s from %s on", number+1, nightsIn(len(s.Nights)), dated(s.Nights[0].Begun))
	if len(s.Differs) > 0 {
		fmt.Fprintf(out, "; %s", strings.Join(s.Differs, "; "))
	}
	out.WriteString("\n")
}

// table prints the last nights of a series, and beside a metric where it steps.
func (s *Series) table(out *bytes.Buffer, metrics []Metric) {
	rows := [][]string{{"night (UTC)", " runs"}}
	for _, m := range metrics {
		rows[0] = append(rows[0], " "+m.String(), "")
	}
	first := max(0, len(s.Nights)-shownNights)
	for _, night := range s.Nights[first:] {
		row := []string{dated(night.Begun), " " + strconv.Itoa(night.Runs)}
		for m, metric := range metrics {
			row = append(row, " "+metric.Told(night.Values[m]), s.Trends[m].mark(&night))
		}
		rows = append(rows, row)
	}
	if first > 0 {
		fmt.Fprintf(out, "  the last %d nights, of %d; --format csv has all\n", shownNights, len(s.Nights))
	}
	out.WriteString(text.Grid("  ", " ", rows, func(column int) bool { return column == 0 || column > 1 && column%2 == 1 }))
}

// mark returns the change with which a metric steps on a night, empty for none.
func (t *Trend) mark(night *Night) string {
	for i := range t.Steps {
		if t.Steps[i].Night.Equal(night.Begun) {
			return "← " + changed(t.Steps[i].Change)
		}
	}
	return ""
}
