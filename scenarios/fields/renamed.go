package fields

import "slices"

// renamed are fields of a scenario that were called otherwise.
var renamed = [...]struct{ was, is string }{
	{"procedure", "workflow"},
	{"opposite", "anti_pattern"},
}

// Renamed returns what fields were called otherwise, as pairs of the name before and the
// one of now. The slice is the caller's.
func Renamed() [][2]string {
	var pairs [][2]string
	for _, one := range renamed {
		pairs = append(pairs, [2]string{one.was, one.is})
	}
	return pairs
}

// renamed tells of each field that has a name of before, and reads it as what it is called
// now, so that nothing else is said of it.
func (o Object) renamed(r *Reader, path string, n *Node) {
	for i := range n.Entries {
		e := &n.Entries[i]
		for _, one := range renamed {
			if e.Key == one.was && slices.Contains(o.names(), one.is) {
				r.Fault(e.At, Child(path, one.is), "%s is called %s now; expected that name", one.was, one.is)
				e.Key = one.is
			}
		}
	}
}
