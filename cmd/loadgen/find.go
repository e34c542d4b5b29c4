package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// findFlags are those of every verb that can look for the highest rate that holds,
// and what they come to.
type findFlags struct {
	limitOf     string
	maxRefused  string
	maxP99      time.Duration
	step        time.Duration
	from, upTo  float64
	searchAsked *drive.Find
}

// findHelp is what the help of such a verb says of the search.
const findHelp = `--find-limit looks for the highest rate that holds instead of offering the
scenario's own: it doubles or halves the rate until it has one that holds and one
that does not, then bisects to 1 % and tries both ends once more. A rate holds
where no more than --max-refused of its first attempts are refused, and where
--max-p99 is given, the response p99 stays within it. Refused attempts are not
tried again unless --retry says so.`

func (f *findFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.limitOf, "find-limit", "", "look for the highest rate that one `partition` holds, or the account over all partitions")
	flags.StringVar(&f.maxRefused, "max-refused", "0.5%", "with --find-limit: the greatest `share` of first attempts that may be refused")
	flags.DurationVar(&f.maxP99, "max-p99", 0, "with --find-limit: the greatest response p99, such as 50ms (default: any)")
	flags.Float64Var(&f.from, "from", 0, "with --find-limit: the first rate, in operations/s (default: the scenario's first)")
	flags.Float64Var(&f.upTo, "up-to", 0, "with --find-limit: the highest rate to try, in operations/s (default: 16 times --from, 8 times for an account)")
	flags.DurationVar(&f.step, "step", 0, "with --find-limit: the least length of a step, 2s or more (default: 100 times what an idle target saves up)")
}

// mostTimes returns how many times the first rate a search goes up unless it is
// told: from the usual ones that is far above the documented targets.
func mostTimes(of string) float64 {
	if of == results.LimitAccount {
		return 8
	}
	return 16
}

// burstsPerStep is how many times as long as the allowance that an idle target has
// saved up a step lasts, so that a hundredth of its rate can come from there.
const burstsPerStep = 100

// search reads the flags of a search of a sound scenario, which it gives the
// retries that a search has. Its errors are faults of usage.
func (f *findFlags) search(c *cobra.Command, s *scenarios.Scenario) error {
	given := c.Flags().Changed
	if !given("find-limit") {
		for _, flag := range []string{"max-refused", "max-p99", "from", "up-to", "step"} {
			if given(flag) {
				return usageError{fmt.Errorf("--%s belongs to --find-limit, which is missing; expected --find-limit partition or account", flag)}
			}
		}
		return nil
	}
	for _, flag := range []string{"rate", "peak", "duration"} {
		if given(flag) {
			return usageError{fmt.Errorf("--find-limit and --%s each choose the steps; expected one of them (--from is where a search begins)", flag)}
		}
	}
	if f.limitOf == results.LimitAccount && severalOf(s) > 0 {
		return usageError{fmt.Errorf("--find-limit account: it looks for what one account holds, and the scenario %s is sharded over %d; "+
			"expected --set accounts.number=1, or --find-limit partition", s.Name, severalOf(s))}
	}
	find, err := f.defaults(c, s)
	if err != nil {
		return err
	}
	if faults := find.Validate(); len(faults) > 0 {
		return named(c.Flags(), faults...)
	}
	if !given("retry") && !setsRetry(c) {
		if err := s.Set("retry", "none"); err != nil {
			return usageError{err}
		}
	}
	f.searchAsked = find
	return nil
}

// setsRetry reports whether --set chooses the retries.
func setsRetry(c *cobra.Command) bool {
	if c.Flags().Lookup("set") == nil {
		return false
	}
	set, err := c.Flags().GetStringArray("set")
	return err == nil && slices.ContainsFunc(set, func(one string) bool { return strings.HasPrefix(one, "retry=") })
}

// defaults returns the search that the flags ask for, with what they leave open
// filled in from the scenario and its model.
func (f *findFlags) defaults(c *cobra.Command, s *scenarios.Scenario) (*drive.Find, error) {
	share, err := parseShare(f.maxRefused)
	if err != nil {
		return nil, usageError{fmt.Errorf("--max-refused %s: %w", f.maxRefused, err)}
	}
	if c.Flags().Changed("max-p99") && f.maxP99 <= 0 {
		return nil, usageError{fmt.Errorf("--max-p99 %v: expected more than 0, such as 50ms", f.maxP99)}
	}
	m, err := modelOf(s)
	if err != nil {
		return nil, err
	}
	find := &drive.Find{Of: f.limitOf, MaxRefused: share, MaxP99: f.maxP99, From: f.from, UpTo: f.upTo,
		Step: f.step, Burst: m.PartitionBurst}
	if f.limitOf == results.LimitAccount {
		find.Burst = m.AccountBurst
	}
	if !c.Flags().Changed("from") {
		find.From = firstRate(s, f.limitOf)
	}
	if !c.Flags().Changed("up-to") {
		find.UpTo = min(mostTimes(f.limitOf)*find.From, drive.HighestRate)
	}
	if !c.Flags().Changed("step") {
		find.Step = min(max(burstsPerStep*find.Burst, drive.ShortestStep), drive.LongestStep)
	}
	return find, nil
}

// firstRate returns where a search begins: at the first rate of the scenario for a
// partition, and at a quarter of the documented target for an account.
func firstRate(s *scenarios.Scenario, of string) float64 {
	if of == results.LimitAccount {
		return documentedAccount / 4
	}
	for _, phase := range s.Phases {
		switch {
		case phase.Peak != nil && len(phase.Peak.Rates) > 0:
			return max(phase.Peak.Rates[0], drive.LowestRate)
		case phase.Spread != nil && phase.Spread.Rate > 0:
			return max(phase.Spread.Rate, drive.LowestRate)
		}
	}
	return documentedPartition / 4
}

// errShare is wrapped by errors about a share that is none.
var errShare = errors.New("expected a percentage from 0% to below 100%, such as 0.5%")

// parseShare reads a percentage as a share of one.
func parseShare(text string) (float64, error) {
	number, cut := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if !cut || err != nil || !(percent >= 0 && percent < 100) || math.Signbit(percent) {
		return 0, errShare
	}
	return percent / 100, nil
}

// enlist has a campaign carry the search out, and refuses one of an account whose
// partitions bind before it does.
func (f *findFlags) enlist(c *drive.Campaign, m *results.Manifest) error {
	if f.searchAsked == nil {
		return nil
	}
	c.Find = f.searchAsked
	partitions, err := c.FindOver()
	if err != nil {
		return usageError{err}
	}
	// Where the load goes, the phase no longer says alone; and of another load than
	// its own the scenario expects nothing.
	m.PartitionKey, m.Spread, m.Expectations = "", nil, nil
	if f.searchAsked.Of == results.LimitPartition {
		m.PartitionKey = partitions[0]
		return nil
	}
	target, account := m.Targets.Partition, m.Targets.Account
	switch needed := ceilingOf(account, target); {
	case target == 0 || account > 0 && int64(len(partitions)) >= needed:
		return nil
	case account == 0:
		return usageError{fmt.Errorf("--find-limit account: the model sets no target for an account, and each of its partitions has one of %d; "+
			"expected --find-limit partition", target)}
	default:
		return usageError{fmt.Errorf("--find-limit account: %d partitions of %d entities/s each bind before the account's %d; "+
			"expected a scenario of %d partitions or more", len(partitions), target, account, needed)}
	}
}

// ceilingOf returns how many partitions of a target bear an account's and a tenth
// more, so that none of them binds at what the account holds.
func ceilingOf(account, target int64) int64 {
	if target == 0 {
		return 1
	}
	return int64(math.Ceil(1.1 * float64(account) / float64(target)))
}
