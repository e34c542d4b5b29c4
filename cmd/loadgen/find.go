package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// findFlags ask for the highest rate that holds.
type findFlags struct {
	limitOf    string
	maxRefused string
	maxP99     time.Duration
	step       time.Duration
	from, upTo float64
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

// find returns the search over a sound scenario that the flags ask for, nil where they
// ask for none.
func (f *findFlags) find(flags *pflag.FlagSet, s *scenarios.Scenario) (*run.Find, error) {
	given := flags.Changed
	if !given("find-limit") {
		for _, flag := range []string{"max-refused", "max-p99", "from", "up-to", "step"} {
			if given(flag) {
				return nil, usageError{fmt.Errorf("--%s belongs to --find-limit, which is missing; expected --find-limit partition or account", flag)}
			}
		}
		return nil, nil
	}
	for _, flag := range []string{"rate", "peak", "duration"} {
		if given(flag) {
			return nil, usageError{fmt.Errorf("--find-limit and --%s each choose the steps; expected one of them (--from is where a search begins)", flag)}
		}
	}
	share, err := parseShare(f.maxRefused)
	if err != nil {
		return nil, usageError{fmt.Errorf("--max-refused %s: %w", f.maxRefused, err)}
	}
	if given("max-p99") && f.maxP99 <= 0 {
		return nil, usageError{fmt.Errorf("--max-p99 %v: expected more than 0, such as 50ms", f.maxP99)}
	}
	search, err := run.NewFind(s, f.limitOf)
	if err != nil {
		return nil, err
	}
	search.MaxRefused, search.MaxP99 = share, f.maxP99
	if given("from") {
		search.From, search.UpTo = f.from, run.HighestTried(f.limitOf, f.from)
	}
	if given("up-to") {
		search.UpTo = f.upTo
	}
	if given("step") {
		search.Step = f.step
	}
	return search, nil
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
