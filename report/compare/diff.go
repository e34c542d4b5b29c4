package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mostEntries is how many entries are kept.
const mostEntries = 1000

// Diff lists the values in which two JSON texts differ: objects by key whatever
// their order, arrays by their elements' names or else by position, numbers by their
// exact decimal value. Nothing is near enough: a run in virtual time repeats to the
// byte. An error wraps [ErrTree], and says which side cannot be read.
func Diff(was, is []byte) (Difference, error) {
	before, err := parseTree(was)
	if err != nil {
		return Difference{}, fmt.Errorf("reading what was: %w", err)
	}
	after, err := parseTree(is)
	if err != nil {
		return Difference{}, fmt.Errorf("reading what is: %w", err)
	}
	var d differ
	d.compare("", before, after)
	return d.found, nil
}

// differ walks two trees and keeps what it finds.
type differ struct{ found Difference }

func (d *differ) compare(path string, was, is any) {
	switch before := was.(type) {
	case map[string]any:
		if after, ok := is.(map[string]any); ok {
			keys := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
			slices.Sort(keys)
			d.compareMembers(slices.Compact(keys), before, after, func(key string) string {
				return strings.TrimPrefix(path+"."+pathWord(key), ".")
			})
			return
		}
	case []any:
		if after, ok := is.([]any); ok {
			// By name where all of both sides have names of their own, so that one more of them does
			// not move the others, else by position.
			first, wasOf, named := byName(before)
			second, isOf, alsoNamed := byName(after)
			if !named || !alsoNamed {
				first, wasOf = byPosition(before)
				second, isOf = byPosition(after)
			}
			keys := slices.Concat(first, slices.DeleteFunc(slices.Clone(second), func(key string) bool {
				_, both := wasOf[key]
				return both
			}))
			d.compareMembers(keys, wasOf, isOf, func(key string) string { return path + "[" + pathWord(key) + "]" })
			if order, now := common(first, isOf), common(second, wasOf); !slices.Equal(order, now) {
				d.add(Entry{Path: path, Kind: Reordered, Was: shown(order), Is: shown(now)})
			}
			return
		}
	case json.Number:
		if after, ok := is.(json.Number); ok {
			if !sameNumber(before.String(), after.String()) {
				d.add(Entry{Path: path, Was: shown(was), Is: shown(is), Change: change(before, after)})
			}
			return
		}
	case string, bool, nil:
		// None of these three panics in a comparison, whatever the other is.
		if before == is {
			return
		}
	}
	d.add(Entry{Path: path, Was: shown(was), Is: shown(is)})
}

// compareMembers goes through the members of both sides in the order of keys. A path
// leads to each.
func (d *differ) compareMembers(keys []string, was, is map[string]any, path func(key string) string) {
	for _, key := range keys {
		before, wasThere := was[key]
		after, isThere := is[key]
		switch {
		case wasThere && isThere:
			d.compare(path(key), before, after)
		case wasThere:
			d.add(Entry{Path: path(key), Kind: Removed, Was: shown(before)})
		default:
			d.add(Entry{Path: path(key), Kind: Added, Is: shown(after)})
		}
	}
}

// common returns the names that the other side has, too, in their order.
func common(names []string, others map[string]any) []any {
	var kept []any
	for _, name := range names {
		if _, both := others[name]; both {
			kept = append(kept, name)
		}
	}
	return kept
}

// byPosition returns an array's elements by where they stand.
func byPosition(elements []any) (keys []string, of map[string]any) {
	of = make(map[string]any, len(elements))
	for i, element := range elements {
		keys = append(keys, strconv.Itoa(i))
		of[keys[i]] = element
	}
	return keys, of
}

// byName returns an array's elements by their names, and false where one has none or
// two have the same.
func byName(elements []any) (keys []string, of map[string]any, named bool) {
	of = make(map[string]any, len(elements))
	for _, element := range elements {
		object, _ := element.(map[string]any)
		name, ok := object["name"].(string)
		if _, twice := of[name]; !ok || twice {
			return nil, nil, false
		}
		keys = append(keys, name)
		of[name] = element
	}
	return keys, of, true
}

// add counts an entry, and keeps it where there is room.
func (d *differ) add(e Entry) {
	d.found.Total++
	if e.Path = cmp.Or(e.Path, "."); len(d.found.Entries) < mostEntries {
		d.found.Entries = append(d.found.Entries, e)
	}
}
