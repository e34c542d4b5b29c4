package report

import (
	"fmt"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// said shows the state that a remote service reported, and the identifiers by which its support finds throttled
// requests and the slowest ones.
func (a *author) said() {
	of := a.record.Said
	if of == nil || len(of.Refusals)+len(of.Slowest) == 0 {
		return
	}
	a.section("service", "Reported by the service")
	t := document.NewTable("refusals", "Refused attempts by status, code and limit", "status|at", "code|named", "limit|named",
		"attempts|rate|at=count", "its words|named|spare=1")
	t.Notes = []string{"limit: account, ingress, egress: the account's; partition: a busy server or a moving range; " +
		"time: timeout; internal: its own fault; unsaid: not named"}
	for i, one := range of.Refusals {
		t.Add(document.PointerTo("service_said", "refusals", i), one.Status, one.Code, one.Limit, one.Count, one.Message)
	}
	if of.Dropped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s more attempts were refused in other ways", document.Count(of.Dropped)))
	}
	a.Append(t)
	// Its support can be asked about the slowest requests, and about the first few of each kind of refusal.
	t = document.NewTable("request-ids", "Request IDs for a support case", "why|named", "at|named", "operation|named", "answer|named", "first byte|named",
		"x-ms-request-id|named")
	t.Notes = []string{"at: UTC, when it was sent; first byte: from then on"}
	add := func(why string, list []results.SaidRequest) {
		for _, one := range list {
			if one.RequestID != "" && one.RequestID != document.Untold {
				t.Add(why, a.record.Manifest.Started.Add(one.At).UTC().Format(time.TimeOnly), one.Verb, strings.TrimSpace(fmt.Sprintf("%d %s", one.Status, one.Code)),
					document.Lapse(one.Took), one.RequestID)
			}
		}
	}
	for _, one := range of.Refusals {
		add("refused: "+one.Limit, one.First)
	}
	add("slowest", of.Slowest)
	a.Append(t)
	// The replies show the difference of the service's clock to within a second.
	switch ahead := of.ClockAhead.Round(time.Second); {
	case ahead.Abs() <= time.Second:
		a.line("clocks: the service's and this machine's agree to a second")
	case ahead > 0:
		a.line(fmt.Sprintf("clocks: the service's is %v ahead of this machine's, to a second", ahead))
	default:
		a.line(fmt.Sprintf("clocks: the service's is %v behind this machine's, to a second", -ahead))
	}
}
