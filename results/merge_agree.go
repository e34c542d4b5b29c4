package results

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// ErrMergeMismatch is wrapped if records do not fit together.
var ErrMergeMismatch = errors.New("the runs do not fit together")

// MergeMismatch is a field of run.json in which a part differs from the others.
type MergeMismatch struct {
	Part, Field string
	// Says has the value and the expected one.
	Says string
}

// Error implements error.
func (m *MergeMismatch) Error() string {
	return fmt.Sprintf("%v: %s, %s: %s", ErrMergeMismatch, m.Part, m.Field, m.Says)
}

// Unwrap returns [ErrMergeMismatch].
func (m *MergeMismatch) Unwrap() error { return ErrMergeMismatch }

// agreed is a field that must be the same in all parts, and its value in a part.
type agreed struct{ field, value string }

// agreedFields returns the fields of a struct with the tag merge:"same", by their JSON names behind a path.
func agreedFields(path string, of any) (list []agreed) {
	value := reflect.ValueOf(of)
	for i := range value.NumField() {
		if tag := value.Type().Field(i).Tag; tag.Get("merge") == "same" {
			name, _, _ := strings.Cut(tag.Get("json"), ",")
			list = append(list, agreed{path + name, fmt.Sprint(value.Field(i))})
		}
	}
	return list
}

// agreedOf returns the fields of a record that must be the same. Builds, texts of a scenario, seeds and machines may differ.
func agreedOf(r *Record) []agreed {
	m, partitions := r.Manifest, 0
	if m.Spread != nil {
		partitions = m.Spread.Partitions
	}
	// Modelled targets of several runs are compared by those of a single run.
	m.Targets.Documented = false
	if m.Modelled() && m.Merged != nil {
		runs := int64(max(1, len(m.Merged.Runs)))
		m.Targets.Partition, m.Targets.Account = m.Targets.Partition/runs, m.Targets.Account/runs
	}
	return append(agreedFields("manifest.", m), agreed{"schema_version", fmt.Sprint(r.SchemaVersion)},
		agreed{"manifest.scenario.name", m.Scenario.Name}, agreed{"manifest.spread.partitions", fmt.Sprint(partitions)})
}

// mismatch returns an error on a field of a part, which another part has otherwise.
func (p *MergePart) mismatch(field, has, expected string, other *MergePart) error {
	return &MergeMismatch{p.Name, field, fmt.Sprintf("%s; expected %s, as %s has it", short(has), short(expected), other.Name)}
}

// firstMismatch returns an error on the first field that differs between parts.
func (p *MergePart) firstMismatch(has, expected []agreed, other *MergePart) error {
	for i := range has {
		if has[i] != expected[i] {
			return p.mismatch(has[i].field, has[i].value, expected[i].value, other)
		}
	}
	return nil
}

// check returns an error if the parts do not fit together.
func check(parts []MergePart) error {
	if len(parts) == 0 {
		return &MergeMismatch{Part: "none", Field: "runs", Says: "there is no run; expected one or more"}
	}
	// A part that ended early may have fewer phases.
	longest := longestPart(parts)
	for i := range parts {
		part := &parts[i]
		switch r := part.Record; {
		case r.Validity == Partial && r.Duration == 0:
			return &MergeMismatch{part.Name, "duration_ns", "the record is not closed: the run was killed or is still running"}
		case r.Capture != nil:
			return &MergeMismatch{part.Name, "capture", "it is a capture of a server; expected runs that sent load"}
		case r.Limit != nil:
			return &MergeMismatch{part.Name, "limit", "it is a search for a limit, whose rates depend on earlier results"}
		case slices.ContainsFunc(parts[:i], func(before MergePart) bool { return before.Name == part.Name }):
			return &MergeMismatch{part.Name, "runs", "it is given twice"}
		}
		if err := part.firstMismatch(agreedOf(part.Record), agreedOf(parts[0].Record), &parts[0]); err != nil {
			return err
		}
	}
	for i := range parts {
		if err := parts[i].checkPhases(longest); err != nil {
			return err
		}
	}
	return nil
}

// short returns a value in a bounded length.
func short(value string) string {
	text, maximum := []rune(value), 120
	if len(text) > maximum {
		return string(text[:maximum]) + " …"
	}
	return cmp.Or(value, "none")
}

// checkPhases compares the phases of a part with those of the part that has most.
func (p *MergePart) checkPhases(longest *MergePart) error {
	list, all := p.Record.Phases, longest.Record.Phases
	for i := range list {
		one, of, path := &list[i], &all[i], fmt.Sprintf("phases[%d].", i)
		if err := p.firstMismatch(agreedFields(path, *one), agreedFields(path, *of), longest); err != nil {
			return err
		}
		if has, expected := one.End-one.Begin, of.End-of.Begin; !one.Unplanned && has != expected {
			return p.mismatch(path+"end_ns", "a phase of "+has.String(), "one of "+expected.String(), longest)
		}
		// Intervals have a resolution of a second.
		if (one.Begin - of.Begin).Abs() >= time.Second {
			return p.mismatch(path+"begin_ns", "it begins at "+one.Begin.String(), "less than 1s from "+of.Begin.String(), longest)
		}
	}
	if len(list) < len(all) && p.Record.Validity != Partial {
		return p.mismatch("phases", fmt.Sprint(len(list)), fmt.Sprint(len(all)), longest)
	}
	return nil
}

// longestPart returns the first of the parts with most phases.
func longestPart(parts []MergePart) *MergePart {
	longest := &parts[0]
	for i := range parts {
		if len(parts[i].Record.Phases) > len(longest.Record.Phases) {
			longest = &parts[i]
		}
	}
	return longest
}
