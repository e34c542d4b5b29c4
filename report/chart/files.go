package chart

// Files returns the names of the files that [Draw] writes.
func Files() []string {
	var names []string
	for _, c := range charts() {
		names = append(names, c.name+".png", c.name+".svg")
	}
	return names
}
