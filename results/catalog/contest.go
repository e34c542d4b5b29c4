package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"loadgen/results"
)

// ContestFile is what the folder of a contest of designs holds in the place of a run.json.
const ContestFile = "contest.json"

// mostContest bounds what is read of one, in bytes.
const mostContest = 16 << 20

// Contest is what a contest of designs came to, as far as a list of runs tells it.
type Contest struct {
	Verdict string `json:"verdict"`
	// Winner is the design that won, nil where none is shown to be the best; State is that
	// of its checks.
	Winner   *string `json:"winner"`
	State    string  `json:"state"`
	Scenario string  `json:"scenario"`
	Target   string  `json:"target"`
}

// errContest is wrapped where a file holds no contest.
var errContest = errors.New("contest.json holds no contest")

// IsContest reports whether a folder is that of a contest, and not of a run.
func IsContest(folder string) bool {
	return !holdsRun(folder) && isFile(filepath.Join(folder, ContestFile))
}

// parseContest reads what a list tells of a contest.
func parseContest(text io.Reader) (*Contest, error) {
	c := new(Contest)
	if err := json.NewDecoder(text).Decode(c); err != nil {
		return nil, fmt.Errorf("%w: %s", errContest, results.OneLine(err))
	}
	if c.Verdict == "" {
		return nil, errContest
	}
	return c, nil
}

// holdsAny reports whether a folder is that of a run or a contest.
func holdsAny(folder string) bool { return holdsRun(folder) || IsContest(folder) }
