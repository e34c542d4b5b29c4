package serve

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
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

// readLines reads JSON lines. Lines of blanks alone are passed over.
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
