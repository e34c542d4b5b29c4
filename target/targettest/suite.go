package targettest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// Run runs every check as a subtest, each on a subject that open returns for
// it. A target that keeps its state between them is allowed.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for _, check := range Checks() {
		t.Run(check.Name, func(t *testing.T) { check.Run(t, open(t)) })
	}
}

// Reporter is the part of [testing.T] that a check needs. FailNow must not
// return to its caller.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
}

var _ Reporter = (*testing.T)(nil)

// Check is one rule that every target keeps.
type Check struct {
	// Name says the rule.
	Name string
	// Run reports how the subject breaks the rule. The subject must be in use
	// by nobody else.
	Run func(Reporter, Subject)
}

// Failures runs the check and returns how the subject breaks the rule.
func (c Check) Failures(s Subject) []string {
	var r recorder
	var alone sync.WaitGroup
	alone.Go(func() { c.Run(&r, s) }) // which FailNow may end
	alone.Wait()
	return r.texts
}

// recorder is a Reporter that keeps the failures.
type recorder struct {
	lock  sync.Mutex
	texts []string
}

func (*recorder) Helper()  {}
func (*recorder) FailNow() { runtime.Goexit() }

func (r *recorder) Errorf(format string, args ...any) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

// Checks returns the suite, in the order in which [Run] runs it. The slice is
// the caller's.
func Checks() []Check {
	var checks []Check
	add := func(name string, body func(*script)) {
		number := len(checks)
		checks = append(checks, Check{name, func(r Reporter, s Subject) {
			r.Helper()
			perform(r, s, number, body)
		}})
	}
	addTables(add)
	addSingles(add)
	addConditions(add)
	addTransactions(add)
	addQueries(add)
	addFilters(add)
	addKeys(add)
	addBooks(add)
	return checks
}

// perform runs the body of a check in a table of its own and then compares the
// books.
func perform(r Reporter, subject Subject, number int, body func(*script)) {
	r.Helper()
	if subject.Prefix == "" {
		subject.Prefix = "conform"
	}
	s := &script{Reporter: r, subject: subject, table: fmt.Sprintf("%sT%02d", subject.Prefix, number)}
	s.number = uint64(number) << 32
	if subject.Counts != nil {
		s.before = subject.Counts()
	}
	// Deferred, since a check that gives up leaves by FailNow.
	defer s.dropTables()
	s.create(s.table)
	body(s)
	s.compareBooks()
}
