package filter

// Text returns the range as a $filter option, empty for the whole table. It is
// false for a range that no $filter can express.
func (r Range) Text() (string, bool) { panic("contract") }
