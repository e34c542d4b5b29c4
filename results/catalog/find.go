package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// Latest means the run that began last; followed by ~N, the one N runs before it.
const Latest = "latest"

var latestForm = regexp.MustCompile(`^` + Latest + `(?:~([0-9]{1,9}))?$`)

// Find returns the folder of the run or the contest that a user means. A name is, in this order: [Latest] in the folder
// runs, or latest~N; a path to a folder, or to its run.json or contest.json; the name of a folder in runs; the beginning
// of a single name. The record need not be readable. Any other name is a [Fault] that names the nearest one.
func Find(ctx context.Context, runs, name string) (string, error) {
	if match := latestForm.FindStringSubmatch(name); match != nil {
		c, err := Open(ctx, runs)
		if err != nil {
			return "", err
		}
		back, _ := strconv.Atoi(cmp.Or(match[1], "0"))
		switch count := len(c.Runs); {
		case count == 0:
			return "", unknown(name, fmt.Errorf("%s holds none", Quote(runs)))
		case back >= count:
			return "", &Fault{"run", fmt.Errorf("there is no run %q: %s holds %d; expected %s to %[4]s~%[5]d", name, Quote(runs), count, Latest, count-1)}
		}
		return c.Runs[back].Folder, nil
	}
	if folder, found := runFolder(name); found {
		return folder, nil
	}
	names, err := Names(runs)
	if err != nil {
		return "", unknown(name, err)
	}
	if slices.Contains(names, name) {
		return filepath.Join(runs, name), nil
	}
	var begin []string
	for _, known := range names {
		if name != "" && strings.HasPrefix(known, name) {
			begin = append(begin, known)
		}
	}
	switch {
	case len(begin) == 1:
		return filepath.Join(runs, begin[0]), nil
	case len(begin) > 1:
		return "", &Fault{"run", fmt.Errorf("%d runs in %s begin with %q; expected one of %s", len(begin), Quote(runs), name, nearest.Choice(shownNames(begin)))}
	case isFolder(name):
		return "", &Fault{"run", fmt.Errorf("%s holds no run; expected a folder with a %s", Quote(name), results.RunFile)}
	case len(names) == 0:
		return "", unknown(name, fmt.Errorf("%s holds none", Quote(runs)))
	}
	return "", &Fault{"run", fmt.Errorf("no such run in %s: %s", Quote(runs), nearest.Unknown("run", name, shownNames(append(names, Latest))))}
}

// unknown returns the fault of a name without any runs to choose from.
func unknown(name string, why error) error {
	return &Fault{"run", fmt.Errorf("there is no run %q: %w; expected the folder of a run, with a %s", name, why, results.RunFile)}
}

// runFolder returns the folder of the run or contest at a path, and false if there is none.
func runFolder(path string) (string, bool) {
	if base := filepath.Base(path); (base == results.RunFile || base == ContestFile) && !isFolder(path) {
		path = filepath.Dir(path)
	}
	return path, path != "" && holdsAny(path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// holdsRun reports whether a folder has a run.json.
func holdsRun(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, results.RunFile))
	return err == nil
}

// Names returns the sorted names of the folders of runs and contests in a folder. Its error is one line.
func Names(runs string) ([]string, error) {
	names, err := pathsBelow(runs, holdsAny)
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s", Quote(runs))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w)", Quote(runs), Reason(err))
	}
	return names, nil
}

// below returns the paths directly below a folder for which isRun returns true, by name.
func pathsBelow(folder string, isRun func(string) bool) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var runs []string
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name()); isRun(path) {
			runs = append(runs, path)
		}
	}
	return runs, err
}

func shownNames(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, Quote(name))
	}
	return list
}

// Quote returns a name for a terminal: quoted if it has control characters.
func Quote(name string) string {
	if strings.ContainsFunc(name, unprintable) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Cell returns a text for a cell of a table: on one line, without control characters, and with a maximum number of
// characters.
func Cell(text string, maximum int) string {
	text = strings.Map(func(r rune) rune {
		if unprintable(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= maximum {
		return text
	}
	return string([]rune(text)[:maximum-1]) + "…"
}

const day = 24 * time.Hour

// ParseAge reads a positive age: days (30d) or weeks (2w), with decimals, or a Go duration (36h). Its error is [ErrAge].
func ParseAge(text string) (time.Duration, error) {
	age, err := time.ParseDuration(text)
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		if number, found := strings.CutSuffix(text, suffix); found {
			var n float64
			n, err = strconv.ParseFloat(number, 64)
			if !(n*float64(unit) < math.MaxInt64) { // or NaN
				return 0, ErrAge
			}
			age = time.Duration(n * float64(unit))
		}
	}
	if err != nil || age <= 0 {
		return 0, ErrAge
	}
	return age, nil
}

// ParseSince reads an instant: a day (2026-03-01), an RFC 3339 time, or an age before now. Its error is [ErrAge].
func ParseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	age, err := ParseAge(text)
	if err != nil {
		return time.Time{}, err
	}
	return now.Add(-age), nil
}

// Read calls take with the record and the folder of a run, or of every run directly below a folder. Its error is that of
// take, or a [Fault]: there is no run, or one cannot be read.
func Read(name string, take func(folder string, record *results.Record) error) error {
	folders := []string{name}
	if !holdsRun(name) {
		var err error
		if folders, err = runFolders(name); err != nil {
			return err
		}
	}
	for _, folder := range folders {
		record, err := results.Read(results.Dir(folder))
		if err != nil {
			return &Fault{"folder", fmt.Errorf("the run %s cannot be read: %w", folder, err)}
		}
		if err := take(folder, record); err != nil {
			return err
		}
	}
	return nil
}

// runFolders returns a folder if it may hold a run, and those directly below it. Its error is a [Fault]: the folder
// cannot be read, or has no run.
func runFolders(folder string) ([]string, error) {
	runs, err := pathsBelow(folder, mayHoldRun)
	if err != nil {
		return nil, unreadable(folder, err)
	}
	if mayHoldRun(folder) {
		runs = append([]string{folder}, runs...)
	}
	if len(runs) == 0 {
		return nil, &Fault{"folder", fmt.Errorf("the folder %s has no run; expected folders with a %s, such as in results/runs", folder, results.RunFile)}
	}
	return runs, nil
}

// Archive stores records. Its methods are called concurrently.
type Archive interface {
	// Add adds the record of a folder.
	Add(folder string, record *results.Record)
	// Refuse notes a folder with an unreadable record, and the reason in one line.
	Refuse(folder, reason string)
}

// Reader reads runs into an archive, each once. It belongs to one goroutine.
type Reader struct {
	Archive Archive
	// seen has the folders that were read.
	seen map[string]bool
}

// Read reads every run of a folder, itself and those directly below it, of one of the scenarios, or all if none is named,
// concurrently. Its error is the context's, or a [Fault]: there is no run, or none of one of the scenarios.
func (r *Reader) Read(ctx context.Context, folder string, scenarios ...string) error {
	runs, err := runFolders(folder)
	if err != nil {
		return err
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	again := make([]bool, len(runs))
	for i, run := range runs {
		if absolute, err := filepath.Abs(run); err == nil {
			run = absolute
		}
		again[i], r.seen[run] = r.seen[run], true
	}
	found := make([]string, len(runs))
	if err := concurrently(ctx, len(runs), func(i int) { found[i] = r.addRun(runs[i], scenarios, again[i]) }); err != nil {
		return err
	}
	for _, name := range scenarios {
		if err := checkScenario("scenarios", folder, name, found); err != nil {
			return err
		}
	}
	return nil
}

// addRun reads a run, adds it to the archive unless it is of another scenario or was read before, and returns its scenario,
// empty if it cannot be read.
func (r *Reader) addRun(folder string, scenarios []string, again bool) string {
	record, err := results.Read(results.Dir(folder))
	switch {
	case err != nil && !again:
		r.Archive.Refuse(folder, results.OneLine(Reason(err)))
	case err == nil && !again && (len(scenarios) == 0 || slices.Contains(scenarios, record.Manifest.Scenario.Name)):
		r.Archive.Add(folder, record)
	}
	if err != nil {
		return ""
	}
	return record.Manifest.Scenario.Name
}

// mayHoldRun reports whether a folder has a run.json, or cannot be looked into, which is an unreadable run. A file is none.
func mayHoldRun(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, results.RunFile))
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}
