package main_test

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// The words that are looked for are put together here, so that this file does
// not hold them.
var (
	promise = regexp.MustCompile(`\b(` + "TO" + "DO|FIX" + "ME|X" + `XX)\b`)
	machine = regexp.MustCompile(`(?:^|[^\w.~-])(/(?:work|root|home|Users)/|/tmp/[a-z]+_jobs|[A-Z]:\\Users\\)`)
	network = regexp.MustCompile(`\b(?:(?:proxy|sum)\.gol` + `ang\.org|registry\.npm` + `js\.org|deb\.deb` + `ian\.org|pypi\.o` + `rg)\b`)
)

func wordRules() []rule {
	note := "// TO" + "DO: later\npackage x\n"
	here := "/ro" + "ot/project"
	proxy := "proxy.gol" + "ang.org"
	return []rule{{
		name:  "what is to be done is done or filed, not noted in a file",
		check: checkPromises,
		broken: []snippet{
			{"in code", map[string]string{"engine/x.go": note}, "engine/x.go:1"},
			{"in a test", map[string]string{"engine/x_test.go": note}, "engine/x_test.go:1"},
			{"in a document", map[string]string{"README.md": "# Title\n\nFIX" + "ME.\n"}, "README.md:3"},
		},
		sound: []snippet{
			{"a word that only holds one", map[string]string{"README.md": "MASTO" + "DONS\n"}, ""},
			{"checksums", map[string]string{"go.sum": "example.org/x h1:X" + "XX/=\n"}, ""},
		},
	}, {
		name:  "no file names a path of one machine",
		check: checkMachines,
		broken: []snippet{
			{"in a document", map[string]string{"README.md": "cd " + here + "\n"}, "README.md:1"},
			{"in a script", map[string]string{".ci/run": "#!/usr/bin/env bash\ncd \"" + here + "\"\n"}, ".ci/run:2"},
			{"in recorded output", map[string]string{"docs/run.json": `{"out":"` + here + `"}`}, "docs/run.json:1"},
		},
		sound: []snippet{
			{"an address with such a part", map[string]string{"README.md": "https://example.org" + here + "\n"}, ""},
			{"run outputs", map[string]string{"results/runs/1/run.json": here}, ""},
			{"a binary", map[string]string{"docs/x.png": "\x00" + here}, ""},
		},
	}, {
		name:  "no file names the host of a package registry",
		check: checkRegistries,
		broken: []snippet{
			{"in a script", map[string]string{".ci/run": "GOPROXY=https://" + proxy + "\n"}, ".ci/run:1"},
		},
		sound: []snippet{{"a module path is a name", map[string]string{"go.mod": "module loadgen\n\nrequire golang.org/x/term v0.1.0 // indirect\n"}, ""}},
	}}
}

// eachLine calls with every line of every text that a pattern matches.
func (h *house) eachLine(pattern *regexp.Regexp, call func(place, found string)) {
	for _, t := range h.texts {
		if path.Base(t.path) == "go.sum" || !pattern.Match(t.content) {
			continue
		}
		for n, line := range strings.Split(string(t.content), "\n") {
			if found := pattern.FindString(line); found != "" {
				call(fmt.Sprintf("%s:%d", t.path, n+1), strings.TrimSpace(found))
			}
		}
	}
}

func checkPromises(h *house) (faults []string) {
	h.eachLine(promise, func(place, found string) {
		faults = append(faults, fmt.Sprintf("%s: holds %s; do it, or file an issue and write here what stands", place, found))
	})
	return faults
}

func checkMachines(h *house) (faults []string) {
	h.eachLine(machine, func(place, found string) {
		faults = append(faults, fmt.Sprintf("%s: names %s; write the path from the root of the module, or take it from the environment", place, found))
	})
	return faults
}

func checkRegistries(h *house) (faults []string) {
	h.eachLine(network, func(place, found string) {
		faults = append(faults, fmt.Sprintf("%s: names %s; leave the registry to the environment of the go command", place, found))
	})
	return faults
}
