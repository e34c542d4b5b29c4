package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"loadgen/engine/entity"
)

// Record is what an archive says at one place: that a table exists, and as a rule
// that it holds an entity.
type Record struct {
	Table string
	// HasEntity is false where nothing but the table is told of.
	HasEntity  bool
	Key        entity.Key
	Properties []entity.Property
}

// Format is how an archive is spelt.
type Format uint8

// The formats.
const (
	// Lines is JSON, one object a line.
	Lines Format = iota + 1
	// CSV is RFC 4180 with a header.
	CSV
)

// Extensions are the ends of the names of files that [FormatOf] knows, for a
// person.
const Extensions = ".jsonl, .ndjson or .csv"

// FormatOf returns the format of a file by the extension of its name, in whatever
// case, and false where that is none of [Extensions].
func FormatOf(name string) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".jsonl", ".ndjson":
		return Lines, true
	case ".csv":
		return CSV, true
	default:
		return 0, false
	}
}

// longestLine bounds a record in bytes. The greatest entity takes some 3 MiB
// where every character of it is escaped.
const longestLine = 4 << 20

// byteOrderMark begins what some programs write as UTF-8; it means nothing.
const byteOrderMark = "\ufeff"

// Read calls visit with every record, each of which a table could hold. The next
// call reuses the record and its Properties, but not what the values and texts
// are made of. The error wraps [ErrForm], the reader's or that of visit, at which
// reading ends; it names the line, counted from 1.
func Read(f Format, from io.Reader, visit func(*Record) error) error {
	switch f {
	case Lines:
		return readLines(from, visit)
	case CSV:
		return readCSV(from, visit)
	default:
		return fmt.Errorf("%w: there is no format %d", ErrForm, f)
	}
}

// Write writes every record. For CSV, whose header names every column, it goes
// over the records twice. The error wraps [ErrRecord] or is the writer's.
func Write(f Format, to io.Writer, records iter.Seq[*Record]) error {
	out := bufio.NewWriterSize(to, 64<<10)
	var err error
	switch f {
	case Lines:
		err = writeLines(out, records)
	case CSV:
		err = writeCSV(out, records)
	default:
		err = fmt.Errorf("%w: there is no format %d", ErrRecord, f)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// check returns what keeps a table from holding the record, nil for nothing.
func (r *Record) check() error {
	code, detail := entity.ValidateTableName(r.Table)
	switch {
	case code != entity.OK:
	case r.HasEntity:
		insert := entity.Change{Verb: entity.Insert, Key: r.Key, Properties: r.Properties}
		_, detail = insert.Validate()
	case len(r.Properties) > 0:
		detail = "a table alone has no properties"
	}
	if detail == "" {
		return nil
	}
	return errors.New(detail)
}

// writable returns what keeps a record from being written as an error.
func (r *Record) writable() error {
	if err := r.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrRecord, err)
	}
	return nil
}

func fault(line int, format string, details ...any) error {
	return fmt.Errorf("%w: line %d: "+format, append([]any{ErrForm, line}, details...)...)
}

// visited dates the error of a visit.
func visited(line int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", line, err)
}
