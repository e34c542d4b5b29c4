package survey

// ParseInstant returns an instant in nanoseconds and how it is written.
func ParseInstant(text string) (nanoseconds int64, kind string) {
	at, written := parseInstant(text)
	return int64(at), written.String()
}
