package series

import (
	"errors"
	"slices"
	"strings"

	"loadgen/scenarios"
)

// MostRuns bounds how many runs a sweep comes to.
const MostRuns = 100

// combinations returns the settings of each run of a sweep over axes, each a text such as
// seed=1,2,3, the last of them changing fastest. The error is a [loadgen/scenarios/fields.Fault] of the
// field "sweep".
func combinations(axes []string) ([][]scenarios.Setting, error) {
	all := [][]scenarios.Setting{nil}
	var seen []string
	for _, text := range axes {
		path, list, cut := strings.Cut(text, "=")
		if !cut || path == "" {
			return nil, wrong("sweep", "%s: expected path=v1,v2,…, such as model.partition_target=500,1000,2000", text)
		}
		values, err := splitValues(list)
		for i, value := range values {
			if value == "" {
				err = errors.New("empty value; expected one between commas")
				break
			}
			if slices.Contains(values[:i], value) {
				err = errors.New("a value occurs twice; expected once")
				break
			}
		}
		if err != nil {
			return nil, wrong("sweep", "%s: %v", text, err)
		}
		if slices.Contains(seen, path) {
			return nil, wrong("sweep", "%s: %s is swept twice; expected all values together", text, path)
		}
		seen = append(seen, path)
		if runs := len(all) * len(values); runs > MostRuns {
			return nil, wrong("sweep", "%s: %d runs; expected at most %d", text, runs, MostRuns)
		}
		var next [][]scenarios.Setting
		for _, before := range all {
			for _, value := range values {
				next = append(next, append(slices.Clip(before), scenarios.Setting{Path: path, Value: value}))
			}
		}
		all = next
	}
	return all, nil
}

var errUnbalanced = errors.New("unclosed bracket, brace or quote; expected its counterpart")

// splitValues parts a list of values at its semicolons, or at its commas where it
// has no semicolon: those outside of brackets, braces and double quotes.
func splitValues(list string) ([]string, error) {
	values, err := splitAt(list, ';')
	if err == nil && len(values) == 1 {
		return splitAt(list, ',')
	}
	return values, err
}

func splitAt(list string, separator byte) ([]string, error) {
	var values []string
	var open []byte // what is to be closed, the last first to be
	start := 0
	for at := range len(list) {
		inside := len(open) > 0
		switch c := list[at]; {
		case inside && c == open[len(open)-1]:
			open = open[:len(open)-1]
		case inside && open[len(open)-1] == '"':
			// Quotes hold whatever there is.
		case c == '"':
			open = append(open, '"')
		case c == '[':
			open = append(open, ']')
		case c == '{':
			open = append(open, '}')
		case c == separator && !inside:
			values = append(values, strings.TrimSpace(list[start:at]))
			start = at + 1
		}
	}
	if len(open) > 0 {
		return nil, errUnbalanced
	}
	return append(values, strings.TrimSpace(list[start:])), nil
}
