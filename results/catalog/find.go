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
	"time"
	"unicode"
	"unicode/utf8"

	"loadgen/engine/nearest"
	"loadgen/results"
)

// Latest is the word for the run that was begun last; with ~N behind it, for the one begun N runs
// before that.
const Latest = "latest"

var latestForm = regexp.MustCompile(`^` + Latest + `(?:~([0-9]{1,9}))?$`)

// Find returns the folder of the run or the contest that a user means. That is, in this order: [Latest],
// the one of the folder runs that was begun last, or latest~N; a path to the folder of one, or to the
// run.json or contest.json in it; the name of a folder in runs; the beginning of the name of a single one.
// The record in it need not be readable. Any other name is a [Fault] that names what is
// nearest.
func Find(ctx context.Context, runs, name string) (string, error) {
	if match := latestForm.FindStringSubmatch(name); match != nil {
		c, err := Open(ctx, runs)
		if err != nil {
			return "", err
		}
		back, _ := strconv.Atoi(cmp.Or(match[1], "0"))
		switch count := len(c.Runs); {
		case count == 0:
			return "", unknown(name, fmt.Errorf("%s holds none", Shown(runs)))
		case back >= count:
			return "", &Fault{"run", fmt.Errorf("there is no run %q: %s holds %d; expected %s to %[4]s~%[5]d", name, Shown(runs), count, Latest, count-1)}
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
		return "", &Fault{"run", fmt.Errorf("%d runs in %s begin with %q; expected one of %s", len(begin), Shown(runs), name, nearest.Choice(allShown(begin)))}
	case isFolder(name):
		return "", &Fault{"run", fmt.Errorf("%s holds no run; expected a folder with a %s", Shown(name), results.RunFile)}
	case len(names) == 0:
		return "", unknown(name, fmt.Errorf("%s holds none", Shown(runs)))
	}
	return "", &Fault{"run", fmt.Errorf("no such run in %s: %s", Shown(runs), nearest.Unknown("run", name, allShown(append(names, Latest))))}
}

// unknown is the fault of a name where there are no runs to choose from.
func unknown(name string, why error) error {
	return &Fault{"run", fmt.Errorf("there is no run %q: %w; expected the folder of a run, with a %s", name, why, results.RunFile)}
}

// runFolder returns the folder of the run to which a path leads, and false where it leads to
// none.
func runFolder(path string) (string, bool) {
	if path == "" {
		return "", false
	}
	if base := filepath.Base(path); (base == results.RunFile || base == ContestFile) && !isFolder(path) {
		path = filepath.Dir(path)
	}
	return path, holdsAny(path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// holdsRun reports whether a folder is that of a run.
func holdsRun(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, results.RunFile))
	return err == nil
}

// Names returns the names of the folders of runs and contests that a folder holds, in order. Its error
// says in one line that the folder cannot be read.
func Names(runs string) ([]string, error) {
	names, err := below(runs, holdsAny)
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no folder %s", Shown(runs))
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w)", Shown(runs), Reason(err))
	}
	return names, nil
}

// below returns what lies directly below a folder and is one of a run, by name.
func below(folder string, isRun func(string) bool) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var runs []string
	for _, entry := range entries {
		if path := filepath.Join(folder, entry.Name()); isRun(path) {
			runs = append(runs, path)
		}
	}
	return runs, err
}

func allShown(names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, Shown(name))
	}
	return list
}

// Shown returns a name as it may be printed: quoted where it holds what a terminal would
// take for a command.
func Shown(name string) string {
	if strings.ContainsFunc(name, unprintable) {
		return strconv.QuoteToGraphic(name)
	}
	return name
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Cell returns a text as a cell of a table may hold it: on one line, without what a
// terminal would take for a command, and of so many characters at most.
func Cell(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unprintable(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

const day = 24 * time.Hour

// ParseAge reads how long ago something is: whole or broken days (30d), weeks (2w), or
// what Go calls a duration (36h). It is above zero. Its error is [ErrAge].
func ParseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": day, "w": 7 * day} {
		number, found := strings.CutSuffix(text, suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		// Written so that what is no number is none.
		if err != nil || !(n > 0 && n*float64(unit) < math.MaxInt64) || time.Duration(n*float64(unit)) <= 0 {
			return 0, ErrAge
		}
		return time.Duration(n * float64(unit)), nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age <= 0 {
		return 0, ErrAge
	}
	return age, nil
}

// ParseSince reads an instant: a day (2026-03-01), an instant as RFC 3339 has it, or how
// long before now. Its error is [ErrAge].
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
