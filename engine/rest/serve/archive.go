package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// tableMember is the member of a line that names the table. An entity may have a
// property of that name: it is spelt as ownTable, which no property can be
// called, so that every name comes once and their order does not matter.
const (
	tableMember = "Table"
	ownTable    = "Table@property"
)

const anExample = `{"Table":"races","PartitionKey":"2011","RowKey":"1","Fee":255}`

// readLines reads JSON lines. Blank lines are skipped.
func readLines(from io.Reader, visit func(*ArchiveRecord) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLineBytes)
	var body wire.EntityBody
	var record ArchiveRecord
	number := 1
	for ; lines.Scan(); number++ {
		text := lines.Text()
		if number == 1 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := parseLine(&record, &body, text); err != nil {
			return fault(number, "%w", err)
		}
		if err := visit(&record); err != nil {
			return visited(number, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fault(number, "expected at most %d MiB", maxLineBytes>>20)
	case err != nil:
		return visited(number, err)
	default:
		return nil
	}
}

func parseLine(record *ArchiveRecord, body *wire.EntityBody, text string) error {
	if code, detail := body.Parse(text); code != entity.OK {
		return fmt.Errorf("%s; expected an object such as %s", detail, anExample)
	}
	*record = ArchiveRecord{HasEntity: true, Key: body.Key, Properties: body.Properties}
	table := -1
	for i := range record.Properties {
		p := &record.Properties[i]
		switch p.Name {
		case tableMember:
			table = i
		case ownTable:
			p.Name = tableMember
		}
	}
	if table < 0 || record.Properties[table].Value.Type() != entity.TypeString {
		return errors.New(`expected "Table", the name of a table, with the keys`)
	}
	record.Table = record.Properties[table].Value.Text()
	record.Properties = slices.Delete(record.Properties, table, table+1)
	switch {
	case !body.HasPartition && !body.HasRow && len(record.Properties) == 0:
		record.HasEntity = false
	case !body.HasPartition || !body.HasRow:
		return errors.New(`expected "PartitionKey" and "RowKey", or neither and no property for a table alone`)
	}
	return record.check()
}

func writeLines(out *bufio.Writer, records iter.Seq[*ArchiveRecord]) error {
	var line []byte
	for r := range records {
		if err := r.writable(); err != nil {
			return err
		}
		// The name of a table needs no escapes.
		line = append(line[:0], `{"`+tableMember+`":"`+r.Table+`"`...)
		if r.HasEntity {
			properties := r.Properties
			named := func(p entity.Property) bool { return p.Name == tableMember }
			if i := slices.IndexFunc(properties, named); i >= 0 {
				properties = slices.Clone(properties)
				properties[i].Name = ownTable
			}
			at := len(line)
			line = wire.AppendEntityBody(line, r.Key, properties)
			line[at] = ',' // replaces the bracket
		} else {
			line = append(line, '}')
		}
		line = append(line, '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// ArchiveRecord is one record of an archive: a table, and usually an entity of it.
type ArchiveRecord struct {
	Table string
	// HasEntity is false for a record of only a table.
	HasEntity  bool
	Key        entity.Key
	Properties []entity.Property
}

// ArchiveFormat is the file format of an archive.
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

// check returns an error if a table cannot store the record.
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
