package results

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"
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

// agreed is a field that has to be the same in all parts, and what a part has in it.
type agreed struct{ field, value string }

// agreedOf returns these fields of a record: those of the manifest with the tag merge:"same", and some more. Builds, texts
// of a scenario, seeds and machines may differ, and are told.
func agreedOf(r *Record) []agreed {
	m, partitions := r.Manifest, 0
	if m.Spread != nil {
		partitions = m.Spread.Partitions
	}
	// Of the modelled targets of several runs that of one: which are the documents' is told by their numbers.
	m.Targets.Documented = false
	if m.Modelled() && m.Merged != nil {
		runs := int64(max(1, len(m.Merged.Runs)))
		m.Targets.Partition, m.Targets.Account = m.Targets.Partition/runs, m.Targets.Account/runs
	}
	list := []agreed{{"schema_version", fmt.Sprint(r.SchemaVersion)}, {"manifest.scenario.name", m.Scenario.Name},
		{"manifest.spread.partitions", fmt.Sprint(partitions)}}
	of := reflect.ValueOf(m)
	for i := range of.NumField() {
		if tag := of.Type().Field(i).Tag; tag.Get("merge") == "same" {
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			list = append(list, agreed{"manifest." + name, fmt.Sprint(of.Field(i))})
		}
	}
	return list
}

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
		wants := agreedOf(first.Record)
		for k, has := range agreedOf(part.Record) {
			if has != wants[k] {
				return wrong(has.field, "%s; expected %s, as %s has it", short(has.value), short(wants[k].value), first.Name)
			}
		}
	}
	return checkPhases(parts)
}

// short returns a value in a bounded length.
func short(value string) string {
	text, most := []rune(value), 120
	if len(text) > most {
		return string(text[:most]) + " …"
	}
	return cmp.Or(value, "none")
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
