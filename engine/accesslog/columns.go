package accesslog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// rowReader fills a record from the columns of StorageTableLogs.
type rowReader struct {
	record record
	// into are the fields of the columns, [fieldCount] for one that nobody asks for.
	into []field
}

// add adds a column. A portal names that of the instants with their zone.
func (r *rowReader) add(name string) {
	name, _, _ = strings.Cut(name, " [")
	of, known := fieldOf([]byte(name))
	if !known {
		of = fieldCount
	}
	r.into = append(r.into, of)
}

func (r *rowReader) set(column int, value string) {
	if of := r.into[column]; of != fieldCount {
		r.record[of] = value
	}
}

// portalTimes are how the portal writes the instants of a file that it exports, whose
// column says of which zone they are.
var portalTimes = [...]string{"1/2/2006, 3:04:05.000 PM", "1/2/2006, 3:04:05 PM"}

// exported reads rows of StorageTableLogs.
func exported(rows *csvfile.Reader, visit func(*Entry) error) error {
	names := rows.Fields()
	row := new(rowReader)
	for _, name := range names {
		row.add(name)
	}
	name := rows.Fields()[slices.IndexFunc(rows.Fields(), isStamp)]
	_, zone, zoned := strings.Cut(name, " [")
	if zone = strings.TrimSuffix(zone, "]"); zoned && zone != "UTC" {
		rows.Fault("the column %q has the zone %q; export UTC from the portal", name, zone)
		return nil
	}
	var e Entry
	for rows.Next() {
		for i, value := range rows.Fields() {
			row.set(i, value)
		}
		if zoned {
			for _, layout := range portalTimes {
				if t, err := time.Parse(layout, row.record[fieldTime]); err == nil {
					row.record[fieldTime] = t.Format(analyticsTime)
					break
				}
			}
		}
		if err := row.record.entry(&e); err != nil {
			rows.Skip("%s", err)
			continue
		}
		if err := visit(&e); err != nil {
			return err
		}
	}
	return nil
}

// isStamp reports whether a column is that of the instants of StorageTableLogs, which a
// portal names with their zone.
func isStamp(name string) bool {
	name, _, _ = strings.Cut(name, " [")
	return name == "TimeGenerated"
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
	_, known := fieldOf([]byte(name))
	return known
}

// plainRows reads plain CSV with named columns.
func (o *Options) plainRows(rows *csvfile.Reader, visit func(*Entry) error) error {
	at := make([]int, len(plainColumns))
	for i, names := range plainColumns {
		is := func(name string) bool { return slices.Contains(names, name) }
		at[i] = slices.IndexFunc(rows.Fields(), is)
		if o.Names[names[0]] != "" {
			at[i] = slices.Index(rows.Fields(), names[0])
		} else if other := slices.IndexFunc(rows.Fields()[at[i]+1:], is); at[i] >= 0 && other >= 0 {
			rows.Fault("the columns %s and %s mean the same; expected one of them, by --column %s=%s", nearest.Shown(rows.Fields()[at[i]]),
				nearest.Shown(rows.Fields()[at[i]+1+other]), names[0], rows.Fields()[at[i]])
			return nil
		}
	}
	for _, needed := range []int{0, 1, 3} {
		if at[needed] < 0 {
			name := plainColumns[needed][0]
			if near, some := nearest.Name(name, slices.Clone(rows.Fields())); some {
				rows.Fault("there is no column %s, but %s; expected that name", name, nearest.Shown(near))
				return nil
			}
			rows.Fault("no column %s; expected a Table log, or at least time, operation and PartitionKey", name)
			return nil
		}
	}
	if !rows.FindTimes(o.TimeFormat, at[:1]) {
		return nil
	}
	table := cmp.Or(o.Table, DefaultTable)
	var e Entry
	for rows.Next() {
		at0, found := rows.TimeOf(0)
		if !found {
			continue
		}
		fields := rows.Fields()
		value := func(i int) string {
			if at[i] < 0 {
				return ""
			}
			return fields[at[i]]
		}
		if err := plainEntry(&e, value); err != nil {
			rows.Skip("%s", err)
			continue
		}
		e.At, e.Table = entity.TicksOf(time.Unix(0, int64(at0)).UTC()), cmp.Or(e.Table, table)
		if err := visit(&e); err != nil {
			return err
		}
	}
	return nil
}

// otherVerbs are what others call the operations of a table, by their names in lower case.
var otherVerbs = map[string]entity.Verb{
	"post": entity.Insert, "create": entity.Insert, "add": entity.Insert, "upsert": entity.InsertOrReplace,
	"put": entity.InsertOrReplace, "update": entity.Replace, "patch": entity.Merge, "read": entity.Get, "scan": entity.Query, "transaction": entity.Batch,
}

// plainVerbs are the operations by all of their names, in lower case without hyphens and underscores.
var plainVerbs = sync.OnceValue(func() map[string]entity.Verb {
	verbs := maps.Clone(otherVerbs)
	for name, verb := range operations {
		verbs[strings.ToLower(name)], verbs[strings.ReplaceAll(verb.String(), "-", "")] = verb, verb
	}
	return verbs
})

// plainOperation returns the name of the operation that plain CSV names in any of the usual words, empty for
// none. The GET of one entity has a RowKey.
func plainOperation(name string, hasRow bool) string {
	lower := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
	if name == "GET" && !hasRow {
		return OperationOf(entity.Query)
	}
	return OperationOf(plainVerbs()[lower])
}

// plainEntry makes an entry of what a row says; value is that of one of plainColumns.
func plainEntry(e *Entry, value func(column int) string) error {
	*e = Entry{EndToEnd: Unknown, Server: Unknown, Index: Unknown, RequestHeader: Unknown, RequestPacket: Unknown,
		ResponseHeader: Unknown, ResponsePacket: Unknown, ContentLength: Unknown, About: About{Entities: Unknown}}
	if e.Operation = plainOperation(value(1), value(4) != ""); e.Operation == "" {
		var names []string
		for v := entity.Insert; v <= entity.DeleteTable; v++ {
			names = append(names, v.String())
		}
		return fmt.Errorf("%s", nearest.Unknown("operation", value(1), names))
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
		a.KeyedRow = a.Keyed && a.Verb >= entity.Insert && a.Verb <= entity.Get
	}
	return n.err
}
