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
	{Name: "first", Says: "The first day's number.", Type: OfCount, Least: 1, Most: 9999, Default: "1"},
	{Name: "days", Says: "The number of days.", Type: OfCount, Least: 1, Most: 366, Default: "7"},
	{Name: "names", Says: "Whether tables have new names or reuse earlier ones.",
		Type: OfChoice, Choices: []string{"unique", "reused"}, Default: "unique"},
	{Name: "ring", Says: "Days until a name is reused.", Type: OfCount, Least: 2, Most: 366, Default: "7"},
}

// purgeKinds are the workflows of data that is to go by its age: a log of logins,
// and the deletion of one day of it.
var purgeKinds = []Kind{{
	Name: "login", Says: "Writes a login of a day; creates the day's table if missing.",
	Inserts: true, Counters: []string{"made", "waited"},
	Parameters: slices.Concat(purgeDays, []Parameter{
		{Name: "lies", Says: "Where logins are: a table per day, or one table.",
			Type: OfChoice, Choices: []string{"day-tables", "one-table"}, Default: "day-tables"},
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
		l.Script = NewScript(func(*Script) Request { return l.write() })
		return l
	},
}, {
	Name: "purge-day", Says: "Deletes the logins of one day, one day per operation.",
	Alone: true, Counters: []string{"dropped", "deleted"},
	Parameters: slices.Concat(purgeDays, []Parameter{
		{Name: "how", Says: "How a day is deleted: its table, in transactions, or singly.",
			Type: OfChoice, Choices: []string{"drop", "transactions", "singles"}, Default: "drop"},
	}),
	// A table goes by one request, of the table of all days what a scan finds.
	New: func(c *Call) Workflow {
		a := c.Arguments
		day := a.Count("first") + int(c.K%uint64(a.Count("days")))
		if a.Text("how") == "drop" {
			op := target.Operation{Verb: entity.DeleteTable, Table: c.Table + dayTable(a, day)}
			return NewScript(func(s *Script) Request {
				// That there is none is what was wanted; it counts where it may be this
				// request's own doing.
				return Request{Operation: op, Expected: target.Expected{NotFound: true}, Then: func(a Attempt) Turn {
					if Ok(a.Outcome.Status) || a.Silent {
						s.Add("dropped", 1)
					}
					return End()
				}}
			})
		}
		p := &purge{table: c.Table, day: day, most: 1}
		if a.Text("how") == "transactions" {
			p.most = entity.MaxBatchChanges
		}
		see := func(row target.Row) { p.found = append(p.found, row.Key) }
		p.Script = NewScript(func(*Script) Request { return ReadAll(p.table, dayRows(day), see, p.next) })
		return p
	},
	Check: func(s *Setting, a Arguments) Check {
		return newFinding("no login is left of a day that was purged", func(f *Finding) Request {
			return InTurn(a.Count("days"), func(i int, next func() Turn) Request {
				table, day, left := s.Table, a.Count("first")+i, 0
				if a.Text("how") == "drop" {
					table += dayTable(a, day)
				}
				// A table that is being deleted is gone, whichever way a service says so.
				gone := target.Expected{NotFound: true, Conflict: true}
				return readAllExpecting(table, dayRows(day), gone, func(target.Row) { left++ }, func() Turn {
					f.Look(left == 0, "day %d has %d logins left", day, left)
					return next()
				})
			})
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

// login writes a login of a day, in that day's table or in that of all.
type login struct {
	*Script
	table          string
	change         entity.Change
	makings, waits int
}

// write writes the login. It is written whole, so that a second time is the same.
func (l *login) write() Request {
	return WriteOne(l.table, l.change, target.Expected{NotFound: true, Conflict: true}, func(a Attempt) Turn {
		switch {
		case a.Outcome.Status < 300:
			return End()
		case a.Outcome.Code == entity.TableNotFound && l.makings < maxMakings:
			l.makings++
			return Send(l.create())
		case a.Outcome.Code == entity.TableBeingDeleted:
			return l.wait()
		default:
			return GiveUp()
		}
	})
}

// create makes the day's table; that another login did so before is as good.
func (l *login) create() Request {
	op := target.Operation{Verb: entity.CreateTable, Table: l.table}
	return Request{Operation: op, Expected: target.Expected{Conflict: true}, Then: func(a Attempt) Turn {
		switch {
		case a.Outcome.Status < 300:
			l.Add("made", 1)
			return Send(l.write())
		case a.Outcome.Code == entity.TableAlreadyExists:
			return Send(l.write())
		case a.Outcome.Code == entity.TableBeingDeleted:
			return l.wait()
		default:
			return GiveUp()
		}
	}}
}

// wait asks for the table again later: nothing but time frees its name.
func (l *login) wait() Turn {
	if l.waits == 0 {
		l.Add("waited", 1)
	}
	if l.waits++; l.waits > maxNameWaits {
		return GiveUp()
	}
	return SendAfter(nameWait, l.create())
}

// purge deletes the logins of one day out of a table that holds others, too.
type purge struct {
	*Script
	table string
	day   int
	most  int
	found []entity.Key
}

// next deletes the next entities of one partition.
func (p *purge) next() Turn {
	if len(p.found) == 0 {
		return End()
	}
	count := 1
	for count < min(p.most, len(p.found)) && p.found[count].Partition == p.found[0].Partition {
		count++
	}
	var changes []entity.Change
	for _, key := range p.found[:count] {
		changes = append(changes, entity.Change{Verb: entity.Delete, Key: key, Match: entity.MatchAny})
	}
	if p.most == 1 {
		return Send(WriteOne(p.table, changes[0], target.Expected{NotFound: true}, func(a Attempt) Turn {
			if !Ok(a.Outcome.Status) && !a.Silent {
				// Another purge was faster.
				p.found = p.found[count:]
				return p.next()
			}
			return p.deleted(count)
		}))
	}
	return Send(writeTogether(p.table, changes, target.Expected{NotFound: true}, func(a Attempt) Turn {
		if a.Outcome.Status < 300 {
			return p.deleted(count)
		}
		// One of them was not there, be it that the transaction was carried out and its reply lost,
		// or that another purge was faster: which of them are there still?
		tried, rest := p.found[:count], p.found[count:]
		q := target.Query{Range: filter.RowPrefix(tried[0].Partition, fmt.Sprintf("%04d_", p.day))}
		var left []entity.Key
		see := func(row target.Row) {
			if slices.Contains(tried, row.Key) {
				left = append(left, row.Key)
			}
		}
		return Send(ReadAll(p.table, q, see, func() Turn {
			p.Add("deleted", int64(count-len(left)))
			p.found = append(left, rest...)
			return p.next()
		}))
	}))
}

func (p *purge) deleted(count int) Turn {
	p.Add("deleted", int64(count))
	p.found = p.found[count:]
	return p.next()
}
