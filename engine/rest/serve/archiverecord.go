package serve

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

// ArchiveRecord is one record of an archive: a table, and usually an entity of it.
type ArchiveRecord struct {
	Table string
	// HasEntity is false for a record of only a table.
	HasEntity  bool
	Key        entity.Key
	Properties []entity.Property
}

// ArchiveFormat is how an archive is spelt.
type ArchiveFormat uint8

// The formats.
const (
	// ArchiveLines is JSON, one object a line.
	ArchiveLines ArchiveFormat = iota
	// ArchiveCSV is RFC 4180 with a header.
	ArchiveCSV
)

// archiveFormats are the formats by the extension of a file in lower case, archiveExtensions the same for a person.
var archiveFormats = map[string]ArchiveFormat{".jsonl": ArchiveLines, ".ndjson": ArchiveLines, ".csv": ArchiveCSV}

const archiveExtensions = ".jsonl, .ndjson or .csv"

// ArchiveFormatOf returns the format of a file by the extension of its name in any case, and false if there is none.
func ArchiveFormatOf(name string) (ArchiveFormat, bool) {
	format, known := archiveFormats[strings.ToLower(filepath.Ext(name))]
	return format, known
}

// maxLineBytes bounds a record in bytes. The greatest entity takes some 3 MiB
// where every character of it is escaped.
const maxLineBytes = 4 << 20

// byteOrderMark begins what some programs write as UTF-8; it means nothing.
const byteOrderMark = "\ufeff"

// ReadArchive calls visit with every record, which is valid for a table. The next call reuses the record and its
// Properties, but not their values. The error names the line, counted from 1, and wraps [ErrArchiveForm], the reader's
// error, or that of visit, which ends reading.
//
// Table is that of rows of CSV without such a column, as Storage Explorer exports a table; empty refuses them.
func ReadArchive(f ArchiveFormat, from io.Reader, table string, visit func(*ArchiveRecord) error) error {
	if f == ArchiveCSV {
		return readCSV(from, table, visit)
	}
	return readLines(from, visit)
}

// WriteArchive writes every record. For CSV, whose header names every column, it goes
// over the records twice. The error wraps [ErrArchiveRecord] or is the writer's.
func WriteArchive(f ArchiveFormat, to io.Writer, records iter.Seq[*ArchiveRecord]) error {
	out := bufio.NewWriterSize(to, 64<<10)
	write := writeLines
	if f == ArchiveCSV {
		write = writeCSV
	}
	if err := write(out, records); err != nil {
		return err
	}
	return out.Flush()
}

// check returns what keeps a table from holding the record, nil for nothing.
func (r *ArchiveRecord) check() error {
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
func (r *ArchiveRecord) writable() error {
	if err := r.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrArchiveRecord, err)
	}
	return nil
}

func fault(line int, format string, details ...any) error {
	return fmt.Errorf("%w: line %d: "+format, append([]any{ErrArchiveForm, line}, details...)...)
}

// visited dates the error of a visit.
func visited(line int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("line %d: %w", line, err)
}

// The faults of an archive; test for them with errors.Is.
var (
	// ErrArchiveForm is wrapped where a line is not what an archive holds there; the text
	// names the line and what was expected.
	ErrArchiveForm = errors.New("archive")
	// ErrArchiveRecord is wrapped where a record is to be written that could not be read
	// back.
	ErrArchiveRecord = errors.New("serve: not a record")
)
