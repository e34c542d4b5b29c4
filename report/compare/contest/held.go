package contest

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// Check is a claim of the scenario, and in how many runs it held, of those that could
// tell; Untold are the others.
type Check struct {
	Expr   string `json:"expr"`
	Held   int    `json:"held"`
	Runs   int    `json:"runs"`
	Untold int    `json:"runs_untold"`
	// Observed is what it came to in the first run in which it failed, empty where it
	// failed in none.
	Observed string `json:"observed,omitempty"`
}

// fails reports whether the check failed in half of the runs or more. What failed in fewer
// has neither held nor failed: the seeds disagree.
func (e *Check) fails() bool { return e.Held < e.Runs && 2*(e.Runs-e.Held) >= e.Runs+e.Untold }

// counted is how many checks hold, and how many fail; the others can not be told.
func counted(list []Check) (held, failed int) {
	for i := range list {
		switch one := &list[i]; {
		case one.Held == one.Runs && one.Runs > one.Untold:
			// In every run that could tell, and most could.
			held++
		case one.fails():
			failed++
		}
	}
	return held, failed
}

// expected says in how many runs each check held, of those that could tell.
func expected(trials []Trial) []Check {
	list := []Check{}
	for i := range trials {
		for k := range trials[i].Expected {
			one := &trials[i].Expected[k]
			at := slices.IndexFunc(list, func(e Check) bool { return e.Expr == one.Expr })
			if at < 0 {
				at, list = len(list), append(list, Check{Expr: one.Expr})
			}
			sum := &list[at]
			switch {
			case !one.Told():
				sum.Untold++
			case one.Holds():
				sum.Held++
				sum.Runs++
			default:
				sum.Runs++
				if sum.Held == sum.Runs-1 {
					sum.Observed = one.Observed
				}
			}
		}
	}
	return list
}

// heldIn is how many checks hold, of how many could be told.
func (one *Ranked) heldIn() string {
	if len(one.Expected) == 0 {
		return document.Untold
	}
	held, _ := counted(one.Expected)
	told := 0
	for _, e := range one.Expected {
		if e.Runs > 0 {
			told++
		}
	}
	if told == 0 {
		return results.CannotTell
	}
	return fmt.Sprintf("%d of %d", held, told)
}

// fails lists the checks that did not hold in every run that could tell, with what they came to:
// empty where all did.
func (one *Ranked) fails() string {
	var list []string
	for _, e := range one.Expected {
		if e.Held == e.Runs {
			continue
		}
		text := e.Expr
		if e.Observed != "" {
			text += " with " + e.Observed
		}
		if e.Held > 0 {
			text += fmt.Sprintf(" (held in %d of %s)", e.Held, document.Counted(e.Runs, "run"))
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		return ""
	}
	return "fails " + strings.Join(list, ", ")
}

// failures lists the checks that did not hold in every run.
func (c *Contest) failures() []string {
	var list []string
	for i := range c.Ranking {
		one := &c.Ranking[i]
		for _, e := range one.Expected {
			if e.Held == e.Runs {
				continue
			}
			text := fmt.Sprintf("%s: %s held in %d of %s", one.Design, e.Expr, e.Held, document.Counted(e.Runs, "run"))
			if e.Observed != "" {
				text += "; it came to " + e.Observed
			}
			list = append(list, text)
		}
	}
	return list
}

// noneHolds reports whether checks were asked and every design fails one, or cannot serve
// what is asked. One of which it cannot be told may hold them.
func (c *Contest) noneHolds() bool {
	ran := 0
	for i := range c.Ranking {
		switch one := &c.Ranking[i]; {
		case len(one.Cannot) > 0:
		case one.State != results.DoesNotHold:
			return false
		default:
			ran++
		}
	}
	return ran > 0 && len(c.Ranking) > 1
}

// none names the designs together, of which none holds the checks.
func (c *Contest) none() string { return fmt.Sprintf("None of %d designs", len(c.Ranking)) }
