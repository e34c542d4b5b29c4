package report

import (
	"fmt"
	"strings"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// booksOf shows the counts of the whole run and whether they add up.
func booksOf(p *page, record *results.Record) {
	all := record.Total(results.Everything)
	p.heading("Books of the whole run")
	p.line(fmt.Sprintf("scheduled %s %s sent %s + dropped %s", verdict.Count(all.Scheduled),
		sign(all.Scheduled == all.Sent+all.Dropped), verdict.Count(all.Sent), verdict.Count(all.Dropped)))
	p.line(fmt.Sprintf("attempts %s %s ok %s + refused %s + failed %s; %s", verdict.Count(all.Attempts),
		sign(all.Attempts == all.Ok+all.Refused+all.Failed), verdict.Count(all.Ok), verdict.Count(all.Refused),
		verdict.Count(all.Failed), targetAttempts(record.Target, &all)))
	p.line(fmt.Sprintf("entities counted %s, returned %s; %s", verdict.Count(all.Counted), verdict.Count(all.Returned),
		targetEntities(record.Target, &all)))
	lagOf(p, record)
	waitsOf(p, record)
	connectionsOf(p, record.Connections)
	if budget := record.Manifest.Budget; budget > 0 {
		p.line(fmt.Sprintf("billed transactions: %s, one for each attempt, of a budget of %s",
			verdict.Count(all.Attempts), verdict.Count(budget)))
	}
}

// connectionsOf shows what sending cost beside the requests.
func connectionsOf(p *page, c *results.Connections) {
	if c == nil {
		return
	}
	text := fmt.Sprintf("connections: %s opened, %s attempts over one that was open", verdict.Count(c.Opened), verdict.Count(c.Reused))
	for _, spell := range []struct {
		what string
		results.Spell
	}{{"DNS", c.Lookups}, {"connect", c.Connects}, {"TLS", c.Handshakes}, {"first byte", c.FirstByte}} {
		if spell.Count > 0 {
			mean := (spell.Total / time.Duration(spell.Count)).Microseconds()
			longest := spell.Max.Microseconds()
			text += fmt.Sprintf("; %s mean %s, max %s", spell.what, inWords(&mean), inWords(&longest))
		}
	}
	p.line(text)
}

func sign(equal bool) string {
	if equal {
		return "="
	}
	return "≠"
}

// targetAttempts holds the run's attempts against the target's requests.
func targetAttempts(target *results.TargetCounts, all *results.KindStats) string {
	switch {
	case target == nil:
		return "the target keeps no count"
	case target.Requests == all.Attempts && target.Ok == all.Ok && target.Refused == all.Refused && target.Failed == all.Failed:
		return "the target counted the same"
	default:
		return fmt.Sprintf("the target counted %s: ok %s + refused %s + failed %s", verdict.Count(target.Requests),
			verdict.Count(target.Ok), verdict.Count(target.Refused), verdict.Count(target.Failed))
	}
}

// targetEntities holds the run's entities against the target's.
func targetEntities(target *results.TargetCounts, all *results.KindStats) string {
	switch {
	case target == nil:
		return "the target keeps no count"
	case target.Entities == all.Counted:
		return "the target counted the same"
	default:
		return "the target counted " + verdict.Count(target.Entities)
	}
}

// lagOf shows how well the generator kept its schedule in the reported phases.
func lagOf(p *page, record *results.Record) {
	sum := record.Total(results.Reported)
	if record.Lag.Count() == 0 || record.Observation != nil {
		return
	}
	p.line(fmt.Sprintf("lag, from due to sent, of the steps' operations: %s; late, by over %d ms: %s of %s",
		quantiles(results.QuantilesOf(record.Lag)), results.LateAfter.Milliseconds(),
		verdict.Count(sum.Late), verdict.Count(sum.Sent)))
}

// waitsOf shows what retries waited for.
func waitsOf(p *page, record *results.Record) {
	retries := "retries"
	if policy := record.Manifest.Retry; policy != "" {
		retries += ", policy " + policy
	}
	if record.RetryWaits.Count() == 0 {
		p.line(retries + ": none")
		return
	}
	whose := "the steps' operations"
	if record.Observation != nil {
		whose = "operations that were seen again"
	}
	p.line(fmt.Sprintf("%s: %s waits of %s: %s", retries, verdict.Count(record.RetryWaits.Count()), whose,
		quantiles(results.QuantilesOf(record.RetryWaits))))
}

// quantiles tells the quantiles of a line.
func quantiles(q results.Quantiles) string {
	return fmt.Sprintf("p50 %s, p90 %s, p99 %s, max %s", inWords(q.P50), inWords(q.P90), inWords(q.P99), inWords(q.Max))
}

// inWords returns microseconds as a cell of a table shows them, with the unit.
func inWords(micros *int64) string {
	cell := millis(micros)
	if cell == untold || strings.HasSuffix(cell, " s") {
		return cell
	}
	return cell + " ms"
}
