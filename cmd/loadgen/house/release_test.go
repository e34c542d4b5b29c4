package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
// folder that is theirs: the one that the CronJob puts its volume at.
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
	job := ofProject(t, "docs/nightly.md")
	if user != nil && !strings.Contains(job, "runAsUser: "+user[1]+", fsGroup: "+user[2]+"}") || !strings.Contains(job, "mountPath: /var/loadgen}") {
		t.Error("the CronJob of docs/nightly.md runs as somebody else, or keeps runs elsewhere")
	}
}

// ofProject returns the text of a file, by its path from the root of the module.
func ofProject(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}
