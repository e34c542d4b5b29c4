package accesslog

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// portalTimes are the formats of the instants in a file that the portal exports. The
// column names their zone.
var portalTimes = [...]string{"1/2/2006, 3:04:05.000 PM", "1/2/2006, 3:04:05 PM"}

// exportedRows reads rows of StorageTableLogs. A portal names the column of the instants with their zone.
func (r *reader) exportedRows(rows *csvfile.Reader) error {
	columns := make([]int, len(rows.Fields()))
	var zone string
	zoned := false
	for i, name := range rows.Fields() {
		plain, of, has := strings.Cut(name, " [")
		if isStamp(name) {
			zone, zoned = strings.TrimSuffix(of, "]"), has
		}
		known := false
		if columns[i], known = fieldOf([]byte(plain), ""); !known {
			columns[i] = -1
		}
	}
	if zoned && zone != "UTC" {
		rows.Fault("the column %q has the zone %q; export UTC from the portal", "TimeGenerated ["+zone+"]", zone)
		return nil
	}
	at := fieldPlaces().named["time"]
	for rows.Next() {
		for i, value := range rows.Fields() {
			if columns[i] >= 0 {
				r.record[columns[i]] = value
			}
		}
		for _, layout := range portalTimes {
			if t, err := time.Parse(layout, r.record[at]); zoned && err == nil {
				r.record[at] = t.Format(analyticsTime)
				break
			}
		}
		if err := r.record.entry(&r.entry, jsonName); err != nil {
			rows.Skip("%s", err)
		} else if err := r.visit(&r.entry); err != nil {
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

// plainColumns are the columns of plain CSV. Those that mean the same are listed together.
var plainColumns = []struct {
	names []string
	of    func(*Entry) any
}{
	{[]string{"time", "instant", "timestamp"}, nil},
	{[]string{"operation"}, func(e *Entry) any { return &e.Operation }},
	{[]string{"PartitionKey"}, func(e *Entry) any { return &e.PartitionKey }},
	{[]string{"RowKey"}, func(e *Entry) any { return &e.RowKey }},
	{[]string{"table"}, func(e *Entry) any { return &e.Table }},
	{[]string{"status"}, func(e *Entry) any { return &e.Status }},
	{[]string{"code"}, func(e *Entry) any { return &e.StatusText }},
	{[]string{"duration_ms"}, func(e *Entry) any { return &e.EndToEnd }},
	{[]string{"server_ms"}, func(e *Entry) any { return &e.Server }},
	{[]string{"entities"}, func(e *Entry) any { return &e.Asked }},
	{[]string{"request_bytes"}, func(e *Entry) any { return &e.RequestBytes }},
	{[]string{"response_bytes"}, func(e *Entry) any { return &e.ResponseBytes }},
	{[]string{"client_request_id"}, func(e *Entry) any { return &e.ClientRequestID }},
	{[]string{"filter"}, func(e *Entry) any { return &e.Filter }},
}

// statusColumn is the place of status among plainColumns.
const statusColumn = 5

// isColumn reports whether a column has a name that a log of some kind knows.
func isColumn(name string) bool {
	for i := range plainColumns {
		if slices.Contains(plainColumns[i].names, name) {
			return true
		}
	}
	name, _, _ = strings.Cut(name, " [")
	_, known := fieldOf([]byte(name), "")
	return known
}

// findPlainColumns returns where plainColumns are, -1 for those that are missing, and false after a fault.
func (r *reader) findPlainColumns(rows *csvfile.Reader) (at []int, sound bool) {
	at = make([]int, len(plainColumns))
	for i := range plainColumns {
		names := plainColumns[i].names
		is := func(name string) bool { return slices.Contains(names, name) }
		at[i] = slices.IndexFunc(rows.Fields(), is)
		if r.Names[names[0]] != "" {
			at[i] = slices.Index(rows.Fields(), names[0])
		} else if other := slices.IndexFunc(rows.Fields()[at[i]+1:], is); at[i] >= 0 && other >= 0 {
			rows.Fault("the columns %s and %s mean the same; expected one of them, by --column %s=%s", nearest.Quote(rows.Fields()[at[i]]),
				nearest.Quote(rows.Fields()[at[i]+1+other]), names[0], rows.Fields()[at[i]])
			return nil, false
		}
	}
	for i, name := range []string{"time", "operation", "PartitionKey"} {
		if at[i] >= 0 {
			continue
		}
		if near, some := nearest.Name(name, slices.Clone(rows.Fields())); some {
			rows.Fault("there is no column %s, but %s; expected that name", name, nearest.Quote(near))
		} else {
			rows.Fault("no column %s; expected a Table log, or at least time, operation and PartitionKey", name)
		}
		return nil, false
	}
	return at, true
}

// plainRows reads plain CSV with named columns.
func (r *reader) plainRows(rows *csvfile.Reader) error {
	at, sound := r.findPlainColumns(rows)
	if !sound || !rows.FindTimes(r.TimeFormat, at[:1]) {
		return nil
	}
	table := cmp.Or(r.Table, DefaultTable)
	var empty Entry
	for i := range fields {
		new(values).set(fields[i].of(&empty), "", nil)
	}
	for rows.Next() {
		instant, found := rows.TimeOf(0)
		if !found {
			continue
		}
		r.entry = empty
		r.entry.At = entity.TicksOf(time.Unix(0, int64(instant)).UTC())
		if err := plainEntry(&r.entry, rows.Fields(), at); err != nil {
			rows.Skip("%s", err)
			continue
		}
		r.entry.Table = cmp.Or(r.entry.Table, table)
		if err := r.visit(&r.entry); err != nil {
			return err
		}
	}
	return nil
}

// plainEntry fills an entry with what a row has at the places of plainColumns.
func plainEntry(e *Entry, row []string, at []int) error {
	var v values
	for i := range plainColumns {
		text := ""
		if at[i] >= 0 {
			text = row[at[i]]
		}
		if of := plainColumns[i].of; of != nil {
			v.set(of(e), text, func() string { return plainColumns[i].names[0] })
		}
	}
	name := e.Operation
	if e.Verb = plainOperation(name, e.RowKey != ""); e.Verb == 0 {
		var names []string
		for verb := entity.Insert; verb <= entity.DeleteTable; verb++ {
			names = append(names, verb.String())
		}
		return errors.New(nearest.Unknown("operation", name, names))
	}
	if at := at[statusColumn]; at < 0 || row[at] == "" {
		e.Status = http.StatusOK
	}
	e.Service, e.Operation = tableService, OperationOf(e.Verb)
	key, filter, query := e.Key(), e.Filter, e.Verb == entity.Query
	e.PartitionKey, e.RowKey, e.Filter = "", "", ""
	if query || filter != "" {
		e.setFilter(filter)
	}
	if key.Partition != "" || !query && e.Verb != entity.Batch {
		e.PartitionKey, e.RowKey, e.HasPartition = key.Partition, key.Row, e.Verb < entity.CreateTable
		e.HasRow = e.HasPartition && e.Verb >= entity.Insert && e.Verb <= entity.Get
	}
	e.conclude()
	return v.err
}
