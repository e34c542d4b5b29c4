package trial

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"loadgen/backoff"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// Document reports a contest of policies: the best ones on one screen, then all.
func Document(contest *results.PolicyContest) *document.Document {
	d := &document.Document{Title: "backoff contest", Data: contest, Answer: answerOf(contest), Subtitle: fmt.Sprintf("%s · %s · seed %d · modelled",
		contest.Trouble, document.Counted(contest.Clients, "client"), contest.Seed)}
	if ended := strings.TrimSpace(strings.TrimSuffix(contest.Verdict, d.Answer.Whole())); ended != "" {
		d.Warnings = append(d.Warnings, ended)
	}
	t := document.NewTable("policies", "Policies, best first", "policy|words", "lost", "|spare=9", "goodput|rate|unit=entities/s|spare=3", "tries/op|tries",
		"chance|tries|spare=6", "drain|tenths|unit=s", "p50|ms|group=added, ms|spare=2", "p95|ms|group=added, ms|spare=4", "p99|ms|group=added, ms",
		"peak|spare=1", "fair|tries|spare=7", "twice|spare=8")
	withheld := int64(0)
	for i := range contest.Policies {
		one := &contest.Policies[i]
		tone := document.Good.If(equal(&contest.Policies[0], one) && one.Lost < one.Caught)
		bar := &document.Bar{Solid: 100 - one.LostPercent, Hollow: one.LostPercent, Full: 100}
		t.Add(tone, one.Policy, lostPart(one), bar, one.Goodput, one.AttemptsPerOperation, one.AmplificationByChance, one.DrainS,
			one.Added.P50, one.Added.P95, one.Added.P99, one.PeakRetries, one.Fairness, one.Duplicates)
		withheld += one.Withheld
	}
	d.Screen = []document.Block{t}
	t.Notes = []string{"lost: of the operations due in the trouble, with its 95 % interval; goodput: entities served per second from its begin " +
		"to the last arrival; tries/op: attempts per such operation; chance: the same for independent throttling, (1 − p^(R+1))/(1 − p); " +
		"drain: from its end to the last of these operations; added: response time of successes over the median before; " +
		"peak: retries within 100 ms; fair: Jain's index over clients; twice: retries answered 404, 409 or 412, possibly after a success"}
	if withheld > 0 {
		t.Notes = append(t.Notes, document.Count(withheld)+" operations were not sent: a limiter refused")
	}
	d.Add("trouble", "Trouble", document.List{Items: []string{
		fmt.Sprintf("%s, with %s of arrivals before and %s after", contest.Trouble, document.Span(lasting(contest.LeadS)), document.Span(lasting(contest.TailS))),
		fmt.Sprintf("%s, each with %s operations/s on average, seed %d", document.Counted(contest.Clients, "client"),
			document.Rate(contest.OperationsPerSecondEachClient), contest.Seed),
		"figures: modelled, in virtual time"}})
	d.Add("policies", "Policies, best first", t.WithoutBars())
	return d
}

// Schedules reports when policies retry: each wait of one policy, or the first and the sum of
// several on one screen.
func Schedules(schedules []results.RetrySchedule) *document.Document {
	d := &document.Document{Title: "backoff show", Data: schedules}
	for i := range schedules {
		describe(d, fmt.Sprintf("policy-%d", i+1), &schedules[i])
	}
	if len(schedules) == 1 {
		one := &schedules[0]
		d.Screen, d.Answer.Claim = d.Sections[0].Blocks, one.Policy+" never retries"
		if waits := one.Waits; len(waits) > 0 {
			retries := document.Counted(one.Retries, "time")
			if one.ElapsedS > 0 {
				retries = "up to " + retries
			}
			d.Answer.Claim = fmt.Sprintf("%s retries %s, first after %s to %s s", one.Policy, retries,
				document.Figures(waits[0].LeastS), document.Figures(waits[0].GreatestS))
		}
		return d
	}
	d.Answer.Claim = "Retry times of " + document.Counted(len(schedules), "retry policy", "retry policies")
	t := document.NewTable("schedules", "The waits of each policy", "policy|words", "retries", "least|figures|group=first wait, s", "greatest|figures|group=first wait, s",
		"least|figures|group=all waits, s", "greatest|figures|group=all waits, s")
	for i := range schedules {
		s := &schedules[i]
		row := []any{s.Policy, s.Retries}
		if n := len(s.Waits); n > 0 {
			row = append(row, s.Waits[0].LeastS, s.Waits[0].GreatestS, s.Waits[n-1].SumLeastS, s.Waits[n-1].SumGreatestS)
		}
		t.Add(row...)
	}
	d.Screen = []document.Block{t}
	return d
}

// describe adds a section with a schedule.
func describe(d *document.Document, id string, s *results.RetrySchedule) {
	about := document.Facts{Lines: []string{s.Formula, "retries " + s.Codes}}
	if s.Source != "" {
		about.Lines = append(about.Lines, "source: "+s.Source)
	}
	if len(s.Waits) == 0 {
		about.Lines = append(about.Lines, "never retries")
	}
	const wait, since = "|figures|group=wait, s", "|figures|group=since the failure, s"
	t := document.NewTable(id+"-waits", "The waits of "+s.Policy, "retry", "least"+wait, "mean"+wait, "greatest"+wait, "least"+since, "mean"+since, "greatest"+since)
	for _, w := range s.Waits {
		t.Add(w.Retry, w.LeastS, w.MeanS, w.GreatestS, w.SumLeastS, w.SumMeanS, w.SumGreatestS)
	}
	d.Add(id, s.Policy, about, t, document.Paragraph{Text: s.Flat})
}

func lasting(seconds float64) time.Duration { return time.Duration(seconds * 1e9) }

// Keep writes a contest into a folder: contest.json, a chart of its retries over time, and a
// chart of the schedules. Its error wraps [results.ErrWrite].
func Keep(folder results.Folder, contest *results.PolicyContest, schedules []results.RetrySchedule) error {
	var spelled bytes.Buffer
	if err := text.JSON(&spelled, contest); err != nil {
		return err
	}
	if err := folder.Replace("contest.json", spelled.Bytes()); err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	if _, err := chart.DrawRetries(folder, contest); err != nil {
		return err
	}
	_, err := chart.DrawSchedules(folder, schedules)
	return err
}

// maxRetries is how many retries of a policy are listed.
const maxRetries = 20

// Schedule returns when a policy retries if each attempt fails immediately.
func Schedule(p *backoff.Preset) results.RetrySchedule {
	s := results.RetrySchedule{Policy: p.Name, Retries: p.Retries, Formula: p.Formula, Source: p.Source, Waits: []results.RetryWait{},
		ElapsedS: p.Elapsed.Seconds()}
	silent := ", and attempts without a reply"
	if !p.WaitsAlways {
		silent += ", the first one immediately"
	}
	usual := backoff.DocumentedCodes()
	others := slices.DeleteFunc(slices.Clone(p.Codes), func(code int) bool { return slices.Contains(usual, code) })
	switch {
	case p.Retries == 0:
		s.Codes = "nothing"
	case p.Codes == nil:
		s.Codes = "5xx except 501 and 505" + silent
	case len(p.Codes)-len(others) == len(usual):
		s.Codes = strings.Trim(fmt.Sprint(others), "[]") + " and 5xx except 501 and 505" + silent
	default:
		s.Codes = strings.ReplaceAll(strings.Trim(fmt.Sprint(p.Codes), "[]"), " ", ", ") + silent
	}
	var flat []string
	var sums results.RetryWait
	for x := 1; x <= min(p.Retries, maxRetries); x++ {
		least, mean, greatest := p.Bounds(x)
		sums.Retry, sums.LeastS, sums.MeanS, sums.GreatestS = x, least.Seconds(), mean.Seconds(), greatest.Seconds()
		sums.SumLeastS += sums.LeastS
		sums.SumMeanS += sums.MeanS
		sums.SumGreatestS += sums.GreatestS
		if s.ElapsedS > 0 && sums.SumGreatestS > s.ElapsedS {
			// Of the operations some have no retry x: the figures are those of the others.
			if sums.MeanS, sums.SumMeanS = drawMeans(p, x); sums.SumMeanS == 0 {
				break
			}
			sums.GreatestS, sums.SumGreatestS = min(sums.GreatestS, s.ElapsedS-sums.SumLeastS+sums.LeastS), s.ElapsedS
		}
		s.Waits = append(s.Waits, sums)
		if least == greatest {
			flat = append(flat, fmt.Sprintf("%d (%s)", x, document.Span(least)))
		}
	}
	switch {
	case len(flat) == 0:
	case len(flat) == len(s.Waits):
		s.Flat = "No wait has jitter: clients that fail together retry together."
	default:
		s.Flat = fmt.Sprintf("The waits before retry %s have no jitter: clients that fail together retry together.",
			strings.Join(flat, ", "))
	}
	return s
}

// drawMeans returns the mean wait before retry x of a policy with a limit of the elapsed time, and the mean sum of the
// waits up to it, in seconds, of the operations that have this retry; 0 where none has.
func drawMeans(p *backoff.Preset, x int) (wait, sum float64) {
	const draws = 20_000
	random := rand.New(rand.NewPCG(1, uint64(x)))
	reached := 0.0
	for range draws {
		var last, all time.Duration
		for y := 1; y <= x && all <= p.Elapsed; y++ {
			last, _ = p.Next(y, last, random.Float64())
			all += last
		}
		if all <= p.Elapsed {
			wait, sum, reached = wait+last.Seconds(), sum+all.Seconds(), reached+1
		}
	}
	return wait / max(1, reached), sum / max(1, reached)
}
