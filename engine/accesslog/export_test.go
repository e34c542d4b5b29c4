package accesslog

// ParseAnalytics reads a line of a Storage Analytics log, without its end.
func ParseAnalytics(line string) (Entry, error) {
	var e Entry
	err := e.analytics(line)
	return e, err
}
