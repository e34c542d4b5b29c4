package filter

import "strings"

// Text returns the range as a $filter option, empty for the whole table: one
// that [Parse] reads as an expression with this range, exactly. A range that
// begins or ends within a partition and spans several is one only by
// alternatives, for which the service reads the whole table, and so does the
// expression. It is false for bounds that no key of an entity can be or follow.
func (r Range) Text() (string, bool) {
	var t rangeText
	pk, one := r.Partition()
	switch {
	case one:
		t.is("PartitionKey", pk)
		t.rows(r, pk)
	case r.From.Row == "" && (!r.Bounded || r.To.Row == ""):
		t.from("PartitionKey", r.From.Partition)
		if r.Bounded {
			t.before("PartitionKey", r.To.Partition)
		}
	case r.Empty():
		t.before("PartitionKey", "")
	default:
		// What is left of the first partition, the partitions between, and what there is of the
		// last.
		between := r.From.Partition
		if r.From.Row != "" {
			t.is("PartitionKey", r.From.Partition)
			t.from("RowKey", r.From.Row)
			t.or()
			between += nul
		}
		t.from("PartitionKey", between)
		if r.Bounded {
			t.before("PartitionKey", r.To.Partition)
		}
		if r.Bounded && r.To.Row != "" {
			t.or()
			t.is("PartitionKey", r.To.Partition)
			t.before("RowKey", r.To.Row)
		}
	}
	if t.refused || len(t.text) > MaxText {
		return "", false
	}
	return string(t.text), true
}

// RowText returns what a range within one partition asks of the RowKey, as [Range.Text]
// has it; empty where it asks nothing. It is false for a range of several partitions, too.
func (r Range) RowText() (string, bool) {
	var t rangeText
	pk, one := r.Partition()
	if one {
		t.rows(r, pk)
	}
	if !one || t.refused || len(t.text) > MaxText {
		return "", false
	}
	return string(t.text), true
}

// rangeText is a conjunction in the making, or the last of several alternatives.
type rangeText struct {
	text []byte
	// begun says that the conjunction has a comparison already.
	begun bool
	// refused says that a constant is none that a $filter should hold.
	refused bool
}

func (t *rangeText) rows(r Range, pk string) {
	switch {
	case r.isPoint():
		t.is("RowKey", r.From.Row)
	case r.endsWith(pk):
		t.from("RowKey", r.From.Row)
	default:
		t.from("RowKey", r.From.Row)
		t.before("RowKey", r.To.Row)
	}
}

// or begins an alternative; a conjunction binds closer.
func (t *rangeText) or() {
	t.text = append(t.text, " or "...)
	t.begun = false
}

func (t *rangeText) is(name, s string) { t.add(name, equal, s) }

// from adds the lower bound s; every string is at or after the empty one.
func (t *rangeText) from(name, s string) {
	switch before, found := strings.CutSuffix(s, nul); {
	case found:
		t.add(name, greater, before)
	case s != "":
		t.add(name, greater|equal, s)
	}
}

// before adds the upper bound s.
func (t *rangeText) before(name, s string) {
	if before, found := strings.CutSuffix(s, nul); found {
		t.add(name, less|equal, before)
	} else {
		t.add(name, less, s)
	}
}

func (t *rangeText) add(name string, accepts ordering, s string) {
	t.refused = t.refused || strings.Contains(s, nul) || notUTF8(s) >= 0
	if t.begun {
		t.text = append(t.text, " and "...)
	}
	t.begun = true
	t.text = append(append(t.text, name...), ' ')
	t.text = append(append(t.text, operatorWord(accepts)...), ' ')
	t.text = appendString(t.text, s)
}
