package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// The headers by which a client of this module requests the number of counted entities from an engine of this module;
// no other service supports them. The reply has a decimal number.
const (
	AskHeader     = "X-Loadgen-Ask"
	AskCounted    = "counted"
	CountedHeader = "X-Loadgen-Counted"
)

// Limits are the targets of a service, in entities per second; 0 is no limit.
type Limits struct {
	Partition, Account int64
	// Headroom is the multiple of Partition, in thousandths, that a partition reaches while its server is idle; 0
	// for none.
	Headroom int64
}

// product begins the header Server with the limits of an engine of this module.
const product = "loadgen/1"

// The parts of such a header, and what stands there for no limit.
const (
	partitionPart = "partition_target"
	accountPart   = "account_target"
	headroomPart  = "headroom"
	noLimit       = "none"
)

// maxLimit bounds what is taken for a limit, maxServer the header that is read.
const (
	maxLimit  = 1_000_000_000_000
	maxServer = 256
)

// ServerName returns the header Server of a service with such limits: loadgen/1
// (partition_target=2000; account_target=20000), where partitions may exceed theirs with
// headroom=2000 before them.
func ServerName(l Limits) string {
	headroom := ""
	if l.Headroom > 0 {
		headroom = fmt.Sprintf("%s=%d; ", headroomPart, l.Headroom)
	}
	return fmt.Sprintf("%s (%s%s=%s; %s=%s)", product, headroom, partitionPart, limitText(l.Partition), accountPart, limitText(l.Account))
}

func limitText(limit int64) string {
	if limit <= 0 {
		return noLimit
	}
	return strconv.FormatInt(limit, 10)
}

// ParseServer returns the limits in a header Server, and false for one that [ServerName] did not write. It ignores
// unknown parts.
func ParseServer(header string) (l Limits, told bool) {
	rest, ours := strings.CutPrefix(header, product+" (")
	rest, closed := strings.CutSuffix(rest, ")")
	if !ours || !closed || len(header) > maxServer {
		return Limits{}, false
	}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(rest, "; ") {
		name, text, cut := strings.Cut(part, "=")
		if !cut || seen[name] {
			return Limits{}, false
		}
		seen[name] = true
		sound := true
		switch name {
		case partitionPart:
			l.Partition, sound = parseLimit(text)
		case accountPart:
			l.Account, sound = parseLimit(text)
		case headroomPart:
			l.Headroom, sound = parseLimit(text)
		}
		if !sound {
			return Limits{}, false
		}
	}
	if !seen[partitionPart] || !seen[accountPart] {
		return Limits{}, false
	}
	return l, true
}

func parseLimit(text string) (int64, bool) {
	if text == noLimit {
		return 0, true
	}
	limit, err := strconv.ParseInt(text, 10, 64)
	return limit, err == nil && limit > 0 && limit <= maxLimit && strconv.FormatInt(limit, 10) == text
}
