package house_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promise is a line of docs/reliability.md: what is promised, which tests would fail if it
// were not kept, each as PACKAGE.TEST, and what they come to.
type promise struct {
	what   string
	tests  []string
	figure string
}

// promises are all there are about what is kept. A figure that depends on the machine says
// so, and which command measures it.
var promises = []promise{
	{"Tables in memory and in a folder mean the same: one suite, and a comparison of random requests with a map",
		[]string{"engine/store.TestConformance", "engine/store/durable.TestConformance", "engine/store.TestAgainstMap", "engine/store/durable.TestAgainstMap"},
		"18 checks on each, in both durabilities; 1,000 requests a seed: 24 seeds in memory, 6, 24 [ci] and 200 [long] in a folder that is closed and opened anew meanwhile"},
	{"A crash of the machine loses no write that was acknowledged or read (sync), or the last ones alone (nosync), and leaves no half transaction",
		[]string{"engine/store/durable.TestCrashesOfTheMachine"},
		"16 writers, none, some or all of what was not synced lost: 4 crashes of each durability, 20 [ci], 200 [long]"},
	{"A service that is killed has lost none of what it has acknowledged (sync), or the last writes alone (nosync), and no half transaction",
		[]string{"engine/rest/serve.TestKills"},
		"kill -9 of the process at a random moment, 16 clients over HTTP, the next start on what is left: 20 kills of each durability [ci], 200 [long]"},
	{"What clients are told of an account has an order, one operation after the other, that explains it (linearizability)",
		[]string{"engine/store/durable.TestHistories", "engine/store/durable.TestHistoriesFindFaults"},
		"16 clients, 4 partitions of up to 400 operations, through splits and moves, lost replies and a restart, in a folder a crash; memory and folder: 4 seeds, 40 [ci], 200 [long]; " +
			"at most 5 open replies a partition, 10 s to decide, 2 % undecided; an entity tag compared after the change, half a transaction and a lost delete are found by seed 20"},
	{"An error of the disk ends in 500 for that request and all after it; what was acknowledged before is there",
		[]string{"engine/store/durable.TestErrorsOfTheDisk", "engine/rest/serve.TestAFolderThatFails", "cmd/loadgen.TestAFullDiskEndsServe"},
		"full disk, no sync, no new file; 18 moments, 72 [ci], 240 [long]; the process ends with exit code 1 and the cause"},
	{"A folder that will not do is refused in one line: a file, in use, of something else, of another account, newer, damaged, on a full or read-only disk",
		[]string{"engine/store/durable.TestFoldersThatWillNotDo", "engine/store/durable.TestAFileIsNoFolder", "engine/store/durable.TestAFolderIsUsedOnce",
			"engine/store/durable.TestOpeningOnABadDisk", "engine/store/durable.TestAnAlteredLogIsDamaged", "engine/rest/serve.TestFaultsOfTheFolder", "cmd/loadgen.TestServeFoldersThatWillNotDo"},
		"each step of opening a folder fails once for want of room, once for being read-only, once for an error"},
	{"A restart between load and peak is a pause: the audit of the stress test finds every acknowledged write, and examples go on",
		[]string{"cmd/loadgen.TestStressOverARestart", "cmd/loadgen.TestExamplesOverARestart"},
		"`stress --verify-writes`, `point-query`, `several-values` and `bank-transfer` against a `serve` that ends and begins anew on its address [ci]"},
	{"A folder costs the server no more than twice the processor time of memory for an insert (nosync), three times for a page of 1,000",
		[]string{"engine/rest.TestCostOfAFolder"},
		"over HTTP, 16 clients, in turns: insert 1.3 times (56 µs in memory), with sync and group commit 2.1 times; page 2.0 and 2.1 times (1.2 ms in memory); fails at twice the aims [ci]"},
	{"A month of use with a crash a day loses nothing, and neither it nor an overload leaves goroutines or memory behind",
		[]string{"engine/store/durable.TestSoakMonth", "engine/rest/serve.TestSoakOverload"},
		"30 virtual days at 12 writes/s, a thousandth of the canonical rate, on a table whose ranges are split and moved, none to all of what was not synced lost; 20 minutes over HTTP at twice what the account serves [long]"},
	{"Access policies, service properties and the names of deleted tables are there after the next start",
		[]string{"engine/rest.TestSettingsLast", "engine/store/durable.TestDeletedNamesLast", "engine/rest/serve.TestTablesLast"},
		"a name that is kept back for 40 s is so across a restart, and no longer"},
	{"A file of --export is whole or that of before, also while serving (--export-every)",
		[]string{"engine/rest/serve.TestImportAndExport", "engine/rest/serve.TestExportNowAndThen"},
		"written beside it, and renamed"},
}

const reliabilityStart = `# Reliability of what is kept

<!-- Made of cmd/loadgen/house/reliability_test.go: go test ./cmd/loadgen/house -rewrite -->

What ` + "`loadgen serve`" + ` promises of the tables that it keeps, the tests that fail where it is not so, and what they come to.
A test runs with ` + "`go test`" + `; more of its cases do with ` + "`-tags ci`" + ` ([ci], in ` + "`.ci/run`" + `), all with ` + "`-tags long`" + ` ([long], in
` + "`.ci/long`" + `).

`

const reliabilityEnd = `
What is not promised: that a disk which says that it has synced has done so; that a byte that has rotted in the last 32 KiB
of the log is told from an end that a crash has torn (after an ordinary end there is no log); copies on other machines.
`

// Each promise has its tests, and the page is what the promises say.
func TestReliability(t *testing.T) {
	var page strings.Builder
	page.WriteString(reliabilityStart + "| promise | test | figure |\n|---|---|---|\n")
	for _, p := range promises {
		var tests []string
		for _, test := range p.tests {
			room, name, _ := strings.Cut(test, ".")
			assert.Truef(t, hasTest(t, room, name), "%s: there is no test %s in %s", p.what, name, room)
			tests = append(tests, fmt.Sprintf("`%s` of `%s`", name, room))
		}
		fmt.Fprintf(&page, "| %s | %s | %s |\n", p.what, strings.Join(tests, ", "), p.figure)
	}
	page.WriteString(reliabilityEnd)
	name := filepath.Join("..", "..", "..", "docs", "reliability.md")
	if *rewrite {
		require.NoError(t, os.WriteFile(name, []byte(page.String()), 0o644))
	}
	text, err := os.ReadFile(name)
	assert.Truef(t, err == nil && string(text) == page.String(),
		"docs/reliability.md is not what the promises say: %v; run go test ./cmd/loadgen/house -rewrite", err)
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
