package suggest

import (
	"loadgen/report/document"
	"loadgen/scenarios"
)

// narrative has all sentences of a proposal by their condition: reasons for a rejection, reasons for a
// design, and the verdict. They are templates of [document.Fill].
var narrative = map[string]string{
	"reject/cannot":    "it cannot serve the scenario: {1}.",
	"reject/appends":   "append-only: it begins with {1}, and {2|share} of the operations insert.",
	"reject/moves":     "{1}: at any moment all inserts fall on one place.",
	"reject/partition": "its hottest partition counts {1} entities/s, above {2}, the target less headroom.",
	"reject/account":   "the account counts {1} of {2} entities/s.",
	"reject/classes":   "{1} other designs read less.",
	"reject/scan":      "{1} would scan several partitions.",
	"reject/copies":    "its copies cost more than they save; see {1}.",
	"reject/own":       "your {1} has these keys.",
	"reject/worse":     "worse than your own ({1}).",

	"behind/unserved": "more time-bounded operations read too much: {2}, {3} under {1}.",
	"behind/cost":     "more requests and entities per operation: {2}, {3} under {1}.",
	"behind/copies":   "more copies at about the same cost: {2}, {3} under {1}.",
	"behind/apart":    "more copies without transactions: {2}, {3} under {1}.",
	"behind/buckets":  "more buckets: {2}, {3} under {1}.",
	"behind/hottest":  "a hotter partition: {2} entities/s, {3} under {1}.",

	"why/key":     "PartitionKey {1}: {2|share} of the questions know its attributes; {3} partitions, the hottest {4} of {5} entities/s, the account {6} of {7}.",
	"why/buckets": "{1} buckets by {{2}}: the fewest with {3|share} of a partition's target free{4}.",
	"why/spread":  "{1} buckets by {{2}}: the fewest that spread the inserts{4}.",
	"why/too-few": "{1} buckets by {{2}}: too few{4}.",
	"why/asks":    "; {1} takes {2}",
	"why/known":   "RowKey {1}: it begins with {{2}}, which {3} knows.",
	"why/timed":   "RowKey {1}: {3} reads a range of it by time.",
	"why/unique":  "RowKey {1}: unique within a partition.",
	"why/table":   "Copy {1}, in table {2}: eventually consistent.",
	"why/same":    "Copy {1}, in the same partition: written in one transaction.",
	"why/insert":  "Inserts count {1} entities in {2}.",
	"why/appends": "It appends: all {1} inserts/s fall on one server.",
	"why/over":    "No design sustains the peak: {1}",

	"trial/failed":    "failed checks: {1}, {2} under {3}",
	"trial/lost":      "lost: {1|share}, {2|share} under {3}",
	"trial/throttled": "throttled: {1|share}, {2|share} under {3}",
	"trial/cost":      "requests and entities per operation: {1}, {2} under {3}",

	"verdict/count":   "{1} to try, the most promising first",
	"verdict/keep":    "Keep {1}: no proposal is better by more than {2|share}",
	"verdict/failing": " (failed checks: {1})",
	"verdict/appends": "; but its inserts are {1}",
	"verdict/only":    "Try {1}: your designs cannot serve the scenario",
	"verdict/try":     "Try {1} ({2})",

	"basis/derived": "Derived figures; only a contest decides.",
	"basis/tried":   "Figures without a trial are derived; only a contest decides.",
	"basis/rare":    "–: too rare for a sample",
}

func sentence(condition string, values ...any) string {
	template, known := narrative[condition]
	if !known {
		panic("suggest: the narrative has no condition " + condition)
	}
	return document.Fill(template, values...)
}

// reject lists a design that was left out, with the reason.
func (p *Proposal) reject(d *scenarios.Design, why string) {
	if len(p.Rejected) == maxRejected {
		p.Unlisted++
		return
	}
	p.Rejected = append(p.Rejected, Rejection{Name: d.Name, PartitionKey: d.PartitionKey, Why: why})
}
