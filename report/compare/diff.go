package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxEntries is the maximum number of entries.
const maxEntries = 1000

// Diff lists the values in which two JSON texts differ: objects by key in any order,
// arrays by their elements' names or else by position, numbers by their text, since one
// encoder writes both. There is no tolerance: a run in virtual time repeats to the byte. An error wraps
// [ErrTree] and names the side that cannot be read.
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

// differ walks two trees and collects the differences.
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
			// By name if all elements have different names, so that one more element does not move
			// the others, else by position.
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
				d.add(Entry{Path: path, Kind: Reordered, Was: jsonOf(order), Is: jsonOf(now)})
			}
			return
		}
	case json.Number:
		if after, ok := is.(json.Number); ok {
			if before != after {
				d.add(Entry{Path: path, Kind: Changed, Was: jsonOf(was), Is: jsonOf(is), Change: change(before, after)})
			}
			return
		}
	case string, bool, nil:
		// Comparing these three never panics.
		if before == is {
			return
		}
	}
	d.add(Entry{Path: path, Kind: Changed, Was: jsonOf(was), Is: jsonOf(is)})
}

// compareMembers compares the members of both sides in the order of keys. The path function
// returns the path of a member.
func (d *differ) compareMembers(keys []string, was, is map[string]any, path func(key string) string) {
	for _, key := range keys {
		before, wasThere := was[key]
		after, isThere := is[key]
		switch {
		case wasThere && isThere:
			d.compare(path(key), before, after)
		case wasThere:
			d.add(Entry{Path: path(key), Kind: Removed, Was: jsonOf(before)})
		default:
			d.add(Entry{Path: path(key), Kind: Added, Is: jsonOf(after)})
		}
	}
}

// common returns the names that both sides have, in their order.
func common(names []string, others map[string]any) []any {
	var kept []any
	for _, name := range names {
		if _, both := others[name]; both {
			kept = append(kept, name)
		}
	}
	return kept
}

// byPosition returns an array's elements by position.
func byPosition(elements []any) (keys []string, of map[string]any) {
	of = make(map[string]any, len(elements))
	for i, element := range elements {
		keys = append(keys, strconv.Itoa(i))
		of[keys[i]] = element
	}
	return keys, of
}

// byName returns an array's elements by name, and false if a name is missing or occurs
// twice.
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

// add counts an entry, and stores it up to the maximum.
func (d *differ) add(e Entry) {
	d.found.Total++
	if e.Path = cmp.Or(e.Path, "."); len(d.found.Entries) < maxEntries {
		d.found.Entries = append(d.found.Entries, e)
	}
}

// change returns the relative change between two numbers, nil if it is not finite or too
// small for a float.
func change(was, is json.Number) *float64 {
	before, err := was.Float64()
	if err != nil || before == 0 {
		return nil
	}
	after, err := is.Float64()
	if err != nil {
		return nil
	}
	part := (after - before) / math.Abs(before)
	if part == 0 || math.IsInf(part, 0) {
		return nil
	}
	return &part
}
