package wire

import "loadgen/engine/entity"

// ParseMatch reads an If-Match header; present tells an empty one from none. A
// well-formed weak tag of no version that a table gave out is a condition that
// nothing meets. The code is OK or InvalidInput.
func ParseMatch(header string, present bool) (m entity.Match, code entity.Code, detail string) {
	panic("contract")
}
