package keys

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
)

// builtIn marks the built-in names as sound: two of them always,
// those of the time if one attribute is a time and is sound itself.
func (c *check) builtIn() {
	add := func(name string, values Distribution, probes []string) {
		if !slices.Contains(c.known, name) {
			c.sound[name] = &attributeCheck{values: values, probes: probes, widest: widest(probes)}
		}
	}
	random := []string{string(appendUUID(nil, uuid{}.marked(4)))}
	add(nameNumber, Sequence{}, Sequence{}.Probes())
	add(nameUUID, nil, random)
	times := c.times()
	if len(times) != 1 || c.sound[c.Attributes[times[0]].Name] == nil {
		return
	}
	time := c.Attributes[times[0]].Values.(Time)
	add(nameTime, time, time.Probes())
	add(nameTicks, time, nearest.NamesOf(time.Probes(), func(instant string) string {
		return string(transform{kind: toTicks}.apply([]byte(instant), 0))
	}))
	if time.Start >= unixEpoch {
		add(nameUUID7, nil, random)
	}
}

// derive makes sound the attributes that are derived from others.
func (c *check) derive() {
	var trail []string
	done := map[string]bool{}
	var visit func(a Attribute)
	visit = func(a Attribute) {
		derived, is := a.Values.(Text)
		if !is || done[a.Name] || !c.candidates[a.Name] {
			return
		}
		if at := slices.Index(trail, a.Name); at >= 0 {
			names := trail[at:]
			for _, name := range names {
				delete(c.candidates, name)
			}
			c.add("attributes."+names[0]+".text", "attribute %q derives from itself: %s; expected no cycle",
				names[0], strings.Join(append(slices.Clone(names), names[0]), " → "))
			return
		}
		trail = append(trail, a.Name)
		for _, name := range derived.Template.Attributes() {
			if at := c.position(name); at >= 0 {
				visit(c.Attributes[at])
			}
		}
		trail = trail[:len(trail)-1]
		done[a.Name] = true
		c.text(a.Name, derived.Template)
	}
	for _, a := range c.Attributes {
		visit(a)
	}
}

// text makes a derived attribute sound where its template is.
func (c *check) text(name string, t Template) {
	path := "attributes." + name + ".text"
	if !c.candidates[name] || !c.template(path, t) {
		return
	}
	// One text derived from another twice, over and over, doubles each time, even
	// where it stays empty.
	stretches := 0
	for i := range t.parts {
		stretches++
		if from := c.sound[t.parts[i].attribute]; from != nil {
			stretches += from.stretches
		}
	}
	if stretches > maxStretches {
		c.add(path, "text has %d parts, nested texts included; expected at most %d", stretches, maxStretches)
		return
	}
	bytes := 0
	for i := range t.parts {
		bytes += len(c.widestPart(&t.parts[i]))
	}
	// A text has more code units than a third of its bytes.
	if bytes > 3*entity.MaxStringUnits {
		c.add(path, "text can have %d bytes; expected at most %d UTF-16 code units", bytes, entity.MaxStringUnits)
		return
	}
	c.sound[name] = &attributeCheck{values: Text{t}, widest: c.widest(t), stretches: stretches}
}

// maxStretches bounds of how many literal texts and placeholders a derived attribute
// is put together in the end.
const maxStretches = 2000

func (c *check) addAt(path string, p *part, format string, args ...any) {
	c.faults = append(c.faults, &ValueFault{Path: path, Offset: p.offset, What: fmt.Sprintf(format, args...)})
}

// keyPart checks what a placeholder of a key can come to. A fault is found where the
// text comes from: in the values of an attribute, or in the template that derives it.
func (c *check) keyPart(path string, p *part, keyPath string, as func(string) entity.Key) bool {
	a := c.sound[p.attribute]
	derived, isDerived := a.values.(Text)
	switch {
	case p.call.kind == toHash:
		return true
	case p.call.kind != asIs:
		for _, text := range c.outcomes(p) {
			if code, detail := entity.ValidateKey(as(text)); code != entity.OK {
				c.addAt(path, p, "%s can become %s: %s: %s", p.source, nearest.Quote(text), code, detail)
				return false
			}
		}
		return true
	case !isDerived:
		if a.judged {
			return false
		}
		told := 0
		for i, value := range a.probes {
			if code, detail := entity.ValidateKey(as(value)); code != entity.OK && told < MaxRowFaults {
				a.judged = true
				told++
				where, what := "", "a value"
				if texts, are := a.values.(placed); are {
					where, what = texts.place(i)
				}
				c.add("attributes."+p.attribute+where, "%s is %s in %s: %s: %s", what, nearest.Quote(value), keyPath, code, detail)
			}
		}
		return !a.judged
	case a.judged:
		return false
	}
	a.judged = !c.keyParts("attributes."+p.attribute+".text", derived.Template, keyPath, as)
	return !a.judged
}

// keyParts checks each part of a template that a key is formed of, keyPath.
func (c *check) keyParts(path string, t Template, keyPath string, as func(string) entity.Key) bool {
	legal := true
	for i := range t.parts {
		p := &t.parts[i]
		if p.attribute != "" {
			legal = c.keyPart(path, p, keyPath, as) && legal
		} else if code, detail := entity.ValidateKey(as(p.literal)); code != entity.OK {
			what := fmt.Sprintf("%s: %s", code, detail)
			if path != keyPath {
				what = keyPath + " uses it: " + what
			}
			c.addAt(path, p, "%s", what)
			legal = false
		}
	}
	return legal
}
