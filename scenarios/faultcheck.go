package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
)

// CheckFaults reports what is wrong with several rules together, each with the position of
// its rule. Lasts is how long attempts are first made, counted as the
// windows are, [UntilTheEnd] where that is not known.
func CheckFaults(rules []engine.FaultRule, lasts time.Duration, tell func(place int, what string)) {
	for place := range rules {
		for before := range place {
			a, b := &rules[before], &rules[place]
			same := a.Kind == b.Kind && a.Code == b.Code && a.Moment == b.Moment && a.Key == b.Key && a.KeyPrefix == b.KeyPrefix
			// It would be undefined which of the two an attempt meets.
			if same && a.From < b.To && b.From < a.To {
				tell(place, fmt.Sprintf("%s is on %s already (faults[%d]); expected separate windows, or other keys", describe(a), window(a), before))
				break
			}
		}
	}
	if place, all := hopeless(rules, lasts); all {
		tell(place, "every attempt meets a fault; expected a share below 100%, a key, or a shorter window")
	}
}

// hopeless reports whether rules that let nothing succeed follow one another from the
// first attempt to the last, and names one of them.
func hopeless(rules []engine.FaultRule, lasts time.Duration) (place int, all bool) {
	var total []int
	for i := range rules {
		if r := &rules[i]; r.Fails() && r.Share == engine.WholeShare && r.Key == "" && r.KeyPrefix == "" {
			total = append(total, i)
		}
	}
	slices.SortStableFunc(total, func(a, b int) int { return cmp.Compare(rules[a].From, rules[b].From) })
	covered := time.Duration(0)
	for _, place = range total {
		if rules[place].From > covered {
			return 0, false
		}
		covered = max(covered, rules[place].To)
		if covered >= lasts {
			return place, true
		}
	}
	return 0, false
}

// DescribeFault describes a rule in one line: its effect, its attempts, its share and its window.
func DescribeFault(r *engine.FaultRule) string {
	text := describe(r) + " of " + faultPercent(r.Share)
	switch {
	case r.Key != "":
		text += " at the key " + quoteKey(r.Key)
	case r.KeyPrefix != "":
		text += " at key prefix " + quoteKey(r.KeyPrefix)
	}
	if r.From > 0 || r.To < UntilTheEnd {
		text += ", " + window(r)
	}
	return text
}

// quoteKey is a key as it stands on one line.
func quoteKey(key string) string { quoted := strconv.Quote(key); return quoted[1 : len(quoted)-1] }

// describe names what a rule does.
func describe(r *engine.FaultRule) string {
	words := []string{r.Kind.String()}
	switch {
	case r.Kind == engine.FaultRefuse:
		words = append(words, fmt.Sprintf("(%d %s)", r.Code.Status(), r.Code))
	case r.Kind == engine.FaultDrop:
		words = append(words, r.Moment.String())
	}
	if r.By > 0 {
		words = append(words, "by", r.By.String())
	}
	return strings.Join(words, " ")
}

// window says when a rule holds.
func window(r *engine.FaultRule) string {
	if r.To == UntilTheEnd {
		return fmt.Sprintf("from %v on", r.From)
	}
	return fmt.Sprintf("from %v to %v", r.From, r.To)
}
