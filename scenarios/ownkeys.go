package scenarios

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/engine/nearest"
)

// ownKeys is the stress test of the keys that templates form of the rows of a file, each row once in their order.
// Half of its operations insert the next row, half read one that is there; each counts one entity.
const ownKeys = `name: own-keys
about: The documented stress test, with keys that are formed of the rows of a file.
rows: {file: %q, columns: [%s]}
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
	var columns []string
	for _, text := range []string{partitionKey, rowKey} {
		t, err := keyTemplate(text)
		if err != nil {
			return nil, "", err
		}
		for _, name := range t.Attributes() {
			if name != "row_number" && !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	if len(columns) == 0 {
		return nil, "", fmt.Errorf("template %s has no column; expected one, such as {device}", nearest.Quote(partitionKey))
	}
	s, err := Parse(file, fmt.Appendf(nil, ownKeys, filepath.Base(file), strings.Join(columns, ", "), partitionKey, rowKey))
	return s, filepath.Dir(file), err
}
