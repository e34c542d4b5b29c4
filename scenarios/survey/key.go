package survey

import (
	"unicode/utf8"

	"loadgen/engine/entity"
)

// KeyFault is a key that no table would take.
type KeyFault struct {
	// Line is where its row stands, 0 where it is in no file.
	Line int64
	// PartitionKey and RowKey are the key's beginnings.
	PartitionKey, RowKey string
	// What is wrong with it.
	What string
}

// mostKeyFaults is how many are kept, longestShown how much of a key in bytes.
const (
	mostKeyFaults = 10
	longestShown  = 60
)

func keyFault(u *use) KeyFault {
	_, what := entity.ValidateKey(entity.Key{Partition: string(u.partition), Row: string(u.row)})
	return KeyFault{Line: u.line, PartitionKey: shown(u.partition), RowKey: shown(u.row), What: what}
}

// shown returns the beginning of a key as valid text.
func shown(key []byte) string {
	end := min(len(key), longestShown)
	for end > 0 && end < len(key) && !utf8.RuneStart(key[end]) {
		end--
	}
	text := make([]rune, 0, end)
	for _, r := range string(key[:end]) {
		text = append(text, r)
	}
	return string(text)
}

// What a byte of a key may be.
const (
	plainByte uint8 = iota
	wideByte
	forbiddenByte
)

// byteKinds is indexed by a byte.
var byteKinds = kindsOfBytes()

func kindsOfBytes() (kinds [256]uint8) {
	for i := range kinds {
		switch {
		case i >= utf8.RuneSelf:
			kinds[i] = wideByte
		case i < ' ' || i == 0x7F || i == '/' || i == '\\' || i == '#' || i == '?':
			kinds[i] = forbiddenByte
		}
	}
	return kinds
}

// validKey says of a part of a key what [entity.ValidateKey] would, of bytes and
// without an allocation.
func validKey(key []byte) bool {
	worst := plainByte
	for _, b := range key {
		worst |= byteKinds[b]
	}
	switch {
	case worst&forbiddenByte != 0:
		return false
	case worst == plainByte:
		return len(key) <= entity.MaxKeyUnits
	}
	return validText(key)
}

// validText looks at a key character by character.
func validText(key []byte) bool {
	units := 0
	for len(key) > 0 {
		r, width := utf8.DecodeRune(key)
		if r == utf8.RuneError && width == 1 || r >= 0x80 && r <= 0x9F {
			return false
		}
		units++
		if width == 4 {
			units++
		}
		key = key[width:]
	}
	return units <= entity.MaxKeyUnits
}
