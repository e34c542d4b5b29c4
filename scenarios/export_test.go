package scenarios

// SearchIn returns those of some scenarios that speak of something.
var SearchIn = search

// RenamedExamples returns what built-in scenarios were called, and are called now.
func RenamedExamples() (pairs [][2]string) {
	for _, one := range renamedExamples {
		pairs = append(pairs, [2]string{one.was, one.is})
	}
	return pairs
}
