package scenarios

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
)

const (
	// UntilTheEnd is the end of a rule's window that is left out.
	UntilTheEnd = time.Duration(math.MaxInt64)
	// longest bounds where a window can lie, and how late a reply can be.
	longest = 24 * time.Hour
	// maxKey bounds a PartitionKey, in bytes.
	maxKey = 3 * entity.MaxKeyUnits
)

// FaultsBinding is the binding of a list of rules.
func FaultsBinding(into *[]engine.FaultRule) fields.Binding {
	const share = "a percentage above 0 and at most 100, such as 2%"
	return fields.ListOf[engine.FaultRule]{
		Into: into, Least: 1, Most: engine.MaxFaultRules, What: "faults",
		Fresh: func() engine.FaultRule { return engine.FaultRule{To: UntilTheEnd, Share: engine.WholeShare} },
		Bind: func(r *engine.FaultRule) fields.Binding {
			return fields.Object{What: "a fault", Fields: []fields.Field{
				{Name: "kind", Says: "What happens: another answer (refuse), a lost request or reply (drop), " +
					"a reply cut off (cut), delayed (delay) or sent slowly (drip), " +
					"or all replies held until the window ends (freeze).",
					Value: faultWord[engine.FaultKind]{&r.Kind, "kind of fault", engine.FaultKinds(), engine.FaultKind.String, 0}, Required: true},
				{Name: "share", Says: "Share of attempts affected; all by default.",
					Value: fields.Single[int]{Into: &r.Share, Expected: share,
						Form: &fields.Schema{Type: fields.Types{"string"}, Pattern: faultShare.String(), Description: fields.Sentence(share)},
						Parse: func(text string) (int, bool) {
							percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
							parts := int(math.Round(percent / 100 * engine.WholeShare))
							return parts, faultShare.MatchString(text) && err == nil && parts >= 1 && parts <= engine.WholeShare
						},
						Written: faultPercent,
					}},
				{Name: "code", Says: "A refuse's answer, ServerBusy (503) by default; others have status 500.",
					Value: faultWord[entity.Code]{&r.Code, "fault code", engine.FaultCodes(), func(c entity.Code) string { return string(c) }, ""}},
				{Name: "moment", Says: "Whether a drop loses the request, or the reply (the default).",
					Value: faultWord[engine.FaultMoment]{&r.Moment, "moment", []engine.FaultMoment{engine.FaultBefore, engine.FaultAfter}, engine.FaultMoment.String, 0}},
				{Name: "by", Says: "Duration: the delay, the drip's body, an unnoticed drop, or the refuse.",
					Value: unlessZero{fields.Duration{Into: &r.By, Most: longest}, func() bool { return r.By == 0 }}},
				{Name: "key", Says: "The PartitionKey affected; any by default.",
					Value: unlessZero{fields.LongText(&r.Key, maxKey), func() bool { return r.Key == "" }}},
				{Name: "key_prefix", Says: "PartitionKey prefix affected.",
					Value: unlessZero{fields.LongText(&r.KeyPrefix, maxKey), func() bool { return r.KeyPrefix == "" }}},
				{Name: "from", Says: "Start, since the first phase with operations or the service's start.",
					Value: unlessZero{fields.Duration{Into: &r.From, Most: longest}, func() bool { return r.From == 0 }}},
				{Name: "to", Says: "End; required by freeze.",
					Value: unlessZero{fields.Duration{Into: &r.To, Most: longest}, func() bool { return r.To == UntilTheEnd }}},
				{Name: "seed", Says: "Seed of the attempts affected; the run's by default.",
					Value: unlessZero{fields.Seed(&r.Seed), func() bool { return r.Seed == 0 }}},
			}, Then: func(reader *fields.Reader, path string, n *fields.Node) { completeFaultRule(r, reader, path, n) }}
		},
	}
}

// completeFaultRule fills in what follows from the kind, and refuses what does not belong to it.
func completeFaultRule(r *engine.FaultRule, reader *fields.Reader, path string, n *fields.Node) {
	if r.Kind == 0 {
		return // it was told
	}
	for _, part := range []struct {
		field, owner string
		belongs      bool
	}{
		{"code", "refuse", r.Kind == engine.FaultRefuse},
		{"moment", "drop", r.Kind == engine.FaultDrop},
		{"by", "delay, drip, drop and refuse", r.Kind != engine.FaultFreeze && r.Kind != engine.FaultCut},
	} {
		if value := n.Find(part.field); value != nil && !part.belongs {
			reader.Fault(value.At, fields.Child(path, part.field), "%s belongs to %s, and this is a %v; expected none", part.field, part.owner, r.Kind)
		}
	}
	if r.Kind == engine.FaultRefuse && r.Code == "" {
		r.Code = engine.FaultCodes()[0]
	}
	if r.Kind == engine.FaultDrop && r.Moment == 0 {
		r.Moment = engine.FaultAfter
	}
	if (r.Kind == engine.FaultDelay || r.Kind == engine.FaultDrip) && r.By == 0 {
		reader.Fault(n.At, fields.Child(path, "by"), "a %v has no by; expected a duration, such as 200ms", r.Kind)
	}
	if value := n.Find("key"); value != nil && r.KeyPrefix != "" {
		reader.Fault(value.At, fields.Child(path, "key"), "key and key_prefix are given; expected one")
	}
	switch end := n.Find("to"); {
	case end == nil && r.Kind == engine.FaultFreeze:
		reader.Fault(n.At, fields.Child(path, "to"), "freeze has no to; expected its end")
	case end != nil && r.To <= r.From:
		reader.Fault(end.At, fields.Child(path, "to"), "the window from %v to %v is empty; expected a later end", r.From, r.To)
	}
}

// faultWord is one of some values that have names; it is not written at none.
type faultWord[T comparable] struct {
	into *T
	what string
	of   []T
	name func(T) string
	none T
}

func (w faultWord[T]) choice(into *string) fields.Choice {
	return fields.Choice{Into: into, What: w.what, Of: nearest.Of(w.of, w.name)}
}

// Read implements [fields.Binding].
func (w faultWord[T]) Read(r *fields.Reader, path string, n *fields.Node) {
	text := ""
	w.choice(&text).Read(r, path, n)
	for _, one := range w.of {
		if w.name(one) == text {
			*w.into = one
		}
	}
}

// Write implements [fields.Binding].
func (w faultWord[T]) Write() *fields.Node {
	if *w.into == w.none {
		return nil
	}
	return fields.TextNode(w.name(*w.into))
}

// Schema implements [fields.Binding].
func (w faultWord[T]) Schema() *fields.Schema { return w.choice(nil).Schema() }

// faultShare is the form of a share, which is kept in parts per million.
var faultShare = regexp.MustCompile(`^(0|[1-9][0-9]?|100)(\.[0-9]{1,4})?%$`)

// faultPercent writes a share of so many parts in a million.
func faultPercent(share int) string {
	return strconv.FormatFloat(float64(share)*100/engine.WholeShare, 'f', -1, 64) + "%"
}
