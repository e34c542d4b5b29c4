package keystatistics

import "unicode/utf8"

// KeyFault is a key that no table would take.
type KeyFault struct {
	// Line is where its row stands, 0 where it is in no file.
	Line int64 `json:"line"`
	// PartitionKey is the beginning of its own.
	PartitionKey string `json:"partition_key"`
	// What is wrong with it.
	What string `json:"what"`
}

// mostKeyFaults is how many are kept, longestShown how much of a key in bytes.
const (
	mostKeyFaults = 10
	longestShown  = 60
)

// shown returns the beginning of a key as valid text.
func shown(key string) string {
	end := min(len(key), longestShown)
	for end > 0 && end < len(key) && !utf8.RuneStart(key[end]) {
		end--
	}
	return string([]rune(key[:end]))
}
