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

	"loadgen/engine/clock"
	"loadgen/results"
)

// azuriteTables lists the tables of the Azurite that .ci/azurite has started, by
// another client than ours.
func azuriteTables(t *testing.T) []string {
	t.Helper()
	text := os.Getenv("LOADGEN_AZURITE")
	if text == "" {
		t.Fatal("LOADGEN_AZURITE is not set; run this by .ci/azurite")
	}
	service, err := aztables.NewServiceClientFromConnectionString(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for pages := service.NewListTablesPager(nil); pages.More(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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
	if code != codeOk {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for _, want := range []string{"figures: measured; entities counted: derived", "Azurite-Table/", "says nothing of the PartitionKey"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("the report does not say %q:\n%s", want, stdout)
		}
	}
	for _, not := range []string{"2,000", "modelled", "Assumptions", "of target"} {
		if strings.Contains(stdout, not) {
			t.Errorf("the report says %q:\n%s", not, stdout)
		}
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
	before := azuriteTables(t)
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var stdout, stderr bytes.Buffer
	done := make(chan int)
	go func() {
		done <- execute(ctx, atAzurite("--quiet", "--duration", "1h"), strings.NewReader(""), &stdout, &stderr)
	}()
	// The table is there once the run has begun in earnest.
	clk := clock.NewReal()
	for len(tablesBeside(azuriteTables(t), before)) == 0 {
		if err := clk.Sleep(t.Context(), clk.Now().Add(1e8)); err != nil {
			t.Fatal(err)
		}
	}
	cancel(interruption{os.Interrupt})
	if code := <-done; code != codeInterrupted || !strings.Contains(stdout.String(), "partial") {
		t.Errorf("an interrupted run = %d\n%s%s\nwant %d and a partial report", code, &stdout, &stderr, codeInterrupted)
	}
	if left := tablesBeside(azuriteTables(t), before); len(left) > 0 {
		t.Errorf("the interrupted run left the tables %v", left)
	}
}

// tablesBeside returns the names that are not among those of before: others may
// drop tables of their own meanwhile.
func tablesBeside(names, before []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(before, name) })
}
