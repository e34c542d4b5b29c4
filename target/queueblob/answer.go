package queueblob

import (
	"strconv"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// answer is an outcome by a shorter name.
type answer = target.Outcome

// code returns a service's name for an outcome, empty where it is none: it can come from
// anybody who answers.
func code(text string) entity.Code {
	if len(text) > 64 || !only(text, func(c rune) bool { return smallOrDigit(c | 0x20) }) {
		return ""
	}
	return entity.Code(text)
}

// mostRetryAfter bounds how long a service can ask to be left alone.
const mostRetryAfter = time.Hour

// retryAfter returns for how long a service asks to be left alone, in seconds; 0 where it
// does not ask.
func retryAfter(text string) time.Duration {
	seconds, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, mostRetryAfter)
}
