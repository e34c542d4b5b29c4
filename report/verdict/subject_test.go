package verdict_test

import (
	"strings"
	"testing"

	"loadgen/report/verdict"
	"loadgen/results"
)

// What is said of the service is said of the service alone.
func TestWhatIsSaidOfWhoAnswers(t *testing.T) {
	const remote = "http://tables.example.com/races"
	documented := results.Targets{Partition: 2000, Account: 20_000, Documented: true}
	for _, row := range []struct {
		name     string
		alter    func(m *results.Manifest)
		says     []string
		saysNone []string
	}{
		{"the service", func(m *results.Manifest) { m.Genuine, m.Targets = true, documented },
			[]string{"against Azure's documented 2,000/s", "A service balances its partitions"}, []string{"emulator", "does not say what it is"}},
		{"an emulator with limits of its own", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, results.Targets{Partition: 200}
		}, []string{"against the emulator's 200/s, not Azure's documented 2,000/s", "holds a partition to 200 entities/s and an account to nothing",
			"needs keys that spread it", "an emulator that keeps limits"}, []string{"A service balances", "the model's 200"}},
		{"an emulator with the documents' limits", func(m *results.Manifest) {
			m.Emulator, m.LimitsKnown, m.Targets = true, true, documented
		}, []string{"against Azure's documented 2,000/s", "holds a partition to 2,000 entities/s and an account to 20,000 entities/s"}, []string{"A service balances"}},
		{"Azurite", func(m *results.Manifest) { m.Emulator, m.LimitsKnown, m.Service = true, true, "Azurite-Table/3.35.0" },
			[]string{"where the emulator keeps no limit", "no partition servers", "keeps none of the service's limits"}, []string{"2,000", "keys that spread"}},
		{"an emulator that tells nothing", func(m *results.Manifest) { m.Emulator, m.Service = true, "loadgen/0.1" },
			[]string{"answered (it calls itself loadgen/0.1), of which no limit of a partition is known that it holds hard", "was measured is an emulator, of which no limit of a partition"}, []string{"2,000", "keys that spread", "none of the service's limits"}},
		{"loadgen serve whose partitions may exceed their target", func(m *results.Manifest) {
			m.Emulator, m.Service = true, "loadgen/1 (headroom=2000; partition_target=2000; account_target=20000)"
		}, []string{"it calls itself loadgen/1 (headroom=2000; ", "no limit of a partition is known that it holds hard"}, []string{"holds a partition", "saved up"}},
		{"a domain of one's own", func(m *results.Manifest) { m.Service = "Windows-Azure-Table/1.0" },
			[]string{"where no target is known", "does not say what it is (it calls itself Windows-Azure-Table/1.0)", "nothing is said of the table service"},
			[]string{"2,000", "the service balances", "A service balances", "emulator"}},
		{"one that says nothing", func(*results.Manifest) {}, []string{"What answers does not say what it is: nothing here"}, []string{"calls itself", "2,000"}},
		{"one whose name would harm a terminal", func(m *results.Manifest) { m.Service = "x\x1b[2J" }, []string{`calls itself x\x1b[2J`}, []string{"\x1b"}},
	} {
		r := &run{manifest: manifest(), serves: 200, rates: []int{100, 300}, seconds: 8}
		r.manifest.Target, r.manifest.Start, r.manifest.Profile, r.manifest.Targets = remote, "", "", results.Targets{}
		row.alter(&r.manifest)
		record := r.record(t)
		text := verdict.Judge(record).Verdict + " " + strings.Join(verdict.Limits(record), " ")
		for _, want := range row.says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: it does not say %q:\n%s", row.name, want, text)
			}
		}
		for _, not := range row.saysNone {
			if strings.Contains(text, not) {
				t.Errorf("%s: it says %q:\n%s", row.name, not, text)
			}
		}
	}
}
