package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// The steps after which a worker can die. After the last one but the message nothing is
// left to be done, but the message.
const (
	anyStep     = "any"
	stepReceive = "received"
	stepRead    = "read"
	stepCopy    = "copied"
	stepDelete  = "deleted"
)

func archiveSteps() []string { return []string{stepReceive, stepRead, stepCopy, stepDelete} }

// archiveWorker carries out what messages ask for. Every step can be carried out twice, also by two
// workers at once: the copy is written over itself, and the original may be deleted already.
//
//	receive ─► get ─► write the copy ─► delete the original ─► delete the message
type archiveWorker struct {
	// current and archive are tables, queue and poison queues.
	current, archive string
	queue, poison    string
	// attempts is how often a message is received before it is poison, 0 for unlimited.
	attempts int
}

func newArchiveWorker(s *Setting, a Arguments) *archiveWorker {
	return &archiveWorker{current: s.Table, archive: s.TableOf(a.Text("place")),
		queue: s.StoreOf(a.Text("queue")), poison: s.StoreOf(a.Text("poison")), attempts: a.Count("attempts")}
}

// carryOut carries one message out. If the worker crashes after the step that crash returns, the
// message returns.
func (w *archiveWorker) carryOut(t *Tx, m target.Found, crash func() string) {
	if w.attempts > 0 && m.Received > w.attempts {
		// It is put onto its own queue first, so that it can be there twice but is never lost.
		t.Send(put(w.poison, m.Body, 0))
		t.Add("poisoned", 1)
		w.forget(t, m)
		return
	}
	if m.Received > 1 {
		t.Add("again", 1)
	}
	after := crash()
	t.CrashIf(after == stepReceive)
	asked, sound := parseMove(m.Body)
	if !sound {
		t.Add("malformed", 1)
		return
	}
	original := t.Send(Read(w.current, asked.From))
	if original.Missing() {
		// Another worker moved it and crashed, or another message requested it.
		t.Add("repeated", 1)
		w.forget(t, m)
		return
	}
	properties := t.properties(original)
	t.CrashIf(after == stepRead)
	t.Send(w.copied(asked.To, properties))
	t.CrashIf(after == stepCopy)
	if reply := t.Send(WriteOne(w.current, deletion(asked.From), 404)); reply.OK() || reply.Silent {
		t.Add("moved", 1)
	} else {
		t.Add("repeated", 1)
	}
	t.CrashIf(after == stepDelete)
	w.forget(t, m)
}

// copied returns the request that writes an entity to the archive, there or not.
func (w *archiveWorker) copied(key entity.Key, properties []entity.Property) Request {
	return WriteOne(w.archive, entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: properties})
}

// forget deletes a message. Where the worker took longer than the visibility timeout, another worker
// has the message, and will find that all is done.
func (w *archiveWorker) forget(t *Tx, m target.Found) {
	if reply := t.Send(remove(w.queue, m)); !reply.OK() && !reply.Silent {
		t.Add("overtaken", 1)
	}
}
