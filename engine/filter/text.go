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
		t.addEqual("PartitionKey", pk)
		t.rows(r, pk)
	case r.From.Row == "" && (!r.Bounded || r.To.Row == ""):
		t.addLower("PartitionKey", r.From.Partition)
		if r.Bounded {
			t.addUpper("PartitionKey", r.To.Partition)
		}
	case r.Empty():
		t.addUpper("PartitionKey", "")
	default:
		// The rest of the first partition, the partitions between, and the beginning of the
		// last.
		between := r.From.Partition
		if r.From.Row != "" {
			t.addEqual("PartitionKey", r.From.Partition)
			t.addLower("RowKey", r.From.Row)
			t.beginAlternative()
			between += nul
		}
		t.addLower("PartitionKey", between)
		if r.Bounded {
			t.addUpper("PartitionKey", r.To.Partition)
		}
		if r.Bounded && r.To.Row != "" {
			t.beginAlternative()
			t.addEqual("PartitionKey", r.To.Partition)
			t.addUpper("RowKey", r.To.Row)
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
		t.addEqual("RowKey", r.From.Row)
	case r.endsWith(pk):
		t.addLower("RowKey", r.From.Row)
	default:
		t.addLower("RowKey", r.From.Row)
		t.addUpper("RowKey", r.To.Row)
	}
}

// beginAlternative begins an alternative; a conjunction binds closer.
func (t *rangeText) beginAlternative() {
	t.text = append(t.text, " or "...)
	t.begun = false
}

func (t *rangeText) addEqual(name, s string) { t.add(name, equal, s) }

// addLower adds the lower bound s; every string is at or after the empty one.
func (t *rangeText) addLower(name, s string) {
	switch before, found := strings.CutSuffix(s, nul); {
	case found:
		t.add(name, greater, before)
	case s != "":
		t.add(name, greater|equal, s)
	}
}

// addUpper adds the upper bound s.
func (t *rangeText) addUpper(name, s string) {
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
