package entity

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checkName returns the length of a property's name in UTF-16 code units. A
// name is a C# identifier: a letter or underscore, then letters, digits,
// connectors, and combining and formatting characters.
func checkName(name string) (length int, code Code, detail string) {
	switch name {
	case "PartitionKey", "RowKey", "Timestamp":
		return 0, DuplicateProperties, "the system property " + name + " is given as a property"
	}
	if plainName(name) && len(name) <= MaxNameUnits && (name[0] != 'x' || !strings.HasPrefix(name, "xml")) {
		return len(name), OK, ""
	}
	if length = units(name); length > MaxNameUnits {
		return 0, PropertyNameTooLong, fmt.Sprintf("the property name %s has %d characters, more than %d",
			quote(name), length, MaxNameUnits)
	}
	if name == "" || strings.HasPrefix(name, "xml") {
		return 0, PropertyNameInvalid, "the property name " + quote(name) + " is empty or begins with xml"
	}
	for i, r := range name {
		if !IdentifierRune(r, i == 0) {
			return 0, PropertyNameInvalid, "the property name " + quote(name) + " is no C# identifier from " + quote(name[i:]) + " on"
		}
	}
	return length, OK, ""
}

// IdentifierRune reports whether a character can stand in an identifier of C#, which the
// name of a property is: a letter or underscore where it is the first, else also a digit,
// and what marks and connects letters.
func IdentifierRune(r rune, first bool) bool {
	if r < utf8.RuneSelf {
		c := byte(r)
		return asciiLetter(c) || c == '_' || !first && asciiDigit(c)
	}
	if unicode.In(r, unicode.L, unicode.Nl) {
		return true
	}
	return !first && unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Cf)
}

func checkValue(p *Property) (size int, code Code, detail string) {
	v := &p.Value
	switch v.kind {
	case TypeString:
		length, valid := measure(v.text)
		if !valid {
			return 0, InvalidInput, "the value of " + quote(p.Name) + " is not valid UTF-8"
		}
		if length > MaxStringUnits {
			return 0, PropertyValueTooLarge, fmt.Sprintf("the string %s has %d UTF-16 code units, more than %d",
				quote(p.Name), length, MaxStringUnits)
		}
		return bytesPerUnit*length + lengthOverhead, OK, ""
	case TypeBinary:
		if len(v.text) > MaxBinaryBytes {
			return 0, PropertyValueTooLarge, fmt.Sprintf("the binary %s has %d bytes, more than %d",
				quote(p.Name), len(v.text), MaxBinaryBytes)
		}
	case TypeDateTime:
		if t := v.Ticks(); t < EarliestDateTime || t > LatestDateTime {
			return 0, OutOfRangeInput, "the instant " + quote(p.Name) + " is not within the years 1601 to 9999"
		}
	}
	if !v.kind.isKnown() {
		return 0, InvalidInput, "the property " + quote(p.Name) + " has no value"
	}
	return v.Size(), OK, ""
}

// fewProperties is up to how many names it is cheaper to compare those that look
// alike than to build a set.
const fewProperties = 24

// repeated returns the index of a property whose name an earlier one has, or -1.
func repeated(properties []Property) int {
	if len(properties) <= fewProperties {
		looks := uint64(0)
		for i := range properties {
			// One bit of 64: names that differ have different ones often enough.
			name, look := properties[i].Name, uint64(1)
			if name != "" {
				hash := len(name)*7 ^ int(name[0]) ^ int(name[len(name)-1])*5 ^ int(name[len(name)/2])*11
				look = 1 << (hash & 63)
			}
			for j := 0; looks&look != 0 && j < i; j++ {
				if properties[j].Name == name {
					return i
				}
			}
			looks |= look
		}
		return -1
	}
	seen := make(map[string]struct{}, len(properties))
	for i := range properties {
		seen[properties[i].Name] = struct{}{}
		if len(seen) == i {
			return i
		}
	}
	return -1
}
