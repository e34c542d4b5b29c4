package serve

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// typeSuffix makes the name of a property that of its annotation on the wire.
const typeSuffix = "@odata.type"

func readCSV(from io.Reader, table string, visit func(*ArchiveRecord) error) error {
	rows := csvfile.New(from, csvfile.Options{Row: maxLineBytes, Fields: maxColumns, Faults: 1,
		Known: func(name string) bool {
			return name == tableHeading || name == partitionHeading || name == rowHeading
		}})
	if !rows.Next() {
		return form(rows)
	}
	reader := rowReader{table: table}
	seen := make(map[column]bool)
	for _, heading := range rows.Fields() {
		one, err := columnOf(heading)
		if err != nil {
			return fault(rows.Line(), "%w", err)
		}
		if seen[one] && one.is != passedColumn {
			return fault(rows.Line(), "the column %.60q comes twice; expected each once", heading)
		}
		seen[one] = true
		reader.columns = append(reader.columns, one)
	}
	reader.findTypes()
	for _, kind := range []columnKind{tableColumn, partitionColumn, rowColumn} {
		if !seen[column{is: kind}] && !(kind == tableColumn && table != "") {
			return fault(rows.Line(), "expected a header such as %s, the first three in any order", aHeader)
		}
	}
	for rows.Next() {
		if err := reader.parse(rows); err != nil {
			return fault(rows.Line(), "%w", err)
		}
		if err := visit(&reader.record); err != nil {
			return visited(rows.Line(), err)
		}
	}
	return form(rows)
}

// form returns what ended the rows as an error of the archive, nil for their end.
func form(rows *csvfile.Reader) error {
	var wrong *csvfile.Fault
	if err := rows.Err(); !errors.As(err, &wrong) {
		return visited(rows.Line(), err)
	}
	return fault(wrong.Line, "%s", wrong.What)
}

// rowReader makes records of rows.
type rowReader struct {
	columns []column
	// table is that of rows without such a column.
	table  string
	record ArchiveRecord

	body wire.EntityBody
	// spelled is the entity with every value as a text after its annotation, and room its body as a client would
	// send it: the wire's parser converts the values.
	spelled []entity.Property
	room    []byte
}

// findTypes finds the columns that have the types of others.
func (r *rowReader) findTypes() {
	for i := range r.columns {
		for j := range r.columns {
			if one := &r.columns[i]; one.is == propertyColumn && r.columns[j].is == typeColumn && r.columns[j].name == one.name {
				one.typedAt = j + 1
			}
		}
	}
}

// typeOf returns the type of a column in a row, and whether the row says it.
func (r *rowReader) typeOf(one *column, row *csvfile.Reader) (edm entity.Type, given bool, err error) {
	if one.typedAt == 0 || row.Fields()[one.typedAt-1] == "" {
		return one.edm, false, nil
	}
	name := row.Fields()[one.typedAt-1]
	if edm, given = entity.ParseType(name); !given {
		return 0, false, fmt.Errorf("the type of %.60q is %.60q; expected one such as Int32 or Edm.Int32", one.name, name)
	}
	return edm, true, nil
}

// parse makes a record of the row. A cell that holds nothing at all says that there
// is no value, and one of quotes alone an empty text, as PostgreSQL has it.
func (r *rowReader) parse(row *csvfile.Reader) error {
	r.record, r.spelled = ArchiveRecord{Table: r.table}, r.spelled[:0]
	var key entity.Key
	halves := 0
	for i, text := range row.Fields() {
		if !utf8.ValidString(text) {
			return fmt.Errorf("the cell %.60q: expected UTF-8", text)
		}
		one := &r.columns[i]
		if one.is == tableColumn {
			r.record.Table = text
		}
		edm, given, err := r.typeOf(one, row)
		if err != nil {
			return err
		}
		// A type alone says that the text is empty.
		if row.Absent(i) && !(given && edm == entity.TypeString) {
			continue
		}
		switch one.is {
		case partitionColumn:
			key.Partition, halves = text, halves+1
		case rowColumn:
			key.Row, halves = text, halves+1
		case propertyColumn:
			r.spelled = append(r.spelled,
				entity.Property{Name: one.name + typeSuffix, Value: entity.String(edm.String())},
				entity.Property{Name: one.name, Value: entity.String(text)})
		}
	}
	switch {
	case halves == 0 && len(r.spelled) == 0:
		return r.record.check()
	case halves < 2:
		return errors.New(`expected a PartitionKey and a RowKey, "" for an empty one, or neither and no property for a table alone`)
	}
	r.room = wire.AppendEntityBody(r.room[:0], key, r.spelled)
	if code, detail := r.body.Parse(string(r.room)); code != entity.OK {
		return errors.New(detail)
	}
	r.record.HasEntity, r.record.Key, r.record.Properties = true, r.body.Key, r.body.Properties
	return r.record.check()
}

// writeCSV writes a table of CSV whose columns are in the order in which the
// records first name them.
func writeCSV(out *bufio.Writer, records iter.Seq[*ArchiveRecord]) error {
	var columns []column
	places := make(map[column]int)
	for r := range records {
		if err := r.writable(); err != nil {
			return err
		}
		for i := range r.Properties {
			c := column{name: r.Properties[i].Name, edm: r.Properties[i].Value.Type()}
			if _, known := places[c]; known {
				continue
			}
			if len(columns)+3 >= maxColumns {
				return fmt.Errorf("%w: more than %d different properties; expected fewer, or JSON lines",
					ErrArchiveRecord, len(columns))
			}
			places[c] = len(columns)
			columns = append(columns, c)
		}
	}
	line := []byte(tableHeading + "," + partitionHeading + "," + rowHeading)
	for i := range columns {
		line = appendCell(append(line, ','), columns[i].name+"@"+columns[i].edm.String())
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	values := make([]*entity.Value, len(columns))
	for r := range records {
		clear(values)
		for i := range r.Properties {
			p := &r.Properties[i]
			place, known := places[column{name: p.Name, edm: p.Value.Type()}]
			if !known {
				return fmt.Errorf("%w: the property %q was not there when the columns were", ErrArchiveRecord, p.Name)
			}
			values[place] = &p.Value
		}
		line = append(line[:0], r.Table...)
		if r.HasEntity {
			line = appendCell(append(line, ','), r.Key.Partition)
			line = appendCell(append(line, ','), r.Key.Row)
		} else {
			line = append(line, ",,"...)
		}
		for _, v := range values {
			line = append(line, ',')
			if v != nil {
				line = appendCell(line, textOf(v))
			}
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendCell appends a text as a cell, in quotes if it is empty or contains separators or quotes.
func appendCell(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(append(dst, '"'), strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}

// textOf returns the text of a value in the wire's format, without quotes.
func textOf(v *entity.Value) string {
	switch v.Type() {
	case entity.TypeString:
		return v.Text()
	case entity.TypeBinary:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	case entity.TypeBoolean:
		return strconv.FormatBool(v.Bool())
	case entity.TypeDateTime:
		return v.Ticks().String()
	case entity.TypeDouble:
		f := v.Float()
		switch {
		case math.IsInf(f, 1):
			return "Infinity"
		case math.IsInf(f, -1):
			return "-Infinity"
		default:
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
	case entity.TypeGUID:
		g := v.GUID()
		return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
	default:
		return strconv.FormatInt(v.Int(), 10)
	}
}

// maxColumns bounds a table of CSV: a thousand entities alike have one set of
// columns, but names that are data would have one each.
const maxColumns = 4096

// column is what a column of CSV holds.
type column struct {
	is columnKind
	// name and edm are of a property.
	name string
	edm  entity.Type
	// typedAt is the column that has the type of each row, counted from 1, 0 for none.
	typedAt int
}

type columnKind uint8

const (
	propertyColumn columnKind = iota
	tableColumn
	partitionColumn
	rowColumn
	// typeColumn holds the type of a property of the same name.
	typeColumn
	// passedColumn is a column that is ignored.
	passedColumn
)

// The headings of the columns that every archive has.
const (
	tableHeading     = "Table"
	partitionHeading = "PartitionKey"
	rowHeading       = "RowKey"
)

// timestampName is the one system property that a reader passes over: it comes
// in what other tools write.
const timestampName = "Timestamp"

// typeMark ends the heading of a column of types, as Storage Explorer writes it.
const typeMark = "type"

const aHeader = "Table,PartitionKey,RowKey,Name@Edm.String,Fee@Edm.Int32"

// columnOf returns what a heading announces: NAME@Edm.TYPE a property, NAME alone
// one of texts.
func columnOf(heading string) (column, error) {
	switch heading {
	case tableHeading:
		return column{is: tableColumn}, nil
	case partitionHeading:
		return column{is: partitionColumn}, nil
	case rowHeading:
		return column{is: rowColumn}, nil
	}
	name, spelled := heading, ""
	if at := strings.LastIndexByte(heading, '@'); at >= 0 {
		name, spelled = heading[:at], heading[at+1:]
	}
	edm, known := entity.ParseType(spelled)
	switch {
	case name == timestampName, spelled == typeMark && (name == partitionHeading || name == rowHeading):
		return column{is: passedColumn}, nil
	case spelled == typeMark:
		return column{is: typeColumn, name: name}, nil
	case spelled == "":
		edm = entity.TypeString
	case !known:
		return column{}, fmt.Errorf("the column %.60q: expected NAME@Edm.TYPE, such as Fee@Edm.Int32", heading)
	}
	probe := ArchiveRecord{Table: tableHeading, HasEntity: true, Properties: []entity.Property{{Name: name, Value: entity.Boolean(true)}}}
	if err := probe.check(); err != nil {
		return column{}, fmt.Errorf("the column %.60q: %w", heading, err)
	}
	return column{name: name, edm: edm}, nil
}
