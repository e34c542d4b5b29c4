package workflow

import (
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// The properties by which a write is known again.
const (
	// IDProperty holds the id of the write that an entity was written by last, if
	// that carried one.
	IDProperty = "LoadgenWrite"
	// HistoryProperty holds the ids of the last conditional writes, newest first, separated by
	// blanks. Unconditional writes do not touch it.
	HistoryProperty = "LoadgenWrites"
)

// remembered is how many ids an entity keeps.
const remembered = 16

// WriteID names one write among all of all runs: the same for every attempt at it.
type WriteID struct {
	// Run marks the run: letters and digits, 1 to 32.
	Run string
	// Number is the operation's number within the run.
	Number uint64
}

// maxRun is the greatest length of a run's mark.
const maxRun = 32

// String returns the id as an entity holds it.
func (id WriteID) String() string { return id.Run + "-" + strconv.FormatUint(id.Number, 10) }

// ParseWriteID returns the id that a text holds, and false for any text that
// [WriteID.String] does not write.
func ParseWriteID(text string) (WriteID, bool) {
	run, digits, some := strings.Cut(text, "-")
	number, err := strconv.ParseUint(digits, 10, 64)
	id := WriteID{Run: run, Number: number}
	foreign := func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }
	marked := run != "" && len(run) <= maxRun && !strings.ContainsFunc(run, foreign)
	return id, some && err == nil && marked && id.String() == text
}

// IDOf returns the id of the write that an entity was written by last, and false
// where that carried none.
func IDOf(p entity.Packed) (WriteID, bool) {
	value, _ := p.Lookup(IDProperty)
	return ParseWriteID(value.Text())
}

// History are the ids that an entity keeps, newest first.
type History []string

// historyOf returns the ids that an entity holds. Foreign text in the property is kept.
func historyOf(p entity.Packed) History {
	value, _ := p.Lookup(HistoryProperty)
	ids := strings.Fields(value.Text())
	return ids[:min(len(ids), remembered)]
}

// Newest returns the id of the last conditional write, empty for none.
func (h History) Newest() string {
	if len(h) == 0 {
		return ""
	}
	return h[0]
}

// Prepend returns the history after a write with an id.
func (h History) Prepend(id WriteID) string {
	kept := append(History{id.String()}, h...)
	return strings.Join(kept[:min(len(kept), remembered)], " ")
}

// Recall reports whether a write with an id happened after newest, and the
// answer. It is unknown if more writes followed than it holds, or another client replaced the
// entity.
func (h History) Recall(id WriteID, newest string) (done, told bool) {
	if slices.Contains(h, id.String()) {
		return true, true
	}
	if newest == "" {
		return false, len(h) < remembered
	}
	return false, slices.Contains(h, newest)
}

// stamp returns properties that carry an id. Where they hold a filler of that
// name with room for it, that is cut, so that the entity keeps its size.
func stamp(properties []entity.Property, id WriteID, filler string) []entity.Property {
	own := entity.Property{Name: IDProperty, Value: entity.String(id.String())}
	stamped := make([]entity.Property, 0, len(properties)+1)
	for _, p := range properties {
		if p.Name == IDProperty {
			continue
		}
		if p.Name == filler && filler != "" {
			// A filler has one byte to each UTF-16 code unit.
			const bytesPerUnit = 2
			units := (entity.Size(entity.Key{}, []entity.Property{own}) - entity.Size(entity.Key{}, nil)) / bytesPerUnit
			if letters := p.Value.Text(); len(letters) >= units {
				p.Value = entity.String(letters[:len(letters)-units])
			}
		}
		stamped = append(stamped, p)
	}
	return append(stamped, own)
}
