package scenarios

import (
	"regexp"
	"slices"
	"strings"
)

// Budget is a share of what was attempted or due that may come to an end of some
// kind; more of it ends the run. It is judged at each whole second, of the five
// before it, where there are a hundred attempts in them.
type Budget struct {
	// Of is what is counted, one of [Budgets].
	Of string
	// Above is the share that is not yet too much, from 0 to 1.
	Above float64
}

// What a budget can be of.
const (
	// BudgetFailed and BudgetRefused are shares of the attempts.
	BudgetFailed  = "failed"
	BudgetRefused = "refused"
	// BudgetLate is the share of the operations sent that were sent more than 5 ms
	// after their instant, BudgetDropped that of the operations due that were not
	// sent a second after it.
	BudgetLate    = "late"
	BudgetDropped = "dropped"
)

// Budgets returns what a budget can be of, in the order in which they are listed.
func Budgets() []string { return []string{BudgetFailed, BudgetRefused, BudgetLate, BudgetDropped} }

// String returns the budget as a scenario has it: "failed > 1%".
func (b Budget) String() string { return b.Of + " > " + shareText(b.Above) }

var budgetText = regexp.MustCompile(`^([a-z]+) *> *([0-9.]+%)$`)

// ParseBudget reads a budget, and returns false where the text is none.
func ParseBudget(text string) (Budget, bool) {
	match := budgetText.FindStringSubmatch(text)
	if match == nil || !slices.Contains(Budgets(), match[1]) {
		return Budget{}, false
	}
	share, sound := parseShare(match[2])
	return Budget{match[1], share}, sound
}

// budgetsValue is the binding of a list of budgets.
func budgetsValue(into *[]Budget) binding {
	return listOf[Budget]{into: into, least: 1, most: maxBudgets, what: "budgets, such as failed > 1%",
		bind: func(b *Budget) binding { return budgetValue{b} }}
}

const maxBudgets = 20

type budgetValue struct{ into *Budget }

var _ binding = budgetValue{}

func (v budgetValue) read(r *reader, path string, n *node) {
	b, sound := ParseBudget(n.text)
	if n.kind != scalar || !sound {
		r.expect(n, path, "a budget of "+strings.Join(Budgets(), ", ")+", such as failed > 1%")
		return
	}
	*v.into = b
}

func (v budgetValue) write() *node { return text(v.into.String()) }

func (v budgetValue) schema() *schema {
	return &schema{Type: types{"string"},
		Pattern: "^(" + strings.Join(Budgets(), "|") + ") *> *" + strings.TrimPrefix(percentage.String(), "^")}
}
