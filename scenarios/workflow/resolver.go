package workflow

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"loadgen/engine/entity"
)

// Resolver says which properties of which entities something is done to, as the resolver of
// the documents' client-side encryption does: by PartitionKey, RowKey and name.
type Resolver []string

// parseResolver reads rules, with commas between them: each is PARTITION/ROW/PROPERTY, where
// * stands for any text and ? for any character. No key has a slash. One rule is enough to
// pick a property.
func parseResolver(text string) (Resolver, error) {
	var r Resolver
	for _, rule := range strings.Split(text, ",") {
		rule = strings.TrimSpace(rule)
		if _, err := path.Match(rule, ""); err != nil || strings.Count(rule, "/") != 2 || strings.HasSuffix(rule, "/") {
			return nil, fmt.Errorf("%q is no rule", rule)
		}
		r = append(r, rule)
	}
	return r, nil
}

// Picks reports whether a rule is of the property of an entity.
func (r Resolver) Picks(key entity.Key, property string) bool {
	return slices.ContainsFunc(r, func(rule string) bool {
		picked, _ := path.Match(rule, key.Partition+"/"+key.Row+"/"+property)
		return picked
	})
}

// Names reports whether a rule is of a property of that name, in whatever entities.
func (r Resolver) Names(property string) bool {
	return slices.ContainsFunc(r, func(rule string) bool { return matchesResolver(rule, property) })
}

// Vain returns a rule that is of none of some properties, empty where there is none.
func (r Resolver) Vain(properties []string) string {
	for _, rule := range r {
		if !slices.ContainsFunc(properties, func(name string) bool { return matchesResolver(rule, name) }) {
			return rule
		}
	}
	return ""
}

func matchesResolver(rule, property string) bool {
	picked, _ := path.Match(rule[strings.LastIndexByte(rule, '/')+1:], property)
	return picked
}
