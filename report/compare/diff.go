package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// compare finds what differs at a path and below it.
func (d *differ) compare(path string, was, is any) {
	switch before := was.(type) {
	case map[string]any:
		if after, ok := is.(map[string]any); ok {
			d.compareObjects(path, before, after)
			return
		}
	case []any:
		if after, ok := is.([]any); ok {
			d.compareArrays(path, before, after)
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

// compareObjects goes through the keys of both in order.
func (d *differ) compareObjects(path string, was, is map[string]any) {
	keys := slices.Collect(maps.Keys(was))
	for key := range is {
		if _, both := was[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		before, wasThere := was[key]
		after, isThere := is[key]
		d.compareMember(child(path, key), before, after, wasThere, isThere)
	}
}

// compareMember compares what either side may lack.
func (d *differ) compareMember(path string, was, is any, wasThere, isThere bool) {
	switch {
	case wasThere && isThere:
		d.compare(path, was, is)
	case wasThere:
		d.add(Entry{Path: path, Kind: Removed, Was: shown(was)})
	default:
		d.add(Entry{Path: path, Kind: Added, Is: shown(is)})
	}
}

// compareArrays goes through the elements by name where all of both sides have names
// of their own, so that one more of them does not move the others, else by position.
func (d *differ) compareArrays(path string, was, is []any) {
	before, named := namesOf(was)
	after, alsoNamed := namesOf(is)
	if !named || !alsoNamed {
		d.compareByPosition(path, was, is)
		return
	}
	wasAt, isAt := placesOf(before), placesOf(after)
	for i, name := range before {
		if k, both := isAt[name]; both {
			d.compare(path+"["+pathWord(name)+"]", was[i], is[k])
		} else {
			d.compareMember(path+"["+pathWord(name)+"]", was[i], nil, true, false)
		}
	}
	for k, name := range after {
		if _, both := wasAt[name]; !both {
			d.compareMember(path+"["+pathWord(name)+"]", nil, is[k], false, true)
		}
	}
	was, is = common(before, isAt), common(after, wasAt)
	if !slices.Equal(was, is) {
		d.add(Entry{Path: path, Kind: Reordered, Was: shown(was), Is: shown(is)})
	}
}

// compareByPosition goes through the elements one after another.
func (d *differ) compareByPosition(path string, was, is []any) {
	for i := range max(len(was), len(is)) {
		var before, after any
		if i < len(was) {
			before = was[i]
		}
		if i < len(is) {
			after = is[i]
		}
		d.compareMember(path+"["+strconv.Itoa(i)+"]", before, after, i < len(was), i < len(is))
	}
}

// common returns the names that the other side has, too, in their order.
func common(names []string, others map[string]int) []any {
	var kept []any
	for _, name := range names {
		if _, both := others[name]; both {
			kept = append(kept, name)
		}
	}
	return kept
}

// placesOf returns where each name stands.
func placesOf(names []string) map[string]int {
	places := make(map[string]int, len(names))
	for i, name := range names {
		places[name] = i
	}
	return places
}

// namesOf returns the names of an array's elements, and false where one has none or
// two have the same.
func namesOf(elements []any) ([]string, bool) {
	names, seen := make([]string, 0, len(elements)), map[string]bool{}
	for _, element := range elements {
		object, _ := element.(map[string]any)
		name, ok := object["name"].(string)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, true
}

// add counts an entry, and keeps it where there is room.
func (d *differ) add(e Entry) {
	d.found.Total++
	if e.Path = rooted(e.Path); len(d.found.Entries) < mostEntries {
		d.found.Entries = append(d.found.Entries, e)
	}
}
