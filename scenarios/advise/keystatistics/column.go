package keystatistics

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/nearest"
)

// column is what a column of a file means.
type column uint8

const (
	ignoredColumn column = iota
	partitionColumn
	rowColumn
	instantColumn
	entitiesColumn
	operationColumn
)

// columnNames are the names that columns have, as a message spells them, each
// with its meaning. The first of a meaning is the one that is recommended.
var columnNames = []struct {
	name    string
	meaning column
}{
	{"PartitionKey", partitionColumn}, {"RowKey", rowColumn},
	{"instant", instantColumn}, {"time", instantColumn}, {"timestamp", instantColumn},
	{"entities", entitiesColumn}, {"count", entitiesColumn},
	{"operation", operationColumn}, {"verb", operationColumn},
}

// separators are what people put between words, or not.
var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// plain returns a name without what people spell in different ways.
func plain(name string) string { return strings.ToLower(separators.Replace(name)) }

// meaningOf returns what a column of that name means.
func meaningOf(name string) column {
	for _, known := range columnNames {
		if plain(known.name) == plain(name) {
			return known.meaning
		}
	}
	return ignoredColumn
}

// header is the columns of a file.
type header struct {
	meanings []column
	// ignored are the names of the columns that are not looked at.
	ignored []string
}

// mostNamed is how many columns a message names.
const mostNamed = 20

// headerOf returns the columns that a first row names. A fault says what is wrong with it:
// above all that none is the PartitionKey, for then somebody has to say which are.
func headerOf(fields []string) (h header, fault string) {
	for _, field := range fields {
		h.meanings = append(h.meanings, meaningOf(field))
	}
	for i, field := range fields {
		meaning := h.meanings[i]
		if meant := mistyped(field); meaning == ignoredColumn && meant != "" {
			return h, fmt.Sprintf("unknown column %q; did you mean %q?", shown(field), meant)
		}
		if meaning == ignoredColumn {
			h.ignored = append(h.ignored, shown(field))
		} else if first := slices.Index(h.meanings, meaning); first < i {
			return h, fmt.Sprintf("the columns %q and %q mean the same; expected one of them", fields[first], fields[i])
		}
	}
	if !slices.Contains(h.meanings, partitionColumn) {
		// The name of the first column as a placeholder has it.
		example := strings.Map(func(r rune) rune {
			if r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
				return r
			}
			return '_'
		}, shown(fields[0]))
		if example == "" || example[0] >= '0' && example[0] <= '9' {
			example = "column"
		}
		names := shownColumns(fields)
		listed := strings.Join(names[:min(len(names), mostNamed)], ", ")
		if more := len(names) - mostNamed; more > 0 {
			listed += fmt.Sprintf(" and %d more", more)
		}
		return h, fmt.Sprintf("no column is called PartitionKey; expected one, or --partition-key with a template of columns, such as %q: %s",
			"{"+example+"}", listed)
	}
	return h, ""
}

// fewestLetters is how long a column's name is at least that others are taken for
// misspellings of: near the short ones lie too many words.
const fewestLetters = 6

// mistyped returns the known name that another most likely means, empty for none:
// one that is a letter apart, or for PartitionKey, which must be there, one of
// letters alone that ends in "key" and is the nearest. More is not taken for a
// misspelling: a file's first row may be a key, and its columns anything.
func mistyped(name string) string {
	short := plain(name)
	if meaningOf(name) != ignoredColumn {
		return ""
	}
	for _, known := range columnNames {
		if spelled := plain(known.name); len(spelled) >= fewestLetters && nearest.Distance(short, spelled) == 1 {
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

// operations are the words for what a row does, as verbs of this tool and of
// others, those that insert first.
var operations = []struct {
	name string
	kind Kind
}{
	{"insert", Insert}, {"insert-or-replace", Insert}, {"insert-or-merge", Insert}, {"upsert", Insert},
	{"create", Insert}, {"add", Insert},
	{"get", Other}, {"read", Other}, {"query", Other}, {"scan", Other}, {"update", Other},
	{"replace", Other}, {"merge", Other}, {"delete", Other}, {"batch", Other},
}

// KeyFault is a key that no table would take.
type KeyFault struct {
	// Line is where its row stands, 0 where it is in no file.
	Line int64 `json:"line"`
	// PartitionKey is the beginning of its own.
	PartitionKey string `json:"partition_key"`
	// What is wrong with it.
	What string `json:"what"`
}

// mostKeyFaults is how many are kept, longestShown how much of a key in bytes.
const (
	mostKeyFaults = 10
	longestShown  = 60
)

// shown returns the beginning of a key as valid text.
func shown(key string) string {
	end := min(len(key), longestShown)
	for end > 0 && end < len(key) && !utf8.RuneStart(key[end]) {
		end--
	}
	return string([]rune(key[:end]))
}
