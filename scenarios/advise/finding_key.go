package advise

import (
	"fmt"
	"strings"

	"loadgen/engine/entity"
	"loadgen/report/document"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// padding says where numbers in a key do not lie in their order, since keys are compared as
// texts, and whether a query goes by that order.
func (s *subject) padding() Finding {
	var first, ranged *unpadded
	// All that are there in the end, with those that operations may insert.
	entities := s.Loaded(len(s.Phases))
	for i := range s.design.Loads {
		l := &s.design.Loads[i]
		for j := range l.Approaches {
			if one := &l.Approaches[j]; one.spec.Inserts() {
				entities += uint64(float64(l.Operations) * one.Share * float64(max(1, one.spec.Entities)))
			}
		}
	}
	list := []keyTemplate{{"the RowKey", s.design.RowKey, true}, {"the PartitionKey", s.design.PartitionKey, false}}
	for i := range s.Design.Copies {
		one := &s.Design.Copies[i]
		list = append(list, keyTemplate{"the RowKey of the copy " + one.Name, one.RowKey, true},
			keyTemplate{"the PartitionKey of the copy " + one.Name, one.PartitionKey, false})
	}
	for _, one := range list {
		t, err := keys.ParseTemplate(one.template)
		if err != nil {
			continue
		}
		for _, d := range (keys.Options{Attributes: s.Attributes}).Disorders(t, entities) {
			found := &unpadded{key: one, Disorder: d}
			// After an instant a number only tells apart what came about at the same one.
			before, _, _ := strings.Cut(one.template, d.Placeholder)
			if !strings.Contains(before, ":ticks}") && !strings.Contains(before, ":inverted}") {
				found.by = s.orderedBy(one.row)
			}
			if first == nil {
				first = found
			}
			if ranged == nil && found.by != "" {
				ranged = found
			}
		}
	}
	switch {
	case first == nil:
		return found(Good, "Numbers in keys lie in their order.")
	case ranged == nil:
		return first.finding(Note)
	default:
		return ranged.finding(Warning)
	}
}

// keyTemplate is what one key of the entities, or of a copy of them, is formed by.
type keyTemplate struct {
	what, template string
	// row says that it is that of RowKeys.
	row bool
}

// orderedBy names an operation whose answer depends on the order of RowKeys, or of
// PartitionKeys: it reads from one on, or a range, or the first of several. It is empty
// where there is none.
func (s *subject) orderedBy(row bool) string {
	key := "PartitionKey"
	if row {
		key = "RowKey"
	}
	name := ""
	s.design.every(func(l *Load, one *Operation) {
		o := one.spec
		if name != "" || o.Verb != entity.Query {
			return
		}
		goes, breaksOff := false, o.Top > 0 || o.Pages > 0 || o.Rows > 0
		switch o.Class {
		case scenarios.ClassPoint:
		case scenarios.ClassTableScan:
			goes = breaksOff
		case scenarios.ClassPartitionRange:
			goes = !row
		default:
			goes = row && breaksOff
		}
		for _, operator := range []string{" lt ", " le ", " gt ", " ge "} {
			goes = goes || strings.Contains(o.Where, key+operator)
		}
		if goes {
			name = fmt.Sprintf("%s of phase %s", o.Name, l.Phase)
		}
	})
	return name
}

// unpadded is a number in a key that has too little room, and the operation that goes by
// its order, empty for none.
type unpadded struct {
	key keyTemplate
	keys.Disorder
	by string
}

func (u *unpadded) finding(v Verdict) Finding {
	said := fmt.Sprintf("Keys are compared as texts: in %s, %s, %s puts %q before %q", u.key.what, document.Key(u.key.template, keyWidth), u.Placeholder, u.Larger, u.Smaller)
	if u.by != "" {
		said += fmt.Sprintf(", and %s reads in that order", u.by)
	} else {
		said += "; no query reads in that order"
	}
	cured := strings.Replace(u.key.template, u.Placeholder, u.Padded, 1)
	return found(v, "%s.", said).but(fmt.Sprintf("Pad it: %s, which has room for %s; more if the numbers are to grow.",
		document.Key(cured, keyWidth), document.Count(u.Greatest)))
}
