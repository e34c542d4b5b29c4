package signing

// IsVersion reports whether a text has the form of a service version: a date,
// 2019-02-02. Versions compare as text.
func IsVersion(text string) bool {
	if len(text) != len("2019-02-02") {
		return false
	}
	for i := range len(text) {
		if i == 4 || i == 7 {
			if text[i] != '-' {
				return false
			}
		} else if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}
