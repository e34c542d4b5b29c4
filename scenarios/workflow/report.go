package workflow

import "loadgen/engine/entity"

// Written is the outcome of a write.
type Written uint8

// The outcomes of a write.
const (
	// Absent: nothing was written.
	Absent Written = iota
	// Acknowledged: the service replied so, or a retry found the write.
	Acknowledged
	// Unknown: it may have been written.
	Unknown
)

// Report describes what a workflow left in the table once its operation has ended.
type Report struct {
	ID      WriteID
	Written Written
	// Verb is the verb of each write, Keys are the keys of the entities: one, or those of a
	// transaction. Callers must not change the slice.
	Verb entity.Verb
	Keys []entity.Key
	// Version is the entity's version after the write, 0 if unknown, as of deletions and transactions.
	Version entity.Ticks
	// Superseded reports that a later write had replaced the write when it was found.
	Superseded bool
	// Conditional reports that only the version read was overwritten. An unconditional write lingers
	// after an attempt without a reply: it may be executed again at any time.
	Conditional, Lingers bool
	// Own409, Own412 and Own404 report that the operation met its own success. A deletion that
	// finds nothing after an attempt without a reply may also have met another deletion.
	Own409, Own412, Own404 bool
	// Conflicts counts the replies caused by other clients' writes.
	Conflicts int
	// Counter is the property that was increased, empty for none, and From the least value that the
	// operation read.
	Counter string
	From    int64
}

// trace follows a write.
type trace struct {
	// silent reports an attempt without a reply whose outcome is still unknown, lingered that there
	// was one at all, mayLinger that the write may then be executed again at any time.
	silent, lingered, mayLinger bool
	report                      Report
}

// follow records an attempt that may have been executed without a reply.
func (t *trace) follow(a *Attempt) {
	if a.Silent || a.Outcome.Unheard() {
		t.silent, t.lingered = true, true
	}
}

func (t *trace) acknowledge(version entity.Ticks) {
	t.silent = false
	t.report.Written, t.report.Version = Acknowledged, version
}

func (t *trace) asReport() Report {
	r := t.report
	if t.silent {
		r.Written = Unknown
	}
	r.Lingers = t.lingered && t.mayLinger
	return r
}

// Ok reports whether a status is a success.
func Ok(status int) bool { return status >= 200 && status < 300 }

// Missing reports whether a reply states that the entity does not exist.
func Missing(status int, code entity.Code) bool { return status == 404 && code != entity.TableNotFound }
