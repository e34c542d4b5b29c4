package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"loadgen/results"
)

// Run is a folder that holds a run.json, or a contest.
type Run struct {
	// Name is that of the folder within the catalog's, Folder the path to it.
	Name, Folder string
	// Head is that of a run's record, Contest what a contest came to. Both are nil where
	// neither can be read, which is why Fault is there.
	Head    *results.Head
	Contest *Contest
	Fault   error
	// Begun is when the run was begun: by its record, else by the folder's name, else
	// when the record was written.
	Begun time.Time
	// Written is when anything of the record was last written.
	Written time.Time
	// Tags are in order.
	Tags []string
	// TagFault says that there are tags and that they cannot be read.
	TagFault error
}

// folderTime is how [results.MakeDir] begins the name of a folder.
const folderTime = "20060102T150405Z"

func (r *Run) read() {
	if IsContest(r.Folder) {
		file, err := os.Open(filepath.Join(r.Folder, ContestFile))
		if err == nil {
			r.Contest, err = parseContest(io.LimitReader(file, mostContest))
			file.Close()
		}
		r.Fault = err
	} else {
		r.Head, r.Fault = results.ReadHead(results.Dir(r.Folder))
	}
	r.Tags, r.TagFault = ReadTags(results.Dir(r.Folder))
	r.Fault, r.TagFault = Reason(r.Fault), Reason(r.TagFault)
	for _, name := range append(recordFiles(), ContestFile) {
		if info, err := os.Lstat(filepath.Join(r.Folder, name)); err == nil && info.ModTime().After(r.Written) {
			r.Written = info.ModTime()
		}
	}
	r.Begun = r.Written.UTC()
	if r.Head != nil {
		r.Begun = r.Head.Manifest.Started.UTC()
	} else if begun, err := time.Parse(folderTime, r.Name[:min(len(r.Name), len(folderTime))]); err == nil {
		r.Begun = begun
	}
}

func recordFiles() []string {
	return []string{results.RunFile, results.IntervalsFile, results.EventsFile}
}

// Scenario returns the name of the run's scenario, empty where it is not known.
func (r *Run) Scenario() string {
	switch {
	case r.Head != nil:
		return r.Head.Manifest.Scenario.Name
	case r.Contest != nil:
		return r.Contest.Scenario
	default:
		return ""
	}
}

// Served returns the most entities a second that any reported phase of a run has served,
// nil where that is not known.
func Served(s *results.Summary) *float64 {
	var most *float64
	for _, phase := range s.Phases {
		// Where nothing was offered the run ended before what the rates are of.
		if phase.Offered+phase.Served > 0 && (most == nil || phase.Served > *most) {
			most = &phase.Served
		}
	}
	return most
}

// ContestFile is the file of a contest of designs, whose folder has no run.json.
const ContestFile = "contest.json"

// mostContest bounds what is read of one, in bytes.
const mostContest = 16 << 20

// Contest is the result of a contest of designs that a list of runs shows.
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

// parseContest reads the result of a contest for a list.
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
