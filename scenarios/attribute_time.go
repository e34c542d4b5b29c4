package scenarios

import (
	"errors"
	"unicode/utf8"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// The kinds of values that follow from the event itself, or from other attributes.
const (
	kindTime = "time"
	kindText = "text"
)

// eventKinds are the time of the event, and a text of other attributes.
func (d *distribution) eventKinds() []attributeKind {
	return []attributeKind{{
		fields: []field{
			{name: kindTime, says: "The instant of the first event.", value: instantValue{&d.time.Start}},
			{name: "every", says: "How long after one loaded event the next came about; 1s unless this is given.",
				value: durationValue{into: &d.time.Every, least: 0, most: keys.MaxEvery}},
			{name: "speed", says: "How many times as fast as the load the time of what is offered passes; 1 unless this is given.",
				value: decimalValue{&d.time.Speed, 0, keys.MaxSpeed}},
		},
		values: func() keys.Distribution { return d.time },
	}, {
		fields: []field{{name: kindText, says: "A template of other attributes, such as {user}@example.com.",
			value: templateValue{&d.text}}},
		values: func() keys.Distribution { return keys.Text{Template: d.text} },
	}}
}

// instantValue is an instant of the service's calendar.
type instantValue struct{ into *entity.Ticks }

var (
	_ binding = instantValue{}
	_ binding = templateValue{}
)

func (v instantValue) read(r *reader, path string, n *node) {
	t, err := entity.ParseTicks(n.text)
	if n.kind != scalar || err != nil || t < entity.EarliestDateTime || t > entity.LatestDateTime {
		r.expect(n, path, "an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999")
		return
	}
	*v.into = t
}

func (v instantValue) write() *node { return text(v.into.String()) }

func (v instantValue) schema() *schema {
	return &schema{Type: types{"string"}, Description: "An instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999."}
}

// templateValue is a template whose syntax is looked at where it is read. Whether its
// attributes exist is for the keys package to judge.
type templateValue struct{ into *keys.Template }

func (v templateValue) read(r *reader, path string, n *node) {
	var typed string
	before := len(r.faults)
	textValue{into: &typed}.read(r, path, n)
	if len(r.faults) > before {
		return
	}
	t, err := keys.ParseTemplate(typed)
	if err == nil {
		*v.into = t
		return
	}
	at := n.at
	if fault, ok := errors.AsType[*keys.TemplateError](err); !ok {
		r.fault(at, path, "%s", err)
	} else if at.inner > 0 {
		at.column = at.inner + utf8.RuneCountInString(typed[:fault.Offset])
		r.fault(at, path, "%s", fault.What)
	} else {
		r.fault(at, path, "byte %d: %s", fault.Offset, fault.What)
	}
}

func (v templateValue) write() *node { return text(v.into.String()) }

func (v templateValue) schema() *schema { return typed() }
