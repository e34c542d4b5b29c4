package scenarios

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/scenarios/keys"
)

// ownKeys is the stress test of the keys that templates form of the rows of a file, each row once in their order.
// Half of its operations insert the next row, half read one that is there; each counts one entity.
const ownKeys = `name: own-keys
about: The documented stress test, with keys that are formed of the rows of a file.
rows: {file: %q, columns: {%s}}
attributes: {row_number: {sequence: 1}}
entity: {size: 1024, filler: Filler}
design: {partition_key: %q, row_key: %q}
phases:
  - {name: load, load: {entities: 1000, transaction: 1}}
  - name: peak
    traffic:
      arrivals: {steps: {rates: [500, 1000, 1500, 2000, 2500, 3000, 4000], each: 4s, hold: true}}
      operations: [{name: get, verb: get}, {name: insert, verb: insert}]
`

// OfKeys returns the documented stress test of keys that templates form of the columns of a CSV file, and the folder
// that its path counts from. Without a template of the RowKey rows are numbered. The error says in a line which template
// is none, or has the faults of the file.
func OfKeys(file, partitionKey, rowKey string) (*Scenario, string, error) {
	if rowKey == "" {
		rowKey = "{row_number}"
	}
	var columns, names, rows []string
	nameOf := func(column string) string {
		if column == rowNumber {
			return rowNumber
		}
		at := slices.Index(columns, column)
		if at < 0 {
			at, columns, names = len(columns), append(columns, column), append(names, attributeOf(column, names))
			rows = append(rows, fmt.Sprintf("%q: %q", names[at], column))
		}
		return names[at]
	}
	var templates [2]string
	for i, text := range []string{partitionKey, rowKey} {
		t, err := keyTemplate(text, keys.ParseColumns)
		if err != nil {
			return nil, "", err
		}
		templates[i] = t.RenameAttributes(nameOf)
	}
	if len(columns) == 0 {
		return nil, "", fmt.Errorf("template %s has no column; expected one, such as {device}", nearest.Quote(partitionKey))
	}
	s, err := Parse(file, fmt.Appendf(nil, ownKeys, filepath.Base(file), strings.Join(rows, ", "), templates[0], templates[1]))
	return s, filepath.Dir(file), err
}

// rowNumber is the attribute that numbers the rows.
const rowNumber = "row_number"

// notInNames are the characters that no attribute has in its name.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9_]`)

// attributeOf returns the name of an attribute for a column, which may have any name: unlike the names that are taken.
func attributeOf(column string, taken []string) string {
	const maxLength = 100
	name := notInNames.ReplaceAllString(column[:min(len(column), maxLength)], "_")
	if !attributeName.MatchString(name) {
		name = "_" + name
	}
	for slices.Contains(taken, name) || name == rowNumber {
		name += "_"
	}
	return name
}
