package bench

import (
	"encoding/json"
	"fmt"

	"loadgen/results"
)

// File is the name of the JSON of a report that is kept.
const File = "bench.json"

// Keep writes the report as JSON into a folder.
// The error wraps results.ErrWrite.
func (r *Report) Keep(folder results.Folder) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err == nil {
		err = folder.Replace(File, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", results.ErrWrite, File, err)
	}
	return nil
}
