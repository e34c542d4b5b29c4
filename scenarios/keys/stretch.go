package keys

import (
	"unicode/utf8"

	"loadgen/engine/entity"
)

// Stretch is a half-open stretch of the index, in the order of (PartitionKey,
// RowKey): From is its first possible key, To the first key after it. The zero value,
// with Bounded false, is the whole table.
type Stretch struct {
	From entity.Key
	To   entity.Key
	// Bounded says that To counts; otherwise the stretch runs to the end.
	Bounded bool
}

// nul makes the immediate successor of a text in the index: no key holds a NUL, so
// that nothing comes between s and s+nul.
const nul = "\x00"

// Contains reports whether a key lies in the stretch.
func (s Stretch) Contains(k entity.Key) bool {
	return s.From.Compare(k) <= 0 && (!s.Bounded || k.Compare(s.To) < 0)
}

// Range returns the stretch that the plan's query reads for an event. Every entity
// lies in it that shares with the event what the reader knows, and whose time is no
// later than the event's, nor earlier by more than the span. Others can, too: what
// else the reader wants is for a filter on properties to pick.
func (p *Plan) Range(e Event) Stretch {
	low, high, exact := p.ends(&p.partition, e)
	if !exact {
		s := Stretch{From: entity.Key{Partition: low}}
		s.To.Partition, s.Bounded = after(high)
		return s
	}
	partition := low
	low, high, exact = p.ends(&p.row, e)
	s := Stretch{From: entity.Key{Partition: partition, Row: low}, Bounded: true}
	next, bounded := after(high)
	switch {
	case exact:
		s.To = entity.Key{Partition: partition, Row: low + nul}
	case bounded:
		s.To = entity.Key{Partition: partition, Row: next}
	default:
		s.To = entity.Key{Partition: partition + nul}
	}
	return s
}

// ends returns the least and the greatest text with which a key begins that lies in
// the plan's range, and whether that is the whole key.
func (p *Plan) ends(w *route, e Event) (low, high string, exact bool) {
	var room, other [keyRoom]byte
	text := room[:0]
	late, early := &occurrence{Event: e}, &occurrence{Event: e, back: p.span}
	for i := range w.steps {
		s := &w.steps[i]
		start := len(text)
		text = p.generator.fill(text, &s.slot, late)
		if s.how == known {
			continue
		}
		earlier := p.generator.fill(other[:0], &s.slot, early)
		if string(earlier) == string(text[start:]) {
			continue
		}
		low, high = string(text[:start])+string(earlier), string(text)
		if s.how == falling {
			low, high = high, low
		}
		return low, high, false
	}
	return string(text), string(text), w.stop == ""
}

// after returns the first text in the order of the index that comes after every text
// that begins with a prefix, and false where none does: the prefix without its last
// character, followed by the character next to that.
func after(prefix string) (string, bool) {
	for prefix != "" {
		last, width := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-width]
		// By UTF-16 code unit the surrogates, and with them all supplementary
		// characters, stand between U+D7FF and U+E000.
		switch last {
		case 0xD7FF:
			return prefix + "\U00010000", true
		case utf8.MaxRune:
			return prefix + "\uE000", true
		case 0xFFFF:
		default:
			return prefix + string(last+1), true
		}
	}
	return "", false
}
