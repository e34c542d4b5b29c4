package scenarios

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/scenarios/fields"
)

// UntilTheEnd is the end of a rule's window that is left out.
const UntilTheEnd = time.Duration(math.MaxInt64)

// FaultsBinding is the binding of a list of rules.
func FaultsBinding(into *[]engine.FaultRule) fields.Binding {
	return fields.ListOf(into, 1, engine.MaxFaultRules, "faults", func(rule *engine.FaultRule) fields.Binding {
		o := fields.Binder{Form: faultPart}.Bind(rule)
		o.Fresh = func() { rule.To = UntilTheEnd }
		o.Then = func(r *fields.Reader, path string, n *fields.Node) { completeFaultRule(rule, r, path, n) }
		return o
	})
}

// faultPart returns the binding of a part of a rule, for the forms in its tags.
func faultPart(form string, into any) fields.Binding {
	const share = "a percentage above 0 and at most 100, such as 2%"
	switch into := into.(type) {
	case *engine.FaultKind:
		return fields.Named[engine.FaultKind]{Into: into, What: "kind of fault", Of: engine.FaultKinds(), Name: engine.FaultKind.String}
	case *entity.Code:
		return fields.Named[entity.Code]{Into: into, What: "fault code", Of: engine.FaultCodes(), Name: func(c entity.Code) string { return string(c) }}
	case *engine.FaultMoment:
		return fields.Named[engine.FaultMoment]{Into: into, What: form, Of: []engine.FaultMoment{engine.FaultBefore, engine.FaultAfter},
			Name: engine.FaultMoment.String}
	case *time.Duration:
		return unlessZero{fields.Duration{Into: into, Most: 24 * time.Hour}, func() bool { return *into == UntilTheEnd }}
	default:
		return fields.Single[int]{Into: into.(*int), Expected: share, Written: faultPercent,
			Form: &fields.Schema{Type: fields.Types{"string"}, Pattern: faultShare.String(), Description: fields.Sentence(share)},
			Parse: func(text string) (int, bool) {
				percent, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
				parts := int(math.Round(percent / 100 * engine.WholeShare))
				return parts, faultShare.MatchString(text) && err == nil && parts >= 1 && parts <= engine.WholeShare
			}}
	}
}

// completeFaultRule fills in what follows from the kind, and refuses what does not belong to it.
func completeFaultRule(r *engine.FaultRule, reader *fields.Reader, path string, n *fields.Node) {
	if r.Kind == 0 {
		return // it was told
	}
	misplaced(reader, path, n, "a "+r.Kind.String(), []owned{
		{"code", "refuse", r.Kind == engine.FaultRefuse},
		{"moment", "drop", r.Kind == engine.FaultDrop},
		{"by", "delay, drip, drop and refuse", r.Kind != engine.FaultFreeze && r.Kind != engine.FaultCut},
	}...)
	if r.Kind == engine.FaultRefuse && r.Code == "" {
		r.Code = engine.FaultCodes()[0]
	}
	if r.Kind == engine.FaultDrop && r.Moment == 0 {
		r.Moment = engine.FaultAfter
	}
	late := r.Kind == engine.FaultDelay || r.Kind == engine.FaultDrip
	check(reader, path, n, []rule{
		{late && r.By == 0, "by", fmt.Sprintf("a %v has no by; expected a duration, such as 200ms", r.Kind)},
		{n.Has("key") && r.KeyPrefix != "", "key", "key and key_prefix are given; expected one"},
		{!n.Has("to") && r.Kind == engine.FaultFreeze, "to", "freeze has no to; expected its end"},
		{n.Has("to") && r.To <= r.From, "to", fmt.Sprintf("the window from %v to %v is empty; expected a later end", r.From, r.To)},
	}...)
}

// faultShare is the form of a share, which is kept in parts per million.
var faultShare = regexp.MustCompile(`^(0|[1-9][0-9]?|100)(\.[0-9]{1,4})?%$`)

// faultPercent writes a share in parts per million as a percentage.
func faultPercent(share int) string {
	return strconv.FormatFloat(float64(share)*100/engine.WholeShare, 'f', -1, 64) + "%"
}
