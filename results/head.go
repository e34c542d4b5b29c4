package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Head is what a record says of itself before and after its measurements: enough to
// list it.
type Head struct {
	SchemaVersion int           `json:"schema_version"`
	Manifest      Manifest      `json:"manifest"`
	Validity      string        `json:"validity"`
	Reasons       []string      `json:"reasons"`
	Duration      time.Duration `json:"duration_ns"`
	// Summary is nil in a run that has not come to its end.
	Summary *Summary `json:"summary"`
}

// Where the measurements stand in a run.json as [Recorder] writes it: keys of the object
// itself begin a line behind one space, and no string of JSON holds the end of a line, so
// that neither can be met elsewhere.
var (
	beforePhases  = []byte(",\n \"phases\": ")
	beforeSummary = []byte("\n \"summary\": ")
)

// ReadHead reads the head of the record in a folder. It looks at neither the measurements
// nor the two other files, and so takes a fraction of the time of [Read], and finds no
// fault in them. Its errors wrap [ErrCorrupt], [ErrNewer] or fs.ErrNotExist.
func ReadHead(folder Folder) (*Head, error) {
	text, err := readAll(folder, RunFile)
	if err != nil {
		return nil, err
	}
	head, ours := headOf(text)
	if !ours {
		// Somebody else has written it anew, or it was cut off, which shows now.
		head = new(Head)
		if err := json.Unmarshal(text, head); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, RunFile, err)
		}
	}
	switch {
	case head.SchemaVersion < 1:
		return nil, fmt.Errorf("%w: %s has no schema version", ErrCorrupt, RunFile)
	case head.SchemaVersion > SchemaVersion:
		return nil, fmt.Errorf("%w: %s has version %d, this is %d", ErrNewer, RunFile, head.SchemaVersion, SchemaVersion)
	case head.Manifest.Started.IsZero() || !slices.Contains([]string{Valid, Partial, ClientLimited, Invalid}, head.Validity):
		return nil, fmt.Errorf("%w: %s says neither when it was begun nor whether it is valid", ErrCorrupt, RunFile)
	}
	return head, nil
}

// headOf decodes what stands before and after the measurements, and returns false where
// the text is not laid out as [Recorder] does.
func headOf(text []byte) (*Head, bool) {
	before, after := bytes.Index(text, beforePhases), bytes.LastIndex(text, beforeSummary)
	if before < 0 || after < before {
		return nil, false
	}
	joined := slices.Concat(text[:before], []byte{','}, text[after:])
	head := new(Head)
	return head, json.Unmarshal(joined, head) == nil
}
