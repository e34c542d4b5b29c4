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

// Bounds of a log: mostLine is that of a line, and of what of JSON stands between two
// entries.
const (
	mostLine = 1 << 20
	sniffed  = 64 << 10
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

// Read reads a log from its first byte to its last and calls visit for each entry, which
// is good until visit returns; its texts may be kept. Of CSV, one row in a hundred may be skipped. The error is a
// [*csvfile.Fault] that wraps [ErrLog], or several joined, that of visit, or the reader's.
func Read(from io.Reader, o Options, visit func(*Entry) error) (Format, error) {
	file := o.File
	text := bufio.NewReaderSize(csvfile.Text(from), sniffed)
	start, err := text.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", unreadable(file, 1, err)
	}
	switch start = bytes.TrimLeftFunc(start, unicode.IsSpace); {
	case len(start) == 0:
		return "", fault(file, 1, errors.New("the log is empty; expected lines"))
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}), bytes.HasPrefix(start, []byte("BZh")):
		return "", fault(file, 1, errors.New("the file is zip, zstd or bzip2; expected gzip or plain text"))
	case start[0] == '{' && perLine(start):
		return jsonFormat(start), lines(text, file, newJSONReader(visit).line)
	case start[0] == '{', start[0] == '[':
		return jsonFormat(start), streamed(text, file, visit)
	case isAnalytics(start):
		var e Entry
		return Analytics, lines(text, file, func(line []byte) error {
			if err := e.analytics(string(line)); err != nil {
				return err
			}
			return visit(&e)
		})
	}
	return o.rows(text, visit)
}

// rows reads CSV.
func (o *Options) rows(text io.Reader, visit func(*Entry) error) (Format, error) {
	rows := csvfile.New(text, csvfile.Options{File: o.File, Holds: "the log", Row: mostLine, Faults: 1, Kind: ErrLog, Known: isColumn, Names: o.Names, Dirty: true})
	if !rows.Next() {
		return "", rows.Err()
	}
	format, read := Plain, o.plainRows
	if slices.ContainsFunc(rows.Fields(), isStamp) {
		format, read = Exported, exported
	}
	if err := read(rows, visit); err != nil {
		return format, fault(o.File, rows.Line(), err)
	}
	if o.Note != nil {
		for _, note := range rows.Notes() {
			o.Note(note)
		}
	}
	return format, rows.Err()
}

// perLine reports whether a text begins with an object that ends where its line does.
func perLine(start []byte) bool {
	line, _, more := bytes.Cut(start, []byte{'\n'})
	return more && jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) ||
		!more && len(line) < sniffed/2 && jsonFormat(start) == Resource
}

// jsonFormat returns which of the formats JSON is: the rows of a workspace have a name of
// their own for the time.
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

// stopped is an error of whoever is visited, which is no fault of a line.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

// Stop marks an error of a visit as one that no line is to blame for.
func Stop(err error) error {
	if err == nil {
		return nil
	}
	return stopped{err}
}

// lines reads one line after the other; what is wrong with one ends it.
func lines(text *bufio.Reader, file string, read func(line []byte) error) error {
	var long []byte
	for number := 1; ; number++ {
		line, err := text.ReadSlice('\n')
		for long = long[:0]; errors.Is(err, bufio.ErrBufferFull); {
			long = append(long, line...)
			if len(long) > mostLine {
				return fault(file, number, fmt.Errorf("the line has more than %d bytes; expected fewer", mostLine))
			}
			line, err = text.ReadSlice('\n')
		}
		if len(long) > 0 {
			line = append(long, line...)
		}
		if line = bytes.TrimRight(line, "\r\n"); len(bytes.TrimSpace(line)) > 0 {
			if wrong := read(line); wrong != nil {
				return fault(file, number, wrong)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(file, number, err)
		}
	}
}

// fault says where something is wrong; what comes from a visit stays as it is.
func fault(file string, line int, err error) error {
	if own := new(stopped); errors.As(err, own) {
		return own.error
	}
	return &csvfile.Fault{File: file, Line: line, What: err.Error(), Kind: ErrLog}
}

func unreadable(file string, line int, err error) error {
	if errors.As(err, new(*csvfile.Damage)) {
		return fault(file, line, fmt.Errorf("%w: was the file cut off?", err))
	}
	return fmt.Errorf("the log %s cannot be read: %w", file, err)
}
