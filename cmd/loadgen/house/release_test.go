package house_test

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// public are the packages that others may build on: CHANGELOG.md says what changes in them.
// All others may change with any commit; docs/go.md says so.
var public = []string{"backoff", "results", "scenarios/run", "target"}

// A public package says that it is one, and has an example that is run; no other does say so.
func TestPublicPackages(t *testing.T) {
	const says = "The package is public: docs/go.md says what that means."
	page := ofProject(t, "docs/go.md")
	for _, r := range readTree(t).rooms {
		is, documented := slices.Contains(public, r.path), false
		for _, file := range r.code {
			documented = documented || strings.Contains(file.ast.Doc.Text(), says)
		}
		assert.Equalf(t, documented, is, "%s: public is %t", r.path, is)
		assert.Equalf(t, strings.Contains(page, "| [`"+r.path+"`]("), is, "docs/go.md: public is %t for %s", is, r.path)
	}
	for _, path := range public {
		example := ofProject(t, path+"/example_test.go")
		assert.Truef(t, strings.Contains(example, "func Example() {") && strings.Contains(example, "\t// Output:"),
			"%s has no example that is run", path)
	}
}

// The image holds the program as it is released, certificates, a user who is not root, and a
// folder that is theirs: the one that the Job in docs/fleet.md puts its volume at.
func TestDockerfile(t *testing.T) {
	text := ofProject(t, "Dockerfile")
	_, image, found := strings.Cut(text, "\nFROM scratch\n")
	require.True(t, found && !strings.Contains(image, "\nFROM ") && !strings.Contains(image, "\nRUN "),
		"the last stage is not FROM scratch, or runs something, which takes a shell")
	user := regexp.MustCompile(`(?m)^USER (\d+):(\d+)$`).FindStringSubmatch(image)
	assert.Truef(t, user != nil && user[1] != "0" && user[2] != "0", "USER is %v; want numbers of one who is not root", user)
	for _, want := range []string{
		"/etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt\n",
		"WORKDIR /var/loadgen\n", "/var/loadgen\nCOPY", `ENTRYPOINT ["/usr/local/bin/loadgen"]`, " /tmp\n",
	} {
		assert.Containsf(t, image, want, "the image lacks %q", want)
	}
	for _, flag := range []string{"CGO_ENABLED=0", "-trimpath", "-s -w"} {
		assert.Truef(t, strings.Contains(text, flag) && strings.Contains(ofProject(t, ".goreleaser.yaml"), flag),
			"the image and the release are not both built with %s", flag)
	}
	job := ofProject(t, "docs/fleet.md")
	if user != nil && !strings.Contains(job, "runAsUser: "+user[1]+", fsGroup: "+user[2]+"}") || !strings.Contains(job, "mountPath: /var/loadgen}") {
		t.Error("the Job of docs/fleet.md runs as another user, or keeps runs elsewhere")
	}
}

// ofProject returns the text of a file, by its path from the root of the module.
func ofProject(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

// Each promise of docs/development/reliability.md has its tests, and no test is named that there is not.
func TestReliability(t *testing.T) {
	promises := 0
	for line := range strings.Lines(ofProject(t, "docs/development/reliability.md")) {
		cells := strings.Split(line, " | ")
		if len(cells) != 3 || strings.HasPrefix(line, "| promise ") {
			continue
		}
		promises++
		tests := quoted(cells[1])
		assert.Truef(t, len(tests) > 0 && len(tests)%2 == 0, "%s: want tests, each with its package", cells[0])
		for i := 0; i+1 < len(tests); i += 2 {
			assert.Truef(t, hasTest(t, tests[i+1], tests[i]), "%s: there is no test %s in %s", cells[0], tests[i], tests[i+1])
		}
	}
	assert.NotZero(t, promises, "docs/development/reliability.md has no promises")
}

// Each planted fault replaces one line that exists and names existing tests, and each word of a test pattern
// of .ci/run and .ci/long is part of a test's name.
func TestNamesInChecks(t *testing.T) {
	faults := regexp.MustCompile(`(?m)^(\S+)(?: (\S+))?\n- (.+)\n\+ .+\ntests: (.+)$`).FindAllStringSubmatch(ofProject(t, ".ci/faults.txt"), -1)
	assert.Len(t, faults, strings.Count(ofProject(t, ".ci/faults.txt"), "\ntests: "))
	for _, fault := range faults {
		lines := regexp.MustCompile(`(?m)^\s*`+regexp.QuoteMeta(fault[3])+`$`).FindAllString(ofProject(t, fault[1]), -1)
		assert.Lenf(t, lines, 1, "%s: %s", fault[1], fault[3])
		for _, name := range regexp.MustCompile(`(?:Test|Fuzz|Example)\w*`).FindAllString(fault[4], -1) {
			assert.Truef(t, hasTest(t, cmp.Or(fault[2], path.Dir(fault[1])), name), "%s: there is no %s", fault[1], name)
		}
	}
	var tests strings.Builder
	for _, r := range readTree(t).rooms {
		for _, file := range r.tests {
			tests.WriteString(strings.Join(regexp.MustCompile(`(?m)^func Test\w*`).FindAllString(ofProject(t, file.path), -1), "\n"))
		}
	}
	for _, pattern := range regexp.MustCompile(`(?m)(?:-run |^(?:raced|live_words|besieged)\+?=)'([^']+)'`).FindAllStringSubmatch(ofProject(t, ".ci/run")+ofProject(t, ".ci/long"), -1) {
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(pattern[1], -1) {
			assert.Truef(t, strings.Contains(tests.String(), word), "%s: no test has %s in its name", pattern[1], word)
		}
	}
}

// hasTest reports whether a package has a test of that name.
func hasTest(t *testing.T, room, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(room), "*_test.go"))
	require.NoError(t, err)
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if declared.Match(text) {
			return true
		}
	}
	return false
}

// Package house_test checks the structure of the module: which package may import which, how time
// and randomness enter, that links in comments lead somewhere, and that errors name their package.
// It reads the sources and builds nothing. staticcheck.conf has the rules of style, .ci/words what
// no file may contain. With -tags ci it checks the licences of linked modules.
// rule is a rule of structure. Its check returns each violation, with the place and what to write
// instead.
type rule struct {
	name  string
	check func(*house) []string
}

func TestHouse(t *testing.T) {
	h := readTree(t)
	for _, r := range slices.Concat(importRules(), purityRules()) {
		t.Run(r.name, func(t *testing.T) {
			for _, fault := range r.check(h) {
				t.Error(fault)
			}
		})
	}
}

var wholeTree = sync.OnceValues(func() (*house, error) { return readHouse(os.DirFS("../../..")) })

// readTree reads the module, once for all tests.
func readTree(t *testing.T) *house {
	t.Helper()
	h, err := wholeTree()
	require.NoError(t, err)
	require.GreaterOrEqualf(t, len(h.rooms), 10, "found %d packages in the module", len(h.rooms))
	return h
}
