package results

import (
	"errors"
	"fmt"
	"reflect"
	"time"
)

// ErrMergeMismatch is wrapped where records are not of one kind.
var ErrMergeMismatch = errors.New("the runs do not fit together")

// MergeMismatch is a field of run.json in which a part is not as the others.
type MergeMismatch struct {
	Part, Field string
	// Says is what it has, and what was expected.
	Says string
}

// Error implements error.
func (m *MergeMismatch) Error() string {
	return fmt.Sprintf("%v: %s, %s: %s", ErrMergeMismatch, m.Part, m.Field, m.Says)
}

// Unwrap returns [ErrMergeMismatch].
func (m *MergeMismatch) Unwrap() error { return ErrMergeMismatch }

// agreed are the fields that have to be the same in all parts. Builds, texts of a scenario,
// seeds and machines may differ, and are told.
var agreed = []struct {
	field string
	of    func(*Record) any
}{
	{"schema_version", func(r *Record) any { return r.SchemaVersion }},
	{"manifest.scenario.name", func(r *Record) any { return r.Manifest.Scenario.Name }},
	{"manifest.target", func(r *Record) any { return r.Manifest.Target }},
	{"manifest.time", func(r *Record) any { return r.Manifest.Time }},
	{"manifest.start", func(r *Record) any { return r.Manifest.Start }},
	{"manifest.profile", func(r *Record) any { return r.Manifest.Profile }},
	{"manifest.retry", func(r *Record) any { return r.Manifest.Retry }},
	{"manifest.driver", func(r *Record) any { return r.Manifest.Driver }},
	{"manifest.client", func(r *Record) any { return r.Manifest.Client }},
	{"manifest.accounts", func(r *Record) any { return r.Manifest.Accounts }},
	{"manifest.service", func(r *Record) any { return r.Manifest.Service }},
	{"manifest.genuine", func(r *Record) any { return r.Manifest.Genuine }},
	{"manifest.emulator", func(r *Record) any { return r.Manifest.Emulator }},
	{"manifest.limits_known", func(r *Record) any { return r.Manifest.LimitsKnown }},
	{"manifest.stand_ins", func(r *Record) any { return text(r.Manifest.StandIns) }},
	{"manifest.partition_key", func(r *Record) any { return r.Manifest.PartitionKey }},
	{"manifest.spread.partitions", func(r *Record) any {
		if r.Manifest.Spread == nil {
			return 0
		}
		return r.Manifest.Spread.Partitions
	}},
	{"manifest.dataless", func(r *Record) any { return r.Manifest.Dataless }},
	{"manifest.checks", func(r *Record) any { return text(r.Manifest.Checks) }},
	{"manifest.arrivals_spread_over_ns", func(r *Record) any { return r.Manifest.SpreadOver }},
	{"manifest.faults", func(r *Record) any { return text(r.Manifest.Faults) }},
	{"manifest.anti_pattern", func(r *Record) any { return r.Manifest.AntiPattern }},
	{"manifest.targets", func(r *Record) any {
		// Of the modelled targets of several runs that of one: which are the documents' is told
		// by their numbers.
		of := Targets{Partition: r.Manifest.Targets.Partition, Account: r.Manifest.Targets.Account}
		if r.Manifest.Modelled() && r.Manifest.Merged != nil {
			runs := int64(max(1, len(r.Manifest.Merged.Runs)))
			of.Partition, of.Account = of.Partition/runs, of.Account/runs
		}
		return of
	}},
	{"manifest.model", func(r *Record) any { return text(r.Manifest.Model) }},
	{"manifest.operations", func(r *Record) any { return text(r.Manifest.Operations) }},
}

// text is a list in one form, whether it is empty or nil.
func text[T any](list []T) string { return fmt.Sprint(list) }

// apart is how far the begins of a phase may lie from each other: less than the second in
// which intervals tell of it.
const apart = time.Second

// check returns in what the parts do not fit together.
func check(parts []MergePart) error {
	if len(parts) == 0 {
		return &MergeMismatch{Part: "none", Field: "runs", Says: "there is no run; expected one or more"}
	}
	first := parts[0]
	for i, part := range parts {
		wrong := func(field, format string, args ...any) error {
			return &MergeMismatch{part.Name, field, fmt.Sprintf(format, args...)}
		}
		switch r := part.Record; {
		case r.Validity == Partial && r.Duration == 0:
			return wrong("duration_ns", "the record is not closed: the run was killed or is still running")
		case r.Capture != nil:
			return wrong("capture", "it is a capture of a server; expected runs that sent load")
		case r.Limit != nil:
			return wrong("limit", "it is a search for a limit, whose rates depend on earlier results")
		}
		for _, before := range parts[:i] {
			if before.Name == part.Name {
				return wrong("runs", "it is given twice")
			}
		}
		for _, one := range agreed {
			if has, wants := one.of(part.Record), one.of(first.Record); !reflect.DeepEqual(has, wants) {
				return wrong(one.field, "%s; expected %s, as %s has it", short(has), short(wants), first.Name)
			}
		}
	}
	return checkPhases(parts)
}

// short returns a value on one line of a bounded length.
func short(value any) string {
	text, most := []rune(fmt.Sprintf("%v", value)), 120
	if len(text) > most {
		return string(text[:most]) + " …"
	}
	if len(text) == 0 {
		return "none"
	}
	return string(text)
}

// checkPhases compares each part's phases with those of the part that has most. One that
// ended early may have fewer.
func checkPhases(parts []MergePart) error {
	most := longest(parts)
	for _, part := range parts {
		list := part.Record.Phases
		for p := range list {
			one, of := &list[p], &most.Record.Phases[p]
			wrong := func(field string, has, wants any) error {
				return &MergeMismatch{part.Name, fmt.Sprintf("phases[%d].%s", p, field), fmt.Sprintf("%v; expected %v, as %s has it", has, wants, most.Name)}
			}
			switch begins := (one.Begin - of.Begin).Abs(); {
			case one.Name != of.Name:
				return wrong("name", fmt.Sprintf("%q", one.Name), fmt.Sprintf("%q", of.Name))
			case one.Stage != of.Stage:
				return wrong("stage", fmt.Sprintf("%q", one.Stage), fmt.Sprintf("%q", of.Stage))
			case one.Reported != of.Reported:
				return wrong("reported", one.Reported, of.Reported)
			case one.Varying != of.Varying:
				return wrong("varying", one.Varying, of.Varying)
			case one.Unplanned != of.Unplanned:
				return wrong("unplanned", one.Unplanned, of.Unplanned)
			case !one.Unplanned && one.End-one.Begin != of.End-of.Begin:
				return wrong("end_ns", "a phase of "+(one.End-one.Begin).String(), "one of "+(of.End-of.Begin).String())
			case begins >= apart:
				return wrong("begin_ns", "it begins at "+one.Begin.String(), "less than 1s from "+of.Begin.String())
			}
		}
		if len(list) < len(most.Record.Phases) && part.Record.Validity != Partial {
			return &MergeMismatch{part.Name, "phases", fmt.Sprintf("%d of them; expected %d, as %s has them", len(list), len(most.Record.Phases), most.Name)}
		}
	}
	return nil
}

// longest returns the part with most phases, the first of equals.
func longest(parts []MergePart) MergePart {
	most := parts[0]
	for _, part := range parts[1:] {
		if len(part.Record.Phases) > len(most.Record.Phases) {
			most = part
		}
	}
	return most
}
