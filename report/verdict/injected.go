package verdict

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// injected says how many attempts met a fault that was asked for, and which; empty where
// none was asked for.
func injected(record *results.Record) string {
	var names []string
	counts := make(map[string]int64)
	var sum, attempts int64
	for i := range record.Intervals {
		attempts += record.Intervals[i].Attempts
	}
	for _, one := range results.InjectedIn(record.Intervals) {
		name := one.Kind
		if one.Kind == "refuse" {
			name = strings.TrimSpace(strconv.Itoa(one.Status) + " " + one.Code)
		}
		if counts[name] == 0 {
			names = append(names, name)
		}
		counts[name] += one.Attempts
		sum += one.Attempts
	}
	if sum == 0 {
		if len(record.Manifest.Faults) > 0 {
			return "faults were asked for, and no attempt met one."
		}
		return ""
	}
	for i, name := range names {
		names[i] = document.Count(counts[name]) + " " + printable(shortened(name))
	}
	return fmt.Sprintf("%s of the attempts met a fault that was injected (%s).", document.Share(figure.ShareOf(sum, attempts)), strings.Join(names, ", "))
}

// faultLimits says what a run with faults says nothing of.
func faultLimits(record *results.Record) []string {
	if len(record.Manifest.Faults) == 0 {
		return nil
	}
	text := "Faults were injected on purpose (" + printable(strings.Join(record.Manifest.Faults, "; ")) + "): "
	if record.Capture != nil {
		return []string{text + "what is refused, lost or late by them is no word of the model's."}
	}
	return []string{text + "what is refused, lost or late by them is none of the target's doing; it never saw what was refused or lost before."}
}
