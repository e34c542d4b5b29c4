package scenarios

// SearchIn returns the search over entries.
func SearchIn(all []Entry) func(words string) []Entry { return newIndex(all).search }

// RenamedExamples returns what built-in scenarios were called, and are called now.
func RenamedExamples() (pairs [][2]string) {
	for _, one := range renamedExamples {
		pairs = append(pairs, [2]string{one.was, one.is})
	}
	return pairs
}
