package queueblob

// Small returns stand-ins that hold less than others: so many things and bytes.
func Small(things, bytes int) *Memory {
	m := NewMemory()
	m.room = room{things, bytes}
	return m
}

// Room returns how many things and bytes there is room for.
func (m *Memory) Room() (things, bytes int) { return m.room.things, m.room.bytes }
