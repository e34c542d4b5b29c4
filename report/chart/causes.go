package chart

import (
	"strings"

	"loadgen/results"
)

// ThrottledCauses returns the throttled attempts of the seconds of reported phases by what
// they were answered, most first; none where the record does not tell them apart.
func ThrottledCauses(record *results.Record) results.Causes {
	var sum results.Causes
	for _, second := range reportedSeconds(record) {
		sum.Merge(second.Causes.Only(results.Throttled))
	}
	return sum.Told()
}

// throttledWords says how often the commonest answers to throttled attempts came.
func throttledWords(record *results.Record) string {
	const told = 2
	causes := ThrottledCauses(record)
	var words []string
	for i, r := range causes {
		if i == told {
			words = append(words, counted(int64(len(causes)-told), "other answer", "other answers"))
			break
		}
		words = append(words, clean(r.String(), 28)+" "+number(float64(r.Attempts)))
	}
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

// OperationAttempts is how many attempts a kind of operation came to in the reported
// phases, requests beyond the first of an operation among them.
type OperationAttempts struct {
	Name                 string
	Operations, Attempts int64
}

// AttemptsByOperation returns the kinds that had operations, in the order of the
// manifest. A record holds their sums alone: how many operations took two attempts or
// three it does not tell.
func AttemptsByOperation(record *results.Record) []OperationAttempts {
	var list []OperationAttempts
	for k, kind := range record.Manifest.Operations {
		of := OperationAttempts{Name: kind.Name}
		for p := range record.Phases {
			if phase := &record.Phases[p]; phase.Reported && k < len(phase.Kinds) {
				of.Operations += phase.Kinds[k].Operations
				of.Attempts += phase.Kinds[k].Attempts
			}
		}
		if of.Operations > 0 {
			list = append(list, of)
		}
	}
	return list
}

// attemptWords says how many attempts the operations took on average.
func attemptWords(record *results.Record) string {
	const told = 6
	var words []string
	list := AttemptsByOperation(record)
	for i, of := range list {
		if i == told {
			words = append(words, counted(int64(len(list)-told), "other operation", "other operations"))
			break
		}
		words = append(words, clean(of.Name, longestName)+" "+number(float64(of.Attempts)/float64(of.Operations)))
	}
	if len(words) == 0 {
		return ""
	}
	return "attempts per operation, on average: " + strings.Join(words, ", ")
}
