package replay

import (
	"fmt"
	"strings"
	"time"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/logs"
)

// Operation is what a client wanted of one entity.
type Operation struct {
	// At is when its first attempt was received, since the first operation.
	At   time.Duration
	Verb entity.Verb
	Key  entity.Key
}

// Operations are those of a log that can be replayed, in their order, and what became of
// them.
type Operations struct {
	List []Operation
	// Attempts are their requests, Throttled those that were throttled, Retries those that
	// sent an operation once more.
	Attempts, Throttled, Retries int64
	// Lost are the operations of which no attempt was answered.
	Lost int64
	// Unkeyed requests do not say their key, Queries are not replayed.
	Unkeyed, Queries int64
	// Bytes is the mean size of what was written, 0 where no line says it.
	Bytes int64
	// Bodies are those of single writes.
	Bodies  bodies
	Reading *logs.Reading
}

// window is for how long an attempt after one that was not answered, with the id of the same
// client, is a retry.
const window = 2 * time.Minute

// pending is an operation that may be tried again.
type pending struct {
	key  entity.Key
	verb entity.Verb
	last time.Duration
	lost bool
}

// gatherer is a log on its way to its operations.
type gatherer struct {
	found *Operations
	first entity.Ticks
	begun bool
	// tried are the operations whose client may come again, by its id.
	tried          map[string]*pending
	written, wrote int64
}

// mostTried bounds the operations that may be tried again at a time.
const mostTried = 1 << 18

// Gather reads the operations of a log that are about one entity whose key is known. A
// request with the id of one that was not answered before, for the same on the same key and
// within two minutes, is no operation of its own. The error is as of [logs.Read].
func Gather(files []logs.Source, o logs.Options) (*Operations, error) {
	g := &gatherer{found: &Operations{Reading: new(logs.Reading)}, tried: make(map[string]*pending)}
	if err := logs.Read(files, o, g.found.Reading, g.take); err != nil {
		return nil, err
	}
	for _, one := range g.tried {
		if one.lost {
			g.found.Lost++
		}
	}
	if err := g.found.Reading.Missing(o.Table); err != nil {
		return nil, err
	}
	if len(g.found.List) == 0 {
		return nil, fmt.Errorf("%w: no line is of an operation on one entity whose key it says (%d are queries, %d say no RowKey); expected some to replay", logs.ErrSource, g.found.Queries, g.found.Unkeyed)
	}
	if g.wrote > 0 {
		g.found.Bytes = g.written / g.wrote
	}
	return g.found, nil
}

func (g *gatherer) take(e *accesslog.Entry) error {
	f := g.found
	switch {
	case e.Verb == entity.Query:
		f.Queries++
		return nil
	case e.Verb < entity.Insert || e.Verb > entity.Batch:
		return nil
	case !e.KeyedRow:
		f.Unkeyed++
		return nil
	}
	if !g.begun {
		g.begun, g.first = true, e.At
	}
	at := time.Duration(e.At-g.first) * 100
	outcome := e.Outcome()
	if f.Attempts++; outcome == accesslog.Throttled {
		f.Throttled++
	}
	if e.Verb != entity.Get && e.Verb != entity.Delete && e.RequestPacket > 0 {
		g.written, g.wrote = g.written+e.RequestPacket, g.wrote+1
		f.Bodies.add(e.RequestPacket)
	}
	if before := g.tried[e.ClientID]; before != nil && e.ClientID != "" {
		if before.verb == e.Verb && before.key == e.Key && at-before.last < window {
			f.Retries++
			if before.last = at; outcome != accesslog.Throttled {
				delete(g.tried, e.ClientID)
			}
			return nil
		}
		f.Lost++
		delete(g.tried, e.ClientID)
	}
	if len(f.List) == arrival.MaxTraceRows {
		return accesslog.Stop(fmt.Errorf("%w: there are more than %d operations; expected fewer: fewer files, or --table", logs.ErrSource, arrival.MaxTraceRows))
	}
	key := entity.Key{Partition: strings.Clone(e.Key.Partition), Row: strings.Clone(e.Key.Row)}
	f.List = append(f.List, Operation{At: at, Verb: e.Verb, Key: key})
	if outcome == accesslog.Throttled {
		g.wait(e.ClientID, &pending{key: key, verb: e.Verb, last: at, lost: true})
	}
	return nil
}

// wait keeps an operation that may be tried again.
func (g *gatherer) wait(id string, one *pending) {
	if id == "" || len(g.tried) >= mostTried {
		for other, old := range g.tried {
			if one.last-old.last >= window {
				g.found.Lost++
				delete(g.tried, other)
			}
		}
	}
	if id == "" || len(g.tried) >= mostTried {
		g.found.Lost++
		return
	}
	g.tried[id] = one
}
