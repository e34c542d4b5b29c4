package scenarios

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"loadgen/scenarios/keys"
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
	source, err := Source(name)
	if err != nil {
		return nil, err
	}
	return Parse(name+libraryEnding, source)
}

// Source returns a built-in scenario as its author wrote it, comments included.
// The error is that of [Builtin].
func Source(name string) ([]byte, error) {
	if !slices.Contains(Library(), name) {
		return nil, fmt.Errorf("%w: %s", ErrUnknown, keys.Unknown("scenario", name, Library()))
	}
	return library.ReadFile(path.Join(libraryFolder, name+libraryEnding))
}
