package suggest

import (
	"loadgen/report/document"
)

// narrative has all sentences of a proposal by their condition: reasons for a rejection, reasons for a
// design, and the verdict. They are templates of [document.Fill].
var narrative = map[string]string{
	"reject/cannot":    "it cannot serve the scenario: {1}.",
	"reject/appends":   "append-only: it begins with {1}, and {2|share} of the operations insert.",
	"reject/moves":     "{1}: at any moment all inserts fall on one place.",
	"reject/partition": "its hottest partition counts {1} entities/s, above {2}, the target less headroom.",
	"reject/account":   "the account counts {1} of {2} entities/s.",
	"reject/scan":      "{1} would scan several partitions.",
	"reject/own":       "your {1} has these keys.",
	"reject/worse":     "worse than your own ({1}).",

	"why/known":   "PartitionKey {1}: {2|share} of the questions know its attributes.",
	"why/key":     "{1} partitions, the hottest with {2} entities/s, of {3} in all.",
	"why/buckets": "{1} buckets by {{2}}: the fewest that spread the load.",
	"why/too-few": "{1} buckets by {{2}}: too few.",
	"why/table":   "Copy {1}, in table {2}: eventually consistent.",
	"why/same":    "Copy {1}, in the same partition: written in one transaction.",
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

	"columns/tried": "{1} of {2} were tried.",

	"basis/tried": "{1} tried. Figures without a trial are derived; only a contest decides.",
	"basis/rare":  "–: too rare for a sample",
}

func sentence(condition string, values ...any) string {
	template, known := narrative[condition]
	if !known {
		panic("suggest: the narrative has no condition " + condition)
	}
	return document.Fill(template, values...)
}
