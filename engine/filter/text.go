package filter

import "strings"

// Text returns the range as a $filter option, empty for the whole table: one
// that [Parse] reads as an expression with this range, exactly. It is false for
// a range that no $filter has, which is one that begins or ends within a
// partition and spans several, and for bounds that no key of an entity can be
// or follow.
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
		return "", false
	}
	if t.refused || len(t.text) > MaxText {
		return "", false
	}
	return string(t.text), true
}

// rangeText is a conjunction in the making.
type rangeText struct {
	text []byte
	// refused says that a constant is none that a $filter should hold.
	refused bool
}

// rows adds what the range says of the rows of its one partition.
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

// add adds a comparison.
func (t *rangeText) add(name string, accepts ordering, s string) {
	t.refused = t.refused || strings.Contains(s, nul) || notUTF8(s) >= 0
	if len(t.text) > 0 {
		t.text = append(t.text, " and "...)
	}
	t.text = append(append(t.text, name...), ' ')
	t.text = append(append(t.text, operatorWord(accepts)...), ' ')
	t.text = appendString(t.text, s)
}
