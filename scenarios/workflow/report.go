package workflow

import "loadgen/engine/entity"

// Written is what a write came to.
type Written uint8

// What a write can have come to.
const (
	// Absent: it is known that nothing was written.
	Absent Written = iota
	// Acknowledged: the service said so, or the write met its own success.
	Acknowledged
	// Unknown: it may be there or not.
	Unknown
)

// Report is what a workflow left in the table, once its operation has ended,
// however that came.
type Report struct {
	ID      WriteID
	Written Written
	// Verb is what the operation was asked to do to each entity, Keys are those that
	// it wrote: one, or those of a transaction. The slice is the workflow's.
	Verb entity.Verb
	Keys []entity.Key
	// Version is what the write made of its entity, 0 where that is not known: of a
	// deletion, of a transaction.
	Version entity.Ticks
	// Superseded says that a later write was already there when the write was found.
	Superseded bool
	// Conditional reports that only what was read was overwritten. An unconditional write lingers
	// after an attempt without a reply: it may be executed again at any time.
	Conditional, Lingers bool
	// Own409, Own412 and Own404 report that the operation met its own success. A deletion that
	// finds nothing after an attempt without a reply may also have met another deletion.
	Own409, Own412, Own404 bool
	// Conflicts counts the replies caused by other clients' writes.
	Conflicts int
	// Counter is the property that was raised, empty for none, and From the least
	// value that the operation read of it.
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

// Audited is a workflow that says what it left in the table.
type Audited interface {
	Workflow
	// Report is called once the operation has ended. A report without keys is of a workflow that
	// does not say what it left.
	Report() Report
}

// Ok reports whether a status is a success.
func Ok(status int) bool { return status >= 200 && status < 300 }

// Missing reports whether a reply says that the entity is not there.
func Missing(status int, code entity.Code) bool { return status == 404 && code != entity.TableNotFound }
