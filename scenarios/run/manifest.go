package run

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
)

// The documents' targets, in entities per second.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
)

// manifest returns the manifest of a run that starts now.
func (p *Plan) manifest(c *campaign.Campaign, started time.Time, d *destination) (results.Manifest, error) {
	s := p.carried()
	m, err := p.model()
	if err != nil {
		return results.Manifest{}, err
	}
	text := s.Text()
	sum := sha256.Sum256(text)
	manifest := results.Manifest{
		Tool: results.Tool{Version: Version(), Commit: Commit(), Go: runtime.Version(),
			System: runtime.GOOS + "/" + runtime.GOARCH},
		Command: p.Command, Labels: p.Labels,
		Scenario: results.Scenario{Name: s.Name, SHA256: hex.EncodeToString(sum[:]), Text: string(text)},
		Started:  started.UTC().Round(0), Time: "real",
		Start: s.Start, Profile: s.Model.Name(), Seed: s.Seed, Retry: s.Retry,
		PeakAsked: p.Peak, SpreadOver: s.SpreadOver(), InputNotes: s.InputNotes(), Accounts: severalOf(s), StandIns: storesOf(s), Checks: s.Expect,
		Targets: results.Targets{Partition: m.PartitionTarget, Account: m.AccountTarget,
			Documented: m.PartitionTarget == documentedPartition && m.AccountTarget == documentedAccount},
		Operations: c.Kinds(),
		Environment: results.Environment{CPUs: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
			Workers: s.Workers, WorkersFrom: p.Scenario.WorkersFrom()},
	}
	if of := cmp.Or(p.AntiPattern, p.Scenario.AntiPattern); of != nil {
		manifest.Example = &results.Example{Shows: oneLine(p.Scenario.About), Wrong: oneLine(of.About), Why: oneLine(of.Why), Fails: of.Fails}
		if p.AntiPattern != nil {
			// The deliberate mistake of the run.
			manifest.AntiPattern = manifest.Example.Wrong
		}
	}
	if p.Driver == Vegeta {
		manifest.Driver = p.Driver
	}
	for _, one := range m.ParametersOf(s.Start) {
		// A measured value that no setting changed.
		if measured := s.Model.Measured; measured != nil && slices.Contains(measured.Values, scenarios.Override{Name: one.Name, Text: one.Text()}) {
			one.From = model.Calibrated
		}
		manifest.Model = append(manifest.Model, results.Parameter{Name: one.Name, Value: one.Text(),
			Unit: string(one.Unit), Provenance: string(one.From), About: one.About})
	}
	for i := range s.Faults {
		manifest.Faults = append(manifest.Faults, scenarios.DescribeFault(&s.Faults[i]))
	}
	p.describe(&manifest, c.Table, d.who)
	if len(d.ahead) > 0 { // the clients of an embedded engine are all alike
		manifest.Client, manifest.Proxy = string(d.wires[0].Client()), d.wires[0].Proxy()
	}
	return manifest, p.load(&manifest, c)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// load sets the partitions of the load, if a single phase determines them.
func (p *Plan) load(m *results.Manifest, c *campaign.Campaign) error {
	if p.Find != nil {
		// The search determines the load, to which the checks do not apply.
		m.Checks = nil
		partitions, err := c.SearchedPartitions()
		if err == nil && p.Find.Of == results.LimitPartition {
			m.PartitionKey = partitions[0]
		}
		return err
	}
	for i, phase := range p.Scenario.Phases {
		t := phase.Offered()
		if t.Unit == scenarios.UnitEach {
			m.Spread = &results.Spread{Partitions: max(t.Partitions, len(t.Keys)), Clients: t.Clients, Think: t.Think}
			if t.Arrivals != nil {
				m.Spread.Rate = t.Arrivals.Constant
			}
			continue
		}
		elsewhere := func(later scenarios.Phase) bool {
			o := later.Offered()
			return (o.Arrivals != nil || o.Clients > 0) && (o.Unit == scenarios.UnitEach || !slices.Equal(o.Keys, t.Keys))
		}
		if len(t.Keys) == 1 && !slices.ContainsFunc(p.Scenario.Phases[i+1:], elsewhere) {
			m.PartitionKey = t.Keys[0]
			return nil
		}
		if t.Arrivals != nil || t.Clients > 0 {
			// The phase has several keys.
			return nil
		}
	}
	return nil
}

// Version names the build.
func Version() string {
	info, known := debug.ReadBuildInfo()
	if !known || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}

// BuildSetting returns a setting of this build, such as vcs.time, empty if it is unknown.
func BuildSetting(key string) string {
	info, known := debug.ReadBuildInfo()
	if !known {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
}

// Commit returns the revision that the binary was built from, empty if it is unknown, with a plus sign if the sources differed from it.
func Commit() string {
	revision := BuildSetting("vcs.revision")
	if revision != "" && BuildSetting("vcs.modified") == "true" {
		revision += "+"
	}
	return revision
}
