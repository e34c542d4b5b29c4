package scenarios

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Open returns the scenario of a name, a built-in one's or that of a file, and the
// folder that paths in it count from. The error is [Faults] where the text is at fault,
// and a [Fault] where the file cannot be read; it wraps [ErrUnknown] where the name is
// rather that of a built-in scenario with a typo.
func Open(name string) (s *Scenario, folder string, err error) { return open(name, Parse) }

// OpenContested is [Open] for a scenario that may use a design which cannot serve it,
// as [ParseContested] reads it.
func OpenContested(name string) (s *Scenario, folder string, err error) {
	return open(name, ParseContested)
}

func open(name string, parse func(file string, text []byte) (*Scenario, error)) (s *Scenario, folder string, err error) {
	if slices.Contains(Library(), name) {
		s, err = Builtin(name)
		return s, ".", err
	}
	text, err := textOf(name)
	if err != nil {
		return nil, "", err
	}
	s, err = parse(name, text)
	return s, filepath.Dir(name), err
}

// Read reads a scenario from a stream, as [Parse] reads a text; nothing is read beyond
// what a scenario can have. The error is [Faults], or the stream's.
func Read(file string, from io.Reader) (*Scenario, error) {
	text, err := bounded(from)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// Source returns the text of a built-in scenario as its author wrote it, comments
// included, or that of a file, whatever it holds. The error is that of [Open].
func Source(name string) ([]byte, error) {
	if slices.Contains(Library(), name) {
		return builtin(name)
	}
	text, err := textOf(name)
	if len(text) > maxBytes {
		return nil, Fault{What: fmt.Sprintf("%s is too large for a scenario; expected at most %dKiB", name, maxBytes>>10)}
	}
	return text, err
}

// FilesOf returns the scenarios that a name stands for: the .yaml files of a folder, or
// else the name itself, whatever is there. The error is a [Fault].
func FilesOf(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() || slices.Contains(Library(), name) {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, Fault{What: fmt.Sprintf("the folder %s cannot be read: %v", name, reason(err))}
	}
	var files []string
	for _, e := range entries {
		if ending := filepath.Ext(e.Name()); !e.IsDir() && (ending == ".yaml" || ending == ".yml") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, Fault{What: fmt.Sprintf("the folder %s has no scenario; expected files that end in .yaml", name)}
	}
	return files, nil
}

// ReadFrom reads what the scenario refers to, as [Scenario.ReadFiles] does, from files
// whose paths count from a folder.
func (s *Scenario) ReadFrom(folder string) error {
	return s.ReadFiles(func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, filepath.FromSlash(path))
		}
		file, err := os.Open(path)
		return file, reason(err)
	})
}

// Begin writes what [Starter] returns to a file, and the schema beside it. Without a name
// the scenario is called as the file is, where that is a name for one. What is there is
// left alone, unless it is the same schema or may be overwritten. The error is [Faults],
// each with the path of the argument that it concerns, name or overwrite, if it is one.
func Begin(file, name string, overwrite bool) error {
	text, err := Starter(cmp.Or(name, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))))
	if err != nil && name == "" {
		text, err = Starter(StarterName)
	}
	if err != nil {
		return err
	}
	schema, beside := Schema(), filepath.Join(filepath.Dir(file), SchemaFile)
	if faults := append(occupied(file, nil, overwrite), occupied(beside, schema, overwrite)...); len(faults) > 0 {
		return faults
	}
	for _, one := range []struct {
		name string
		text []byte
	}{{beside, schema}, {file, text}} {
		if err := os.WriteFile(one.name, one.text, 0o644); err != nil {
			return Faults{{What: fmt.Sprintf("%s cannot be written: %v", one.name, reason(err))}}
		}
	}
	return nil
}

// occupied reports a file that is there already, unless it holds the same or may be
// overwritten, and a folder that is not.
func occupied(file string, same []byte, overwrite bool) Faults {
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return Faults{{What: fmt.Sprintf("%s cannot be written: there is no folder %s", file, filepath.Dir(file))}}
	}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && overwrite, err == nil && same != nil && bytes.Equal(text, same):
		return nil
	case err != nil:
		return Faults{{What: fmt.Sprintf("%s cannot be written: %v", file, reason(err))}}
	default:
		return Faults{{Path: "overwrite", What: file + " is there already; expected another name"}}
	}
}

// textOf returns what a file holds.
func textOf(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()
	text, err := bounded(file)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return text, nil
}

// bounded reads just more than a scenario can have, so that one that is too large is
// told so, whatever its size.
func bounded(from io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(from, maxBytes+1)) }

// unreadable tells why the file of a scenario cannot be read.
func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		// So short a word is rather a name with a typo.
		_, err = builtin(name)
		return fmt.Errorf("%w; and there is no such file", err)
	}
	return Fault{What: fmt.Sprintf("the scenario %s cannot be read: %v", name, reason(err))}
}

// reason returns what is wrong with a file, without its path.
func reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
