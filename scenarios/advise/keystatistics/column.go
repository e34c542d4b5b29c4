package keystatistics

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/nearest"
)

// columnMeaning is the meaning of a column.
type columnMeaning uint8

const (
	ignoredColumn columnMeaning = iota
	partitionColumn
	rowColumn
	instantColumn
	entitiesColumn
	operationColumn
)

// columnNames are the names of columns with their meanings, as messages spell them. The first of a
// meaning is the recommended one.
var columnNames = []struct {
	name    string
	meaning columnMeaning
}{
	{"PartitionKey", partitionColumn}, {"RowKey", rowColumn},
	{"instant", instantColumn}, {"time", instantColumn}, {"timestamp", instantColumn},
	{"entities", entitiesColumn}, {"count", entitiesColumn},
	{"operation", operationColumn}, {"verb", operationColumn},
}

// separators are the optional characters between words.
var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// plain returns a name in lower case without separators.
func plain(name string) string { return strings.ToLower(separators.Replace(name)) }

// meaningOf returns the meaning of a column's name.
func meaningOf(name string) columnMeaning {
	for _, known := range columnNames {
		if plain(known.name) == plain(name) {
			return known.meaning
		}
	}
	return ignoredColumn
}

// header is the columns of a file.
type header struct {
	meanings []columnMeaning
	// ignored are the names of the columns that are not used.
	ignored []string
}

// maxNamed is the maximum number of columns that a message names.
const maxNamed = 20

// headerOf returns the columns of a header, or its fault. A PartitionKey is required.
func headerOf(fields []string) (h header, fault string) {
	for _, field := range fields {
		h.meanings = append(h.meanings, meaningOf(field))
	}
	for i, field := range fields {
		meaning := h.meanings[i]
		if meant := misspelled(field); meaning == ignoredColumn && meant != "" {
			return h, fmt.Sprintf("unknown column %q; did you mean %q?", truncate(field), meant)
		}
		if meaning == ignoredColumn {
			h.ignored = append(h.ignored, truncate(field))
		} else if first := slices.Index(h.meanings, meaning); first < i {
			return h, fmt.Sprintf("the columns %q and %q mean the same; expected one of them", fields[first], fields[i])
		}
	}
	if !slices.Contains(h.meanings, partitionColumn) {
		// The name of the first column as a placeholder.
		example := strings.Map(func(r rune) rune {
			if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, truncate(fields[0]))
		if example == "" || example[0] >= '0' && example[0] <= '9' {
			example = "column"
		}
		names := shownColumns(fields)
		listed := strings.Join(names[:min(len(names), maxNamed)], ", ")
		if more := len(names) - maxNamed; more > 0 {
			listed += fmt.Sprintf(" and %d more", more)
		}
		return h, fmt.Sprintf("no column PartitionKey; expected one, or --partition-key with a template of columns, such as %q: %s",
			"{"+example+"}", listed)
	}
	return h, ""
}

// minLetters is the minimum length of a column's name with misspellings: too many words are similar to
// shorter ones.
const minLetters = 6

// misspelled returns the known name that another one most likely means, empty for none: a name that
// differs by one letter, or for PartitionKey, which is required, a similar name of letters that ends in
// "key". Other names are no misspellings: a file's first row may be a key.
func misspelled(name string) string {
	short := plain(name)
	if meaningOf(name) != ignoredColumn {
		return ""
	}
	for _, known := range columnNames {
		if spelled := plain(known.name); len(spelled) >= minLetters && nearest.Distance(short, spelled) == 1 {
			return known.name
		}
	}
	const required = "partitionkey"
	if !strings.HasSuffix(short, "key") || strings.Trim(short, letters) != "" {
		return ""
	}
	if _, near := nearest.Name(short, []string{required}); near {
		return columnNames[0].name
	}
	return ""
}

const letters = "abcdefghijklmnopqrstuvwxyz"

// operations are the verbs of this tool and of others, inserts first.
var operations = []struct {
	name string
	kind Kind
}{
	{"insert", Insert}, {"insert-or-replace", Insert}, {"insert-or-merge", Insert}, {"upsert", Insert},
	{"create", Insert}, {"add", Insert},
	{"get", Other}, {"read", Other}, {"query", Other}, {"scan", Other}, {"update", Other},
	{"replace", Other}, {"merge", Other}, {"delete", Other}, {"batch", Other},
}

// maxShown is the length of a key in messages, in bytes.
const maxShown = 60

// truncate returns the beginning of a key as valid text.
func truncate(key string) string {
	end := min(len(key), maxShown)
	for end > 0 && end < len(key) && !utf8.RuneStart(key[end]) {
		end--
	}
	return string([]rune(key[:end]))
}

func shownColumns(header []string) []string {
	list := make([]string, len(header))
	for i, name := range header {
		list[i] = truncate(name)
	}
	return list
}
