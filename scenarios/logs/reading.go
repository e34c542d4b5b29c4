package logs

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/nearest"
	"loadgen/engine/wire"
	"loadgen/report/document"
)

// Options say how a log is read.
type Options struct {
	// Table leaves out the requests of other tables; empty takes all.
	Table string
	// Names and TimeFormat are as of [accesslog.Options].
	Names      map[string]string
	TimeFormat string
	// Hash, where set, puts another text in the place of every key on reading.
	Hash func(key string) string
	// Held is how many entries wait at a time to be put in order, 0 for [defaultHeld].
	Held int
	// Progress is told now and again how many lines were read; it may be nil.
	Progress func(lines int64)
}

// defaultHeld is how many entries wait at a time to be put in order.
const defaultHeld = 1 << 16

// Reading is what was read of a log.
type Reading struct {
	Files, Lines int64
	Formats      []string
	// Doubled lines stood twice and count once; Late ones came after later ones had been
	// passed on, and count at the time of those; Elsewhere are of other tables.
	Doubled, Late, Elsewhere int64
	// Strays is the number of lines that are dropped because they are a day or more from all others,
	// StrayTimes the times of the first ones.
	Strays     int64
	StrayTimes []entity.Ticks
	// Keyless requests on entities do not say their partition, by the name of the operation.
	Keyless map[string]int64
	// SpreadOver is the second or minute over which lines with the same timestamp are spread
	// evenly, because the log has whole ones; 0 where none are.
	SpreadOver time.Duration
	// Notes are sentences about what was assumed or left out of CSV.
	Notes []string
	// First and Last are the instants of the log.
	First, Last entity.Ticks
	// Gaps are the stretches without a line of a minute or more that are the longest.
	Gaps []Gap
	// Named is how many requests carry an id of their client.
	Named int64
	// Others are some of the tables that were left out.
	Others []string
	// Genuine says that the first address is the table service's.
	Genuine bool
}

// Gap is a stretch of a log without a line.
type Gap struct{ From, To entity.Ticks }

// Read reads files as one log: it calls visit for each entry, once, in the order of time.
// What visit is given is good until it returns. Lines that come late by more than Held others are
// passed on with the time of the last. What was read is told in told, which is good during
// a visit as well. The error wraps [ErrSource], or is that of visit.
func Read(files []Source, o Options, told *Reading, visit func(*accesslog.Entry) error) error {
	if o.Held == 0 {
		o.Held = defaultHeld
	}
	*told = Reading{Keyless: make(map[string]int64)}
	r := &reader{options: o, visit: visit, told: told}
	r.strays = strayFilter{pass: r.pass, drop: r.dropStray}
	for len(files) > 0 {
		// Files of one folder may be of the same hour.
		group := 1
		for group < len(files) && group < mostOpen && files[group].Group == files[0].Group {
			group++
		}
		if err := r.group(files[:group]); err != nil {
			return err
		}
		files = files[group:]
	}
	for r.order.len() > 0 {
		if err := r.passTimestamp(); err != nil {
			return err
		}
	}
	return r.strays.close()
}

// dropStray counts a stray line.
func (r *reader) dropStray(at entity.Ticks) {
	if r.told.Strays++; len(r.told.StrayTimes) < maxNamed {
		r.told.StrayTimes = append(r.told.StrayTimes, at)
	}
}

// mostOpen is how many files are read side by side.
const mostOpen = 64

// reader is a log under way.
type reader struct {
	options Options
	visit   func(*accesslog.Entry) error
	told    *Reading
	order   order
	strays  strayFilter
	doubles doubles
	labels  labels
	room    accesslog.Entry
	begun   bool
	// resolution is of the lines so far: a log has as many of them waiting as are held before
	// the first is passed on.
	resolution clock.Resolution
	// latest is the latest timestamp so far, sameTime what passTimestamp passes on.
	latest   entity.Ticks
	sameTime []line
}

// maxSpread bounds how many lines with one timestamp wait to be spread evenly.
const maxSpread = 1 << 20

// group reads files side by side, always on in the one that is furthest behind.
func (r *reader) group(files []Source) error {
	if len(files) == 1 {
		return r.file(files[0], r.take)
	}
	type stream struct {
		next func() (*accesslog.Entry, bool)
		head *accesslog.Entry
	}
	var failed error
	var open []*stream
	for _, file := range files {
		entries := func(yield func(*accesslog.Entry) bool) {
			err := r.file(file, func(e *accesslog.Entry) error {
				if !yield(e) {
					return errEnough
				}
				return nil
			})
			if err != nil && err != errEnough && failed == nil {
				failed = err
			}
		}
		next, stop := iter.Pull(iter.Seq[*accesslog.Entry](entries))
		defer stop()
		if head, some := next(); some {
			open = append(open, &stream{next, head})
		}
	}
	for len(open) > 0 && failed == nil {
		least := 0
		for i := range open {
			if open[i].head.At < open[least].head.At {
				least = i
			}
		}
		one := open[least]
		if err := r.take(one.head); err != nil {
			return err
		}
		head, some := one.next()
		if one.head = head; !some {
			open = append(open[:least], open[least+1:]...)
		}
	}
	return failed
}

// errEnough ends the reading of a file that nobody asks for any more.
var errEnough = accesslog.Stop(ErrSource)

// file reads one file.
func (r *reader) file(file Source, visit func(*accesslog.Entry) error) error {
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	r.told.Files++
	o := accesslog.Options{File: file.Name, Table: r.options.Table, TimeFormat: r.options.TimeFormat, Names: r.options.Names, Note: r.note}
	format, err := accesslog.Read(from, o, func(e *accesslog.Entry) error {
		r.told.Lines++
		if r.told.Lines == 1 {
			_, address, _ := strings.Cut(e.URL, "://")
			host, _, _ := strings.Cut(address, "/")
			r.told.Genuine = wire.IsTableHost(host)
		}
		if r.options.Progress != nil && r.told.Lines&0x3fff == 0 {
			r.options.Progress(r.told.Lines)
		}
		return accesslog.Stop(visit(e))
	})
	switch {
	case err == nil:
		if !slices.Contains(r.told.Formats, string(format)) {
			r.told.Formats = append(r.told.Formats, string(format))
		}
	case errors.Is(err, accesslog.ErrLog):
		err = faulty{err}
	}
	return err
}

// note keeps a note about a file, each once.
func (r *reader) note(text string) {
	if len(r.told.Notes) < maxNotes && !slices.Contains(r.told.Notes, text) {
		r.told.Notes = append(r.told.Notes, text)
	}
}

// maxNotes is the number of notes that are kept.
const maxNotes = 10

// faulty is what is wrong with a line.
type faulty struct{ error }

// Is implements errors.Is: it is [ErrSource].
func (f faulty) Is(other error) bool { return other == ErrSource }

// Unwrap returns the fault.
func (f faulty) Unwrap() error { return f.error }

// take takes an entry among those that wait.
func (r *reader) take(e *accesslog.Entry) error {
	if r.options.Table != "" && e.Table != r.options.Table {
		t := r.told
		if t.Elsewhere++; e.Table != "" && len(t.Others) < mostOthers && !slices.Contains(t.Others, e.Table) {
			t.Others = append(t.Others, strings.Clone(e.Table))
		}
		return nil
	}
	if r.doubles.again(e) {
		r.told.Doubled++
		return nil
	}
	var text strings.Builder
	text.Grow(len(e.Key.Partition) + len(e.Key.Row) + len(e.ClientID) + len(e.Filter))
	text.WriteString(e.Key.Partition)
	text.WriteString(e.Key.Row)
	text.WriteString(e.ClientID)
	text.WriteString(e.Filter)
	r.order.push(line{at: e.At, endToEnd: e.EndToEnd, server: e.Server, request: e.RequestPacket, response: e.ResponsePacket, top: e.Top, entities: e.Entities,
		operation: r.labels.of(e.Operation), status: r.labels.of(e.Status), table: r.labels.of(e.Table), class: r.labels.of(e.Class), form: r.labels.of(e.Shape),
		text: text.String(), partition: uint32(len(e.Key.Partition)), row: uint32(len(e.Key.Row)), client: uint32(len(e.ClientID)), http: int16(e.HTTP), verb: e.Verb,
		keyed: e.Keyed, keyedRow: e.KeyedRow, exact: e.Exact, further: e.Further})
	r.resolution.Add(clock.Instant(e.At.Time().UnixNano()))
	r.latest = max(r.latest, e.At)
	incomplete := r.order.heap[0].at == r.latest && r.resolution.Unit() > 0 && r.order.len() < maxSpread
	if r.order.len() <= r.options.Held || incomplete {
		return nil
	}
	return r.passTimestamp()
}

// passTimestamp passes on the earliest of the entries that wait, or all with the earliest
// timestamp, spread evenly, where timestamps are whole seconds or minutes.
func (r *reader) passTimestamp() error {
	r.sameTime = append(r.sameTime[:0], r.order.pop())
	if r.resolution.Unit() > 0 {
		for r.order.len() > 0 && r.order.heap[0].at == r.sameTime[0].at {
			r.sameTime = append(r.sameTime, r.order.pop())
		}
	}
	for i := range r.sameTime {
		if i > 0 {
			r.told.SpreadOver = r.resolution.Unit()
			r.sameTime[i].at += entity.Ticks(r.resolution.Offset(i, len(r.sameTime)) / 100)
		}
		if err := r.strays.add(&r.sameTime[i]); err != nil {
			return err
		}
	}
	return nil
}

// pass hands an entry on.
func (r *reader) pass(next *line) error {
	e, t := &r.room, r.told
	row, client := next.partition+next.row, next.partition+next.row+next.client
	*e = accesslog.Entry{At: next.at, Operation: next.operation, Status: next.status, HTTP: int(next.http), EndToEnd: next.endToEnd, Server: next.server, RequestPacket: next.request,
		ResponsePacket: next.response, ClientID: next.text[row:client], About: accesslog.About{Verb: next.verb, Table: next.table,
			Key:   entity.Key{Partition: next.text[:next.partition], Row: next.text[next.partition:row]},
			Keyed: next.keyed, KeyedRow: next.keyedRow, Class: next.class, Shape: next.form, Filter: next.text[client:], Exact: next.exact, Further: next.further, Top: next.top, Entities: next.entities}}
	switch {
	case !r.begun:
		r.begun, t.First, t.Last = true, e.At, e.At
	case e.At < t.Last:
		t.Late++
		e.At = t.Last
	}
	if e.At-t.Last >= longGap {
		t.Gaps = append(t.Gaps, Gap{t.Last, e.At})
		if len(t.Gaps) > mostGaps {
			least := 0
			for i := range t.Gaps {
				if t.Gaps[i].To-t.Gaps[i].From < t.Gaps[least].To-t.Gaps[least].From {
					least = i
				}
			}
			t.Gaps = append(t.Gaps[:least], t.Gaps[least+1:]...)
		}
	}
	t.Last = e.At
	if e.Verb >= entity.Insert && e.Verb <= entity.Batch && !e.Keyed {
		t.Keyless[e.Operation]++
	}
	if e.ClientID != "" {
		t.Named++
	}
	if hash := r.options.Hash; hash != nil && e.Keyed {
		e.Filter = hashedFilter(e, hash)
		e.Key.Partition = hash(e.Key.Partition)
		if e.KeyedRow {
			e.Key.Row = hash(e.Key.Row)
		}
	} else if hash != nil {
		// What is left of a filter across partitions names keys, or bounds of them.
		e.Filter = ""
	}
	return r.visit(e)
}

// mostOthers is how many tables are named that were left out.
const mostOthers = 100

// Missing says what a log of which a table was asked for lacks for anything to be told of
// it, nil where nothing does. The error wraps [ErrSource].
func (t *Reading) Missing(table string) error {
	left := t.Lines - t.Doubled - t.Elsewhere - t.Strays
	switch {
	case left == 0 && t.Lines == 0:
		return fmt.Errorf("%w: no line is a request; expected some", ErrSource)
	case left == 0:
		return fmt.Errorf("%w: no such line: %s", ErrSource, nearest.Unknown("table", table, t.Others))
	}
	for _, n := range t.Keyless {
		left -= n
	}
	if left > 0 {
		return nil
	}
	return fmt.Errorf("%w: no line has a PartitionKey (%s); expected StorageRead, StorageWrite and StorageDelete with Uri and ObjectKey, or a Storage Analytics log", ErrSource, t.keyless())
}

// keyless names the operations whose partition no line says.
func (t *Reading) keyless() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t.Keyless)) {
		parts = append(parts, document.Count(t.Keyless[name])+" "+name)
	}
	return strings.Join(parts, ", ")
}

// hashedFilter returns what is left of a filter of one partition when keys are hashed: the
// partition alone, of one entity both keys, and nothing of bounds, whose order is gone.
func hashedFilter(e *accesslog.Entry, hash func(string) string) string {
	parsed, code, _ := filter.Parse(e.Filter)
	if e.Filter == "" || code != entity.OK {
		return ""
	}
	span := parsed.Range()
	switch span.Class() {
	case filter.ClassPartitionScan:
		span = filter.OnePartition(hash(e.Key.Partition))
	case filter.ClassPoint:
		span = filter.Point(hash(span.From.Partition), hash(span.From.Row))
	default:
		return ""
	}
	text, _ := span.Text()
	return text
}

// mostGaps is how many stretches without a line are told, longGap how long one is at least.
const (
	mostGaps = 5
	longGap  = 60 * 10_000_000
)
