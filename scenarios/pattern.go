package scenarios

// Pattern is a design pattern of the documents: advice with a price.
type Pattern struct {
	// Row is one of [PatternRows].
	Row string `json:"row"`
	// Buys and Costs say in a few words what it gains and what is paid for that.
	Buys  string `json:"buys"`
	Costs string `json:"costs"`
}

// PatternRows returns the names of the patterns that the documents describe, in their
// order. The slice is the caller's.
func PatternRows() []string {
	return []string{
		"intra-partition secondary index", "inter-partition secondary index", "eventually consistent transactions",
		"index entities", "denormalization", "summary entity", "compound key", "log tail", "high volume delete",
		"data series", "wide entities", "large entities", "prepend/append anti-pattern", "log data anti-pattern",
		"two dominant queries", "one-to-many", "one-to-one", "inheritance", "bank transactions",
		"heterogeneous types", "client-side join", "parallel queries", "shared access signatures",
		"client-side encryption", "checklist",
	}
}

const longestPattern = 200

func (p *Pattern) binding() binding {
	return object{what: "a pattern", fields: []field{
		{name: "row", says: "Which of the documents' patterns it is.",
			value: choiceValue{&p.Row, "pattern", PatternRows()}, required: true},
		{name: "buys", says: "What it gains.", value: longText(&p.Buys, longestPattern), required: true},
		{name: "costs", says: "What is paid for that.", value: longText(&p.Costs, longestPattern), required: true},
	}}
}
