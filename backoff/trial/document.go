package trial

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/backoff"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

//go:embed narrative.tmpl
var narrativeTable string

// sentences is the table of all sentences, parsed when it is first needed.
var sentences = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// sentence returns the sentence for a place, empty for none.
func sentence(evidence any, place string) string {
	return strings.Join(sentences().Phrases(evidence, place), "")
}

// ranking is a contest with the values that its sentences need.
type ranking struct {
	*results.PolicyContest
	// Best and Worst are the first and the last policy, nil if no operation was due in the trouble.
	Best, Worst *results.PolicyTrial
	// Leaders are the quoted names of the policies that are not shown to lose more than the best,
	// Number is the only one, or how many of the policies these are.
	Leaders []string
	Number  string
	// Withheld is the number of operations that limiters withheld.
	Withheld int64
}

// newRanking sorts the policies, the best first: by the share of operations lost, then by attempts
// per operation, then by the time to drain.
func newRanking(contest *results.PolicyContest) *ranking {
	r, all := &ranking{PolicyContest: contest}, contest.Policies
	slices.SortStableFunc(all, func(a, b results.PolicyTrial) int {
		return cmp.Or(cmp.Compare(a.LostPercent, b.LostPercent), cmp.Compare(a.AttemptsPerOperation, b.AttemptsPerOperation), cmp.Compare(a.DrainS, b.DrainS))
	})
	if len(all) > 0 && all[0].Caught > 0 {
		r.Best, r.Worst = &all[0], &all[len(all)-1]
	}
	for i := range all {
		r.Withheld += all[i].Withheld
		if r.isLeader(&all[i]) {
			r.Leaders = append(r.Leaders, strconv.Quote(all[i].Policy))
		}
	}
	if r.Number = strings.Join(r.Leaders, ""); len(r.Leaders) > 1 {
		r.Number = fmt.Sprintf("%d of %d", len(r.Leaders), len(all))
	}
	return r
}

// isLeader reports whether the interval of a policy's lost share overlaps that of the best.
func (r *ranking) isLeader(t *results.PolicyTrial) bool {
	return r.Best != nil && t.LostPercent-t.LostDoubt <= r.Best.LostPercent+r.Best.LostDoubt
}

// answer returns which policies lose least, their cost, and which loses most.
func (r *ranking) answer() document.Answer {
	a := document.Answer{Claim: sentence(r, "claim"), Number: r.Number, Beside: sentence(r, "beside"), Says: sentences().Phrases(r, "says")}
	if r.Best == nil {
		a.State = results.CannotTell
	}
	return a
}

// Loss is the lost share in words.
func (r *ranking) Loss(t *results.PolicyTrial) string {
	switch t.Lost {
	case 0:
		return "none"
	case t.Caught:
		return "all"
	}
	return lostShare(t)
}

// Duration returns a number of seconds as a duration.
func (r *ranking) Duration(seconds float64) time.Duration { return time.Duration(seconds * 1e9) }

// lostShare is the lost share with the half-width of its interval.
func lostShare(t *results.PolicyTrial) string {
	if t.Lost == 0 {
		return document.Share(0)
	}
	return document.Share(t.LostPercent/100) + " ± " + document.PartOf(t.LostDoubt, 100)
}

// Document reports a contest of policies: the best ones on one screen, then all.
func Document(contest *results.PolicyContest) *document.Document {
	r := newRanking(contest)
	d := &document.Document{Title: "backoff contest", Data: contest, Answer: r.answer(), Subtitle: fmt.Sprintf("%s · %s · seed %d · modelled",
		contest.Trouble, document.Counted(contest.Clients, "client"), contest.Seed)}
	if ended := strings.TrimSpace(strings.TrimSuffix(contest.Verdict, d.Answer.Sentences())); ended != "" {
		d.Warnings = append(d.Warnings, ended)
	}
	t := document.NewTable("policies", "Policies, best first", "policy|words", "lost", "|spare=9", "goodput|rate|unit=entities/s|spare=3", "attempts|tries",
		"chance|tries|spare=6", "drain|tenths|unit=s", "p50|ms|group=added, ms|spare=2", "p95|ms|group=added, ms|spare=4", "p99|ms|group=added, ms",
		"peak|spare=1", "fair|tries|spare=7", "twice|spare=8")
	for i := range contest.Policies {
		one := &contest.Policies[i]
		bar := &document.Bar{Solid: 100 - one.LostPercent, Hollow: one.LostPercent, Full: 100}
		t.Add(document.Good.If(r.isLeader(one) && one.Lost < one.Caught), one.Policy, lostShare(one), bar, one.Goodput, one.AttemptsPerOperation,
			one.AmplificationByChance, one.DrainS, one.Added.P50, one.Added.P95, one.Added.P99, one.PeakRetries, one.Fairness, one.Duplicates)
	}
	d.Screen = []document.Block{t}
	t.Notes = sentences().Phrases(r, "notes")
	d.Add("trouble", "Trouble", document.List{Items: sentences().Phrases(r, "conditions")})
	d.Add("policies", "Policies, best first", t.WithoutBars())
	return d
}

// Schedules reports when policies retry: each wait of one policy, or the first and the sum of
// several on one screen.
func Schedules(schedules []results.RetrySchedule) *document.Document {
	d := &document.Document{Title: "backoff show", Data: schedules}
	all := document.NewTable("schedules", "The waits of each policy", "policy|words", "retries", "least|figures|group=first wait, s", "greatest|figures|group=first wait, s",
		"least|figures|group=all waits, s", "greatest|figures|group=all waits, s")
	const wait, since = "|figures|group=wait, s", "|figures|group=since the failure, s"
	for i := range schedules {
		s := &schedules[i]
		id, row := fmt.Sprintf("policy-%d", i+1), []any{s.Policy, s.Retries}
		t := document.NewTable(id+"-waits", "The waits of "+s.Policy, "retry", "least"+wait, "mean"+wait, "greatest"+wait, "least"+since, "mean"+since, "greatest"+since)
		for _, w := range s.Waits {
			t.Add(w.Retry, w.LeastS, w.MeanS, w.GreatestS, w.SumLeastS, w.SumMeanS, w.SumGreatestS)
		}
		d.Add(id, s.Policy, document.Facts{Lines: sentences().Phrases(s, "policy")}, t, document.Paragraph{Text: s.Flat})
		if n := len(s.Waits); n > 0 {
			row = append(row, s.Waits[0].LeastS, s.Waits[0].GreatestS, s.Waits[n-1].SumLeastS, s.Waits[n-1].SumGreatestS)
		}
		all.Add(row...)
	}
	d.Screen, d.Answer.Claim = []document.Block{all}, "Retry times of "+document.Counted(len(schedules), "retry policy", "retry policies")
	if len(schedules) == 1 {
		d.Screen, d.Answer.Claim = d.Sections[0].Blocks, sentence(&schedules[0], "schedule")
	}
	return d
}

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
	_, err := chart.Save(folder, chart.Retries(contest), chart.Schedules(schedules))
	return err
}

// maxRetries is how many retries of a policy are listed.
const maxRetries = 20

// policyText is a policy with the values that its sentences need.
type policyText struct {
	*backoff.Preset
	// Statuses are the codes that the policy retries. Flat lists the retries whose waits have no
	// jitter; AllFlat reports whether these are all.
	Statuses, Flat string
	AllFlat        bool
}

// Schedule returns when a policy retries if each attempt fails immediately.
func Schedule(p *backoff.Preset) results.RetrySchedule {
	s := results.RetrySchedule{Policy: p.Name, Retries: p.Retries, Formula: p.Formula, Source: p.Source, Waits: []results.RetryWait{},
		ElapsedS: p.Elapsed.Seconds()}
	var flat []string
	var sums results.RetryWait
	for x := 1; x <= min(p.Retries, maxRetries); x++ {
		least, mean, greatest := p.Bounds(x)
		sums.Retry, sums.LeastS, sums.MeanS, sums.GreatestS = x, least.Seconds(), mean.Seconds(), greatest.Seconds()
		sums.SumLeastS += sums.LeastS
		sums.SumMeanS += sums.MeanS
		sums.SumGreatestS += sums.GreatestS
		if s.ElapsedS > 0 && sums.SumGreatestS > s.ElapsedS {
			// Some operations have no retry x: the figures are those of the others.
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
	words := policyText{Preset: p, Statuses: statuses(p.Codes), Flat: strings.Join(flat, ", "), AllFlat: len(flat) == len(s.Waits)}
	s.Codes, s.Flat = sentence(words, "codes"), sentence(words, "flat")
	return s
}

// statuses returns HTTP statuses that are retried in words; nil are the documented ones.
func statuses(codes []int) string {
	usual := backoff.DocumentedCodes()
	others := slices.DeleteFunc(slices.Clone(codes), func(code int) bool { return slices.Contains(usual, code) })
	list := func(codes []int) string { return strings.ReplaceAll(strings.Trim(fmt.Sprint(codes), "[]"), " ", ", ") }
	switch {
	case codes == nil:
		return "5xx except 501 and 505"
	case len(codes)-len(others) == len(usual):
		return list(others) + " and 5xx except 501 and 505"
	}
	return list(codes)
}

// drawMeans returns the mean wait before retry x of a policy with a limit of the elapsed time, and the mean sum of the
// waits up to it, in seconds, of the operations that have this retry; 0 if none has it.
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
