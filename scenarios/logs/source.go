package logs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/results/catalog"
)

// ErrSource is wrapped by the errors about files that are no logs.
var ErrSource = errors.New("logs: no log")

// Source is one file of a log.
type Source struct {
	// Name is the file's, for messages.
	Name string
	// Group is what files share that may hold lines of the same time: their folder.
	Group string
	Open  func() (io.ReadCloser, error)
}

// maxFiles bounds the files of a log.
const maxFiles = 100_000

// Open returns the files of a log in the order of their names: files as they are, all in
// a folder and those below it, and for - standard input. Nothing is opened yet.
func Open(paths []string, input io.Reader) ([]Source, error) {
	var all []Source
	for _, path := range paths {
		if path == "-" {
			all = append(all, Source{Name: "standard input", Group: "-", Open: func() (io.ReadCloser, error) { return io.NopCloser(input), nil }})
			continue
		}
		if IsRecord(path) {
			return nil, fmt.Errorf("%w: %s is a run's folder without requests; expected a log (serve --log FILE), or logs with the folder alone", ErrSource, path)
		}
		found, err := below(path)
		if err != nil {
			return nil, err
		}
		if all = append(all, found...); len(all) > maxFiles {
			return nil, fmt.Errorf("%w: over %d files; expected fewer", ErrSource, maxFiles)
		}
	}
	return all, nil
}

// below returns the files of a path, which is one or a folder of some.
func below(path string) ([]Source, error) {
	var names []string
	err := filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != path && strings.HasPrefix(entry.Name(), ".")
		switch {
		case hidden && entry.IsDir():
			return filepath.SkipDir
		case !entry.IsDir() && !hidden && len(names) <= maxFiles:
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w: cannot read %s: %w", ErrSource, path, catalog.Reason(err))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: folder %s is empty; expected logs", ErrSource, path)
	}
	slices.Sort(names)
	var all []Source
	for _, name := range names {
		all = append(all, Source{Name: name, Group: filepath.Dir(name), Open: func() (io.ReadCloser, error) {
			file, err := os.Open(name)
			if err != nil {
				return nil, fmt.Errorf("%w: cannot read %s: %w", ErrSource, name, catalog.Reason(err))
			}
			return file, nil
		}})
	}
	return all, nil
}
