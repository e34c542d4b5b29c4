package capture

import (
	"loadgen/engine/entity"
	"loadgen/results"
)

// The groups of the report's tables, as a stress test has them.
const (
	groupGet = "GET"
	groupPut = "PUT"
)

// kindOther is the kind of requests that are about no table's entities, such as
// listings, properties and access policies.
const kindOther = "other"

func countedVerbs() []entity.Verb {
	return []entity.Verb{
		entity.Get, entity.Query,
		entity.Insert, entity.Replace, entity.Merge, entity.InsertOrReplace, entity.InsertOrMerge, entity.Delete,
		entity.Batch,
		entity.CreateTable, entity.DeleteTable,
	}
}

// Kinds returns the kinds of operation of an observed run, for its manifest: one
// for each verb, named after it, and one for everything else. The tables' own
// verbs stand in no group.
func Kinds() []results.Kind {
	var kinds []results.Kind
	for _, verb := range countedVerbs() {
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

// kindTable holds the place of each verb's kind among [Kinds].
type kindTable [entity.DeleteTable + 1]int

func (t *kindTable) of(verb entity.Verb) int {
	if int(verb) >= len(t) {
		return t[0]
	}
	return t[verb]
}
