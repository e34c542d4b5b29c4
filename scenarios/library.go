package scenarios

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"loadgen/engine/nearest"
)

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
		panic("scenarios: the built-in library is not there: " + err.Error())
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), libraryEnding))
	}
	slices.Sort(names)
	return names
}

// Builtin returns the built-in scenario of that name. Where there is none, the
// error wraps [ErrUnknown] and names the nearest.
func Builtin(name string) (*Scenario, error) {
	text, err := builtin(name)
	if err != nil {
		return nil, err
	}
	return Parse(name+libraryEnding, text)
}

// builtin returns the text of a built-in scenario. The error is that of [Builtin].
func builtin(name string) ([]byte, error) {
	if !slices.Contains(Library(), name) {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, nearest.Unknown("scenario", name, Library()))
	}
	return library.ReadFile(path.Join(libraryFolder, name+libraryEnding))
}

// Entry is what a list says of a built-in scenario.
type Entry struct {
	Name string `json:"name"`
	// Says is the first sentence of About, in one line.
	Says    string   `json:"says"`
	About   string   `json:"about"`
	Designs []string `json:"designs"`
	// Opposite is what its opposite does wrong, nil where it has none.
	Opposite *string `json:"opposite"`
	// Pattern is the documents' pattern that it shows, nil where it shows none.
	Pattern *Pattern `json:"pattern"`
}

// Catalogue returns what there is to say of every built-in scenario, in the order of
// their names. They are read but not checked again. The error is
// [Faults].
func Catalogue() ([]Entry, error) {
	var all []Entry
	for _, name := range Library() {
		text, err := builtin(name)
		if err != nil {
			return nil, err
		}
		tree, faults := readTree(name+libraryEnding, text)
		if len(faults) > 0 {
			return nil, faults
		}
		s, faults := decode(tree)
		if len(faults) > 0 {
			return nil, faults
		}
		all = append(all, s.entry())
	}
	return all, nil
}

func (s *Scenario) entry() Entry {
	one := Entry{Name: s.Name, Says: s.Says(), About: strings.TrimSpace(s.About),
		Designs: append([]string{}, s.Alternatives()...), Pattern: s.Pattern}
	if s.Opposite != nil {
		contrary := oneLine(s.Opposite.About)
		one.Opposite = &contrary
	}
	return one
}

// Says returns what the scenario is about as far as the first full stop, question or
// exclamation mark that a blank follows, in one line.
func (s *Scenario) Says() string {
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
// [Faults] of the name.
func Starter(name string) ([]byte, error) {
	text := []byte(SchemaHeader + "\n" + strings.Replace(starter, "\nname: "+StarterName+"\n", "\nname: "+name+"\n", 1))
	if s, err := Parse(name, text); err != nil || s.Name != name {
		return nil, Faults{{Path: "name", What: "expected a letter, then letters, digits, '_' or '-', at most 64"}}
	}
	return text, nil
}
