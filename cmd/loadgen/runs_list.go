package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"loadgen/engine/clock"
	"loadgen/report"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/keys"
)

// runsListFlags are what a user typed after `loadgen runs list`.
type runsListFlags struct {
	runs     string
	scenario string
	tags     []string
	since    string
	limit    int
	format   string
}

// usualLimit is how many runs are listed where nothing else is said.
const usualLimit = 50

func (f *runsListFlags) verb(stdout io.Writer) *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the runs that are kept, the newest first",
		Long: `List prints the runs of a folder, the one that was begun last first, with what became
of each. served is the most entities a second of any reported phase, p99 the response
time of its operations together, refused the share of their attempts, of
both without what prepares the table. What cannot be read, and folders without a run
of their own such as those of contests, are counted below.`,
		Example: `  loadgen runs list
  loadgen runs list --scenario stress --since 7d
  loadgen runs list --tag baseline --format json`,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.list(c.Context(), clock.NewReal().Started(), stdout)
		},
	}
	refuseArguments(c)
	flags := c.Flags()
	flags.StringVar(&f.runs, "runs", runsKept(), "`folder` of the runs")
	flags.StringVar(&f.scenario, "scenario", "", "only runs of the scenario of this `name`")
	flags.StringArrayVar(&f.tags, "tag", nil, "only runs with this `tag`, may be repeated")
	flags.StringVar(&f.since, "since", "", "only runs that were begun since: an `age` (7d, 12h) or a date (2026-03-01)")
	flags.IntVar(&f.limit, "limit", usualLimit, "list so many at most, 0 for all")
	flags.StringVar(&f.format, "format", "text", "what to print: text or json")
	return c
}

// list prints what the flags ask for.
func (f *runsListFlags) list(ctx context.Context, now time.Time, stdout io.Writer) error {
	since, err := f.check(now)
	if err != nil {
		return err
	}
	s, err := readShelf(ctx, f.runs)
	if err != nil {
		return err
	}
	if err := s.hasScenario(f.scenario); err != nil {
		return err
	}
	for _, tag := range f.tags {
		if known := s.allTags(); !slices.Contains(known, tag) {
			return usageError{fmt.Errorf("--tag: no run in %s has it: %s", shownName(f.runs), keys.Unknown("tag", tag, known))}
		}
	}
	list := runList{Runs: []listedRun{}, Unreadable: []unreadRun{}, Contests: s.contests, Others: s.others, Links: s.links}
	for i := range s.runs {
		k := &s.runs[i]
		switch {
		case k.begun.Before(since) || f.scenario != "" && k.scenario() != f.scenario || !hasAll(k.tags, f.tags):
		case k.head == nil:
			list.Unreadable = append(list.Unreadable, unreadRun{k.name, oneLine(reason(k.fault))})
		default:
			list.Matching++
			if f.limit == 0 || len(list.Runs) < f.limit {
				list.Runs = append(list.Runs, listedOf(k))
			}
		}
	}
	if f.format == "json" {
		return report.Object(stdout, "runs", &list)
	}
	return list.text(stdout, f.runs)
}

// check returns since when runs are listed, or what is wrong with the flags.
func (f *runsListFlags) check(now time.Time) (time.Time, error) {
	switch {
	case f.format != "text" && f.format != "json":
		return time.Time{}, usageError{fmt.Errorf("--format %s: expected text or json", f.format)}
	case f.limit < 0:
		return time.Time{}, usageError{fmt.Errorf("--limit %d: expected a number of runs, or 0 for all", f.limit)}
	case f.since == "":
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if at, err := time.Parse(layout, f.since); err == nil {
			return at, nil
		}
	}
	age, err := parseAge(f.since)
	if err != nil {
		return time.Time{}, usageError{fmt.Errorf("--since %q: expected an age such as 7d or 12h, or a date such as 2026-03-01", f.since)}
	}
	return now.Add(-age), nil
}

func hasAll(tags, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(tag string) bool { return !slices.Contains(tags, tag) })
}

// runList is what `--format json` prints.
type runList struct {
	Runs []listedRun `json:"runs"`
	// Matching is how many there are, of which Runs are the newest.
	Matching   int         `json:"matching"`
	Unreadable []unreadRun `json:"unreadable"`
	// Contests and Others are folders without a run of their own; Links are not followed.
	Contests int `json:"contests"`
	Others   int `json:"others"`
	Links    int `json:"links"`
}

type unreadRun struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// listedRun is one run. The figures are null in one that has not come to its end.
type listedRun struct {
	Name     string   `json:"name"`
	Folder   string   `json:"folder"`
	Started  string   `json:"started"`
	Scenario string   `json:"scenario"`
	Target   string   `json:"target"`
	Time     string   `json:"time"`
	Validity string   `json:"validity"`
	Verdict  *string  `json:"verdict"`
	Short    string   `json:"verdict_short"`
	Served   *float64 `json:"served_entities_per_second"`
	P99      *int64   `json:"response_p99_us"`
	Attempts *int64   `json:"attempts"`
	Refused  *int64   `json:"refused"`
	// ShareRefused is of the operations that are reported, the others of all.
	ShareRefused *float64 `json:"share_refused_reported"`
	Tags         []string `json:"tags"`
	TagFault     string   `json:"tags_unreadable,omitempty"`
}

func listedOf(k *shelfRun) listedRun {
	m, s := &k.head.Manifest, k.head.Summary
	one := listedRun{Name: k.name, Folder: k.folder, Started: k.begun.Format(time.RFC3339), Scenario: m.Scenario.Name,
		Target: m.Target, Time: m.Time, Validity: k.head.Validity, Short: untold, Tags: append([]string{}, k.tags...)}
	if k.tagFault != nil {
		one.TagFault = oneLine(reason(k.tagFault))
	}
	if s == nil {
		return one
	}
	one.Verdict, one.Short, one.P99, one.Attempts, one.Refused = &s.Verdict, shortVerdict(s), s.Response.P99, &s.Attempts, &s.Refused
	for _, phase := range s.Phases {
		// Where nothing was offered the run ended before what the rates are of.
		if phase.Offered+phase.Served > 0 && (one.Served == nil || phase.Served > *one.Served) {
			one.Served = &phase.Served
		}
	}
	one.ShareRefused = shareRefused(s)
	return one
}

// shareRefused returns the share of attempts that were refused, of the operations that are
// reported where there are such: what loading a table met with is not what the run is
// about. It is nil where there was no attempt.
func shareRefused(s *results.Summary) *float64 {
	reported := make(map[string]bool)
	for _, phase := range s.Phases {
		for name := range phase.PerOperation {
			reported[name] = true
		}
	}
	var attempts, refused int64
	for name, of := range s.PerOperation {
		if reported[name] {
			attempts, refused = attempts+of.Attempts, refused+of.Refused
		}
	}
	if attempts <= 0 {
		attempts, refused = s.Attempts, s.Refused
	}
	if attempts <= 0 {
		return nil
	}
	share := float64(refused) / float64(attempts)
	return &share
}

// shortVerdict says in a few words what a run came to: how many of the claims hold, which
// rate was found to, where it saturates, what load balancing came to, or else how the
// verdict begins.
func shortVerdict(s *results.Summary) string {
	var parts []string
	if len(s.Expectations) > 0 {
		parts = append(parts, passed(s.Expectations)+" hold")
	}
	if s.Saturation != nil {
		parts = append(parts, "saturates at "+verdict.Rate(*s.Saturation)+"/s")
	}
	if s.Limit != nil && s.Limit.Held != nil {
		parts = append(parts, "holds "+verdict.Rate(*s.Limit.Held)+"/s")
	}
	if s.Balance != nil && s.Balance.Outcome != "" {
		parts = append(parts, s.Balance.Outcome)
	}
	if len(parts) == 0 {
		parts = []string{s.Verdict}
	}
	return cellOf(strings.Join(parts, ", "), widestVerdict)
}

// The greatest widths of what people and scenarios have called, in characters.
const (
	widestName    = 44
	widestWords   = 24
	widestVerdict = 32
	widestTags    = 30
	mostUnread    = 5
)

// text prints a line for each run, and below what is no run.
func (l *runList) text(stdout io.Writer, folder string) error {
	var text strings.Builder
	if len(l.Runs) > 0 {
		rows := [][]string{{"run", "started (UTC)", "scenario", "target", "validity", "verdict", "tags", "served/s", "p99 ms", "refused"}}
		for i := range l.Runs {
			rows = append(rows, l.Runs[i].row())
		}
		align(&text, rows, 7)
	} else {
		fmt.Fprintf(&text, "no run in %s\n", shownName(folder))
	}
	if more := l.Matching - len(l.Runs); more > 0 {
		fmt.Fprintf(&text, "and %d more; --limit 0 lists all\n", more)
	}
	for i, u := range l.Unreadable {
		if i == mostUnread {
			fmt.Fprintf(&text, "cannot be read: %d more\n", len(l.Unreadable)-mostUnread)
			break
		}
		fmt.Fprintf(&text, "cannot be read: %s: %s\n", shownName(u.Name), cellOf(u.Reason, 200))
	}
	if left := leftAlone(l.Contests, l.Others, l.Links); left != "" {
		fmt.Fprintf(&text, "not listed: %s\n", left)
	}
	_, err := io.WriteString(stdout, text.String())
	return err
}

func (r *listedRun) row() []string {
	served, refused, tags := untold, untold, strings.Join(r.Tags, ",")
	if r.Served != nil {
		served = verdict.Rate(*r.Served)
	}
	if r.ShareRefused != nil {
		refused = verdict.Share(*r.ShareRefused)
	}
	if r.TagFault != "" {
		tags = "(cannot be read)"
	}
	return []string{cellOf(r.Name, widestName), strings.Replace(r.Started[:len("2006-01-02T15:04")], "T", " ", 1), cellOf(r.Scenario, widestWords),
		cellOf(r.Target, widestWords), r.Validity, r.Short, cellOf(tags, widestTags), served, millis(r.P99), refused}
}

// leftAlone counts what a folder of runs holds beside them, empty for nothing.
func leftAlone(contests, others, links int) string {
	var parts []string
	for _, of := range []struct {
		n         int
		one, many string
	}{{contests, "contest", "contests"}, {others, "other folder", "other folders"}, {links, "link", "links"}} {
		switch {
		case of.n == 1:
			parts = append(parts, "1 "+of.one)
		case of.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.many))
		}
	}
	return strings.Join(parts, ", ")
}

// cellOf returns a text as a cell of a table may hold it: on one line, without what a
// terminal would take for a command, and of so many characters at most.
func cellOf(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unprintable(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, text)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
