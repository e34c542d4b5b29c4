package verdict

import (
	"fmt"

	"loadgen/results"
)

// accounts names all that the load was sharded over.
func (s *story) accounts() string {
	if s.record.Manifest.Accounts < 2 {
		return "the account"
	}
	return fmt.Sprintf("the load on %d accounts", s.record.Manifest.Accounts)
}

// forAccounts says whose the target of an account is.
func (s *story) forAccounts() string {
	if s.record.Manifest.Accounts < 2 {
		return " for an account"
	}
	return fmt.Sprintf(" for each of %d accounts", s.record.Manifest.Accounts)
}

// accountFull reports whether what was served is as much as all accounts may take.
func (s *story) accountFull(end *loadBin) bool {
	target := float64(s.record.Manifest.Targets.Account * int64(max(1, s.record.Manifest.Accounts)))
	return target > 0 && end.servedRate() >= .98*target
}

// fullAccounts says that it is.
func (s *story) fullAccounts() string {
	if s.record.Manifest.Accounts < 2 {
		return "all partitions together are at the account's limit, which no split raises."
	}
	return fmt.Sprintf("all partitions together are at the limits of the %d accounts, which no split raises.", s.record.Manifest.Accounts)
}

// busiestAccount tells what the account was offered that was offered most, of
// several. It is the one to be held against the target of an account: the load of
// all together would seem to be beyond it.
func busiestAccount(record *results.Record) string {
	most, at, seconds := results.AccountStats{}, 0, 0.0
	for _, step := range reported(record) {
		i, several := step.Phase.Busiest()
		if !several || step.seconds() <= 0 {
			continue
		}
		if one := step.Phase.Accounts[i]; seconds == 0 || float64(one.Offered)/step.seconds() > float64(most.Offered)/seconds {
			most, at, seconds = one, i, step.seconds()
		}
	}
	if seconds == 0 {
		return ""
	}
	text := fmt.Sprintf("Of %d accounts number %d was the busiest: it was offered %s entities/s over its step and served %s/s",
		record.Manifest.Accounts, at+1, Rate(float64(most.Offered)/seconds), Rate(float64(most.Served)/seconds))
	if target := record.Manifest.Targets.Account; target > 0 {
		text += fmt.Sprintf(", and each has a target of %s/s", Count(target))
	}
	return text + "."
}
