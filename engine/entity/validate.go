package entity

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ValidateKey returns OK for a key that an entity can have, or else a code and
// one line of detail: each part at most [MaxKeyUnits] long, valid UTF-8, without
// / \ # ? and control characters (U+0000–U+001F, U+007F–U+009F).
func ValidateKey(k Key) (Code, string) {
	var keys keyChecker
	_, code, detail := keys.check(k)
	return code, detail
}

// ValidateTableName returns OK for a name that a table can have, or else a code
// and one line of detail: 3 to 63 ASCII letters and digits, a letter first, and
// not "tables" in any case.
func ValidateTableName(name string) (Code, string) {
	if n := utf8.RuneCountInString(name); n < MinTableName || n > MaxTableName {
		return OutOfRangeInput, fmt.Sprintf("the table name %s has %d characters, not %d to %d",
			quote(name), n, MinTableName, MaxTableName)
	}
	for i := range len(name) {
		if c := name[i]; !asciiLetter(c) && (i == 0 || !asciiDigit(c)) {
			return InvalidResourceName, "the table name " + quote(name) +
				" is not letters and digits with a letter first"
		}
	}
	if strings.EqualFold(name, "tables") {
		return InvalidInput, "the table name " + quote(name) + " is reserved"
	}
	return OK, ""
}

// Validate returns OK where the change could be carried out on a suitable
// table, or else a code and one line of detail. It checks the verb, the key, the
// condition, and the properties' number, names, types and sizes; a Delete's
// properties do not matter. Nothing is allocated for a valid change of few
// properties.
func (c *Change) Validate() (Code, string) {
	var keys keyChecker
	return c.check(&keys)
}

// check is Validate with the keys that were checked before.
func (c *Change) check(keys *keyChecker) (Code, string) {
	if !c.Verb.IsChange() {
		return InvalidInput, c.Verb.String() + " is not a change of an entity"
	}
	size, code, detail := keys.check(c.Key)
	if code != OK {
		return code, detail
	}
	// On the wire it is the presence of If-Match alone that distinguishes an update from an upsert.
	updates := c.Verb == Replace || c.Verb == Merge || c.Verb == Delete
	if updates && c.Match.IsNone() {
		return MissingRequiredHeader, "a " + c.Verb.String() + " needs If-Match"
	}
	if !updates && !c.Match.IsNone() {
		return InvalidInput, "an " + c.Verb.String() + " takes no If-Match"
	}
	if c.Verb == Delete {
		return OK, ""
	}
	if n := len(c.Properties); n > MaxProperties {
		return tooManyProperties(n)
	}
	for i := range c.Properties {
		p := &c.Properties[i]
		name, code, detail := checkName(p.Name)
		if code != OK {
			return code, detail
		}
		value, code, detail := checkValue(p)
		if code != OK {
			return code, detail
		}
		size += propertyOverhead + bytesPerUnit*name + value
	}
	if i := repeated(c.Properties); i >= 0 {
		return DuplicateProperties, "the property " + quote(c.Properties[i].Name) + " is given twice"
	}
	if size > MaxEntityBytes {
		return entityTooLarge(size)
	}
	return OK, ""
}

// keyChecker checks keys. It remembers the last sound PartitionKey and its
// length, because the changes of a transaction share one; the empty one is
// sound.
type keyChecker struct {
	partition string
	length    int
}

func (c *keyChecker) check(k Key) (size int, code Code, detail string) {
	if k.Partition != c.partition {
		length, code, detail := checkKeyPart("PartitionKey", k.Partition)
		if code != OK {
			return 0, code, detail
		}
		c.partition, c.length = k.Partition, length
	}
	row, code, detail := checkKeyPart("RowKey", k.Row)
	return entityOverhead + bytesPerUnit*(c.length+row), code, detail
}

func checkKeyPart(what, s string) (length int, code Code, detail string) {
	if len(s) <= MaxKeyUnits {
		// Nearly all are ASCII that keys may hold.
		all := keyByte
		for i := range len(s) {
			all &= byteKinds[s[i]]
		}
		if all != 0 {
			return len(s), OK, ""
		}
	}
	length, valid := measure(s)
	if !valid {
		return 0, InvalidInput, "the " + what + " is not valid UTF-8: " + quote(s)
	}
	if length > MaxKeyUnits {
		return 0, KeyValueTooLarge, fmt.Sprintf("the %s has %d UTF-16 code units, more than %d",
			what, length, MaxKeyUnits)
	}
	for _, r := range s {
		if forbiddenInKey(r) {
			return 0, OutOfRangeInput, fmt.Sprintf("the %s holds the forbidden character %U", what, r)
		}
	}
	return length, OK, ""
}

func forbiddenInKey(r rune) bool {
	return r <= 0x1F || r >= 0x7F && r <= 0x9F || r == '/' || r == '\\' || r == '#' || r == '?'
}

func tooManyProperties(n int) (Code, string) {
	return TooManyProperties, fmt.Sprintf("the entity has %d properties, more than %d", n, MaxProperties)
}

func entityTooLarge(size int) (Code, string) {
	return EntityTooLarge, fmt.Sprintf("the entity has %d bytes, more than %d", size, MaxEntityBytes)
}

// quote returns s as one line of bounded length.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}

// The faults that parsing and decoding report; test for them with errors.Is.
var (
	// ErrCorrupt: the bytes are no block that Pack or MergePacked wrote.
	ErrCorrupt = errors.New("entity: corrupt packed entity")
	// ErrTicks: the text is no instant of the form that Ticks.String writes.
	ErrTicks = errors.New("entity: not an instant")
	// ErrETag: the text is not one weak, quoted entity tag.
	ErrETag = errors.New("entity: not a weak entity tag")
	// ErrForeignETag: the text is a weak entity tag, but of no version that a
	// table could ever have given out; as a condition it matches nothing.
	ErrForeignETag = errors.New("entity: entity tag of no version")
)

// The documented limits of the table service.
const (
	// MaxKeyUnits is the greatest length of a PartitionKey and of a RowKey:
	// 1 KiB, in UTF-16 code units.
	MaxKeyUnits = 512
	// MaxProperties is how many properties an entity has at most besides
	// PartitionKey, RowKey and Timestamp.
	MaxProperties = 252
	// MaxNameUnits is the greatest length of a property's name, in UTF-16 code
	// units.
	MaxNameUnits = 255
	// MaxStringUnits is the greatest length of an Edm.String: 64 KiB, in UTF-16
	// code units.
	MaxStringUnits = 32 * 1024
	// MaxBinaryBytes is the greatest length of an Edm.Binary, in bytes.
	MaxBinaryBytes = 64 * 1024
	// MaxEntityBytes is the greatest size of an entity, in bytes as [Size]
	// counts them.
	MaxEntityBytes = 1 << 20
	// MaxBatchChanges is how many changes an entity group transaction holds at
	// most.
	MaxBatchChanges = 100
	// MaxBatchPayload is the largest payload of an entity group transaction: the bytes of
	// JSON in which the wire carries its entities, without what frames them.
	MaxBatchPayload = 4 << 20
	// MinTableName and MaxTableName bound the length of a table's name.
	MinTableName = 3
	MaxTableName = 63
)

// The range of an Edm.DateTime: from the first tick of the year 1601 to the
// last of the year 9999.
const (
	EarliestDateTime Ticks = 504911232000000000
	LatestDateTime   Ticks = 3155378975999999999
)

// ValidateBatch returns OK where the changes could form an entity group
// transaction on a suitable table, or else a code, the index of the first
// change at fault and one line of detail: 1 to [MaxBatchChanges] changes, each
// valid, all of one partition, each row once. The payload is checked where its bytes are known.
// Nothing is allocated for a valid batch whose rows ascend.
func ValidateBatch(changes []Change) (code Code, index int, detail string) {
	switch n := len(changes); {
	case n == 0:
		return InvalidInput, 0, "the batch holds no change"
	case n > MaxBatchChanges:
		return InvalidInput, MaxBatchChanges - 1,
			fmt.Sprintf("the batch holds %d changes, more than %d", n, MaxBatchChanges)
	}
	partition := changes[0].Key.Partition
	var keys keyChecker
	// While the rows ascend none comes twice, and nothing is remembered.
	var rows map[string]struct{}
	for i := range changes {
		c := &changes[i]
		if code, detail := c.check(&keys); code != OK {
			return code, i, detail
		}
		if c.Key.Partition != partition {
			return DifferentPartitions, i, "the batch goes to the partitions " +
				quote(partition) + " and " + quote(c.Key.Partition)
		}
		if rows == nil && i > 0 && changes[i-1].Key.Row >= c.Key.Row {
			rows = make(map[string]struct{}, MaxBatchChanges)
			for j := range i {
				rows[changes[j].Key.Row] = struct{}{}
			}
		}
		if rows != nil {
			if _, again := rows[c.Key.Row]; again {
				return InvalidDuplicateRow, i, "the batch changes the row " + quote(c.Key.Row) + " twice"
			}
			rows[c.Key.Row] = struct{}{}
		}
	}
	return OK, 0, ""
}
