package logs

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	d.Title = "explain --log"
	d.Data = &Data{Summary: t.Record.Summary, Capture: t.Record.Capture, Lines: r.Lines, Doubled: r.Doubled, Late: r.Late,
		Elsewhere: r.Elsewhere, Strays: r.Strays, Keyless: r.Keyless,
		First: r.First.String(), Last: r.Last.String(), Billed: t.Record.Capture.Billed, SpreadOver: r.SpreadOver,
		Transactions: t.Estimate.Transactions, Queries: t.Estimate.Queries}
	Mark(&d.Answer, t.strict)
	table := document.NewTable("hottest-by-second", "Hottest partitions by their busiest second", "PartitionKey|cut=40", "asked/s", "served/s",
		"requests", "throttled|part")
	hot := slices.Clone(t.Record.Capture.Partitions)
	slices.SortStableFunc(hot, func(a, b results.ObservedPartition) int {
		return cmp.Or(cmp.Compare(max(b.Offered, b.Busiest), max(a.Offered, a.Busiest)), cmp.Compare(b.Requests, a.Requests))
	})
	for _, one := range hot[:min(len(hot), screenPartitions)] {
		table.Add(strconv.Quote(one.PartitionKey), max(one.Offered, one.Busiest), one.Busiest, one.Requests, document.RatioOf(one.Throttled, one.Requests))
	}
	lines := []string{fmt.Sprintf("%s of %s, %s to %s", document.Counted(int(r.Lines), "line"), document.Counted(int(r.Files), "file"),
		stamp(r.First), stamp(r.Last))}
	if keyless := r.keyless(); keyless != "" {
		lines = append(lines, "without a PartitionKey: "+keyless)
	}
	items := []string{fmt.Sprintf("%s of %s (%s)", document.Counted(int(r.Lines), "line"), document.Counted(int(r.Files), "file"), strings.Join(r.Formats, ", "))}
	add := func(n int64, what string) {
		if n > 0 {
			items = append(items, document.Count(n)+" "+what)
		}
	}
	add(r.Doubled, "stood twice, by the id of their request, and count once")
	add(r.Late, "came later than lines that were passed on already: they count at the time of those")
	add(r.Elsewhere, "are of other tables, and are left out")
	if r.Strays > 0 {
		var at []string
		for _, one := range r.StrayTimes {
			at = append(at, stamp(one))
		}
		stray := fmt.Sprintf("%s dropped, a day or more from all others: %s", document.Counted(int(r.Strays), "line"), strings.Join(at, ", "))
		lines, items = append(lines, stray), append(items, stray)
	}
	for _, gap := range r.Gaps {
		items = append(items, fmt.Sprintf("no line from %s to %s: nobody asked, or the log has a gap", stamp(gap.From), stamp(gap.To)))
	}
	items = append(items, fmt.Sprintf("%s billed; by the page on status messages a request is not that was throttled or failed at the service", document.Counted(int(t.Record.Capture.Billed), "transaction")))
	add(r.Lines-r.Doubled-r.Elsewhere-r.Strays-r.Named, "without an id of the client: a retry among them is an operation of its own")
	d.Screen = append(d.Screen, table, document.Facts{Lines: append(lines, document.SpreadNote(r.SpreadOver)...)})
	d.Add("log", "The log", document.List{Items: items})
	d.Add("server-latency", "Latency at the server and end to end", t.latency())
	d.Add("unsaid", "Estimates and gaps", document.List{Items: t.unsaid()})
	d.Add("documents", "Documented rules", document.List{Items: t.documents()})
	return d
}

// Mark sets the mark of an answer about a log, and returns whether its traffic is sound. It is
// nil if that cannot be told, or was not asked: it is asked with strict.
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
	// Lines, Doubled, Late, Elsewhere and Strays are as of [Reading]; Keyless requests do not say
	// their partition, by the name of the operation.
	Lines     int64            `json:"lines"`
	Doubled   int64            `json:"lines_twice"`
	Late      int64            `json:"lines_late"`
	Elsewhere int64            `json:"lines_of_other_tables"`
	Strays    int64            `json:"lines_stray,omitempty"`
	Keyless   map[string]int64 `json:"requests_without_key"`
	First     string           `json:"first"`
	Last      string           `json:"last"`
	Billed    int64            `json:"billed"`
	// SpreadOver is as of [Reading], in nanoseconds.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty"`
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

// unsaid says what was estimated, and by which rule.
func (t *Told) unsaid() []string {
	var items []string
	s := &t.Estimate
	if n := t.Reading.Keyless["EntityGroupTransaction"]; n > 0 {
		items = append(items, document.Count(n)+" transactions do not say their partition: their keys are in bodies, which no log has. They count in all, and in no partition.")
	}
	if n := t.Reading.Keyless["InsertEntity"]; n > 0 {
		items = append(items, document.Count(n)+" inserts do not say their key: they count in all, and in no partition.")
	}
	switch {
	case s.Transactions == 0:
	case s.Transaction > 0:
		items = append(items, fmt.Sprintf("Each of %s is taken to write %s, as was said.", document.Counted(int(s.Transactions), "transaction"), document.Counted(int(s.Transaction), "entity", "entities")))
	default:
		items = append(items, fmt.Sprintf("How many entities %s wrote is estimated: the body, less %d bytes, by the mean body of a single write (%s) and %d bytes around each. --transaction-entities says it.",
			document.Counted(int(s.Transactions), "transaction"), aroundBatch, document.Bytes(s.writes.of(usualEntity)), aroundChange))
	}
	if s.Queries > 0 {
		each := s.Entity
		if each == 0 {
			each = s.reads.of(s.writes.of(usualEntity))
		}
		items = append(items, fmt.Sprintf("How many entities %s read is estimated: the reply by the bytes of an entity in it (%s), one at least. --entity-bytes says those.",
			document.Counted(int(s.Queries), "query", "queries"), document.Bytes(each)))
	}
	if s.Inexact > 0 {
		items = append(items, fmt.Sprintf("%s filter by other properties, or by none that could be read: they read at least what they returned, and how much more no log says.", document.Counted(int(s.Inexact), "query", "queries")))
	}
	return append(items, "Which limit throttled a request, that of its partition or that of the account, no log says: all are taken for the partition's.")
}

// documents are the sentences of the documents that apply.
func (t *Told) documents() []string {
	c := t.Record.Capture
	var items []string
	for _, one := range c.Partitions {
		if one.Busiest > t.Record.Manifest.Targets.Partition || one.Throttled > 0 {
			items = append(items, "A partition's target is 2,000 entities/s of 1 KiB; every entity inserted, updated, deleted or scanned counts. Over it the service answers 503 or 500: the PartitionKey is then too coarse, and must change so that partitions spread over more servers.")
			break
		}
	}
	for _, one := range c.Orders {
		if one.Partitions.Way() != "" {
			items = append(items, "Keys that only grow, or only fall, put all inserts into the last or first range: throughput is then limited to one partition server, whatever the number of keys.")
			break
		}
	}
	scans := false
	for _, one := range c.Shapes {
		scans = scans || strings.Contains(one.Class, "scan") && one.Requests > 0
	}
	if scans {
		items = append(items, "A query that scans 1,000 entities and returns 5 counts 1,000. A point query is best, a range within one partition next; a table scan, which reads every partition, is worst.")
	}
	if t.Reading.Keyless["EntityGroupTransaction"] > 0 {
		items = append(items, "A transaction counts each of its entities, and is billed as one.")
	}
	return append(items, "Retry throttled requests with exponential back-off; aggressive retries make throttling worse.")
}

// latency is how long each operation took.
func (t *Told) latency() document.Table {
	table := document.NewTable("server-latency", "Latency of answered requests, in ms", "operation|words", "requests", "throttled",
		"p50|millis|group=server", "p99|millis|group=server", "p50|millis|group=end to end", "p99|millis|group=end to end")
	table.Notes = []string{"End to end is until the client had acknowledged the reply: what lies beyond the server's time is the network and the client."}
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
