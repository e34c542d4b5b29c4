package report

import (
	"bytes"
	"fmt"
	"io"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// Policies writes the report of a contest of retry policies for a person. Its error
// is the writer's, wrapped.
func Policies(w io.Writer, contest *results.PolicyContest) error {
	p := new(text.Page)
	p.Heading("Verdict")
	p.Line(contest.Verdict)
	p.Heading("Trouble")
	p.Line(fmt.Sprintf("%s, after %g s without, and with %g s of arrivals after it", contest.Trouble, contest.LeadS, contest.TailS))
	p.Line(fmt.Sprintf("%s clients, each with %g operations/s on the average, in virtual time · seed %d",
		document.Count(int64(contest.Clients)), contest.OperationsPerSecondEachClient, contest.Seed))
	p.Line("figures: modelled, by the driving loop's own session")
	t := &text.Table{FlushLeft: []bool{11: true}, Titles: []text.Title{{From: 5, Columns: 3, Text: "added, ms"}},
		Headings: []string{"lost", "goodput", "tries/op", "chance", "drain, s", "p50", "p95", "p99", "peak", "fair", "twice", "policy"}}
	for i := range contest.Policies {
		one := &contest.Policies[i]
		t.Rows = append(t.Rows, []string{lostCell(one), document.Rate(one.Goodput), fmt.Sprintf("%.2f", one.AttemptsPerOperation),
			fmt.Sprintf("%.2f", one.AmplificationByChance), fmt.Sprintf("%.1f", one.DrainS),
			document.Told(one.Added.P50, milli), document.Told(one.Added.P95, milli), document.Told(one.Added.P99, milli), amount(int64(one.PeakRetries)), document.Told(one.Fairness, fairCell), amount(one.Duplicates), one.Policy})
	}
	p.Heading("Policies, the best first")
	t.Onto(p)
	p.Line("lost: of the operations that became due in the trouble, with its 95 % interval by chance; goodput: entities " +
		"served per second from its begin to the last arrival; tries/op: attempts to such an operation; chance: what they would " +
		"be if each attempt were throttled by chance, (1 − p^(R+1))/(1 − p); drain: from its end until the last of them ended; " +
		"added: to the response times of those that succeeded, over the median before; peak: most retries within 100 ms; " +
		"fair: Jain's index over the clients; twice: retries answered 404, 409 or 412, which may have met their own success")
	if withheld := withheldOf(contest); withheld > 0 {
		p.Line(fmt.Sprintf("%s operations were never sent, because a limiter would not have it", document.Count(withheld)))
	}
	return written(w, "Text", p.Bytes())
}

// DrawPolicies writes a contest of retry policies into a folder: as contest.json, its
// retries over time as a chart, and as another when the policies of some schedules try
// again. Its error wraps [results.ErrWrite].
func DrawPolicies(folder results.Folder, contest *results.PolicyContest, schedules []results.RetrySchedule) error {
	var text bytes.Buffer
	if err := PoliciesJSON(&text, contest); err != nil {
		return err
	}
	if err := folder.Replace("contest.json", text.Bytes()); err != nil {
		return fmt.Errorf("%w: %w", results.ErrWrite, err)
	}
	if _, err := chart.DrawRetries(folder, contest); err != nil {
		return err
	}
	_, err := chart.DrawSchedules(folder, schedules)
	return err
}

func lostCell(t *results.PolicyTrial) string {
	if t.Lost == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f ± %.1f %%", t.LostPercent, t.LostDoubt)
}

func milli(v float64) string { return document.Count(int64(v + 0.5)) }

func fairCell(v float64) string { return fmt.Sprintf("%.2f", v) }

func withheldOf(contest *results.PolicyContest) int64 {
	var sum int64
	for i := range contest.Policies {
		sum += contest.Policies[i].Withheld
	}
	return sum
}

// Schedules writes retry schedules for a person. Its error is the writer's,
// wrapped.
func Schedules(w io.Writer, schedules []results.RetrySchedule) error {
	p := new(text.Page)
	for i := range schedules {
		s := &schedules[i]
		p.Heading(s.Policy)
		p.Line(s.Formula)
		p.Line("retries " + s.Codes)
		if s.Source != "" {
			p.Line("source: " + s.Source)
		}
		if len(s.Waits) == 0 {
			p.Line("it never retries")
			continue
		}
		t := &text.Table{Titles: []text.Title{{From: 1, Columns: 3, Text: "wait, s"}, {From: 4, Columns: 3, Text: "since the failure, s"}},
			Headings: []string{"retry", "least", "mean", "greatest", "least", "mean", "greatest"}}
		for _, wait := range s.Waits {
			t.Rows = append(t.Rows, []string{amount(int64(wait.Retry)), seconds(wait.LeastS), seconds(wait.MeanS), seconds(wait.GreatestS),
				seconds(wait.SumLeastS), seconds(wait.SumMeanS), seconds(wait.SumGreatestS)})
		}
		t.Onto(p)
		if s.Flat != "" {
			p.Line(s.Flat)
		}
	}
	return written(w, "Text", p.Bytes())
}

// seconds writes a wait to the millisecond, and no digits that say nothing.
func seconds(v float64) string { return fmt.Sprintf("%.4g", float64(int64(v*1000+0.5))/1000) }
