package keys

// Tells returns the attributes whose values all entities in the plan's range share
// with the event, for the keys there hold them as they are. One with which the range
// merely begins is none, for longer values can begin like it.
func (p *Plan) Tells() []string {
	names := p.tells(&p.partition, nil)
	if p.partition.isExact() {
		names = p.tells(&p.row, names)
	}
	return names
}

func (p *Plan) tells(w *route, names []string) []string {
	attributes := p.generator.options.Attributes
	for i := range w.steps {
		s := &w.steps[i]
		last := i == len(w.steps)-1 && w.stop != ""
		if s.isOpen() {
			break
		}
		if s.attribute >= 0 && s.attribute < len(attributes) && s.slot.tells() && !last {
			names = append(names, attributes[s.attribute].Name)
		}
	}
	return names
}
