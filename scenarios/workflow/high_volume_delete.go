package workflow

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// purgeDays are the parameters of the days and the names of their tables.
var purgeDays = []Parameter{
	count("first", "The first day's number.", 1, 9999, "1"),
	count("days", "The number of days.", 1, 366, "7"),
	choice("names", "Whether tables have new names or reuse earlier ones.", "unique", "reused"),
	count("ring", "Days until a name is reused.", 2, 366, "7"),
}

// purgeKinds are the workflows of data with a limited age: the writes of a log of logins, and the
// deletion of one of its days.
var purgeKinds = []Kind{{
	Name: "login", Says: "Writes a login of a day; creates the day's table if missing.",
	Inserts: true, Counters: []string{"made", "waited"},
	Parameters: slices.Concat(purgeDays, []Parameter{
		choice("lies", "Where logins are: a table per day, or one table.", "day-tables", "one-table"),
	}),
	Tables: func(a Arguments) (names []string) {
		for i := range a.Count("days") {
			if a.Text("lies") == "day-tables" {
				names = append(names, dayTable(a, a.Count("first")+i))
			}
		}
		return names
	},
	New: func(c *Call) *Procedure {
		draw := c.Chance
		day := c.Arguments.Count("first") + draw.IntN(c.Arguments.Count("days"))
		key := c.Subject.Key("")
		key.Row = fmt.Sprintf("%04d_%s", day, key.Row)
		table := c.Table
		if c.Arguments.Text("lies") == "day-tables" {
			table += dayTable(c.Arguments, day)
		}
		change := entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: c.Subject.Properties()}
		write := WriteOne(table, change, 404, 409)
		return NewProcedure(func(t *Tx) { login(t, write) }, write)
	},
}, {
	Name: "purge-day", Says: "Deletes the logins of one day, one day per operation.",
	Alone: true, Counters: []string{"dropped", "deleted"},
	Parameters: slices.Concat(purgeDays, []Parameter{
		choice("how", "How a day is deleted: its table, or in transactions.", "drop", "transactions"),
	}),
	New: func(c *Call) *Procedure {
		a := c.Arguments
		day := a.Count("first") + int(c.K%uint64(a.Count("days")))
		if a.Text("how") == "drop" {
			drop := Request{target.Operation{Verb: entity.DeleteTable, Table: c.Table + dayTable(a, day)}, expecting([]int{404})}
			return NewProcedure(func(t *Tx) {
				// A missing table counts if an earlier attempt may have deleted it.
				if reply := t.Send(drop); reply.OK() || reply.Silent {
					t.Add("dropped", 1)
				}
			}, drop)
		}
		return NewProcedure(func(t *Tx) { purge(t, c.Table, day) }, Query(c.Table, dayRows(day)))
	},
	Check: checkOf("no login is left of a day that was purged", func(t *Tx, f *Findings, s *Setting, a Arguments) {
		for i := range a.Count("days") {
			table, day, left := s.Table, a.Count("first")+i, 0
			if a.Text("how") == "drop" {
				table += dayTable(a, day)
			}
			// For a table that is being deleted, services reply 404 or 409.
			for range t.Rows(Query(table, dayRows(day), 404, 409)) {
				left++
			}
			f.Look(left == 0, "day %d has %d logins left", day, left)
		}
	}),
}}

func dayTable(a Arguments, day int) string {
	if a.Text("names") == "reused" {
		day %= a.Count("ring")
	}
	return fmt.Sprintf("Day%04d", day)
}

// dayRows returns the query for the logins of a day, which begins their RowKeys. It reads the whole
// table, because no PartitionKey is known.
func dayRows(day int) target.Query {
	q, err := target.Filtered(fmt.Sprintf("RowKey ge '%04d_' and RowKey lt '%04d`'", day, day))
	if err != nil {
		panic("workflow: filter of a day: " + err.Error())
	}
	return q
}

const (
	// nameWait is the wait of a login for a table name that is not free yet, maxNameWaits the
	// maximum number of waits, maxMakings the maximum number of times that a new table is missing.
	nameWait     = 5 * time.Second
	maxNameWaits = 60
	maxMakings   = 10
)

// login writes a login of a day and creates its table if that is missing. A repeated write is
// harmless.
//
//	write ─► 404, no table ─► create ─┬─ 201, or 409: another login did ─► write
//	                          ▲       └─ 409, the table is being deleted ─┐
//	                          └──────────────── wait ─────────────────────┘
func login(t *Tx, write Request) {
	create := Request{target.Operation{Verb: entity.CreateTable, Table: write.Operation.Table}, expecting([]int{409})}
	makings, waits := 0, 0
	for next := write; ; {
		reply := t.Send(next)
		creates := next.Operation.Verb == entity.CreateTable
		switch {
		case reply.OK() && !creates:
			return
		case reply.OK():
			t.Add("made", 1)
			next = write
		case creates && reply.Code == entity.TableAlreadyExists:
			next = write
		case reply.Code == entity.TableBeingDeleted && waits < maxNameWaits:
			if waits == 0 {
				t.Add("waited", 1)
			}
			waits++
			t.Sleep(nameWait)
			next = create
		case !creates && reply.Code == entity.TableNotFound && makings < maxMakings:
			makings++
			next = create
		default:
			t.Fail()
		}
	}
}

// purge deletes the logins of one day from a table with other days.
func purge(t *Tx, table string, day int) {
	var keys []entity.Key
	for row := range t.Rows(Query(table, dayRows(day))) {
		keys = append(keys, row.Key)
	}
	for len(keys) > 0 {
		count := 1
		for count < min(entity.MaxBatchChanges, len(keys)) && keys[count].Partition == keys[0].Partition {
			count++
		}
		left := purgeTogether(t, table, day, keys[:count])
		t.Add("deleted", int64(count-len(left)))
		keys = append(left, keys[count:]...)
	}
}

// purgeTogether deletes logins of one partition by a transaction and returns those that remain.
func purgeTogether(t *Tx, table string, day int, keys []entity.Key) (left []entity.Key) {
	changes := make([]entity.Change, len(keys))
	for i, key := range keys {
		changes[i] = deletion(key)
	}
	if t.Send(transact(table, changes, 404)).OK() {
		return nil
	}
	// One was missing: an earlier attempt was executed and its reply lost, or another purge was
	// faster.
	q := target.Query{Range: filter.RowPrefix(keys[0].Partition, fmt.Sprintf("%04d_", day))}
	for row := range t.Rows(Query(table, q)) {
		if slices.Contains(keys, row.Key) {
			left = append(left, row.Key)
		}
	}
	return left
}
