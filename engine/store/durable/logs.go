package durable

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// logList is the file with the names of the write-ahead logs that hold data. The log-structured store reads the logs
// that it finds, and does not notice one that is missing. It is safe for concurrent use.
type logList struct {
	fs     vfs.FS
	folder string

	mu    sync.Mutex
	names map[string]bool
}

// logsFile is the name of the file.
const logsFile = "loadgen-logs.json"

// open reads the list, none of a folder that has no such file yet. Its error wraps [ErrDamaged] if a log is missing.
func (l *logList) open() error {
	l.names = make(map[string]bool)
	file, err := l.fs.Open(l.fs.PathJoin(l.folder, logsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	text, err := io.ReadAll(file)
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return fmt.Errorf("%w: %s is no list of logs", ErrDamaged, logsFile)
	}
	for _, name := range names {
		if _, err := l.fs.Stat(l.fs.PathJoin(l.folder, name)); err != nil {
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name)
		}
		l.names[name] = true
	}
	return nil
}

// add adds a log that was created. It syncs the folder first, so that no crash leaves a name without its file.
func (l *logList) add(path string) error {
	if !isLog(path) {
		return nil
	}
	if err := syncFolder(l.fs, l.folder); err != nil {
		return err
	}
	return l.change(func() { l.names[l.fs.PathBase(path)] = true })
}

// remove deletes the name of a log, before the file goes.
func (l *logList) remove(path string) error {
	if !isLog(path) {
		return nil
	}
	return l.change(func() { delete(l.names, l.fs.PathBase(path)) })
}

func isLog(path string) bool { return strings.HasSuffix(path, ".log") }

func (l *logList) change(names func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	names()
	text, err := json.Marshal(slices.Sorted(maps.Keys(l.names)))
	if err != nil {
		return err
	}
	return replaceFile(l.fs, l.folder, logsFile, text)
}

// replaceFile writes a file of a folder, whole or not at all.
func replaceFile(files vfs.FS, folder, name string, text []byte) error {
	partial := files.PathJoin(folder, name+partialSuffix)
	file, err := files.Create(partial, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = cmp.Or(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := files.Rename(partial, files.PathJoin(folder, name)); err != nil {
		return err
	}
	return syncFolder(files, folder)
}

// partialSuffix ends the name of a file that is being written.
const partialSuffix = ".partial"

func syncFolder(files vfs.FS, name string) error {
	folder, err := files.OpenDir(name)
	if err != nil {
		return err
	}
	return cmp.Or(folder.Sync(), folder.Close())
}
