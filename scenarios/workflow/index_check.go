package workflow

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexCheck checks that each entity is in the list of its value only, and that lists name nothing
// else. It processes the queue first, if there is one.
type indexCheck struct {
	*Finding
	*indexLists
	worker *indexWork
	// rests says that nothing was received after all that is hidden had time to appear.
	rests    bool
	entities []indexEntity
	lists    []*indexList
	// blobs are the names of the lists that are still to be read.
	blobs []string
}

// indexEntity is one that is there.
type indexEntity struct {
	key   entity.Key
	value string
}

func newIndexCheck(s *Setting, a Arguments) Check {
	c := &indexCheck{indexLists: newIndexLists(s, a)}
	// The check does not restore entries that a blind worker removed. It loses none itself: no
	// other client writes now.
	return newFinding("lists name each entity that is there, and nothing else", func(f *Finding) Request {
		c.Finding = f
		c.worker = &indexWork{c.indexLists, f.Script, a.Duration("hidden"), maxReceived, 0}
		if c.form == indexTogether {
			return c.readEntities()
		}
		return c.drain()
	})
}

// drain returns the request that processes the queue. It waits until hidden messages would have
// reappeared.
func (c *indexCheck) drain() Request {
	return c.worker.receive(func(handled int, unheard bool) Turn {
		switch {
		case handled > 0 || unheard:
			c.rests = false
			return Send(c.drain())
		case c.rests:
			return Send(c.readEntities())
		default:
			c.rests = true
			return SendAfter(c.worker.hidden+time.Second, c.drain())
		}
	})
}

// readEntities returns the request for all that is in the table of the entities.
func (c *indexCheck) readEntities() Request {
	see := func(row target.Row) {
		if _, listed := row.Entity.Lookup(c.property); listed {
			c.entities = append(c.entities, indexEntity{row.Key, c.value(row.Entity)})
		} else {
			c.seeList(row)
		}
	}
	return ReadAll(c.Table, target.Query{}, see, func() Turn {
		switch {
		case c.form == indexBlob:
			return Send(c.listBlobs("", ""))
		case c.table() != c.Table:
			return Send(ReadAll(c.table(), target.Query{}, c.seeList, c.judge))
		default:
			return c.judge()
		}
	})
}

// seeList takes a list down that is an entity, and one of this index.
func (c *indexCheck) seeList(row target.Row) {
	l := &indexList{key: row.Key}
	if l.unpack(row.Entity) && l.of == c.property {
		c.lists = append(c.lists, l)
	}
}

// listBlobs returns the request for the names of the lists that are blobs.
func (c *indexCheck) listBlobs(after, marker string) Request {
	list := target.Beside{Verb: target.ListBlobs, Store: c.StoreOf(c.container), After: after, Marker: marker}
	return Aside(list, target.Expected{NotFound: true}, func(a Attempt) Turn {
		for _, one := range a.Outcome.Found {
			c.blobs = append(c.blobs, one.Name)
		}
		switch found := a.Outcome.Found; {
		case a.Outcome.Marker != "":
			return Send(c.listBlobs(after, a.Outcome.Marker))
		case len(found) > 0:
			return Send(c.listBlobs(found[len(found)-1].Name, ""))
		}
		return c.readBlobs()
	})
}

// readBlobs goes on with the lists that are blobs.
func (c *indexCheck) readBlobs() Turn {
	if len(c.blobs) == 0 {
		return c.judge()
	}
	get := target.Beside{Verb: target.GetBlob, Store: c.StoreOf(c.container), Name: c.blobs[0]}
	return Send(Aside(get, target.Expected{}, func(a Attempt) Turn {
		l := new(indexList)
		if l.fill(string(a.Outcome.Found[0].Body)); l.of == c.property {
			c.lists = append(c.lists, l)
		}
		c.blobs = c.blobs[1:]
		return c.readBlobs()
	}))
}

// judge compares both ways.
func (c *indexCheck) judge() Turn {
	values := make(map[entity.Key]string, len(c.entities))
	for _, one := range c.entities {
		values[one.key] = one.value
	}
	named := make(map[entity.Key]int)
	for _, l := range c.lists {
		for _, id := range l.ids {
			key := c.named(l, id)
			c.Found.Looked++
			switch value, there := values[key]; {
			case !there:
				c.Found.Fault(fmt.Sprintf("the list of %s names %s, which is missing", l.name, blobName(key)))
			case value != l.name:
				c.Found.Fault(fmt.Sprintf("the list of %s names %s, which is %s", l.name, blobName(key), value))
			default:
				named[key]++
			}
		}
	}
	for _, one := range c.entities {
		c.Found.Looked++
		if times := named[one.key]; times != 1 {
			c.Found.Fault(fmt.Sprintf("%s is %s and is listed %d times; want once", blobName(one.key), one.value, times))
		}
	}
	slices.Sort(c.Found.Examples)
	return End()
}
