package document

// Headed is columns by their titles, of which the first so many hold words and the others
// numbers.
func Headed(words int, titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i] = Column{Title: title, Words: i < words}
	}
	return columns
}

// Add adds a section of those blocks that say something, none where none does: a table has
// rows, a list items, a paragraph a text.
func (d *Document) Add(id, title string, blocks ...Block) {
	s := Section{ID: id, Title: title}
	for _, block := range blocks {
		if !idle(block) {
			s.Blocks = append(s.Blocks, block)
		}
	}
	if len(s.Blocks) > 0 {
		d.Sections = append(d.Sections, s)
	}
}

func idle(block Block) bool {
	switch b := block.(type) {
	case Paragraph:
		return b.Text == ""
	case List:
		return len(b.Items) == 0
	case Facts:
		return len(b.Lines) == 0
	case Table:
		return len(b.Rows) == 0
	default:
		return false
	}
}
