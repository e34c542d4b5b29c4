//go:build ci

package house_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// licences are those under which other people's code and fonts may be linked: all let the
// program be used, changed and passed on for a note of whose work it is. Each is known by
// words of its text, in small letters with single blanks.
//
// A text that is none of them, or that is of a kind under refused, is a fault: whoever adds
// such a module decides here. MPL-2.0, which asks for the source of changed files, is not
// among them since nothing that is linked needs it.
var licences = []struct {
	name  string
	words []string
}{
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy of this software", "the software is provided \"as is\""}},
	{"BSD", []string{"redistribution and use in source and binary forms, with or without modification, are permitted"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"}},
	{"OFL-1.1", []string{"sil open font license", "version 1.1"}},
	{"CC-BY-4.0", []string{"creative commons attribution 4.0 international public license"}},
	{freeType, []string{"subject to your choice of exactly one of the following two licenses", "the freetype license"}},
}

// freeType leaves the choice between its own licence and the GPL; ours is the former.
const freeType = "FTL"

// refused are words of licences that ask for more than a note.
var refused = []string{"gnu general public license", "gnu lesser general public license", "gnu affero", "server side public license",
	"business source license", "commons clause", "elastic license", "mozilla public license", "eclipse public license", "noncommercial", "non-commercial"}

// licencesOf returns the names of the licences that a text is made of, and why it will not
// do, empty where it will.
func licencesOf(text string) (names []string, fault string) {
	text = strings.NewReplacer("“", `"`, "”", `"`, "> ", " ", "``", `"`, "''", `"`).Replace(strings.ToLower(text))
	text = strings.Join(strings.Fields(text), " ")
	for _, one := range licences {
		if !slices.ContainsFunc(one.words, func(words string) bool { return !strings.Contains(text, words) }) {
			names = append(names, one.name)
		}
	}
	if len(names) == 0 {
		return nil, "no licence that is known"
	}
	if !slices.Contains(names, freeType) {
		for _, words := range refused {
			if strings.Contains(text, words) {
				return nil, "it speaks of the " + words
			}
		}
	}
	return names, ""
}

// isLicence reports whether a file of a module is one that says under which licence it is.
func isLicence(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") || strings.HasPrefix(name, "unlicense")
}

// linked returns the folders of the modules that the command is linked with on a system.
func linked(t *testing.T, system string) map[string]string {
	command := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "loadgen/cmd/loadgen")
	command.Env = append(os.Environ(), "GOOS="+system)
	command.Stderr = os.Stderr
	output, err := command.Output()
	require.NoErrorf(t, err, "%v", command)
	folders := map[string]string{}
	for line := range strings.Lines(string(output)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		folders[path] = folder
	}
	return folders
}

// Each module that the command is linked with, on any of its systems, is under licences
// that may be linked.
func TestLicencesOfWhatIsLinked(t *testing.T) {
	folders := map[string]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		maps.Copy(folders, linked(t, system))
	}
	count := map[string]int{}
	for path, folder := range folders {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var all []string
		for _, file := range files {
			// A text with other words around it, such as a link to the original, is no licence.
			if file.IsDir() || !isLicence(file.Name()) || strings.Contains(file.Name(), "link") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			require.NoError(t, err)
			names, fault := licencesOf(string(text))
			assert.Emptyf(t, fault, "%s: %s", path, file.Name())
			all = append(all, names...)
		}
		assert.NotEmptyf(t, all, "%s has no licence", path)
		slices.Sort(all)
		count[strings.Join(slices.Compact(all), " and ")]++
	}
	assert.Truef(t, len(folders) >= 20, "%d modules are linked; where are the others?", len(folders))
	var parts []string
	for _, names := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }) {
		parts = append(parts, fmt.Sprintf("%d %s", count[names], names))
	}
	t.Logf("%d modules: %s", len(folders), strings.Join(parts, "; "))
}
