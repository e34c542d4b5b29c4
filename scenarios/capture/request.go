package capture

import (
	"strings"
	"unicode/utf8"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/results"
)

// noReply is the code, with the status 0, of a request whose sender got no reply.
const noReply = "NoReply"

// answerOf returns the outcome of an attempt, and the status and the code that the record has of it.
func answerOf(r *accesslog.Observed) (class results.Class, status int, code string) {
	class = results.Class(r.Outcome())
	if r.Status == 0 {
		return class, 0, noReply
	}
	return class, r.FinalStatus(), string(r.Code)
}

// askedOf returns how many entities the request is about: what it counted, or would have, and one at least if it
// is about entities at all.
func askedOf(r *accesslog.Observed) int64 {
	asked := max(r.Asked, r.Counted)
	if r.Verb >= entity.Insert && r.Verb <= entity.Batch {
		asked = max(asked, 1)
	}
	return asked
}

// The constants of FNV-1a, which needs no seed and so repeats.
const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

func hashed(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * prime
	}
	return h
}

// The longest texts that are kept, in bytes: no valid key or name is longer, and
// a filter that is longer is known by its beginning.
const (
	maxNameLength   = 256
	maxKeyLength    = 4096
	maxShapeLength  = 1024
	maxClientLength = 256
)

// cutText cuts a text to a maximum of bytes, between two characters.
func cutText(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}

// own returns a copy of a text, cut to a maximum of bytes.
func own(text string, bytes int) string { return strings.Clone(cutText(text, bytes)) }

// The groups of the report's tables, as a stress test has them.
const (
	groupGet = "GET"
	groupPut = "PUT"
)

// kindOther is the kind of requests that are about no table's entities, such as
// listings, properties and access policies.
const kindOther = "other"

// countedVerbs are the verbs of [Kinds], in their order.
var countedVerbs = []entity.Verb{
	entity.Get, entity.Query,
	entity.Insert, entity.Replace, entity.Merge, entity.InsertOrReplace, entity.InsertOrMerge, entity.Delete,
	entity.Batch,
	entity.CreateTable, entity.DeleteTable,
}

// Kinds returns the kinds of operation of an observed run, for its manifest: one
// for each verb, named after it, and one for everything else. The tables' own
// verbs stand in no group.
func Kinds() []results.Kind {
	var kinds []results.Kind
	for _, verb := range countedVerbs {
		kind := results.Kind{Name: verb.String(), Group: groupPut}
		switch verb {
		case entity.Get, entity.Query:
			kind.Group = groupGet
		case entity.CreateTable, entity.DeleteTable:
			kind.Group = ""
		}
		kinds = append(kinds, kind)
	}
	return append(kinds, results.Kind{Name: kindOther})
}
