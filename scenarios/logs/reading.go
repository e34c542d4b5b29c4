package logs

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unique"

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
	// Hash, if set, replaces every key on reading.
	Hash func(key string) string
	// Held is how many entries wait at a time to be put in order, 0 for [defaultHeld].
	Held int
	// Estimate has what is given of the entities that lines do not say.
	Estimate Estimate
	// Progress is called now and again with the number of lines that were read; it may be nil.
	Progress func(lines int64)
}

// defaultHeld is how many entries wait at a time to be put in order.
const defaultHeld = 1 << 16

// Counts are the numbers of lines of a log, as scripts read them.
type Counts struct {
	Lines int64 `json:"lines"`
	// Doubled lines stood twice and count once; Late ones came after later ones had been
	// passed on, and count at the time of those; Elsewhere are of other tables.
	Doubled   int64 `json:"lines_twice"`
	Late      int64 `json:"lines_late"`
	Elsewhere int64 `json:"lines_of_other_tables"`
	// Strays are the lines that are dropped because they are a day or more from all others.
	Strays int64 `json:"lines_stray,omitempty"`
	// Keyless requests on entities do not say their partition, by the name of the operation.
	Keyless map[string]int64 `json:"requests_without_key"`
	// SpreadOver is the second or minute over which lines with the same timestamp are spread
	// evenly, because the log has whole ones; 0 where none are.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty"`
}

// Reading is what was read of a log.
type Reading struct {
	Files int64
	Counts
	// Source names the files in messages.
	Source  string
	Formats []string
	// StrayTimes are the times of the first stray lines.
	StrayTimes []entity.Ticks
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
	Genuine  bool
	Estimate Estimate
}

// Gap is a stretch of a log without a line.
type Gap struct{ From, To entity.Ticks }

// Read reads files as one log: it calls visit for each request, once, in the order of time, with its estimated
// entities. The request is valid until visit returns; its texts may be kept. Lines that come late by more than Held
// others are passed on with the time of the last. What was read is in reading, also during a visit. The
// error wraps [ErrSource], or is that of visit.
func Read(files []Source, o Options, reading *Reading, visit func(*accesslog.Observed) error) error {
	if o.Held == 0 {
		o.Held = defaultHeld
	}
	*reading = Reading{Counts: Counts{Keyless: make(map[string]int64)}, Estimate: o.Estimate, Source: nameSource(files)}
	r := &reader{options: o, visit: visit, reading: reading}
	r.strays = strayFilter{pass: r.pass, drop: r.dropStray}
	for len(files) > 0 {
		// Files of one folder may be of the same hour.
		group := 1
		for group < len(files) && group < maxOpen && files[group].Group == files[0].Group {
			group++
		}
		if err := r.group(files[:group]); err != nil {
			return err
		}
		files = files[group:]
	}
	for len(r.waiting) > 0 {
		if err := r.passTimestamp(); err != nil {
			return err
		}
	}
	return r.strays.close()
}

// nameSource names a file, or counts several.
func nameSource(files []Source) string {
	if len(files) == 1 {
		return files[0].Name
	}
	return document.Counted(len(files), "file")
}

// dropStray counts a stray line.
func (r *reader) dropStray(at entity.Ticks) {
	if r.reading.Strays++; len(r.reading.StrayTimes) < maxNamed {
		r.reading.StrayTimes = append(r.reading.StrayTimes, at)
	}
}

// maxOpen is how many files are read side by side.
const maxOpen = 64

// reader is a log in progress.
type reader struct {
	options Options
	visit   func(*accesslog.Observed) error
	reading *Reading
	// waiting are the requests until they are passed on, in the order of time, those of one time as they came.
	waiting []*accesslog.Observed
	strays  strayFilter
	doubles doubles
	begun   bool
	// resolution is of the lines so far: a log has as many of them waiting as are held before the first is
	// passed on.
	resolution clock.Resolution
	// latest is the latest timestamp so far.
	latest entity.Ticks
}

// maxSpread bounds how many lines with one timestamp wait to be spread evenly.
const maxSpread = 1 << 20

// group reads files side by side, always on in the one that is furthest behind.
func (r *reader) group(files []Source) error {
	type stream struct {
		next func() (*accesslog.Entry, error, bool)
		head *accesslog.Entry
	}
	var open []*stream
	for _, file := range files {
		next, stop := iter.Pull2(r.entries(file))
		defer stop()
		open = append(open, &stream{next: next})
	}
	advance := func(one *stream) (err error) {
		some := false
		if one.head, err, some = one.next(); !some {
			open = slices.DeleteFunc(open, func(other *stream) bool { return other == one })
		}
		return err
	}
	for _, one := range slices.Clone(open) {
		if err := advance(one); err != nil {
			return err
		}
	}
	for len(open) > 0 {
		first := slices.MinFunc(open, func(a, b *stream) int { return cmp.Compare(a.head.At, b.head.At) })
		if err := r.enqueue(first.head); err != nil {
			return err
		}
		if err := advance(first); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the entries of one file, and at the end the error of reading it.
func (r *reader) entries(file Source) iter.Seq2[*accesslog.Entry, error] {
	return func(yield func(*accesslog.Entry, error) bool) {
		stopped := errors.New("stopped")
		err := r.file(file, func(e *accesslog.Entry) error {
			if !yield(e, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(nil, err)
		}
	}
}

// file reads one file.
func (r *reader) file(file Source, visit func(*accesslog.Entry) error) error {
	from, err := file.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	r.reading.Files++
	o := accesslog.Options{File: file.Name, Table: r.options.Table, TimeFormat: r.options.TimeFormat, Names: r.options.Names, Note: r.note}
	format, err := accesslog.Read(from, o, func(e *accesslog.Entry) error {
		if r.reading.Lines++; r.reading.Lines == 1 {
			_, address, _ := strings.Cut(e.URL, "://")
			host, _, _ := strings.Cut(address, "/")
			r.reading.Genuine = wire.IsTableHost(host)
		}
		if r.options.Progress != nil && r.reading.Lines&0x3fff == 0 {
			r.options.Progress(r.reading.Lines)
		}
		return visit(e)
	})
	switch {
	case err == nil:
		if !slices.Contains(r.reading.Formats, string(format)) {
			r.reading.Formats = append(r.reading.Formats, string(format))
		}
	case errors.Is(err, accesslog.ErrLog):
		err = faulty{err}
	}
	return err
}

// note keeps a note about a file, each once.
func (r *reader) note(text string) {
	if len(r.reading.Notes) < maxNotes && !slices.Contains(r.reading.Notes, text) {
		r.reading.Notes = append(r.reading.Notes, text)
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

// enqueue adds an entry to those that wait, unless it is of another table or a repeated line.
func (r *reader) enqueue(e *accesslog.Entry) error {
	if r.options.Table != "" && e.Table != r.options.Table {
		t := r.reading
		if t.Elsewhere++; e.Table != "" && len(t.Others) < maxOthers && !slices.Contains(t.Others, e.Table) {
			t.Others = append(t.Others, strings.Clone(e.Table))
		}
		return nil
	}
	if r.doubles.isRepeated(e) {
		r.reading.Doubled++
		return nil
	}
	o := e.Observed
	o.RequestID, o.ETag, o.Code = "", "", unique.Make(o.Code).Value()
	for _, text := range []*string{&o.Operation, &o.Table, &o.Class, &o.Shape} {
		*text = unique.Make(*text).Value()
	}
	for _, text := range []*string{&o.PartitionKey, &o.RowKey, &o.ClientRequestID, &o.Filter} {
		*text = strings.Clone(*text)
	}
	// Most requests come in order.
	at := len(r.waiting)
	if at > 0 && r.waiting[at-1].At > o.At {
		at, _ = slices.BinarySearchFunc(r.waiting, o.At+1, func(other *accesslog.Observed, at entity.Ticks) int { return cmp.Compare(other.At, at) })
	}
	r.waiting = slices.Insert(r.waiting, at, &o)
	r.resolution.Add(clock.Instant(e.At.Time().UnixNano()))
	r.latest = max(r.latest, e.At)
	incomplete := r.waiting[0].At == r.latest && r.resolution.Unit() > 0 && len(r.waiting) < maxSpread
	if len(r.waiting) <= r.options.Held || incomplete {
		return nil
	}
	return r.passTimestamp()
}

// passTimestamp passes on the earliest of the requests that wait, or all with the earliest timestamp, spread evenly,
// where timestamps are whole seconds or minutes.
func (r *reader) passTimestamp() error {
	n := 1
	for r.resolution.Unit() > 0 && n < len(r.waiting) && r.waiting[n].At == r.waiting[0].At {
		n++
	}
	sameTime := r.waiting[:n]
	r.waiting = r.waiting[n:]
	for i, o := range sameTime {
		if i > 0 {
			r.reading.SpreadOver = r.resolution.Unit()
			o.At += entity.Ticks(r.resolution.Offset(i, n) / 100)
		}
		if err := r.strays.add(o); err != nil {
			return err
		}
	}
	clear(sameTime)
	return nil
}

// pass hands a request on.
func (r *reader) pass(o *accesslog.Observed) error {
	t := r.reading
	switch {
	case !r.begun:
		r.begun, t.First, t.Last = true, o.At, o.At
	case o.At < t.Last:
		t.Late++
		o.At = t.Last
	}
	t.addGap(o.At)
	t.Last = o.At
	o.Arrived = clock.Instant((o.At - t.First) * 100)
	t.Estimate.fill(o)
	if o.Verb >= entity.Insert && o.Verb <= entity.Batch && !o.HasPartition {
		t.Keyless[o.Operation]++
	}
	if o.ClientRequestID != "" {
		t.Named++
	}
	if hash := r.options.Hash; hash != nil && o.HasPartition {
		o.Filter = hashedFilter(o, hash)
		o.PartitionKey = hash(o.PartitionKey)
		if o.HasRow {
			o.RowKey = hash(o.RowKey)
		}
	} else if hash != nil {
		// The rest of a filter across partitions names keys, or bounds of keys.
		o.Filter = ""
	}
	return r.visit(o)
}

// addGap keeps the stretch from the last line to the next one if it is among the longest.
func (t *Reading) addGap(next entity.Ticks) {
	if next-t.Last < minGap {
		return
	}
	t.Gaps = append(t.Gaps, Gap{t.Last, next})
	if len(t.Gaps) > maxGaps {
		shortest := slices.MinFunc(t.Gaps, func(a, b Gap) int { return cmp.Compare(a.To-a.From, b.To-b.From) })
		at := slices.Index(t.Gaps, shortest)
		t.Gaps = slices.Delete(t.Gaps, at, at+1)
	}
}

// maxOthers is how many tables are named that were left out.
const maxOthers = 100

// Missing returns an error if a log has no lines about the requested table, with what is missing for
// a report, nil otherwise. The error wraps [ErrSource].
func (t *Reading) Missing(table string) error {
	left := t.Lines - t.Doubled - t.Elsewhere - t.Strays
	switch {
	case left == 0 && t.Lines == 0:
		return fmt.Errorf("%w: no request in %s; expected lines of a Table log", ErrSource, t.Source)
	case left == 0:
		return fmt.Errorf("%w: no request for it in %s: %s", ErrSource, t.Source, nearest.Unknown("table", table, t.Others))
	}
	for _, n := range t.Keyless {
		left -= n
	}
	if left > 0 {
		return nil
	}
	return fmt.Errorf("%w: no line of %s has a PartitionKey (%s); expected StorageRead, StorageWrite and StorageDelete with Uri and ObjectKey, or a Storage Analytics log",
		ErrSource, t.Source, NamedCounts(t.Keyless))
}

// NamedCounts returns counts with their names as text.
func NamedCounts(counts ...map[string]int64) string {
	var parts []string
	for _, one := range counts {
		for _, name := range slices.Sorted(maps.Keys(one)) {
			parts = append(parts, document.Count(one[name])+" "+name)
		}
	}
	return strings.Join(parts, ", ")
}

// hashedFilter returns the filter of one partition with hashed keys: the
// partition alone, of one entity both keys, and nothing of bounds, whose order is gone.
func hashedFilter(e *accesslog.Observed, hash func(string) string) string {
	parsed, code, _ := filter.Parse(e.Filter)
	if e.Filter == "" || code != entity.OK {
		return ""
	}
	span := parsed.Range()
	switch span.Class() {
	case filter.ClassPartitionScan:
		span = filter.OnePartition(hash(e.PartitionKey))
	case filter.ClassPoint:
		span = filter.Point(hash(span.From.Partition), hash(span.From.Row))
	default:
		return ""
	}
	text, _ := span.Text()
	return text
}

// maxGaps is the maximum number of reported gaps without a line, minGap their minimum length.
const (
	maxGaps = 5
	minGap  = 60 * 10_000_000
)
