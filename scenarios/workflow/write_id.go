package workflow

import (
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/entity"
)

// The properties that identify writes.
const (
	// IDProperty holds the id of the last write, if that carried one.
	IDProperty = "LoadgenWrite"
	// HistoryProperty holds the ids of the last conditional writes, newest first, separated by
	// blanks. Unconditional writes do not touch it.
	HistoryProperty = "LoadgenWrites"
)

// maxHistory is the maximum number of ids that an entity holds.
const maxHistory = 16

// WriteID identifies a write across all runs. All attempts have the same id.
type WriteID struct {
	// Run identifies the run by 1 to 32 letters and digits.
	Run string
	// Number is the operation's number within the run.
	Number uint64
}

// maxRun is the maximum length of a run's mark.
const maxRun = 32

// String returns the text in an entity.
func (id WriteID) String() string { return id.Run + "-" + strconv.FormatUint(id.Number, 10) }

// ParseWriteID parses the text of [WriteID.String], and returns false for any other.
func ParseWriteID(text string) (WriteID, bool) {
	run, digits, found := strings.Cut(text, "-")
	number, err := strconv.ParseUint(digits, 10, 64)
	id := WriteID{Run: run, Number: number}
	foreign := func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }
	marked := run != "" && len(run) <= maxRun && !strings.ContainsFunc(run, foreign)
	return id, found && err == nil && marked && id.String() == text
}

// IDOf returns the id of an entity's last write, and false if that carried none.
func IDOf(p entity.Packed) (WriteID, bool) {
	value, _ := p.Lookup(IDProperty)
	return ParseWriteID(value.Text())
}

// History are the ids that an entity holds, newest first.
type History []string

// historyOf returns the ids that an entity holds. Foreign text in the property is kept.
func historyOf(p entity.Packed) History {
	value, _ := p.Lookup(HistoryProperty)
	ids := strings.Fields(value.Text())
	return ids[:min(len(ids), maxHistory)]
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
	return strings.Join(kept[:min(len(kept), maxHistory)], " ")
}

// Recall reports whether a write with an id was executed after the newest write of an earlier read,
// and whether that is known. It is unknown if more writes followed than the history holds, or another
// client replaced the entity.
func (h History) Recall(id WriteID, newest string) (done, known bool) {
	if slices.Contains(h, id.String()) {
		return true, true
	}
	if newest == "" {
		return false, len(h) < maxHistory
	}
	return false, slices.Contains(h, newest)
}

// stamp returns properties with an id. A filler property of that name is shortened, if it is long
// enough, so that the entity keeps its size.
func stamp(properties []entity.Property, id WriteID, filler string) []entity.Property {
	own := entity.Property{Name: IDProperty, Value: entity.String(id.String())}
	stamped := make([]entity.Property, 0, len(properties)+1)
	for _, p := range properties {
		if p.Name == IDProperty {
			continue
		}
		if p.Name == filler && filler != "" {
			// A filler has one byte for each UTF-16 code unit.
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
