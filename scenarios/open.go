package scenarios

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

// Open returns the scenario of a name, a built-in one's or that of a file, and the
// folder that paths in it count from. The error is [fields.Faults] where the text is at fault,
// and a [fields.Fault] where the file cannot be read; it wraps [ErrUnknown] where the name is
// rather that of a built-in scenario with a typo.
func Open(name string) (s *Scenario, folder string, err error) { return open(name, Parse) }

// OpenContested is [Open] for a scenario that may use a design which cannot serve it,
// as [ParseContested] reads it.
func OpenContested(name string) (s *Scenario, folder string, err error) {
	return open(name, ParseContested)
}

// OpenWhole is [Open], and reads what the scenario refers to, for who sets nothing of it.
// The error is [fields.Faults], too, where a file that it names is at fault.
func OpenWhole(name string) (s *Scenario, folder string, err error) {
	if s, folder, err = Open(name); err != nil {
		return nil, folder, err
	}
	return s, folder, s.ReadFrom(folder)
}

func open(name string, parse func(file string, text []byte) (*Scenario, error)) (s *Scenario, folder string, err error) {
	if slices.Contains(Library(), name) {
		s, err = Builtin(name)
		return s, ".", err
	}
	text, err := textOf("the scenario ", name)
	if err != nil {
		return nil, "", err
	}
	s, err = parse(name, text)
	return s, filepath.Dir(name), err
}

// Read reads a scenario from a stream, as [Parse] reads a text; it reads no more than
// what a scenario can have. The error is [fields.Faults], or the stream's.
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
	return textOf("the scenario ", name)
}

// FilesOf returns the scenarios that a name stands for: the .yaml files of a folder, or
// else the name itself, whatever is there. The error is a [fields.Fault].
func FilesOf(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() || slices.Contains(Library(), name) {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, fields.Fault{What: fmt.Sprintf("cannot read folder %s: %v", name, reason(err))}
	}
	var files []string
	for _, e := range entries {
		if ending := filepath.Ext(e.Name()); !e.IsDir() && (ending == ".yaml" || ending == ".yml") {
			files = append(files, filepath.Join(name, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fields.Fault{What: fmt.Sprintf("folder %s has no scenario; expected .yaml files", name)}
	}
	return files, nil
}

// Begin writes what [Starter] returns to a file, and the schema next to it. The scenario has
// the name of the file, if a scenario can have it. What is there is left alone, unless it is
// the same schema or may be overwritten. The error is [fields.Faults], each with the path
// overwrite if that argument would help.
func Begin(file string, overwrite bool) error {
	text, err := Starter(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	if err != nil {
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
			return fields.Faults{{What: fmt.Sprintf("cannot write %s: %v", one.name, reason(err))}}
		}
	}
	return nil
}

// occupied reports a file that is there already, unless it holds the same or may be
// overwritten, and a folder that is not.
func occupied(file string, same []byte, overwrite bool) fields.Faults {
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return fields.Faults{{What: fmt.Sprintf("cannot write %s: no folder %s", file, filepath.Dir(file))}}
	}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && overwrite, err == nil && same != nil && bytes.Equal(text, same):
		return nil
	case err != nil:
		return fields.Faults{{What: fmt.Sprintf("cannot write %s: %v", file, reason(err))}}
	default:
		return fields.Faults{{Path: "overwrite", What: file + " exists; expected another name"}}
	}
}

// textOf returns what a file holds that can be a scenario.
func textOf(what, name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(what, name, err)
	}
	defer file.Close()
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		return nil, fields.Fault{What: fmt.Sprintf("%s is a CSV file, not a scenario; see `loadgen keys %s`", name, name)}
	}
	text, err := bounded(file)
	if err != nil {
		return nil, unreadable(what, name, err)
	}
	if len(text) > fields.MaxBytes {
		size := "more than that"
		if info, err := file.Stat(); err == nil && info.Size() > fields.MaxBytes {
			size = fmt.Sprintf("%d bytes", info.Size())
		}
		return nil, fields.Fault{What: fmt.Sprintf("%s has %s; expected at most %d bytes", name, size, fields.MaxBytes)}
	}
	return text, nil
}

// bounded reads just more than a scenario can have, so that one that is too large is
// reported as such, whatever its size.
func bounded(from io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(from, fields.MaxBytes+1))
}

// unreadable returns why the file of a scenario cannot be read.
func unreadable(what, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`) {
		// So short a word is rather a name with a typo.
		_, err = builtin(name)
		return fmt.Errorf("%w; no such file", err)
	}
	return fields.Fault{What: fmt.Sprintf("cannot read %s%s: %v", what, name, reason(err))}
}

// reason returns what is wrong with a file, without its path.
func reason(err error) error {
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}

//go:embed library/*.yaml
var library embed.FS

const (
	libraryFolder = "library"
	libraryEnding = ".yaml"
)

// Library returns the names of the built-in scenarios, sorted. The slice is the
// caller's.
func Library() []string {
	files, err := library.ReadDir(libraryFolder)
	if err != nil {
		panic("scenarios: no built-in library: " + err.Error())
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), libraryEnding))
	}
	slices.Sort(names)
	return names
}

// Builtin returns the built-in scenario of that name, whose checks are those of this package's
// tests. If there is none, the error wraps [ErrUnknown] and names the nearest.
func Builtin(name string) (*Scenario, error) {
	text, err := builtin(name)
	if err != nil {
		return nil, err
	}
	tree, faults := fields.ReadTree(name+libraryEnding, text)
	if len(faults) > 0 {
		return nil, faults
	}
	s, faults := decode(tree)
	return s, faults.ErrorOrNil()
}

// builtin returns the text of a built-in scenario. The error is that of [Builtin].
func builtin(name string) ([]byte, error) {
	if !slices.Contains(Library(), name) {
		said := fmt.Sprintf("unknown scenario %s; see `loadgen scenarios list`", nearest.Quote(name))
		if _, near := nearest.Name(name, Library()); near {
			said = nearest.Unknown("scenario", name, Library())
		}
		for _, one := range renamedExamples {
			if name == one.was {
				said = fmt.Sprintf("scenario %s is now %s; use that name", one.was, one.is)
			}
		}
		return nil, unknownName(said)
	}
	return library.ReadFile(path.Join(libraryFolder, name+libraryEnding))
}

// Entry is what a list says of a built-in scenario.
type Entry struct {
	Name string `json:"name"`
	// Subject is one of [Subjects].
	Subject string `json:"subject"`
	// Says is the first sentence of About, in one line.
	Says    string   `json:"says"`
	About   string   `json:"about"`
	Designs []string `json:"designs"`
	// AntiPattern is what its anti-pattern does wrong, nil where it has none.
	AntiPattern *string `json:"anti_pattern"`
	// Why is why that fails, and Fails which of its checks it promises to fail.
	Why   string   `json:"why,omitempty"`
	Fails []string `json:"fails,omitempty"`
	// Pattern is the documents' pattern that it shows, nil where it shows none.
	Pattern *Pattern `json:"pattern"`
}

// Catalogue returns what there is to say of every built-in scenario, by subject in the order of
// the documents. The error is [fields.Faults].
func Catalogue() ([]Entry, error) {
	var all []Entry
	stands := make(map[string][2]int)
	for _, name := range Library() {
		s, err := Builtin(name)
		if err != nil {
			return nil, err
		}
		subject, at := "", 0
		for _, of := range subjects {
			if i := slices.Index(strings.Fields(of.scenarios), s.Name); subject == "" && i >= 0 {
				subject, at = of.name, i
			}
		}
		for _, of := range patternSubjects {
			if subject == "" && s.Pattern != nil && slices.Contains(of.rows, s.Pattern.Row) {
				subject, at = of.name, slices.Index(of.rows, s.Pattern.Row)
			}
		}
		stands[name] = [2]int{slices.Index(Subjects(), subject), at}
		one := Entry{Name: s.Name, Subject: subject, Says: s.FirstSentence(), About: strings.TrimSpace(s.About),
			Designs: append([]string{}, s.Alternatives()...), Pattern: s.Pattern}
		if s.AntiPattern != nil {
			contrary := oneLine(s.AntiPattern.About)
			one.AntiPattern, one.Why, one.Fails = &contrary, oneLine(s.AntiPattern.Why), s.AntiPattern.Fails
		}
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b Entry) int {
		x, y := stands[a.Name], stands[b.Name]
		return slices.Compare(x[:], y[:])
	})
	return all, nil
}

// FirstSentence returns what the scenario is about as far as the first full stop, question or
// exclamation mark that a blank follows, in one line.
func (s *Scenario) FirstSentence() string {
	text := oneLine(s.About)
	for i := range len(text) {
		if strings.IndexByte(".?!", text[i]) >= 0 && (i+1 == len(text) || text[i+1] == ' ') {
			return text[:i+1]
		}
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// starter is a sound scenario with a comment at each section on what to change.
//
//go:embed starter.yaml
var starter string

// StarterName is what the scenario of [Starter] is called unless it is given a name.
const StarterName = "my-table"

// Starter returns the beginning of a scenario for a table of one's own, under a name:
// sound as it stands, below the header by which editors find the schema. The error is
// [fields.Faults] of the name.
func Starter(name string) ([]byte, error) {
	text := []byte(SchemaHeader + "\n" + strings.Replace(starter, "\nname: "+StarterName+"\n", "\nname: "+name+"\n", 1))
	if s, err := Parse(name, text); err != nil || s.Name != name {
		return nil, fields.Faults{{Path: "name", What: "expected a letter, then letters, digits, '_' or '-', at most 64"}}
	}
	return text, nil
}
