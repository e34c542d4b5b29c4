package scenarios

import (
	"strings"

	"loadgen/scenarios/keys"
)

// Sharding says which account each partition lies in, as a pure function of its
// PartitionKey. It is immutable and safe for concurrent use.
type Sharding struct {
	number int
	// key is the PartitionKey's template, by that of the choice, none for a hash of
	// the whole key.
	key, by []piece
}

// Sharding returns that of the scenario, which is valid.
func (s *Scenario) Sharding() *Sharding {
	h := &Sharding{number: 1}
	if s.Accounts != nil {
		h.number, h.by = s.Accounts.Number, pieces(s.Accounts.By)
		h.key = merged(pieces(s.Design.PartitionKey))
	}
	return h
}

// Number returns how many accounts there are, 1 at least.
func (h *Sharding) Number() int { return h.number }

// AccountOf returns the account of a partition, from 0 to one below their number.
// A PartitionKey that is not of the scenario's design goes by its hash.
func (h *Sharding) AccountOf(partitionKey string) int {
	if h.number < 2 {
		return 0
	}
	text := partitionKey
	if len(h.by) > 0 {
		chosen, fits := h.choice(partitionKey)
		if number, is := numberBelow(h.number, chosen); fits && is {
			return number
		}
		text = chosen
	}
	return int(hashOf(text) % uint64(h.number))
}

// numberBelow reads a text as a whole number below another, with as many zeros
// before it as keys have.
func numberBelow(end int, text string) (number int, is bool) {
	for i := range len(text) {
		digit := int(text[i]) - '0'
		if digit < 0 || digit > 9 || number*10+digit >= end {
			return 0, false
		}
		number = number*10 + digit
	}
	return number, text != ""
}

// choice returns the text that chooses the account of a partition, and false with
// the key itself where the key does not fit its template.
func (h *Sharding) choice(partitionKey string) (string, bool) {
	found, fits := match(h.key, partitionKey)
	if !fits {
		return partitionKey, false
	}
	var text strings.Builder
	for _, p := range h.by {
		if p.placeholder == "" {
			text.WriteString(p.literal)
		} else if value, same := found[p.placeholder]; same {
			text.WriteString(value)
		} else if made, err := keys.ParseTemplate("{" + p.placeholder + "}"); err == nil {
			text.WriteString(made.Expand(func(attribute string) string { return found[attribute] }))
		}
	}
	return text.String(), true
}

// hashOf returns 64 bits that depend on each character of a text: FNV-1a, its upper
// half folded into the lower, for its lowest bit alone only tells whether an odd
// number of odd characters is in the text.
func hashOf(text string) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 1099511628211
	}
	return hash ^ hash>>32
}

// piece is a stretch of a template that was read once already: literal text, or what
// stands between the braces of a placeholder.
type piece struct {
	literal, placeholder string
	// offset is where it begins in the template's text, in bytes.
	offset int
}

// unknownPart stands for placeholders that follow one another, of which nobody can
// tell where one ends.
const unknownPart = "{"

func pieces(template string) []piece {
	var all []piece
	for at := 0; at < len(template); {
		rest := template[at:]
		end := strings.IndexAny(rest, "{}")
		switch {
		case end < 0:
			end = len(rest)
			all = append(all, piece{literal: rest, offset: at})
		case end > 0:
			all = append(all, piece{literal: rest[:end], offset: at})
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			end = 2
			all = append(all, piece{literal: rest[:1], offset: at})
		default:
			end = max(1, strings.IndexByte(rest, '}')+1)
			all = append(all, piece{placeholder: strings.Trim(rest[:end], "{}"), offset: at})
		}
		at += end
	}
	return all
}

// merged joins the stretches of literal text, and the placeholders that nothing
// parts.
func merged(all []piece) []piece {
	var joined []piece
	for _, p := range all {
		last := len(joined) - 1
		switch {
		case last < 0 || (joined[last].placeholder == "") != (p.placeholder == ""):
			joined = append(joined, p)
		case p.placeholder == "":
			joined[last].literal += p.literal
		default:
			joined[last].placeholder = unknownPart
		}
	}
	return joined
}

// match returns what stands in a key for each placeholder, each as far as the text
// that follows it, and false where the key cannot have come of the template.
func match(template []piece, key string) (map[string]string, bool) {
	found := make(map[string]string, len(template))
	for i, p := range template {
		if p.placeholder == "" {
			rest, fits := strings.CutPrefix(key, p.literal)
			if !fits {
				return nil, false
			}
			key = rest
			continue
		}
		end := len(key)
		if i+1 < len(template) {
			if end = strings.Index(key, template[i+1].literal); end < 0 {
				return nil, false
			}
		}
		found[p.placeholder], key = key[:end], key[end:]
	}
	return found, key == ""
}
