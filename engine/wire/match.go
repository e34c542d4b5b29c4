package wire

import (
	"errors"
	"strings"

	"loadgen/engine/entity"
)

// noVersion is a timestamp that no entity carries: tables begin to count at 0.
const noVersion entity.Ticks = -1

// ParseMatch reads an If-Match header; present tells an empty one from none. A
// well-formed weak tag of no version that a table gave out is a condition that
// nothing meets; a small w marks a weak one as well. The code is OK or InvalidInput.
func ParseMatch(header string, present bool) (m entity.Match, code entity.Code, detail string) {
	switch {
	case !present:
		return entity.Match{}, entity.OK, ""
	case header == "*":
		return entity.MatchAny, entity.OK, ""
	}
	if strings.HasPrefix(header, "w/") {
		header = "W" + header[1:]
	}
	version, err := entity.ParseETag(header)
	switch {
	case err == nil:
		return entity.MatchExactly(version), entity.OK, ""
	case errors.Is(err, entity.ErrForeignETag):
		return entity.MatchExactly(noVersion), entity.OK, ""
	default:
		return entity.Match{}, entity.InvalidInput, "If-Match is neither * nor one weak entity tag in quotes"
	}
}
