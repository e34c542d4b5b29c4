package azure_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/target/targettest"
)

// deviations are the checks of the conformance suite that Azurite fails, and
// why: the table of docs/azurite.md. A check that is listed must fail, so that
// the table stays true.
var deviations = map[string]string{
	"a transaction keeps to one partition": "it carries out a transaction over several partitions, which the service refuses",
	"a transaction holds at most 100 writes": "its refusal has a line before the status that is no part of an HTTP reply, " +
		"so that a client is told nothing",
	"the books close over attempts of every kind": "the check sends a transaction over two partitions: see above",
}

func TestDeviationsAreThoseOfTheDocs(t *testing.T) {
	text := must(os.ReadFile("../../docs/azurite.md"))
	known := make(map[string]bool)
	for _, check := range targettest.Checks() {
		known[check.Name] = true
	}
	for name, reason := range deviations {
		assert.Truef(t, known[name], "a deviation is listed for %q, and there is no such check", name)
		row := "| " + name + " | " + reason + " |"
		assert.Truef(t, strings.Contains(string(text), row), "docs/azurite.md has no row %q", row)
	}
	assert.Equal(t, len(deviations), strings.Count(string(text), "\n| a ")+strings.Count(string(text), "\n| the "),
		"rows of docs/azurite.md")
}
