package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/catalog"
)

// RunList is the runs that are kept as they are listed, which [RunList.JSON] prints.
type RunList struct {
	Runs []ListedRun `json:"runs"`
	// Matching is how many there are, of which Runs are the newest.
	Matching   int         `json:"matching"`
	Unreadable []UnreadRun `json:"unreadable"`
	// Contests is how many of them are contests of designs. Others are folders without a
	// run of their own; Links are not followed.
	Contests int `json:"contests"`
	Others   int `json:"others"`
	Links    int `json:"links"`

	of *catalog.Catalog
}

// UnreadRun is a run that cannot be read, and why.
type UnreadRun struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// ListedRun is one run. The figures are null in one that has not come to its end.
type ListedRun struct {
	Name      string   `json:"name"`
	Folder    string   `json:"folder"`
	Started   string   `json:"started"`
	Scenario  string   `json:"scenario"`
	Target    string   `json:"target"`
	Time      string   `json:"time"`
	Validity  string   `json:"validity"`
	Verdict   *string  `json:"verdict"`
	Short     string   `json:"verdict_short"`
	Served    *float64 `json:"served_entities_per_second"`
	P99       *int64   `json:"response_p99_us"`
	Attempts  *int64   `json:"attempts"`
	Throttled *int64   `json:"throttled"`
	// ShareThrottled is of the reported phases, the others of all.
	ShareThrottled *float64 `json:"share_throttled_reported"`
	Tags           []string `json:"tags"`
	TagFault       string   `json:"tags_unreadable,omitempty"`
	// Contest says that it is a contest of designs, of which no figure is told.
	Contest bool `json:"contest,omitempty"`
	// Killed says that nobody has closed the record: the run was killed, or goes on. Tables
	// are those that it may have left at the target.
	Killed bool     `json:"killed,omitempty"`
	Tables []string `json:"tables_perhaps_left,omitempty"`
}

// List returns the list of some runs of a catalog, of so many at most that can be read, 0
// for all.
func List(of *catalog.Catalog, chosen []*catalog.Run, most int) *RunList {
	l := &RunList{Runs: []ListedRun{}, Unreadable: []UnreadRun{}, Others: of.Others, Links: of.Links, of: of}
	for _, r := range chosen {
		if r.Contest != nil {
			l.Contests++
		} else if r.Head == nil {
			l.Unreadable = append(l.Unreadable, UnreadRun{r.Name, results.OneLine(r.Fault)})
			continue
		}
		l.Matching++
		if most != 0 && len(l.Runs) >= most {
			continue
		}
		one := ListedRun{Name: r.Name, Folder: r.Folder, Started: r.Begun.Format(time.RFC3339), Contest: r.Contest != nil, Short: document.Untold,
			Tags: append([]string{}, r.Tags...), TagFault: results.OneLine(r.TagFault)}
		if c := r.Contest; c != nil {
			short := c.Verdict
			switch before, _, several := strings.Cut(c.Verdict, ". "); {
			case c.Winner != nil && c.State == results.DoesNotHold:
				short = *c.Winner + " wins, its checks fail"
			case c.Winner != nil:
				short = *c.Winner + " wins"
			case several && c.State == results.DoesNotHold:
				short = before
			}
			one.Scenario, one.Target, one.Verdict, one.Short = c.Scenario, c.Target, &c.Verdict, catalog.Cell(short, widestVerdict)
			l.Runs = append(l.Runs, one)
			continue
		}
		m := &r.Head.Manifest
		one.Scenario, one.Target, one.Time, one.Validity = m.Scenario.Name, m.Target, m.Time, r.Head.Validity
		if one.Killed = r.Head.Killed(); one.Killed {
			one.Short, one.Tables = "killed, or still goes on", append([]string{}, m.Tables...)
		}
		if s := r.Head.Summary; s != nil {
			one.Served, one.ShareThrottled = catalog.Served(s), s.ShareThrottled
			one.Verdict, one.Short, one.P99, one.Attempts, one.Throttled = &s.Verdict, shortVerdict(s), s.Response.P99, &s.Attempts, &s.Throttled
		}
		l.Runs = append(l.Runs, one)
	}
	return l
}

// shortVerdict says in a few words what a run came to: how many of the claims hold, which
// rate was found to, where it saturates, what load balancing came to, or else how the
// verdict begins.
func shortVerdict(s *results.Summary) string {
	var parts []string
	held, told := results.HeldOf(s.Checks)
	switch left := len(s.Checks) - told; {
	case len(s.Checks) == 0:
	case told == 0:
		parts = append(parts, fmt.Sprintf("%d cannot be told", left))
	case left > 0:
		parts = append(parts, fmt.Sprintf("%d/%d hold (%d untold)", held, told, left))
	default:
		parts = append(parts, fmt.Sprintf("%d/%d hold", held, told))
	}
	if s.Saturation != nil {
		parts = append(parts, "saturates at "+document.Rate(*s.Saturation)+"/s")
	}
	if s.Limit != nil && s.Limit.Held != nil {
		parts = append(parts, "holds "+document.Rate(*s.Limit.Held)+"/s")
	}
	if s.Balance != nil && s.Balance.Outcome != "" {
		parts = append(parts, s.Balance.Outcome)
	}
	if len(parts) == 0 {
		parts = []string{s.Verdict}
	}
	return catalog.Cell(strings.Join(parts, ", "), widestVerdict)
}

// The greatest widths of what people and scenarios have called, in characters.
const (
	widestName    = 44
	widestWords   = 24
	widestVerdict = 32
	widestTags    = 30
	widestReason  = 200
	mostUnread    = 5
)

// JSON writes the list as [JSON] does a summary.
func (l *RunList) JSON(w io.Writer) error { return object(w, "runs", l) }

// Text writes a line for each run, and below what is no run. Its error is the writer's.
func (l *RunList) Text(w io.Writer) error {
	var prose strings.Builder
	if len(l.Runs) > 0 {
		rows := [][]string{{"run", "started (UTC)", "scenario", "target", "validity", "verdict", "tags", "served/s", "p99 ms", "throttled"}}
		cell := catalog.Cell
		for i := range l.Runs {
			r := &l.Runs[i]
			tags, validity := strings.Join(r.Tags, ","), r.Validity
			if r.TagFault != "" {
				tags = "(cannot be read)"
			}
			if r.Contest {
				validity = "contest"
			}
			rows = append(rows, []string{cell(r.Name, widestName), strings.Replace(r.Started[:len("2006-01-02T15:04")], "T", " ", 1),
				cell(r.Scenario, widestWords), cell(r.Target, widestWords), validity, r.Short, cell(tags, widestTags),
				document.Told(r.Served, document.Rate), document.Told(r.P99, document.Millis), document.Told(r.ShareThrottled, document.Share)})
		}
		prose.WriteString(text.Aligned(rows, 7))
	} else {
		fmt.Fprintf(&prose, "no run in %s\n", catalog.Shown(l.of.Folder))
	}
	for i := range l.Runs {
		if one := &l.Runs[i]; len(one.Tables) > 0 {
			fmt.Fprintf(&prose, "perhaps left by %s: %s at %s\n", catalog.Cell(one.Name, widestName), verdict.TablesLeft(one.Tables),
				catalog.Cell(one.Target, widestReason))
		}
	}
	if more := l.Matching - len(l.Runs); more > 0 {
		fmt.Fprintf(&prose, "and %d more; --limit 0 lists all\n", more)
	}
	for i, u := range l.Unreadable {
		if i == mostUnread {
			fmt.Fprintf(&prose, "cannot be read: %d more\n", len(l.Unreadable)-mostUnread)
			break
		}
		fmt.Fprintf(&prose, "cannot be read: %s: %s\n", catalog.Shown(u.Name), catalog.Cell(u.Reason, widestReason))
	}
	if beside := l.of.Beside(); beside != "" {
		fmt.Fprintf(&prose, "not listed: %s\n", beside)
	}
	_, err := io.WriteString(w, prose.String())
	return err
}

// Files tells where the files of a kept run lie, and how it is tagged. Its error is the
// writer's, or a [catalog.Fault]: the folder cannot be read.
func Files(w io.Writer, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return &catalog.Fault{Field: "folder", Err: fmt.Errorf("the folder %s cannot be read: %w", catalog.Shown(folder), catalog.Reason(err))}
	}
	var rows [][]string
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			rows = append(rows, []string{"    " + catalog.Cell(entry.Name(), widestName), document.Bytes(info.Size())})
		}
	}
	tagged := ""
	switch tags, err := catalog.ReadTags(results.Dir(folder)); {
	case err != nil:
		tagged = fmt.Sprintf("  its tags cannot be read: %s\n", catalog.Cell(results.OneLine(catalog.Reason(err)), widestReason))
	case len(tags) > 0:
		tagged = fmt.Sprintf("  tags: %s\n", strings.Join(tags, ", "))
	}
	_, err = fmt.Fprintf(w, "\nFiles\n  %s\n%s%s", catalog.Shown(filepath.Clean(folder)), text.Aligned(rows, 1), tagged)
	return err
}

// Pruning says which runs would go by a plan, and what stays.
func Pruning(w io.Writer, plan *catalog.Plan) error {
	var rows [][]string
	var bytes int64
	for _, r := range plan.Goes {
		size := plan.Size(r)
		bytes += size
		rows = append(rows, []string{catalog.Cell(r.Name, widestName), r.Begun.Format("2006-01-02 15:04"), catalog.Cell(r.Scenario(), widestWords), document.Bytes(size)})
	}
	said := "no run would go\n"
	if len(rows) > 0 {
		said = fmt.Sprintf("%s%s would go, %s; nothing has been deleted, --yes does it\n", text.Aligned(rows, 3), runsIn(len(rows)), document.Bytes(bytes))
	}
	_, err := io.WriteString(w, said+leftAlone(plan))
	return err
}

// Pruned says what became of the runs that were to go, and what stays.
func Pruned(w io.Writer, plan *catalog.Plan, done *catalog.Deletion) error {
	var prose strings.Builder
	for _, one := range done.Left {
		fmt.Fprintf(&prose, "%s: the run is gone; left what loadgen did not write: %s\n", catalog.Cell(one.Name, widestName),
			catalog.Cell(strings.Join(one.Files, ", "), widestReason))
	}
	_, err := fmt.Fprintf(w, "%sdeleted %s, %s\n%s", &prose, runsIn(done.Runs), document.Bytes(done.Bytes), leftAlone(plan))
	return err
}

func leftAlone(plan *catalog.Plan) string {
	if stay := plan.Stay(); stay != "" {
		return "left alone: " + stay + "\n"
	}
	return ""
}

func runsIn(n int) string { return document.Counted(n, "run") }
