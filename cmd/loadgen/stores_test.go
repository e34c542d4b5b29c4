package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/target/queueblob"
)

// storesOf names what a scenario uses beside its tables.
func storesOf(s *scenarios.Scenario) []string {
	var names []string
	queues, blobs, _ := campaign.Stores(s)
	if queues {
		names = append(names, "queue")
	}
	if blobs {
		names = append(names, "blobs")
	}
	return names
}

// furnished returns the scenarios of the library that use queues or blobs beside their
// tables.
func furnished(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	var list []*scenarios.Scenario
	for _, name := range scenarios.Library() {
		s, err := scenarios.Builtin(name)
		require.NoError(t, err)
		if len(storesOf(s)) > 0 {
			list = append(list, s)
		}
	}
	require.NotEmpty(t, list, "no scenario of the library uses a queue or blobs")
	return list
}

// curtailed returns what has a scenario run for so long in all: each phase of its traffic
// for as much, or for as many operations of clients.
func curtailed(s *scenarios.Scenario, each time.Duration) []string {
	var list []string
	for i := range s.Phases {
		if traffic := s.Phases[i].Traffic; traffic != nil && traffic.For > each {
			list = append(list, "--set", fmt.Sprintf("phases.%s.for=%v", s.Phases[i].Name, each))
		}
	}
	return list
}

// asLive carries a scenario out at a live target of this machine, with its record in a
// folder, and holds that it comes to its end, that its books close, and that the report
// says what stood in for what.
func asLive(t *testing.T, s *scenarios.Scenario, folder string, args ...string) *results.Record {
	t.Helper()
	out := filepath.Join(folder, "run")
	code, stdout, stderr := say(t, append([]string{"run", s.Name, "--out", out, "--quiet", "--no-probe", "--verbose"}, args...)...)
	// A run that is cut short need not show what the whole one does, and a busy machine
	// may leave it untold.
	if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) {
		t.Fatalf("%s: exit code %d: %s", s.Name, code, stderr)
	}
	record := read(t, out)
	if !slices.Equal(record.Manifest.StandIns, storesOf(s)) {
		t.Errorf("%s: the stand-ins in the record are %v; want %v", s.Name, record.Manifest.StandIns, storesOf(s))
	}
	all := record.Total(results.Everything)
	if record.Target == nil || record.Target.Requests != all.Attempts || all.Attempts == 0 || record.Validity == results.Partial {
		t.Errorf("%s: the target counted %+v of %d attempts, and the run is %s", s.Name, record.Target, all.Attempts, record.Validity)
	}
	for _, want := range []string{"in-memory stand-ins", "in an assumed " + strings.TrimSuffix(queueblob.Answer.String(), "ms") + " ms", "never throttle"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("%s: the report does not say %q:\n%s", s.Name, want, stdout)
		}
	}
	return record
}

// leftSound fails unless somebody looked at what a run left, and found no fault. Of
// messages there may be none left to look at; of entities there always are some.
func leftSound(t *testing.T, record *results.Record) {
	t.Helper()
	looked := int64(0)
	for _, one := range record.Invariants {
		looked += one.Looked
		assert.Truef(t, one.Faults <= 0, "%d of %d not so: %s: %v", one.Faults, one.Looked, one.Name, one.Examples)
	}
	assert.True(t, looked != 0, "nobody looked at what was left")
}

// ofEachKind returns the first of the scenarios that use the same beside their tables.
func ofEachKind(list []*scenarios.Scenario) []*scenarios.Scenario {
	var first []*scenarios.Scenario
	for _, s := range list {
		if !slices.ContainsFunc(first, func(other *scenarios.Scenario) bool { return slices.Equal(storesOf(other), storesOf(s)) }) {
			first = append(first, s)
		}
	}
	return first
}

// What a remote target does not tell of is asked for before anything is sent, and
// consent says what goes where.
func TestQueuesAndBlobsElsewhere(t *testing.T) {
	s := newService(t, model.Off, 0)
	connection := fmt.Sprintf("AccountName=races;AccountKey=%s;TableEndpoint=%s", planted, s.url)
	const nobody = "http://127.0.0.1:1/races"
	for _, name := range []string{"eventual-transaction", "large-entity"} {
		one, err := scenarios.Builtin(name)
		require.NoError(t, err)
		name := storesOf(one)[0]
		setting := map[string]string{"queue": "QueueEndpoint", "blobs": "BlobEndpoint"}[name]
		for _, row := range []struct {
			sentence, more string
			args           []string
			code           int
			says           []string
		}{
			{"none is told of", "", []string{"--yes"}, codeUsage, []string{"expected a connection string with " + setting, one.Name}},
			{"no consent", ";QueueEndpoint=" + nobody + ";BlobEndpoint=" + nobody, nil, codeUsage, []string{"  other  ", " go to " + nobody, "nothing was sent"}},
			{"nobody is there", ";QueueEndpoint=" + nobody + ";BlobEndpoint=" + nobody, []string{"--yes"}, codeTarget, []string{" service at " + nobody + ": no reply: "}},
		} {
			t.Run(one.Name+", "+row.sentence, func(t *testing.T) {
				t.Chdir(t.TempDir())
				t.Setenv("LOADGEN_STORES_TEST", connection+row.more)
				before := s.handler.Counts().Requests
				code, stdout, stderr := say(t, slices.Concat([]string{"run", one.Name, "--target", "env:LOADGEN_STORES_TEST", "--no-probe"}, curtailed(one, time.Second), row.args)...)
				assert.Truef(t, code == row.code && stdout == "",
					"exit code %d with %q on standard output; want %d and nothing", code, stdout, row.code)
				for _, want := range row.says {
					assert.Containsf(t, stderr, want, "standard error says\n%s\nwant %q in it", stderr, want)
				}
				assert.NotContains(t, stderr, planted, "standard error shows the key")
				// Whether the table service is there may have been asked.
				if seen := s.handler.Counts().Requests - before; seen > 1 || row.code == codeUsage && seen > 0 {
					t.Errorf("%d requests were sent to the tables", seen)
				}
				assert.Len(t, leftIn(t, "."), 0, "left behind")
			})
		}
	}
}
