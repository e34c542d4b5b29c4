package workflow

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/target"
)

// FindWrite is a write of an entity whose key is not known: it reads page after page
// of a query until it has met the entity, and then writes it.
//
//	query ─► page with the entity ─► write
//	query ─► page without, and a token ─► query, from the token on
//	query ─► page without, and no token: done, there was nothing to write
type FindWrite struct {
	query target.Operation
	// wanted is the key of the entity where the query reads it: its own, or that of a
	// copy.
	wanted entity.Key
	write  Workflow
	found  bool
}

var _ Audited = (*FindWrite)(nil)

// NewFindWrite returns the workflow of a query and what follows it once an entity of
// that key was on a page. Of what it writes it takes the workflow over.
func NewFindWrite(query target.Operation, wanted entity.Key, write Workflow) *FindWrite {
	return &FindWrite{query: query, wanted: wanted, write: write}
}

// Requests returns what the operation sends where each request succeeds at once and
// the first page holds the entity.
func (f *FindWrite) Requests() []target.Operation {
	return append([]target.Operation{f.query}, Requests(f.write)...)
}

// Begin implements [Workflow].
func (f *FindWrite) Begin() target.Operation { return f.query }

// Next implements [Workflow].
func (f *FindWrite) Next(a Attempt) (Move, target.Operation) {
	switch {
	case f.found:
		return f.write.Next(a)
	case !Ok(a.Outcome.Status):
		return Settle, target.Operation{}
	case slices.ContainsFunc(a.Outcome.Rows, func(r target.Row) bool { return r.Key == f.wanted }):
		f.found = true
		return Proceed, f.write.Begin()
	case a.Outcome.Next.Present:
		f.query.Query.Token = a.Outcome.Next
		return Proceed, f.query
	default:
		return Succeed, target.Operation{}
	}
}

// Counter implements [Counted].
func (f *FindWrite) Counter(add func(name string, count int64)) {
	if told, counts := f.write.(Counted); counts {
		told.Counter(add)
	}
}

// Report implements [Audited]: nothing was written, unless the pending write reports so.
func (f *FindWrite) Report() Report {
	if told, audited := f.write.(Audited); audited {
		return told.Report()
	}
	return Report{}
}
