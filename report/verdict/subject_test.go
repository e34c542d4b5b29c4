package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// What is said of the service is said of the service alone.
func TestWhatIsSaidOfWhoAnswers(t *testing.T) {
	const remote = "http://tables.example.com/races"
	documented := results.Targets{Partition: 2000, Account: 20_000, Documented: true}
	for _, row := range []struct {
		name  string
		alter func(m *results.Manifest)
		words string
	}{
		{"the service", func(m *results.Manifest) { m.Genuine, m.Targets = true, documented },
			"Azure's documented 2,000/s|A service balances|!emulator|!does not say what it is"},
		{"an emulator with limits of its own", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, results.Targets{Partition: 200}
		}, "the emulator's 200/s|documented 2,000/s|200 entities|keys that spread|!A service balances|!the model's 200"},
		{"an emulator with the documents' limits", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, documented
		}, "Azure's documented 2,000/s|2,000 entities/s|20,000 entities/s|!A service balances"},
		{"Azurite", func(m *results.Manifest) { m.Emulator, m.LimitsKnown, m.Service = true, true, "Azurite-Table/3.35.0" },
			"no limit|no partition servers|!2,000|!keys that spread"},
		{"an emulator that tells nothing", func(m *results.Manifest) { m.Emulator, m.Service = true, "loadgen/0.1" },
			"calls itself loadgen/0.1|no limit of a partition is known|!2,000|!keys that spread|!none of the service's limits"},
		{"loadgen serve whose partitions may exceed their target", func(m *results.Manifest) {
			m.Emulator, m.Service = true, "loadgen/1 (headroom=2000; partition_target=2000; account_target=20000)"
		}, "calls itself loadgen/1 (headroom=2000; |no limit of a partition is known|!holds a partition|!saved up"},
		{"a domain of one's own", func(m *results.Manifest) { m.Service = "Windows-Azure-Table/1.0" },
			"no target is known|does not say what it is|Windows-Azure-Table/1.0|!2,000|!service balances|!emulator"},
		{"one that says nothing", func(*results.Manifest) {}, "does not say what it is|!calls itself|!2,000"},
		{"one whose name would harm a terminal", func(m *results.Manifest) { m.Service = "x\x1b[2J" }, `calls itself x\x1b[2J|!` + "\x1b"},
	} {
		r := &run{manifest: manifest(), serves: 200, rates: []int{100, 300}, seconds: 4}
		r.manifest.Target, r.manifest.Start, r.manifest.Profile, r.manifest.Targets = remote, "", "", results.Targets{}
		row.alter(&r.manifest)
		record := r.record(t)
		resultstest.CheckWords(t, row.name, verdict.Judge(record).Verdict+" "+strings.Join(verdict.Limits(record), " "), row.words)
	}
}
