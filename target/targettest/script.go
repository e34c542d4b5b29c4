package targettest

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/target"
)

// script is one check at work: it sends operations, keeps books of what came
// back and reports what should have come. Its do is safe for concurrent use.
type script struct {
	Reporter
	subject Subject
	// table is the check's own table, created before it starts.
	table string

	lock   sync.Mutex
	number uint64
	// created are the tables to delete in the end.
	created []string
	// before are the target's books at the start; told is what the outcomes
	// since then add up to.
	before target.Counts
	told   target.Counts
}

// A throttled attempt is made again after a pause, for 20 s of the target's time.
const (
	pause         = 50 * time.Millisecond
	mostThrottled = 400
)

// do sends an operation and returns its outcome. Where the target may throttle
// it sends again what was throttled.
func (s *script) do(op target.Operation) target.Outcome {
	s.Helper()
	if op.Table == "" {
		op.Table = s.table
	}
	s.lock.Lock()
	s.number++
	op.Number = s.number
	s.lock.Unlock()
	for ; ; op.Attempt++ {
		outcome := s.subject.Do(&op)
		s.enter(&outcome)
		throttled := outcome.Class(target.Expected{}) == results.Throttled
		if !throttled || s.subject.Unlimited || op.Attempt == mostThrottled {
			return outcome
		}
		s.subject.Pause(pause)
	}
}

// enter books an outcome.
func (s *script) enter(o *target.Outcome) {
	s.lock.Lock()
	defer s.lock.Unlock()
	Enter(&s.told, o)
}

// must sends an operation that has to succeed; the check ends where it does
// not.
func (s *script) must(op target.Operation) target.Outcome {
	s.Helper()
	outcome := s.do(op)
	if outcome.Class(target.Expected{}) != results.Ok || outcome.Code != entity.OK {
		s.fatalf("%s = %s; want success", describe(&op), result(&outcome))
	}
	if outcome.Detail != "" {
		s.Errorf("%s succeeded with the detail %q; want none", describe(&op), outcome.Detail)
	}
	return outcome
}

// wants sends an operation that has to end with this code, its status and a line
// for a person.
func (s *script) wants(code entity.Code, op target.Operation) target.Outcome {
	s.Helper()
	outcome := s.do(op)
	if outcome.Status != code.Status() || outcome.Code != code {
		s.Errorf("%s = %s; want %d %s", describe(&op), result(&outcome), code.Status(), code)
	}
	if outcome.Detail == "" {
		s.Errorf("%s = %s without a detail; want a line for a person", describe(&op), result(&outcome))
	}
	return outcome
}

func (s *script) fatalf(format string, args ...any) {
	s.Helper()
	s.Errorf(format, args...)
	s.FailNow()
}

// create makes a table that is deleted when the check ends.
func (s *script) create(name string) {
	s.Helper()
	s.must(target.Operation{Verb: entity.CreateTable, Table: name})
	s.created = append(s.created, name)
}

// dropTables deletes what the check created and has not deleted itself. How
// that ends is no part of any rule.
func (s *script) dropTables() {
	for _, name := range s.created {
		s.do(target.Operation{Verb: entity.DeleteTable, Table: name})
	}
}

// write returns a single write without a condition.
func write(verb entity.Verb, key entity.Key, properties ...entity.Property) target.Operation {
	return writeIf(verb, entity.Match{}, key, properties...)
}

func writeIf(verb entity.Verb, match entity.Match, key entity.Key, properties ...entity.Property) target.Operation {
	return target.Operation{Verb: verb, Change: entity.Change{Verb: verb, Key: key, Properties: properties, Match: match}}
}

func get(key entity.Key) target.Operation {
	return target.Operation{Verb: entity.Get, Change: entity.Change{Verb: entity.Get, Key: key}}
}

// row returns a key in the partition that most checks use.
func row(row string) entity.Key { return entity.Key{Partition: "p", Row: row} }

func text(name, value string) entity.Property {
	return entity.Property{Name: name, Value: entity.String(value)}
}

// holds checks that an entity is there with exactly these properties, in any
// order, and returns the outcome of reading it.
func (s *script) holds(key entity.Key, want ...entity.Property) target.Outcome {
	s.Helper()
	outcome := s.must(get(key))
	s.sameProperties(key, outcome.Entity, want)
	if outcome.Returned != 1 {
		s.Errorf("get %s returned %d entities; want 1", name(key), outcome.Returned)
	}
	return outcome
}

// lacks checks that an entity is not there.
func (s *script) lacks(key entity.Key) {
	s.Helper()
	s.wants(entity.ResourceNotFound, get(key))
}

func (s *script) sameProperties(key entity.Key, packed entity.Packed, want []entity.Property) {
	s.Helper()
	got, err := packed.Unpack(nil)
	if err != nil {
		s.fatalf("entity %s cannot be read: %v", name(key), err)
	}
	if len(got) != len(want) {
		s.Errorf("entity %s has %d properties; want %d", name(key), len(got), len(want))
	}
	for _, property := range want {
		if value, ok := packed.Lookup(property.Name); !ok || !value.Equal(property.Value) {
			s.Errorf("property %s of entity %s = %v (there: %v); want %v", property.Name, name(key), value, ok, property.Value)
		}
	}
}

func describe(op *target.Operation) string {
	switch op.Verb {
	case entity.Batch:
		return fmt.Sprintf("batch of %d", len(op.Changes))
	case entity.Query:
		return fmt.Sprintf("query of %+v", op.Query)
	case entity.CreateTable, entity.DeleteTable:
		return fmt.Sprintf("%v %s", op.Verb, op.Table)
	default:
		return fmt.Sprintf("%v %s", op.Verb, name(op.Change.Key))
	}
}

func name(key entity.Key) string { return fmt.Sprintf("%+q/%+q", key.Partition, key.Row) }

func result(o *target.Outcome) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", o.Status, o.Code, o.Detail))
}
