package workflow

import (
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/target"
)

// indexNote names a list and its index in a message: several indexes may share a queue.
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

// announcesFirst reports whether the message is put before the entity is written.
func (x *indexChange) announcesFirst() bool { return x.call.Arguments.Text("announced") == "first" }

// announce returns the message and then the write, or the write if the message is last. It foresees
// both, unless that was done.
func (x *indexChange) announce(write Request, foreseen ...target.Operation) Request {
	announce := x.message(func(Attempt) Turn {
		if x.killed {
			return x.s.EndWith("killed", 1)
		}
		return Send(write)
	})
	if len(foreseen) > 0 && x.announcesFirst() {
		x.s.Foresee(append([]target.Operation{announce.Operation}, foreseen...)...)
	} else if len(foreseen) > 0 {
		x.s.Foresee(append(foreseen, announce.Operation)...)
	}
	if x.announcesFirst() {
		return announce
	}
	return write
}

// finish sends the message if it is last and lists need a repair.
func (x *indexChange) finish() Turn {
	switch {
	case x.together() || x.announcesFirst() || len(x.touched) == 0:
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
	if x.announcesFirst() {
		put.Hidden = x.call.Arguments.Duration("hidden")
	}
	return Aside(put, target.Expected{}, then)
}
