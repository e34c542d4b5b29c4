package advise

import "loadgen/report/document"

// phrases has what the documents of this package print in addition to the checklist, as templates of [document.Fill]. A
// condition begins with where it is printed.
func phrases() map[string]string {
	return map[string]string{
		"why/line":      "most attempts of phase {1} wait for the client's line",
		"why/seeds":     "of {1} seeds some hold and some do not",
		"why/throttled": ": from {1|share} to {2|share} of the first attempts are throttled",
		"why/part":      "only {1} operations were rehearsed; `loadgen simulate` runs all",
		"why/check":     "a check has too few data",
		"why/tails":     "inserts fall on {1} places, {2} of {3}/s on one; test with `--set start=cold`",
		"why/hot":       "inserts are {1}, {2} of {3}/s at one place; test with `--set start=cold`",

		"answer/no-load":    "No phase offers load",
		"answer/partition":  "{1} of {2}/s a partition",
		"answer/account":    "{1} of {2}/s an account",
		"answer/place":      "{1} of {2}/s at one place",
		"answer/brief":      "In a whole second a partition counts at most {1}: each is hot for a part of a second only.",
		"answer/lost":       "In phase {1} {2|share} of the first attempts are throttled and {3|share} of the operations lost.",
		"answer/none":       "Of {1} none is throttled.",
		"answer/some":       "Of {1} {2|share} are throttled.",
		"answer/range":      "Of {1} {2|share} to {3|share} are throttled.",
		"answer/seeds":      "{1} by each of {2}",
		"answer/limit":      "The limit is {1}.",
		"answer/main-limit": "For {2|share} of the throttling the limit is {1}.",
		"answer/targets":    "Azure's documented targets are {1} and {2}.",

		"limit/partition busy": "the target of one partition",
		"limit/account busy":   "the account's target",
		"limit/range busy":     "the target of one range, which was not split",
		"limit/server busy":    "the target of one server",
		"limit/moving":         "the move of ranges",
		"limit/timed out":      "the timeout",
		"limit/ingress busy":   "the account's ingress",
		"limit/egress busy":    "the account's egress",

		"keys/none":         ": there are no keys",
		"keys/where":        "where {1} is full",
		"keys/most":         "at most {1}/s, where {2} is full",
		"keys/partition":    "the most common partition",
		"keys/burst":        "{1|key} in its busiest {2}",
		"keys/busiest":      "The key {1|key} has {4|share} on average, {3|share} of the peak in its busiest {2}, from {5} on.",
		"keys/tail-burst":   "the place of new keys in its busiest {1}",
		"keys/busiest-tail": "New keys at one place take {3|share} on average, {2|share} of the peak in their busiest {1}, from {4} on.",
		"keys/repeated":     ": {1|share} of the inserts repeat a key",
		"keys/coarse":       "the instants are multiples of {1}",
		"keys/place":        "the place of new keys",
		"keys/tails":        "the hottest of {1} places of inserts",
		"keys/account":      "the account",
		"keys/top":          "The most common key, {1|key}, has {2} of all entities.",
		"keys/untimed":      "Insert times are unknown (--time COLUMN).",
		"keys/file-order":   "Insert times are unknown (--time COLUMN); in the order of the file: {1}.",
		"screen/run":        "A run: {1} requests, {2} entities counted, about {3|bytes} sent, {4}",
		"screen/keys":       "{1} partitions, as uneven as {2}; inserts: {3}",
		"screen/candidates": "at most/s: where a partition, a place, or the account is full",
		"basis/run":         "Nothing was sent: {1}, {2}, {3} on the virtual clock.",
		"basis/keys":        "Derived from the shares of rows.",
		"basis/timed":       "Derived from the rows in time: their busiest second stands for the rate.",
		"basis/part":        " A sample of the rows is judged.",
		"cost/requests":     "requests: {1}, each billed; at most {2}",
		"cost/million":      "requests for a million operations: {1}",
		"cost/entities":     "entities counted: {1}",
		"cost/bytes":        "bytes: about {1|bytes} sent, {2|bytes} received, without retries",
		"cost/money":        "cost: about {1|money}: {2|money} for requests, {3|money} for egress, all bytes received",
		"cost/length":       "length: {1}, plus loading",
		"design/cannot":     "It cannot serve the scenario: {1}",
		"load/clients":      "{1} ask {2} times a second and wait {3} for answers.",
		"load/scans":        "Queries of several partitions count {1} entities/s (+).",
		"load/unread":       "{1}: what its queries read is unknown.",
		"load/elsewhere":    "{1}: {2} of its requests go to queues or blobs.",

		"keys/like":          "{1} equal ones",
		"keys/at-least-like": "at least {1} equal ones",
		"keys/unlisted":      "A partition that is not listed has at most {1|share}.",
		"keys/shares":        "Shares of all rows; full: if the share were the same at any time.",
		"keys/rows":          "rows: {1} in {2}, {3} of them inserts; {4} counted",
		"keys/partitions":    "partitions: {1}, as uneven as {2}",
		"keys/share":         "largest share: {1}",
		"keys/inserts":       "inserts: {1}",
		"keys/falling":       "rows earlier than one before: {1}",
		"keys/ignored":       "ignored columns: {1}",
		"keys/fault":         "line {1}, {2|key}: {3}",
		"retries/operation":  " Operation {1}: {2}.",
		"location/loss":      "; {1|share} of the attempts lose a packet, at least {2} each",
		"bytes/unlimited":    "without limit",
		"bytes/limit":        "{1|part} of {2|bytes}/s",
		"size/drawn":         " Mean: {1|bytes}, maximum: {2|bytes}.",
		"size/cut":           " {1|share} of the curve are cut to it.",
		"unique/some":        "Of {1} inserts {2} have the keys of an earlier row: they fail (409), or overwrite it as upserts.",
		"unique/identical":   "{1} of these rows are duplicates: they equal an earlier row in every column.",
	}
}

// sentence returns the sentence of a condition; a condition without one is a fault of this package, and its own
// text.
func sentence(condition string, values ...any) string {
	text, some := phrases()[condition]
	if !some {
		text = condition
	}
	return document.Fill(text, values...)
}
