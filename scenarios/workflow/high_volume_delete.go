package workflow

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/target"
)

// purgeDays say which days there are, and what their tables are called.
var purgeDays = []Parameter{
	count("first", "The first day's number.", 1, 9999, "1"),
	count("days", "The number of days.", 1, 366, "7"),
	choice("names", "Whether tables have new names or reuse earlier ones.", "unique", "reused"),
	count("ring", "Days until a name is reused.", 2, 366, "7"),
}

// purgeKinds are the workflows of data that is to go by its age: a log of logins,
// and the deletion of one day of it.
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
	New: func(c *Call) Workflow {
		draw := c.Chance
		day := c.Arguments.Count("first") + draw.IntN(c.Arguments.Count("days"))
		key := c.Subject.Key("")
		key.Row = fmt.Sprintf("%04d_%s", day, key.Row)
		l := &login{table: c.Table, change: entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: c.Subject.Properties()}}
		if c.Arguments.Text("lies") == "day-tables" {
			l.table += dayTable(c.Arguments, day)
		}
		return NewProcedure(l.write, l.request())
	},
}, {
	Name: "purge-day", Says: "Deletes the logins of one day, one day per operation.",
	Alone: true, Counters: []string{"dropped", "deleted"},
	Parameters: slices.Concat(purgeDays, []Parameter{
		choice("how", "How a day is deleted: its table, in transactions, or singly.", "drop", "transactions", "singles"),
	}),
	// A table goes by one request, of the table of all days what a scan finds.
	New: func(c *Call) Workflow {
		a := c.Arguments
		day := a.Count("first") + int(c.K%uint64(a.Count("days")))
		if a.Text("how") == "drop" {
			drop := Request{target.Operation{Verb: entity.DeleteTable, Table: c.Table + dayTable(a, day)}, expecting([]int{404})}
			return NewProcedure(func(t *Tx) {
				// A missing table is as good; it counts where it may be this request's own doing.
				if reply := t.Send(drop); reply.OK() || reply.Silent {
					t.Add("dropped", 1)
				}
			}, drop)
		}
		p := &purge{table: c.Table, day: day, most: 1}
		if a.Text("how") == "transactions" {
			p.most = entity.MaxBatchChanges
		}
		return NewProcedure(p.purge, Query(p.table, dayRows(day)))
	},
	Check: func(s *Setting, a Arguments) Check {
		return newFinding("no login is left of a day that was purged", func(t *Tx, f *Findings) {
			for i := range a.Count("days") {
				table, day, left := s.Table, a.Count("first")+i, 0
				if a.Text("how") == "drop" {
					table += dayTable(a, day)
				}
				// A table that is being deleted is gone, whichever way a service says so.
				for range t.Rows(Query(table, dayRows(day), 404, 409)) {
					left++
				}
				f.Look(left == 0, "day %d has %d logins left", day, left)
			}
		})
	},
}}

func dayTable(a Arguments, day int) string {
	if a.Text("names") == "reused" {
		day %= a.Count("ring")
	}
	return fmt.Sprintf("Day%04d", day)
}

// dayRows returns the query for the logins of a day, which begin their RowKeys: of a
// table it reads all, for no PartitionKey is known.
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

// login writes a login of a day, in that day's table or in that of all. It is written whole, so that
// a second time is the same.
//
//	write ─► 404, no table ─► create ─┬─ 201, or 409: another login did ─► write
//	                          ▲       └─ 409, the table is being deleted ─┐
//	                          └──────────────── wait ─────────────────────┘
type login struct {
	table  string
	change entity.Change
	waits  int
}

func (l *login) request() Request { return WriteOne(l.table, l.change, 404, 409) }

func (l *login) write(t *Tx) {
	for makings := 0; ; makings++ {
		switch reply := t.Send(l.request()); {
		case reply.OK():
			return
		case reply.Code == entity.TableBeingDeleted:
			l.wait(t)
		case reply.Code != entity.TableNotFound || makings >= maxMakings:
			t.Fail()
		}
		l.create(t)
	}
}

// create makes the day's table; that another login did so before is as good.
func (l *login) create(t *Tx) {
	for {
		op := target.Operation{Verb: entity.CreateTable, Table: l.table}
		switch reply := t.Send(Request{op, expecting([]int{409})}); {
		case reply.OK():
			t.Add("made", 1)
			return
		case reply.Code == entity.TableAlreadyExists:
			return
		case reply.Code != entity.TableBeingDeleted:
			t.Fail()
		}
		l.wait(t)
	}
}

// wait delays the next request: nothing but time frees the table's name.
func (l *login) wait(t *Tx) {
	if l.waits == 0 {
		t.Add("waited", 1)
	}
	if l.waits++; l.waits > maxNameWaits {
		t.Fail()
	}
	t.Sleep(nameWait)
}

// purge deletes the logins of one day out of a table that holds others, too.
type purge struct {
	table string
	day   int
	most  int
}

func (p *purge) purge(t *Tx) {
	var found []entity.Key
	for row := range t.Rows(Query(p.table, dayRows(p.day))) {
		found = append(found, row.Key)
	}
	for len(found) > 0 && p.most == 1 {
		// Where another purge was faster, nothing is counted.
		if reply := t.Send(WriteOne(p.table, deletion(found[0]), 404)); reply.OK() || reply.Silent {
			t.Add("deleted", 1)
		}
		found = found[1:]
	}
	for len(found) > 0 {
		count := 1
		for count < min(p.most, len(found)) && found[count].Partition == found[0].Partition {
			count++
		}
		left := p.remove(t, found[:count])
		t.Add("deleted", int64(count-len(left)))
		found = append(left, found[count:]...)
	}
}

// remove deletes entities of one partition by a transaction and returns those that remain.
func (p *purge) remove(t *Tx, keys []entity.Key) (left []entity.Key) {
	var changes []entity.Change
	for _, key := range keys {
		changes = append(changes, deletion(key))
	}
	if t.Send(transact(p.table, changes, 404)).OK() {
		return nil
	}
	// One of them was missing: the transaction was executed and its reply lost, or another purge was
	// faster. Which of them remain?
	q := target.Query{Range: filter.RowPrefix(keys[0].Partition, fmt.Sprintf("%04d_", p.day))}
	for row := range t.Rows(Query(p.table, q)) {
		if slices.Contains(keys, row.Key) {
			left = append(left, row.Key)
		}
	}
	return left
}
