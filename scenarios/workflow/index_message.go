package workflow

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexNote names a list in a message, and says of which index it is: several may go by one
// queue.
type indexNote struct {
	key  entity.Key
	name string
	indexOf
}

func (x *indexChange) touch(name string) {
	note := indexNote{x.listed(name), name, x.indexOf}
	if !slices.Contains(x.touched, note) {
		x.touched = append(x.touched, note)
	}
}

// first reports whether the message is put before the entity is written.
func (x *indexChange) first() bool { return x.call.Arguments.Text("announced") == "first" }

// before returns the message and then the write, or the write where the message is to
// come last. It foresees what it returns, unless that was done.
func (x *indexChange) before(write Request, foreseen ...target.Operation) Request {
	announce := x.message(func(Attempt) Turn {
		if x.killed {
			return x.s.EndWith("killed", 1)
		}
		return Send(write)
	})
	if len(foreseen) > 0 && x.first() {
		x.s.Foresee(append([]target.Operation{announce.Operation}, foreseen...)...)
	} else if len(foreseen) > 0 {
		x.s.Foresee(append(foreseen, announce.Operation)...)
	}
	if x.first() {
		return announce
	}
	return write
}

// after goes on when the entity is as it is to be: with the message, where that comes
// last and there is something to be set right.
func (x *indexChange) after() Turn {
	switch {
	case x.together() || x.first() || len(x.touched) == 0:
		return End()
	case x.killed:
		return x.s.EndWith("killed", 1)
	default:
		return Send(x.message(nil))
	}
}

// message returns the request that puts what has to be set right on the queue.
func (x *indexChange) message(then func(a Attempt) Turn) Request {
	// The key of the entity that has changed, and a line for each list that may have to.
	about := x.own()
	lines := []string{about.Partition + "\t" + about.Row}
	for _, one := range x.touched {
		lines = append(lines, strings.Join([]string{one.key.Partition, one.key.Row, one.name, one.form, one.place, one.container, one.property}, "\t"))
	}
	put := target.Beside{Verb: target.PutMessage, Store: x.StoreOf(x.queue), Body: []byte(strings.Join(lines, "\n"))}
	if x.first() {
		put.Hidden = x.call.Arguments.Duration("hidden")
	}
	return Aside(put, target.Expected{}, then)
}
