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
	// longestKey bounds a PartitionKey, in bytes.
	longestKey = 3 * entity.MaxKeyUnits
)

// FaultsBinding is the binding of a list of rules.
func FaultsBinding(into *[]engine.FaultRule) fields.Binding {
	const share = "a share in percent above 0 and at most 100, such as 2%"
	return fields.ListOf[engine.FaultRule]{
		Into: into, Least: 1, Most: engine.MaxFaultRules, What: "faults",
		Fresh: func() engine.FaultRule { return engine.FaultRule{To: UntilTheEnd, Share: engine.WholeShare} },
		Bind: func(r *engine.FaultRule) fields.Binding {
			return fields.Object{What: "a fault", Fields: []fields.Field{
				{Name: "kind", Says: "What goes wrong: an answer in place of the service's (refuse), a request or a reply that gets lost (drop), a connection " +
					"that ends within the reply (cut), a reply that comes later (delay) or whose body comes slowly (drip), and a partition whose replies all " +
					"wait for the end of the window (freeze).",
					Value: faultWord[engine.FaultKind]{&r.Kind, "kind of fault", engine.FaultKinds(), engine.FaultKind.String, 0}, Required: true},
				{Name: "share", Says: "How many of the attempts it meets, each with the same chance: all that the other fields leave unless this is given.",
					Value: fields.Single[int]{Into: &r.Share, Expected: share,
						Form: &fields.Schema{Type: fields.Types{"string"}, Pattern: faultShare.String(), Description: fields.Sentence(share)},
						Parse: func(text string) (int, bool) {
							percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
							parts := int(math.Round(percent / 100 * engine.WholeShare))
							return parts, faultShare.MatchString(text) && err == nil && parts >= 1 && parts <= engine.WholeShare
						},
						Written: faultPercent,
					}},
				{Name: "code", Says: "What a refuse answers, ServerBusy (503) unless this is given; the others are answered with 500.",
					Value: faultWord[entity.Code]{&r.Code, "code of a fault", engine.FaultCodes(), func(c entity.Code) string { return string(c) }, ""}},
				{Name: "moment", Says: "Whether a drop loses the request before it is carried out, or the reply after that, which it does unless this is given.",
					Value: faultWord[engine.FaultMoment]{&r.Moment, "moment", []engine.FaultMoment{engine.FaultBefore, engine.FaultAfter}, engine.FaultMoment.String, 0}},
				{Name: "by", Says: "How much later a reply comes (delay), how long its body takes (drip), how long a loss goes unnoticed (drop), or how long the answer takes (refuse).",
					Value: unlessZero{fields.Duration{Into: &r.By, Most: longest}, func() bool { return r.By == 0 }}},
				{Name: "key", Says: "The PartitionKey of the attempts that it meets, any unless this is given.",
					Value: unlessZero{fields.LongText(&r.Key, longestKey), func() bool { return r.Key == "" }}},
				{Name: "key_prefix", Says: "How the PartitionKey begins of the attempts that it meets.",
					Value: unlessZero{fields.LongText(&r.KeyPrefix, longestKey), func() bool { return r.KeyPrefix == "" }}},
				{Name: "from", Says: "From when on attempts meet it: in a scenario counted from the beginning of the first phase that offers operations, in a service from its start.",
					Value: unlessZero{fields.Duration{Into: &r.From, Most: longest}, func() bool { return r.From == 0 }}},
				{Name: "to", Says: "Until when; to the end unless this is given, which a freeze needs.",
					Value: unlessZero{fields.Duration{Into: &r.To, Most: longest}, func() bool { return r.To == UntilTheEnd }}},
				{Name: "seed", Says: "Draws anew which attempts it meets; the seed of the run alone decides unless this is given.",
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
		reader.Fault(n.At, fields.Child(path, "by"), "a %v has no by; expected how long, such as 200ms", r.Kind)
	}
	if value := n.Find("key"); value != nil && r.KeyPrefix != "" {
		reader.Fault(value.At, fields.Child(path, "key"), "key is given beside key_prefix; expected one of them")
	}
	switch end := n.Find("to"); {
	case end == nil && r.Kind == engine.FaultFreeze:
		reader.Fault(n.At, fields.Child(path, "to"), "a freeze has no to; expected when its replies leave")
	case end != nil && r.To <= r.From:
		reader.Fault(end.At, fields.Child(path, "to"), "the window is empty: it begins at %v and ends at %v; expected a later end", r.From, r.To)
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
