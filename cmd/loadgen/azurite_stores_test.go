//go:build peers

package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/scenarios"
)

// Scenarios that use queues and blobs run against Azurite's real ones, a few operations
// a second, and what they leave behind is as they say; nothing is left of what they
// made. A short test has one scenario for each kind of stores that one can have.
func TestAzuriteStores(t *testing.T) {
	list := furnished(t)
	if testing.Short() {
		list = ofEachKind(list)
	}
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) {
			before := append(azuriteTables(t), azuriteStores(t)...)
			t.Chdir(t.TempDir())
			code, stdout, stderr := say(t, storesAtAzurite(s)...)
			// An emulator is slow, and so short a run need not show what the whole does.
			if !slices.Contains([]int{codeOk, codeExpectation, codeInconclusive}, code) {
				t.Fatalf("%s: exit code %d: %s", s.Name, code, stderr)
			}
			record := read(t, "run")
			sum := record.Total(results.Everything)
			if record.Validity == results.Partial || sum.Ok == 0 || len(record.Manifest.StandIns) > 0 {
				t.Errorf("%s: the run is %s %v, %d attempts ok, with the stand-ins %v", s.Name, record.Validity, record.Reasons, sum.Ok, record.Manifest.StandIns)
			}
			if slices.Contains(s.Expect, "violations == 0") {
				leftSound(t, record)
			}
			if left := tablesBeside(append(azuriteTables(t), azuriteStores(t)...), before); len(left) > 0 {
				t.Errorf("%s left %v", s.Name, left)
			}
			t.Log(stdout)
		})
	}
}

// calmed returns what has a scenario ask for as little as an emulator bears.
func calmed(s *scenarios.Scenario) []string {
	list := curtailed(s, 3*time.Second)
	for i := range s.Phases {
		name := "phases." + s.Phases[i].Name
		switch traffic := s.Phases[i].Traffic; {
		case s.Phases[i].Load != nil && s.Phases[i].Load.Entities > 50:
			// No more than a curtailed phase gets round to listing.
			list = append(list, "--set", name+".entities=50")
		case traffic != nil && traffic.Arrivals != nil && traffic.Arrivals.Constant > 20:
			list = append(list, "--set", name+".arrivals.constant=20")
		case traffic != nil && traffic.Arrivals != nil && traffic.Arrivals.Poisson > 20:
			list = append(list, "--set", name+".arrivals.poisson=20")
		}
	}
	return list
}

// azuriteStores lists the queues and containers of Azurite, by other clients than ours.
func azuriteStores(t *testing.T) []string {
	t.Helper()
	queues, err := azqueue.NewServiceClientFromConnectionString(os.Getenv("LOADGEN_AZURITE"), nil)
	require.NoError(t, err)
	blobs, err := azblob.NewClientFromConnectionString(os.Getenv("LOADGEN_AZURITE"), nil)
	require.NoError(t, err)
	var names []string
	for pages := queues.NewListQueuesPager(nil); pages.More(); {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, one := range page.Queues {
			names = append(names, "queue "+*one.Name)
		}
	}
	for pages := blobs.NewListContainersPager(nil); pages.More(); {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, one := range page.ContainerItems {
			names = append(names, "container "+*one.Name)
		}
	}
	return names
}

// A run that is interrupted leaves neither a queue nor a container, nor a table.
func TestAzuriteStoresInterrupted(t *testing.T) {
	s := furnished(t)[0]
	interruptAtAzurite(t, azuriteStores, storesAtAzurite(s))
	assert.NotContains(t, azuriteTables(t), "loadgenstores")
}

// storesAtAzurite is the command that runs a scenario against Azurite, slowly.
func storesAtAzurite(s *scenarios.Scenario) []string {
	return append([]string{"run", s.Name, "--target", "env:LOADGEN_AZURITE", "--yes", "--quiet", "--no-probe", "--out", "run",
		"--table", "loadgenstores", "--workers", "32"}, calmed(s)...)
}
