//go:build peers

package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/run"
)

// azuriteTables lists the tables of the Azurite that .ci/azurite has started, by
// another client than ours.
func azuriteTables(t *testing.T) []string {
	t.Helper()
	text := os.Getenv("LOADGEN_AZURITE")
	require.NotEmpty(t, text, "LOADGEN_AZURITE is not set; run this by .ci/azurite")
	service, err := aztables.NewServiceClientFromConnectionString(text, nil)
	require.NoError(t, err)
	var names []string
	for pages := service.NewListTablesPager(nil); pages.More(); {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, table := range page.Tables {
			names = append(names, *table.Name)
		}
	}
	return names
}

// atAzurite is a short run against it: what Azurite bears on a slow machine.
func atAzurite(more ...string) []string {
	return append([]string{"stress", "--target", "env:LOADGEN_AZURITE", "--yes", "--duration", "2s", "--out", "run",
		"--set", "phases.peak.rates=[50, 100]", "--set", "phases.load.entities=1000", "--set", "phases.load.transaction=20",
		"--set", "phases.peak.hold=false", "--workers", "32"}, more...)
}

func TestAzuriteStress(t *testing.T) {
	before := azuriteTables(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := say(t, atAzurite("--verbose")...)
	require.Equalf(t, codeOk, code, "exit code %d: %s", code, stderr)
	for _, want := range []string{"figures: measured; entities counted: derived", "Azurite-Table/", "says nothing about the PartitionKey"} {
		assert.Containsf(t, strings.Join(strings.Fields(stdout), " "), want, "the report does not say %q:\n%s", want, stdout)
	}
	for _, not := range []string{"2,000", "modelled", "Assumptions", "of target"} {
		assert.NotContainsf(t, stdout, not, "the report says %q:\n%s", not, stdout)
	}
	record := read(t, "run")
	sum := record.Total(results.Everything)
	if record.Validity == results.Partial || record.Validity == results.Invalid || sum.Failed > 0 || sum.Throttled > 0 {
		t.Errorf("the run is %s %v with %d failed and %d throttled; want it to come to its end", record.Validity, record.Reasons, sum.Failed, sum.Throttled)
	}
	if left := tablesBeside(azuriteTables(t), before); len(left) > 0 {
		t.Errorf("the run left the tables %v", left)
	}
	t.Log(stdout)
}

func TestAzuriteStressInterrupted(t *testing.T) {
	printed := interruptAtAzurite(t, azuriteTables, atAzurite("--quiet", "--duration", "1h"))
	assert.Contains(t, printed, "partial")
}

// interruptAtAzurite interrupts a run once something it creates is there. It returns what the
// run prints, and fails the test if the run leaves anything.
func interruptAtAzurite(t *testing.T, list func(*testing.T) []string, args []string) string {
	t.Helper()
	before := list(t)
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var stdout, stderr bytes.Buffer
	done := make(chan int)
	go func() { done <- execute(ctx, args, strings.NewReader(""), &stdout, &stderr) }()
	clk := clock.NewReal()
	for len(tablesBeside(list(t), before)) == 0 {
		require.NoError(t, clk.Sleep(t.Context(), clk.Now().Add(1e8)))
	}
	cancel(interruption{os.Interrupt})
	assert.Equalf(t, codeInterrupted, <-done, "exit code: %s%s", &stdout, &stderr)
	assert.Empty(t, tablesBeside(list(t), before), "left by the interrupted run")
	return stdout.String()
}

// tablesBeside returns the names that are not among those of before: others may
// drop tables of their own meanwhile.
func tablesBeside(names, before []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(before, name) })
}

// The stress test with its writes read back, an example whose sums are held against what is left,
// and one of point queries come to the same by both clients.
func TestAzuriteByBothClients(t *testing.T) {
	before := azuriteTables(t)
	for _, client := range []string{run.Native, run.NetHTTP} {
		for _, row := range []struct {
			sentence string
			args     []string
			audited  bool
		}{
			{"the stress test, audited", atAzurite("--verify-writes", "--quiet"), false},
			{"summary-entity", []string{"run", "summary-entity", "--set", "phases.load.entities=50", "--set", "phases.begin.for=2s", "--set", "phases.day.for=3s",
				"--set", "phases.day.arrivals.poisson=20"}, true},
			{"point-query", []string{"run", "point-query", "--set", "phases.load.entities=500", "--set", "phases.read.for=2s"}, false},
		} {
			t.Run(client+"/"+row.sentence, func(t *testing.T) {
				t.Chdir(t.TempDir())
				args := row.args
				if args[0] == "run" {
					args = append(args, "--target", "env:LOADGEN_AZURITE", "--yes", "--quiet", "--no-probe", "--out", "run", "--workers", "32")
				}
				code, stdout, stderr := say(t, append(args, "--client", client)...)
				// An emulator is slow, and so short a run need not show what the whole does.
				require.Truef(t, slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code),
					"exit code %d: %s\n%s", code, stderr, stdout)
				record := read(t, "run")
				sum := record.Total(results.Everything)
				if record.Manifest.Client != client || record.Validity == results.Partial || sum.Failed > 0 || sum.Ok == 0 {
					t.Errorf("by %s, %s %v, %d ok, %d failed; want all by %s", record.Manifest.Client, record.Validity, record.Reasons, sum.Ok, sum.Failed, client)
				}
				if row.audited {
					leftSound(t, record)
				}
				if slices.Contains(args, "--verify-writes") && (record.Audit == nil || record.Audit.Writes == 0 || !record.Audit.Sound()) {
					t.Errorf("the audit is %+v; want writes, all found again", record.Audit)
				}
			})
		}
	}
	if left := tablesBeside(azuriteTables(t), before); len(left) > 0 {
		t.Errorf("the runs left the tables %v", left)
	}
}
