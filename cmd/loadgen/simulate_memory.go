package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"loadgen/report/plain"
	"loadgen/scenarios/drive"
)

// errSize is wrapped by errors about a size that is none.
var errSize = errors.New("expected a size such as 512MiB or 2GiB")

var sizeText = regexp.MustCompile(`^([0-9]{1,15})(KiB|MiB|GiB|TiB|B)?$`)

// parseSize reads a size in bytes: a whole number, and a unit unless it is bytes.
func parseSize(text string) (int64, error) {
	match := sizeText.FindStringSubmatch(text)
	if match == nil {
		return 0, errSize
	}
	number, err := strconv.ParseInt(match[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSize, err)
	}
	shift := map[string]int{"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[match[2]]
	if number > math.MaxInt64>>shift {
		return 0, errSize
	}
	return number << shift, nil
}

// sizeOf writes a size in the largest unit of which it has two, rounded up.
func sizeOf(bytes int64) string { return plain.Size(bytes) }

// fits reports a scenario that would take more memory than it may, before
// anything is run. Two runs beside each other take twice as much.
func (f *simulateFlags) fits(c *drive.Campaign, data, twice bool) error {
	limit, err := parseSize(f.memory)
	if err != nil || limit == 0 {
		return usageError{fmt.Errorf("--memory-limit %s: %w", f.memory, errSize)}
	}
	need := c.Footprint(data)
	sum := need.Total()
	beside := ""
	if twice {
		sum = min(sum, math.MaxInt64/2) * 2
		beside = ", twice since another profile runs beside it (--one-profile spares that)"
	}
	if sum <= limit {
		return nil
	}
	if need.Holdings > 0 {
		beside = fmt.Sprintf(", %s of keys that tell what queries read", sizeOf(need.Holdings)) + beside
	}
	return usageError{fmt.Errorf("the scenario would take about %s, and --memory-limit is %s: %s of operations that wait, "+
		"%s of stored entities, %s of histograms%s", sizeOf(sum), f.memory,
		sizeOf(need.Waiting), sizeOf(need.Entities), sizeOf(need.Histograms), beside)}
}
