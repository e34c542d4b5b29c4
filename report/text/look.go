package text

// Look is how a text is laid out for whoever reads it. The zero value is one screen of 80
// columns without colour.
type Look struct {
	// Columns is the width, 0 for 80, or 110 for the whole. Below 60 and above 120 it is taken for that.
	Columns int
	// Colour says that escapes for colours are understood, ASCII that nothing else is shown.
	Colour, ASCII bool
	// Verbose asks for the whole and not for one screen.
	Verbose bool
}

// The widths that a text is fitted to.
const (
	leastColumns = 60
	mostColumns  = 120
	usualColumns = 80
	wholeColumns = 110
)
