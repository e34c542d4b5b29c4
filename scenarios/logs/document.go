package logs

import (
	"cmp"
	_ "embed"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// Document says what a log says: the report of its record, and what only a log has.
func (t *Told) Document() *document.Document {
	d, r := report.Keep(t.Record).Document, t.Reading
	d.Title = "logs"
	d.Data = &Data{Summary: t.Record.Summary, Capture: t.Record.Capture, Counts: r.Counts, First: r.First.String(), Last: r.Last.String(),
		Billed: t.Record.Capture.Billed, Transactions: r.Estimate.Transactions, Queries: r.Estimate.Queries}
	Mark(&d.Answer, t.plan.Strict)
	table := document.NewTable("hottest-by-second", "Hottest partitions by their busiest second", "PartitionKey|cut=40", "asked/s", "served/s",
		"requests", "throttled|part")
	hot := slices.Clone(t.Record.Capture.Partitions)
	slices.SortStableFunc(hot, func(a, b results.ObservedPartition) int {
		return cmp.Or(cmp.Compare(max(b.Offered, b.Busiest), max(a.Offered, a.Busiest)), cmp.Compare(b.Requests, a.Requests))
	})
	for _, one := range hot[:min(len(hot), screenPartitions)] {
		table.Add(strconv.Quote(one.PartitionKey), max(one.Offered, one.Busiest), one.Busiest, one.Requests, document.RatioOf(one.Throttled, one.Requests))
	}
	write := func(places ...string) []string { return narrative().Phrases(evidence{t}, places...) }
	d.Screen = append(d.Screen, table, document.Facts{Lines: slices.Concat(write("screen"), document.SpreadNote(r.SpreadOver), r.Notes)})
	d.Add("log", "The log", document.List{Items: write("log")})
	d.Add("server-latency", "Latency at the server and end to end", t.latency())
	d.Add("estimates", "Estimates and gaps", document.List{Items: write("estimates")})
	d.Add("rules", "Documented rules", document.List{Items: write("rules")})
	return d
}

//go:embed narrative.tmpl
var narrativeTable string

// narrative is the table of all sentences about logs.
var narrative = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// evidence is what the sentences about a log are written of.
type evidence struct{ *Told }

// FirstTime and Last are the times of the first and the last line.
func (e evidence) FirstTime() string { return stamp(e.Reading.First) }

// LastTime is described with First.
func (e evidence) LastTime() string { return stamp(e.Reading.Last) }

// Keyless lists operations without a partition, with their numbers.
func (e evidence) Keyless() string { return NamedCounts(e.Reading.Keyless) }

// KeylessOf returns the number of such operations of one name.
func (e evidence) KeylessOf(operation string) int64 { return e.Reading.Keyless[operation] }

// StrayTimes are the times of the first dropped lines.
func (e evidence) StrayTimes() string {
	var at []string
	for _, one := range e.Reading.StrayTimes {
		at = append(at, stamp(one))
	}
	if e.Reading.Strays > int64(len(at)) {
		at = append(at, "…")
	}
	return strings.Join(at, ", ")
}

// Gaps are the longest stretches without a line, as their two ends.
func (e evidence) Gaps() (list [][]string) {
	for _, gap := range e.Reading.Gaps {
		list = append(list, []string{stamp(gap.From), stamp(gap.To)})
	}
	return list
}

// Unnamed is the number of lines without a client request ID.
func (e evidence) Unnamed() int64 {
	r := e.Reading
	return max(0, r.Lines-r.Doubled-r.Elsewhere-r.Strays-r.Named)
}

// WriteBytes is the mean size of a single write.
func (e evidence) WriteBytes() int64 { return e.Reading.Estimate.writes.orDefault(defaultEntity) }

// ReadBytes is the size of an entity in a reply.
func (e evidence) ReadBytes() int64 {
	return cmp.Or(e.Reading.Estimate.Entity, e.Reading.Estimate.reads.orDefault(e.WriteBytes()))
}

// OverTarget reports whether a partition exceeds the target or throttles.
func (e evidence) OverTarget() bool {
	target := e.Record.Manifest.Targets.Partition
	return slices.ContainsFunc(e.Record.Capture.Partitions, func(p results.ObservedPartition) bool { return p.Busiest > target || p.Throttled > 0 })
}

// OrderedKeys reports whether new PartitionKeys of a table come in one order.
func (e evidence) OrderedKeys() bool {
	return slices.ContainsFunc(e.Record.Capture.Orders, func(o results.KeyOrder) bool { return o.Partitions.Way() != "" })
}

// Scans reports whether a query scans.
func (e evidence) Scans() bool {
	return slices.ContainsFunc(e.Record.Capture.Shapes, func(s results.QueryShape) bool { return strings.Contains(s.Class, "scan") && s.Requests > 0 })
}

// Mark sets the mark of an answer about a log, and returns whether its traffic is sound. It is
// nil if that is unknown or strict is not set.
func Mark(a *document.Answer, strict bool) (ok *bool) {
	if strict && a.State != results.CannotTell {
		ok = new(a.State == results.Sound)
	}
	a.Mark = document.MarkOf(a.State, strict, ok)
	return ok
}

// Data is what scripts read of a log.
type Data struct {
	// Summary and Capture are those of the record that was made of it.
	Summary *results.Summary `json:"summary"`
	Capture *results.Capture `json:"capture"`
	Counts
	First  string `json:"first"`
	Last   string `json:"last"`
	Billed int64  `json:"billed"`
	// Transactions and Queries are those whose entities are estimated.
	Transactions int64 `json:"transactions_estimated"`
	Queries      int64 `json:"queries_estimated"`
}

// Print writes what a log says in one of [report.PrintForms]; a page has its charts.
func (t *Told) Print(w io.Writer, form string, look text.Look) error {
	if form != report.FormPage {
		return report.Print(w, t.Document(), form, look)
	}
	kept := report.Keep(t.Record)
	kept.Document = t.Document()
	return report.Page(w, kept)
}

// screenPartitions is how many of the hottest partitions one screen shows.
const screenPartitions = 3

func stamp(at entity.Ticks) string { return at.Time().Format(time.DateTime) }

// latency is how long each operation took.
func (t *Told) latency() document.Table {
	table := document.NewTable("server-latency", "Latency of answered requests, in ms", "operation|words", "requests", "throttled",
		"p50|millis|group=server", "p99|millis|group=server", "p50|millis|group=end to end", "p99|millis|group=end to end")
	table.Notes = []string{"End-to-end time ends when the client acknowledges the reply; it includes the network and the client."}
	for _, name := range slices.Sorted(maps.Keys(t.Latency)) {
		l := t.Latency[name]
		times := make([]any, 0, 4)
		for _, of := range []*results.Histogram{&l.Server, &l.EndToEnd} {
			for _, share := range []float64{0.5, 0.99} {
				var shown *time.Duration
				// Logs have whole milliseconds.
				if micros, told := of.Quantile(share); told {
					shown = new((time.Duration(micros) * time.Microsecond).Round(time.Millisecond))
				}
				times = append(times, shown)
			}
		}
		table.Add(name, l.Requests, l.Throttled, times)
	}
	return table
}
