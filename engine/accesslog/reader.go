package accesslog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

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

// Bounds of a log. mostLine is that of a line, mostWhole that of JSON that is no object a
// line, which is held in memory.
const (
	mostLine  = 1 << 20
	mostWhole = 256 << 20
	sniffed   = 64 << 10
)

// Read reads a log from its first byte to its last and calls visit for each entry, which
// may be kept. The name of the file is for messages alone. The error is a
// [*csvfile.Fault] that wraps [ErrLog], or several joined, that of visit, or the reader's.
func Read(from io.Reader, file string, visit func(*Entry) error) (Format, error) {
	text := bufio.NewReaderSize(from, sniffed)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return "", unreadable(file, 1, err)
		}
		text = bufio.NewReaderSize(unpacked, sniffed)
	}
	start, err := text.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", unreadable(file, 1, err)
	}
	switch start = bytes.TrimLeftFunc(bytes.TrimPrefix(start, []byte("\ufeff")), unicode.IsSpace); {
	case len(start) == 0:
		return "", fault(file, 1, errors.New("the log is empty; expected lines"))
	case start[0] == '{' && perLine(start):
		return Resource, lines(text, file, func(line []byte) error { return ParseResource(line, visit) })
	case start[0] == '{', start[0] == '[':
		return Exported, atOnce(text, file, visit)
	case isAnalytics(start):
		return Analytics, lines(text, file, func(line []byte) error {
			e, err := ParseAnalytics(string(line))
			if err != nil {
				return err
			}
			return visit(&e)
		})
	}
	return columns(text, file, visit)
}

// perLine reports whether a text begins with an object that ends where its line does.
func perLine(start []byte) bool {
	line, _, more := bytes.Cut(start, []byte{'\n'})
	return more && json.Valid(line) || !more && !bytes.HasPrefix(line, []byte(`{"tables"`))
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
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
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

// atOnce reads JSON that is no object a line: an array of rows, or the answer of a workspace.
func atOnce(text *bufio.Reader, file string, visit func(*Entry) error) error {
	counted := &counter{from: io.LimitReader(text, mostWhole+1)}
	decoder := json.NewDecoder(counted)
	if start, _ := text.Peek(sniffed); !bytes.HasPrefix(bytes.TrimSpace(start), []byte{'['}) {
		var r record
		if err := decoder.Decode(&r); err != nil {
			return counted.blame(file, err)
		}
		if err := r.each(visit); err != nil {
			return fault(file, 1, err)
		}
		return nil
	}
	if _, err := decoder.Token(); err != nil {
		return counted.blame(file, err)
	}
	for row := 1; decoder.More(); row++ {
		var r record
		if err := decoder.Decode(&r); err != nil {
			return counted.blame(file, err)
		}
		if err := r.each(visit); err != nil {
			return fault(file, 1, about(fmt.Sprintf("row %d: ", row), err))
		}
	}
	if _, err := decoder.Token(); err != nil {
		return counted.blame(file, err)
	}
	return nil
}

// about puts words before an error, unless it is one of a visit.
func about(words string, err error) error {
	if errors.As(err, new(stopped)) {
		return err
	}
	return fmt.Errorf("%s%w", words, err)
}

// counter counts the lines that were read.
type counter struct {
	from  io.Reader
	bytes int64
	lines int
}

func (c *counter) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += int64(n)
	c.lines += bytes.Count(into[:n], []byte{'\n'})
	return n, err
}

// blame says where JSON that is held at once goes wrong.
func (c *counter) blame(file string, err error) error {
	switch {
	case c.bytes > mostWhole:
		err = fmt.Errorf("the file has more than %d bytes in one JSON value; expected an object a line", mostWhole)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the file ends within a JSON value: was it cut off?")
	default:
		err = fmt.Errorf("the file is no JSON of a log: %w", err)
	}
	return fault(file, c.lines+1, err)
}

// columns reads CSV.
func columns(text *bufio.Reader, file string, visit func(*Entry) error) (Format, error) {
	rows := csvfile.New(text, csvfile.Options{File: file, Holds: "the log", Row: mostLine, Faults: 1, Kind: ErrLog, Known: isColumn})
	if !rows.Next() {
		return "", rows.Err()
	}
	format, read := Plain, plainRows
	stamped := func(name string) bool {
		name, _, _ = strings.Cut(name, " [")
		return name == "TimeGenerated"
	}
	if slices.ContainsFunc(rows.Fields(), stamped) {
		format, read = Exported, exported
	}
	if err := read(rows, visit); err != nil {
		return format, fault(file, rows.Line(), err)
	}
	return format, rows.Err()
}

// fault says where something is wrong; what comes from a visit stays as it is.
func fault(file string, line int, err error) error {
	if own := new(stopped); errors.As(err, own) {
		return own.error
	}
	return &csvfile.Fault{File: file, Line: line, What: err.Error(), Kind: ErrLog}
}

func unreadable(file string, line int, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(file, line, errors.New("the file ends within what gzip has packed: was it cut off?"))
	}
	return fmt.Errorf("the log %s cannot be read: %w", file, err)
}
