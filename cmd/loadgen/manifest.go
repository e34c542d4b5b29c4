package main

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// modelOf returns the partition model that a scenario asks for.
func modelOf(s *scenarios.Scenario) (*model.Model, error) {
	m, err := s.PartitionModel()
	if err != nil {
		return nil, usageError{err}
	}
	return m, nil
}

// manifestOf says what is about to be run; when, and on which clock, is the
// caller's to add.
func manifestOf(s *scenarios.Scenario, c *drive.Campaign, peak float64, command []string) (results.Manifest, error) {
	m, err := modelOf(s)
	if err != nil {
		return results.Manifest{}, err
	}
	text := s.Text()
	sum := sha256.Sum256(text)
	manifest := results.Manifest{
		Tool: results.Tool{Version: version(), Commit: commit(), Go: runtime.Version(),
			System: runtime.GOOS + "/" + runtime.GOARCH},
		Command:  command,
		Scenario: results.Scenario{Name: s.Name, SHA256: hex.EncodeToString(sum[:]), Text: string(text)},
		Target:   results.InProcess, Start: s.Start, Profile: m.Profile, Seed: s.Seed, Retry: s.Retry,
		PeakAsked: peak, Accounts: severalOf(s), StandIns: storesOf(s), Expectations: s.Expect,
		Targets: results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget,
			Documented: m.PartitionTarget == documentedPartition && m.AccountTarget == documentedAccount},
		Operations: c.Kinds(),
		Environment: results.Environment{CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
			Workers: s.Workers},
	}
	for _, phase := range s.Phases {
		switch {
		case phase.Peak != nil:
			manifest.PartitionKey = phase.Peak.PartitionKey
		case phase.Traffic != nil && len(phase.Traffic.Keys) == 1:
			manifest.PartitionKey = phase.Traffic.Keys[0]
		case phase.Spread != nil:
			manifest.Spread = &results.Spread{Partitions: max(phase.Spread.Partitions, len(phase.Spread.Keys)),
				Rate: phase.Spread.Rate, Clients: phase.Spread.Clients, Think: phase.Spread.Think}
		}
	}
	for _, p := range m.ParametersOf(s.Start) {
		manifest.Model = append(manifest.Model, results.Parameter{Name: p.Name, Value: p.Text(),
			Unit: string(p.Unit), Provenance: string(p.From), About: p.About})
	}
	return manifest, nil
}

// The documents' targets, in entities per second.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
)
