package replay

import (
	"io"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/report"
	"loadgen/report/compare/contest"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/figure"
)

// Told is the outcome of a replay.
type Told struct {
	// State says whether some design holds the log, Best are those that come first of the
	// ones that do, or of all where none does. It is unknown if too much of the log is
	// left out to say that one holds.
	State string   `json:"state"`
	Best  []string `json:"best"`
	// Operations were replayed, Queries and Transactions among them. Throttled is the share of the log's attempts, Lost that of
	// its operations.
	Operations   int64   `json:"operations"`
	Queries      int64   `json:"queries"`
	Transactions int64   `json:"transactions"`
	Throttled    float64 `json:"share_throttled_in_the_log"`
	Lost         float64 `json:"share_lost_in_the_log"`
	Totals
	// ThrottledRequests are those of the log that the service throttled, and does not bill.
	ThrottledRequests int64 `json:"requests_throttled_in_the_log"`
	// SpreadOver is the second or minute over which requests of the log with the same timestamp
	// are spread evenly, in nanoseconds; 0 where none are.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty"`
	// Notes are sentences about what was assumed or left out of the log.
	Notes []string `json:"notes,omitempty"`
	// Held entities are taken to have been there before, More of them without being named.
	Held int64 `json:"entities_held_before"`
	More int64 `json:"entities_held_unnamed"`
	// Suggested designs were proposed; a bounded number takes part. Unsuggested says why
	// there is none.
	Suggested   int    `json:"designs_suggested"`
	Unsuggested string `json:"none_suggested,omitempty"`
	// Limits is the profile file whose limits and times were taken, empty where it was a profile
	// of the model's own.
	Limits string `json:"limits_of,omitempty"`
	// Price is the price for costs, nil for none.
	Price *results.Price `json:"price,omitempty"`
	// Arms are the designs as they were given, Contest is their ranking.
	Arms    []Arm            `json:"designs"`
	Contest *contest.Contest `json:"contest"`
}

// maxLeft is the share of the requests that may be left out of a log which a design is said
// to hold: as much as may be throttled of it.
const maxLeft = results.MaxFirstThrottledShare

// report ranks the designs, and says what the replay came to.
func (p *playing) report(arms []Arm) *Told {
	of := p.Operations
	t := &Told{State: results.DoesNotHold, Operations: int64(len(of.List)), Queries: int64(of.Counts[entity.Query]), Transactions: int64(of.Counts[entity.Batch]),
		Totals: of.Totals, Throttled: figure.ShareOf(of.Throttled, of.Attempts), Lost: figure.ShareOf(of.Lost, int64(len(of.List))),
		SpreadOver: of.Reading.SpreadOver, Notes: of.Reading.Notes, ThrottledRequests: of.Throttled,
		Held: int64(len(p.table.held)), More: int64(p.table.extra), Suggested: p.suggested, Unsuggested: p.unsuggested, Arms: arms}
	if p.Measured != nil {
		t.Limits = p.Measured.String()
	}
	if p.Price != (results.Price{}) {
		t.Price = &p.Price
	}
	var ranked []contest.Arm
	for i := range arms {
		ranked = append(ranked, arms[i].ranked)
	}
	t.Contest = contest.Rank(ranked, contest.Options{Scenario: "of a log", Profile: p.named(p.profile), Other: p.other, Price: p.Price})
	some := slices.ContainsFunc(t.Contest.Ranking, func(one contest.Ranked) bool { return one.State == results.Holds })
	for i := range t.Contest.Ranking {
		if one := &t.Contest.Ranking[i]; *one.Rank == *t.Contest.Ranking[0].Rank && (!some || one.State == results.Holds) {
			t.Best = append(t.Best, one.Design)
		}
	}
	if left := sum(of.Left); some {
		t.State = results.Holds
		if float64(left) > maxLeft*float64(left+of.Attempts) {
			t.State = results.CannotTell
		}
	}
	return t
}

// Print writes what a replay came to in one of [report.PrintForms]; a page has its picture.
func (t *Told) Print(w io.Writer, form string, look text.Look) error {
	if form != report.FormPage {
		return report.Print(w, t.Document(), form, look)
	}
	kept := &contest.Kept{Contest: t.Contest, Records: make(map[string]*results.Record)}
	for i := range t.Arms {
		kept.Records[t.Arms[i].Design] = t.Arms[i].ranked.Record
	}
	return kept.PageOf(w, t.Document())
}
