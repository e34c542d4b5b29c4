package accesslog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"loadgen/engine/csvfile"
)

// Format is what a log is written in.
type Format string

// The formats.
const (
	Analytics Format = "storage-analytics"
	Resource  Format = "resource-logs"
	Exported  Format = "StorageTableLogs"
	Plain     Format = "csv"
)

const (
	// maxLine bounds a line in bytes, and what of JSON is between two entries.
	maxLine = 1 << 20
	sniffed = 64 << 10
)

// Options say how a log is read.
type Options struct {
	// File is its name, for messages.
	File string
	// Table is that of the requests in plain CSV without such a column; empty is [DefaultTable]. Names and
	// TimeFormat are as of [csvfile.Options] and [csvfile.Reader.FindTimes].
	Table, TimeFormat string
	Names             map[string]string
	// Note is called with sentences about what was assumed or left out; it may be nil.
	Note func(note string)
}

// DefaultTable is the table of requests that do not name theirs.
const DefaultTable = "table"

// reader is a log in progress.
type reader struct {
	Options
	visit   func(*Entry) error
	skipped *csvfile.Skips
	record  record
	entry   Entry
}

// Read reads a log from its first byte to its last and calls visit for each entry, which is good until visit
// returns; its texts may be kept. One entry in a hundred may be skipped, see [csvfile.Skips]. The error is a
// [*csvfile.Fault] that wraps [ErrLog], or several joined, that of visit, or the reader's.
func Read(from io.Reader, o Options, visit func(*Entry) error) (Format, error) {
	r := &reader{Options: o, visit: visit, skipped: csvfile.NewSkips(o.File, ErrLog, 1)}
	format, err := r.read(from)
	if r.skipped != nil && (err == nil || err == errHopeless) {
		err = r.skipped.Err()
		r.note(r.skipped.Note())
	}
	return format, err
}

// errHopeless means that most of the file is unreadable.
var errHopeless = errors.New("accesslog: too many faults")

func (r *reader) note(notes ...string) {
	for _, note := range notes {
		if note != "" && r.Note != nil {
			r.Note(note)
		}
	}
}

func (r *reader) read(from io.Reader) (Format, error) {
	text := bufio.NewReaderSize(csvfile.Text(from), sniffed)
	start, err := text.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", r.unreadable(1, err)
	}
	switch start = bytes.TrimLeftFunc(start, unicode.IsSpace); {
	case len(start) == 0:
		return "", r.fault(1, "the log is empty; expected lines")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}), bytes.HasPrefix(start, []byte("BZh")):
		return "", r.fault(1, "the file is zip, zstd or bzip2; expected gzip or plain text")
	case start[0] == '{' && perLine(start):
		return jsonFormat(start), r.lines(text, r.jsonLine())
	case start[0] == '{', start[0] == '[':
		return jsonFormat(start), r.streamed(text)
	case isAnalytics(start):
		return Analytics, r.lines(text, func(line []byte, number int) error {
			return r.visitOrSkip(number, r.record.analytics(string(line), &r.entry))
		})
	}
	return r.rows(text)
}

// visitOrSkip visits the entry, or skips what could not be read.
func (r *reader) visitOrSkip(line int, err error) error {
	if r.skipped.Rows++; err == nil {
		return r.visit(&r.entry)
	}
	if r.skipped.Skip(line, err.Error(), err.Error()) {
		return errHopeless
	}
	return nil
}

// rows reads CSV.
func (r *reader) rows(text io.Reader) (Format, error) {
	rows := csvfile.New(text, csvfile.Options{File: r.File, Holds: "the log", Row: maxLine, Faults: 1, Kind: ErrLog, Known: isColumn, Names: r.Names, Dirty: true})
	// The rows count what they skip.
	r.skipped = nil
	if !rows.Next() {
		return "", rows.Err()
	}
	format, read := Plain, r.plainRows
	if slices.ContainsFunc(rows.Fields(), isStamp) {
		format, read = Exported, r.exportedRows
	}
	if err := read(rows); err != nil {
		return format, err
	}
	r.note(rows.Notes()...)
	return format, rows.Err()
}

// perLine reports whether a text begins with an object that ends where its line does.
func perLine(start []byte) bool {
	line, _, more := bytes.Cut(start, []byte{'\n'})
	return more && jsontext.Value(line).IsValid(jsonRules) || !more && len(line) < sniffed/2 && jsonFormat(start) == Resource
}

// jsonFormat returns which of the formats JSON is: the rows of a workspace have a name of their own for the
// time.
func jsonFormat(start []byte) Format {
	if bytes.HasPrefix(start, []byte(`{"tables"`)) || bytes.Contains(start, []byte(`"TimeGenerated"`)) {
		return Exported
	}
	return Resource
}

// isAnalytics reports whether a line begins with a version, whatever it is.
func isAnalytics(start []byte) bool {
	version, _, more := bytes.Cut(start, []byte{';'})
	return more && len(version) <= 8 && bytes.ContainsAny(version, "0123456789") && !bytes.ContainsAny(version, ", \"{\n")
}

// lines reads one line after the other that is not blank.
func (r *reader) lines(text io.Reader, read func(line []byte, number int) error) error {
	s := bufio.NewScanner(text)
	s.Buffer(make([]byte, sniffed), maxLine)
	number := 0
	for s.Scan() {
		if number++; len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if err := read(s.Bytes(), number); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(s.Err(), bufio.ErrTooLong):
		return r.fault(number+1, fmt.Sprintf("the line has more than %d bytes; expected fewer", maxLine))
	case s.Err() != nil:
		return r.unreadable(number+1, s.Err())
	}
	return nil
}

// jsonLine returns what reads a line of JSON.
func (r *reader) jsonLine() func(line []byte, number int) error {
	var row bytes.Reader
	current := 0
	j := &jsonReader{from: jsontext.NewDecoder(&row, jsonRules)}
	j.skip = func(err error) error { return r.visitOrSkip(current, err) }
	j.pass = func(of *record) error { return r.visitOrSkip(current, of.entry(&r.entry, jsonName)) }
	return func(line []byte, number int) error {
		row.Reset(line)
		j.from.Reset(&row, jsonRules)
		current = number
		err := j.readAll()
		switch wrong := (*jsontext.SyntacticError)(nil); {
		case err == errNoColumns:
		case !errors.As(err, &wrong):
			return err
		case errors.Is(wrong, io.ErrUnexpectedEOF):
			err = errors.New("the line ends within an object; is the file truncated?")
		default:
			err = fmt.Errorf("the line is no JSON object of a log: at byte %d: %w", wrong.ByteOffset, wrong.Err)
		}
		return r.visitOrSkip(number, err)
	}
}

// jsonName returns the name of a field in JSON, and in CSV.
func jsonName(place int) string { return fields[place].name }

// streamed reads JSON that is no object a line: an array of rows, or the answer of a workspace.
func (r *reader) streamed(text io.Reader) error {
	counted := &lineCounter{from: text}
	j := &jsonReader{from: jsontext.NewDecoder(counted, jsonRules)}
	line := func() int { return counted.lines - bytes.Count(j.from.UnreadBuffer(), []byte{'\n'}) + 1 }
	j.skip = func(err error) error {
		counted.since = 0
		return r.visitOrSkip(line(), fmt.Errorf("row %d: %w", r.skipped.Rows+1, err))
	}
	j.pass = func(of *record) error {
		if err := of.entry(&r.entry, jsonName); err != nil {
			return j.skip(err)
		}
		counted.since = 0
		return r.visitOrSkip(0, nil)
	}
	err := j.readAll()
	wrong := (*jsontext.SyntacticError)(nil)
	switch unread := j.from.UnreadBuffer(); {
	case counted.failed != nil:
		return r.unreadable(line(), counted.failed)
	case errors.Is(err, errLongValue), errors.Is(err, errNoColumns):
		return r.fault(line(), err.Error())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.fault(counted.lines+1, "the file ends within a JSON value; is it truncated?")
	case errors.As(err, &wrong):
		ahead := wrong.ByteOffset - j.from.InputOffset()
		return r.fault(line()+bytes.Count(unread[:min(max(0, int(ahead)), len(unread))], []byte{'\n'}), fmt.Sprintf("the file is no JSON of a log: %v", wrong.Err))
	}
	return err
}

// fault returns what is wrong at a line.
func (r *reader) fault(line int, what string) error {
	return &csvfile.Fault{File: r.File, Line: line, What: what, Kind: ErrLog}
}

func (r *reader) unreadable(line int, err error) error {
	if errors.As(err, new(*csvfile.Damage)) {
		return r.fault(line, fmt.Sprintf("%v: was the file cut off?", err))
	}
	return fmt.Errorf("the log %s cannot be read: %w", r.File, err)
}
