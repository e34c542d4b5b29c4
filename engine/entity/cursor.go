package entity

// Cursor walks over the properties of a [Packed], in stored order, for a caller
// that needs each of them once. It belongs to one goroutine.
type Cursor struct {
	read reader
	left int
}

// Cursor returns a cursor before the first property.
func (p Packed) Cursor() Cursor {
	read, count := p.reader()
	return Cursor{read, count}
}

// Next reads the next property into p, and reports whether there was one. Its
// name and string are views into the block.
func (c *Cursor) Next(p *Property) bool {
	if c.left <= 0 {
		return false
	}
	name, at := textAt(c.read.block, c.read.at)
	p.Name = name
	if at = valueAt(c.read.block, at, &p.Value); at == nowhere {
		return false // With properties left.
	}
	c.read.at = at
	c.left--
	return true
}

// Err returns, once there is no next property, ErrCorrupt for a block that was
// not written by this package.
func (c *Cursor) Err() error {
	if c.left == 0 && c.read.atEnd() {
		return nil
	}
	return ErrCorrupt
}

// corrupt is the number of properties left of a block that cannot be read.
const corrupt = -1
