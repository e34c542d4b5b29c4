package accesslog

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// rowReader fills a record from the columns of StorageTableLogs.
type rowReader struct {
	record record
	// into are the fields of the record, nil for a column that nobody asks for. Stamp is
	// the column of the instants, which a portal names with their zone.
	into  []*loose
	stamp int
}

// newRowReader returns a reader of rows with these columns.
func newRowReader(names []string) *rowReader {
	r := &rowReader{stamp: -1}
	known := r.record.columns()
	for i, name := range names {
		if column, _, zoned := strings.Cut(name, " ["); zoned {
			name = column
		}
		into := known[strings.ToLower(name)]
		if into == &r.record.TimeGenerated {
			r.stamp = i
		}
		r.into = append(r.into, into)
	}
	return r
}

// columns returns where each column goes, by its name in lower case.
func (r *record) columns() map[string]*loose {
	known := make(map[string]*loose)
	var walk func(of reflect.Value)
	walk = func(of reflect.Value) {
		for i := range of.NumField() {
			field := of.Type().Field(i)
			if field.Anonymous {
				walk(of.Field(i))
				continue
			}
			if into, is := of.Field(i).Addr().Interface().(*loose); is {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				known[strings.ToLower(name)] = into
			}
		}
	}
	walk(reflect.ValueOf(r).Elem())
	return known
}

func (r *rowReader) set(column int, value string) {
	if into := r.into[column]; into != nil {
		*into = loose(value)
	}
}

// portalTime is how the portal writes the instants of a file that it exports, whose
// column says of which zone they are.
var portalTimes = []string{"1/2/2006, 3:04:05.000 PM", "1/2/2006, 3:04:05 PM", "2/1/2006, 15:04:05.000"}

// exported reads rows of StorageTableLogs.
func exported(rows *csvfile.Reader, visit func(*Entry) error) error {
	row := newRowReader(slices.Clone(rows.Fields()))
	name := rows.Fields()[row.stamp]
	_, zone, zoned := strings.Cut(name, " [")
	if zone = strings.TrimSuffix(zone, "]"); zoned && zone != "UTC" {
		rows.Fault("the column %q is of the zone %q; expected UTC: choose it in the portal before you export", name, zone)
		return nil
	}
	for rows.Next() {
		for i, value := range rows.Fields() {
			row.set(i, value)
		}
		if zoned {
			row.record.TimeGenerated = fromPortal(row.record.TimeGenerated)
		}
		e, err := row.record.entry()
		if err != nil {
			rows.Fault("%s", err)
			continue
		}
		if err := visit(&e); err != nil {
			return err
		}
	}
	return nil
}

func fromPortal(text loose) loose {
	for _, layout := range portalTimes[:2] {
		if t, err := time.Parse(layout, string(text)); err == nil {
			return loose(t.Format(analyticsTime))
		}
	}
	return text
}

// The columns of plain CSV. Those that stand for the same are listed together.
var plainColumns = [][]string{
	{"time", "instant", "timestamp"}, {"operation"}, {"table"}, {"PartitionKey"}, {"RowKey"}, {"status"}, {"code"},
	{"duration_ms"}, {"server_ms"}, {"entities"}, {"request_bytes"}, {"response_bytes"}, {"client_request_id"}, {"filter"},
}

// isColumn reports whether a column has a name that a log of some kind knows.
func isColumn(name string) bool {
	for _, names := range plainColumns {
		if slices.Contains(names, name) {
			return true
		}
	}
	name, _, _ = strings.Cut(name, " [")
	return new(record).columns()[strings.ToLower(name)] != nil
}

// plainRows reads plain CSV with named columns.
func plainRows(rows *csvfile.Reader, visit func(*Entry) error) error {
	at := make([]int, len(plainColumns))
	for i, names := range plainColumns {
		at[i] = slices.IndexFunc(rows.Fields(), func(name string) bool { return slices.Contains(names, name) })
	}
	for _, needed := range []int{0, 1, 3} {
		if at[needed] < 0 {
			rows.Fault("there is no column %s; expected the columns of a log of tables, or time, operation and PartitionKey at least", plainColumns[needed][0])
			return nil
		}
	}
	for rows.Next() {
		fields := rows.Fields()
		value := func(i int) string {
			if at[i] < 0 {
				return ""
			}
			return fields[at[i]]
		}
		e, err := plainEntry(value)
		if err != nil {
			rows.Fault("%s", err)
			continue
		}
		if err := visit(&e); err != nil {
			return err
		}
	}
	return nil
}

// plainEntry returns what a row says; value is that of one of plainColumns.
func plainEntry(value func(column int) string) (Entry, error) {
	e := empty()
	var err error
	if e.At, err = instantOf(value(0)); err != nil {
		return e, err
	}
	name := value(1)
	if verb, known := entity.ParseVerb(name); known {
		e.Operation = OperationOf(verb)
	} else if _, known := operations[name]; known {
		e.Operation = name
	} else {
		return e, fmt.Errorf("%s", nearest.Unknown("operation", name, verbNames()))
	}
	e.Service, e.Status, e.HTTP = tableService, value(6), 200
	var n numbers
	if value(5) != "" {
		e.HTTP = n.status(value(5))
	}
	e.EndToEnd, e.Server = n.millis("duration_ms", value(7)), n.millis("server_ms", value(8))
	e.RequestPacket, e.ResponsePacket = n.count("request_bytes", value(10)), n.count("response_bytes", value(11))
	e.ClientID = value(12)
	a := &e.About
	a.Verb, a.Table, a.Entities = operations[e.Operation], value(2), n.count("entities", value(9))
	if text := value(13); text != "" || a.Verb == entity.Query {
		a.filter(text)
	}
	if key := value(3); key != "" || a.Verb != entity.Query && a.Verb != entity.Batch {
		a.Key, a.Keyed = entity.Key{Partition: key, Row: value(4)}, a.Verb < entity.CreateTable
		a.KeyedRow = a.Keyed && at(a.Verb)
	}
	return e, n.err
}

// at reports whether a verb is about one entity.
func at(v entity.Verb) bool { return v >= entity.Insert && v <= entity.Get }

func verbNames() []string {
	var names []string
	for v := entity.Insert; v <= entity.DeleteTable; v++ {
		names = append(names, v.String())
	}
	return names
}
