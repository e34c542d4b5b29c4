package workflow

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

var (
	logTime   = required("time", "The Edm.DateTime property with the message's time.", OfProperty)
	logName   = Parameter{Name: "log", Says: "The log's name, the prefix of its blobs.", Type: OfName, Default: "queue"}
	logStores = func(Arguments) []Store { return []Store{{Name: logStore}} }
)

// logKinds are the workflows of a log that is kept in blobs, of delimited lines, by
// the hour in which they came about.
var logKinds = []Kind{{
	Name: "log-append", Says: "Writes buffered messages as one blob, with their times as metadata.",
	Inserts: true, Parameters: []Parameter{logTime, logName,
		count("buffer", "Messages per blob.", 1, 10_000, "100"),
		duration("over", "The time that a blob's messages span.", 0, time.Hour, "0s"),
		share("killed", "The share of messages after which the writer crashes."),
		share("errors", "The share of messages whose severity is Error; others have Success."),
	},
	Counters: []string{"lines", "lost"}, Serves: needsTime, Stores: logStores,
	New: func(c *Call) *Procedure {
		blobs, lost := gathered(c)
		var puts []Request
		for _, one := range blobs {
			puts = append(puts, NewBesideRequest(target.Beside{Verb: target.PutBlob, Store: c.StoreOf(logStore), Name: fmt.Sprintf("%s%06d.log", one.hour, c.Subject.Number()),
				Body: []byte(one.text.String()), Metadata: map[string]string{
					logFirst: entity.TicksOf(one.first).String(), logLast: entity.TicksOf(one.last).String()}}))
		}
		return NewProcedure(func(t *Tx) {
			t.Add("lost", lost)
			for i, one := range puts {
				t.Send(one)
				t.Add("lines", blobs[i].lines)
			}
		}, puts...)
	},
}, {
	Name: "log-read", Says: "Reads the messages of some minutes: lists blobs, reads those that match.",
	Reads: true, Parameters: []Parameter{logTime, logName,
		count("minutes", "How many minutes to read.", 1, 60, "2"),
		choice("severity", "The messages to keep.", "any", logError, logSuccess),
	},
	Counters: []string{"blobs", "lines", "listed", "scanned"}, Serves: needsTime, Stores: logStores,
	New: newLogRead,
}}

const (
	// logStore is the container of the logs.
	logStore = "logs"
	// logFirst and logLast are the metadata that say when the first and the last
	// message of a blob came about.
	logFirst = "first"
	logLast  = "last"
	// logError and logSuccess are the severities.
	logError   = "Error"
	logSuccess = "Success"
	// logDelimiter ends the columns of a line.
	logDelimiter = ";"
)

// needsTime refuses a property that is no time.
func needsTime(d *Design, a Arguments) []Lack {
	p := d.Property(a.Text("time"))
	return lackIf(p.Name != "" && p.Type != entity.TypeDateTime, "time", "property %s is %v; expected Edm.DateTime", p.Name, p.Type)
}

func messageTime(about Subject, property string) time.Time {
	if value, some := lookup(about.Properties(), property); some {
		return value.Ticks().Time()
	}
	return entity.EarliestDateTime.Time()
}

// hourOf returns what the names of the blobs begin with whose messages came about in
// an hour: queue/2014/07/31/1800/ for one.
func hourOf(log string, at time.Time) string { return log + "/" + at.Format("2006/01/02/1500") + "/" }

// logBlob is a blob of a log before it is written.
type logBlob struct {
	hour        string
	first, last time.Time
	lines       int64
	text        strings.Builder
}

// gathered returns what a writer has gathered, by the hour, and how many messages were
// lost with writers that died: the first ones, since the last is written by one that
// lives.
func gathered(c *Call) (blobs []*logBlob, lost int64) {
	n := c.Arguments.Count("buffer")
	over, killed := c.Arguments.Duration("over"), c.Arguments.Share("killed")
	end := messageTime(c.Subject, c.Arguments.Text("time"))
	draw := c.Chance
	// A writer that dies after a message loses all that it has in its buffer. The last message is
	// written at once, with all that is left.
	from := 0
	for i := range n - 1 {
		if draw.Float64() < killed {
			from = i + 1
		}
	}
	for i := from; i < n; i++ {
		at := end.Add(-over * time.Duration(n-1-i) / time.Duration(n))
		hour := hourOf(c.Arguments.Text("log"), at)
		if len(blobs) == 0 || blobs[len(blobs)-1].hour != hour {
			blobs = append(blobs, &logBlob{hour: hour, first: at})
		}
		one := blobs[len(blobs)-1]
		one.last = at
		one.lines++
		severity := logSuccess
		if draw.Float64() < c.Arguments.Share("errors") {
			severity = logError
		}
		columns := []string{entity.TicksOf(at).String(), "GetMessages", severity, fmt.Sprintf("%d-%d", c.Subject.Number(), i)}
		one.text.WriteString(strings.Join(columns, logDelimiter) + "\n")
	}
	return blobs, int64(from)
}

// window is a time from one instant to another, which is excluded.
type window struct{ from, upTo time.Time }

// side returns 0 if the instant that a text names lies in the window, -1 before it, 1 behind it.
func (w window) side(text string) int {
	ticks, err := entity.ParseTicks(text)
	switch at := ticks.Time(); {
	case err != nil || at.Before(w.from):
		return -1
	case at.Before(w.upTo):
		return 0
	default:
		return 1
	}
}

func newLogRead(c *Call) *Procedure {
	store, log, severity := c.StoreOf(logStore), c.Arguments.Text("log"), c.Arguments.Text("severity")
	from := messageTime(c.Subject, c.Arguments.Text("time")).Truncate(time.Minute)
	w := window{from, from.Add(time.Duration(c.Arguments.Count("minutes")) * time.Minute)}
	// At most sixty minutes touch two hours.
	hours := slices.Compact([]string{hourOf(log, from), hourOf(log, w.upTo.Add(-time.Nanosecond))})
	return NewProcedure(func(t *Tx) {
		var chosen []string
		for _, hour := range hours {
			for blob := range t.blobs(store, hour, maxListed) {
				t.Add("listed", 1)
				if w.side(blob.Metadata[logFirst]) <= 0 && w.side(blob.Metadata[logLast]) >= 0 {
					chosen = append(chosen, blob.Name)
				}
			}
		}
		for _, name := range chosen {
			for _, blob := range t.Send(NewBesideRequest(target.Beside{Verb: target.GetBlob, Store: store, Name: name}, 404)).Found {
				t.Add("blobs", 1)
				for line := range strings.Lines(string(blob.Body)) {
					t.Add("scanned", 1)
					if columns := strings.Split(line, logDelimiter); w.side(columns[0]) == 0 && (severity == "any" || slices.Contains(columns, severity)) {
						t.Add("lines", 1)
					}
				}
			}
		}
	}, blobsAfter(store, hours[0], "", ""))
}
