package verdict

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// The documents' targets in entities per second, to name where a model differs.
const (
	documentedPartition = 2000
	documentedAccount   = 20_000
)

// accountBinds says that the model's account gives in before its partition.
func (s *story) accountBinds() bool {
	t := s.record.Manifest.Targets
	return t.Account > 0 && (t.Partition == 0 || t.Account < t.Partition)
}

// aimed says that every operation of the load goes to one known partition.
func (s *story) aimed() bool { return s.record.Manifest.PartitionKey != "" }

func (s *story) subject() string {
	switch {
	case s.accountBinds():
		return s.accounts()
	case s.aimed():
		return fmt.Sprintf("the partition %q", shortened(s.record.Manifest.PartitionKey))
	default:
		return "the load"
	}
}

// shortened cuts a text that would fill a verdict of its own.
func shortened(text string) string { return document.Cut(text, 60) }

// printable returns a text with every character escaped that could do harm.
func printable(text string) string { return strings.Trim(strconv.Quote(text), `"`) }

// target names the limit that the load was held to, to follow a figure.
func (s *story) target() string {
	t := s.record.Manifest.Targets
	limit, documented, whose := t.Partition, int64(documentedPartition), ""
	switch {
	case s.accountBinds():
		limit, documented, whose = t.Account, documentedAccount, " for an account"
		if s.record.Manifest.Accounts > 1 {
			whose = fmt.Sprintf(" for each of %d accounts", s.record.Manifest.Accounts)
		}
	case !s.aimed():
		whose = " for each partition"
	}
	switch {
	case limit == 0:
		return noTarget("where ", &s.record.Manifest)
	case limit == documented:
		return fmt.Sprintf("against Azure's documented %s/s%s", document.Count(limit), whose)
	default:
		return fmt.Sprintf("against %s %s/s%s, not Azure's documented %s/s", limitOf(&s.record.Manifest), document.Count(limit), whose, document.Count(documented))
	}
}

// noTarget says that nothing is known to hold the load.
func noTarget(before string, m *results.Manifest) string {
	switch {
	case m.Modelled():
		return before + "the model sets no target"
	case m.Emulator && m.LimitsKnown:
		return before + "the emulator keeps no limit"
	default:
		return before + "no target is known"
	}
}

// limitOf says whose a limit is that the documents do not name.
func limitOf(m *results.Manifest) string {
	if m.Emulator {
		return "the emulator's"
	}
	return "the model's"
}

// accounts names all that the load was sharded over.
func (s *story) accounts() string {
	if s.record.Manifest.Accounts < 2 {
		return "the account"
	}
	return fmt.Sprintf("the load on %d accounts", s.record.Manifest.Accounts)
}

// accountsFull says that what was served is as much as all accounts may take, empty where it is
// not.
func (s *story) accountsFull(end *figure.Bin) string {
	target := float64(s.record.Manifest.Targets.Account * int64(max(1, s.record.Manifest.Accounts)))
	switch {
	case target <= 0 || servedRate(end) < .98*target:
		return ""
	case s.record.Manifest.Accounts < 2:
		return "all partitions together are at the account's limit, which no split raises."
	}
	return fmt.Sprintf("all partitions together are at the limits of the %d accounts, which no split raises.", s.record.Manifest.Accounts)
}

// busiestAccount tells what the account was offered that was offered most, of
// several. It is the one to be held against the target of an account: the load of
// all together would seem to be beyond it.
func busiestAccount(record *results.Record) string {
	most, at, seconds := results.AccountStats{}, 0, 0.0
	for _, step := range figure.Reported(record) {
		i, several := step.Phase.Busiest()
		if !several || step.Seconds() <= 0 {
			continue
		}
		if one := step.Phase.Accounts[i]; seconds == 0 || float64(one.Offered)/step.Seconds() > float64(most.Offered)/seconds {
			most, at, seconds = one, i, step.Seconds()
		}
	}
	if seconds == 0 {
		return ""
	}
	text := fmt.Sprintf("Of %d accounts number %d was the busiest: it was offered %s entities/s over its step and served %s/s",
		record.Manifest.Accounts, at+1, document.Rate(float64(most.Offered)/seconds), document.Rate(float64(most.Served)/seconds))
	if target := record.Manifest.Targets.Account; target > 0 {
		text += fmt.Sprintf(", and each has a target of %s/s", document.Count(target))
	}
	return text + "."
}
