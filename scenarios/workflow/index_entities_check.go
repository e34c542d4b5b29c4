package workflow

import (
	"slices"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexWorker receives messages, repairs the lists that each names by what the entity is by then,
// and deletes the message. A message that is received twice, as where the worker crashed before it
// deleted it, or by two workers out of turn, does no harm: it says what to look at and not what to
// do.
type indexWorker struct {
	*indexLists
	hidden time.Duration
	most   int
	// crashes is the request of the turn after which the worker crashes, 0 for none.
	crashes int
}

// The requests after which a worker crashes.
const (
	crashReceived = iota + 1
	crashRepaired
	crashUndeleted
)

func newIndexWorker(s *Setting, a Arguments, most int) *indexWorker {
	return &indexWorker{newIndexLists(s, a), a.Duration("hidden"), most, 0}
}

func (x *indexWorker) receive() Request { return receive(x.StoreOf(x.queue), x.most, x.hidden) }

// handle is one turn of the worker.
func (x *indexWorker) handle(t *Tx) (handled int, silent bool) {
	received := t.Send(x.receive())
	t.CrashIf(len(received.Found) > 0 && x.crashes == crashReceived)
	for _, m := range received.Found {
		about, notes := parseIndexMessage(m.Body)
		for _, note := range notes {
			lists := *x.indexLists
			lists.indexOf = note.indexOf
			lists.repair(t, note.key, about, note.name)
			t.CrashIf(x.crashes == crashRepaired)
		}
		t.CrashIf(x.crashes != 0)
		t.Send(remove(x.StoreOf(x.queue), m))
		t.Add("handled", 1)
	}
	return len(received.Found), received.Silent
}

// parseIndexMessage reads what [indexChange.message] writes. Any other message has no notes.
func parseIndexMessage(body []byte) (about entity.Key, notes []indexNote) {
	lines := strings.Split(string(body), "\n")
	about.Partition, about.Row, _ = strings.Cut(lines[0], "\t")
	for _, line := range lines[1:] {
		if parts := strings.Split(line, "\t"); len(parts) == 7 {
			of := indexOf{parts[3], parts[4], parts[5], parts[6]}
			notes = append(notes, indexNote{entity.Key{Partition: parts[0], Row: parts[1]}, parts[2], of})
		}
	}
	return about, notes
}

// newIndexCheck returns the check that each entity is in the list of its value only, and that lists
// name nothing else. It processes the queue first, if there is one.
func newIndexCheck(s *Setting, a Arguments) Check {
	// The check does not restore entries that a blind worker removed. It loses none itself: no
	// other client writes now.
	return newFinding("lists name each entity that is there, and nothing else", func(t *Tx, f *Findings) {
		worker := newIndexWorker(s, a, maxReceived)
		if worker.form != indexTogether {
			drain(t, worker.hidden, worker.handle)
		}
		c := indexCheck{indexLists: worker.indexLists}
		c.readAll(t)
		c.judge(f)
	})
}

// indexCheck compares entities and lists.
type indexCheck struct {
	*indexLists
	entities []indexEntity
	lists    []*indexList
}

// indexEntity is one that is there.
type indexEntity struct {
	key   entity.Key
	value string
}

// readAll reads the entities and the lists.
func (c *indexCheck) readAll(t *Tx) {
	for row := range t.Rows(Query(c.Table, target.Query{})) {
		if _, listed := row.Entity.Lookup(c.property); listed {
			c.entities = append(c.entities, indexEntity{row.Key, c.value(row.Entity)})
		} else {
			c.see(row)
		}
	}
	if c.form == indexBlob {
		c.readBlobs(t)
	} else if c.table() != c.Table {
		for row := range t.Rows(Query(c.table(), target.Query{})) {
			c.see(row)
		}
	}
}

// see adds an entity that is a list of this index.
func (c *indexCheck) see(row target.Row) {
	l := &indexList{key: row.Key}
	if l.unpack(row.Entity) && l.of == c.property {
		c.lists = append(c.lists, l)
	}
}

// readBlobs reads the lists that are blobs.
func (c *indexCheck) readBlobs(t *Tx) {
	store := c.StoreOf(c.container)
	var names []string
	for blob := range t.blobs(store, "", 1) {
		names = append(names, blob.Name)
	}
	for _, name := range names {
		l := new(indexList)
		l.fill(string(t.Send(Beside(target.Beside{Verb: target.GetBlob, Store: store, Name: name})).Found[0].Body))
		if l.of == c.property {
			c.lists = append(c.lists, l)
		}
	}
}

// judge compares both ways.
func (c *indexCheck) judge(f *Findings) {
	values := make(map[entity.Key]string, len(c.entities))
	for _, one := range c.entities {
		values[one.key] = one.value
	}
	named := make(map[entity.Key]int)
	for _, l := range c.lists {
		for _, id := range l.ids {
			key := c.named(l, id)
			value, there := values[key]
			if !there {
				value = "missing"
			} else if value == l.name {
				named[key]++
			}
			f.Look(there && value == l.name, "the list of %s names %s, which is %s", l.name, blobName(key), value)
		}
	}
	for _, one := range c.entities {
		f.Look(named[one.key] == 1, "%s is %s and is listed %d times; want once", blobName(one.key), one.value, named[one.key])
	}
	slices.Sort(f.Examples)
}
