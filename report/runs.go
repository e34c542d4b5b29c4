package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/catalog"
)

// RunList is a list of stored runs, which [RunList.JSON] prints.
type RunList struct {
	Runs []ListedRun `json:"runs"`
	// Matching is the number of matching runs; Runs are the newest of them.
	Matching   int         `json:"matching"`
	Unreadable []UnreadRun `json:"unreadable"`
	// Contests is the number of contests of designs among them. Others are folders without a run; Links are not
	// followed.
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

// ListedRun is one run. Its figures are null if it did not finish.
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
	// ShareThrottled is of the reported phases, the others are of all phases.
	ShareThrottled *float64 `json:"share_throttled_reported"`
	Tags           []string `json:"tags"`
	TagFault       string   `json:"tags_unreadable,omitempty"`
	// Contest says that it is a contest of designs, which has no figures.
	Contest bool `json:"contest,omitempty"`
	// Killed says that the record was not closed: the run was killed, or is in progress. Tables are those that it may
	// have left at the target.
	Killed bool     `json:"killed,omitempty"`
	Tables []string `json:"tables_perhaps_left,omitempty"`
}

// List returns a list of runs of a catalog, up to a number of readable ones, 0 for all.
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
			one.Verdict, one.Short, one.P99, one.Attempts, one.Throttled = &s.Verdict, shortVerdict(m, s), s.Response.P99, &s.Attempts, &s.Throttled
		}
		l.Runs = append(l.Runs, one)
	}
	return l
}

// shortVerdict is the result of a run in a few words: whether it ended early, its state with the rate that was found,
// and the number of checks that pass.
func shortVerdict(m *results.Manifest, s *results.Summary) string {
	record := &results.Record{Manifest: *m}
	parts := (&author{Record: record, Summary: s}).phrases("short verdict")
	words := cmp.Or(strings.Join(parts, ", "), s.Verdict)
	return catalog.Cell(document.Join(" ", verdict.Mark(record, s).Sign(), words), widestVerdict)
}

// checkCount is the number of checks that hold, of those that were judged, and of the others.
type checkCount struct{ Held, Told, Untold int }

// CheckCount counts the checks.
func (a *author) CheckCount() checkCount {
	held, told := results.HeldOf(a.Summary.Checks)
	return checkCount{held, told, len(a.Summary.Checks) - told}
}

// The maximum widths of names, in characters.
const (
	widestName    = 44
	widestWords   = 24
	widestVerdict = 40
	widestTags    = 30
	widestReason  = 200
)

// JSON writes the list as [JSON] does a summary.
func (l *RunList) JSON(w io.Writer) error { return object(w, "runs", l) }

// Text writes a line for each run, then the folders that are no runs. Its error is the writer's.
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
				document.Optional(r.Served, document.Rate), document.Optional(r.P99, document.Millis), document.Optional(r.ShareThrottled, document.Share)})
		}
		prose.WriteString(text.Aligned(rows, 7))
	}
	for _, line := range runLines().Phrases(&listed{l}, "list") {
		prose.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, prose.String())
	return err
}

//go:embed runs.tmpl
var runTable string

// runLines are the lines below the table of runs, parsed when they are first needed.
var runLines = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(runTable) })

// listed is the evidence of the lines below the table.
type listed struct{ *RunList }

// Place is the folder of the runs, Beside its other contents.
func (l *listed) Place() string { return catalog.Quote(l.of.Folder) }

// OtherContents is described with Place.
func (l *listed) OtherContents() string { return l.of.OtherContents() }

// Name and Reason cut a text, Quote quotes a path, and TableNames names tables.
func (l *listed) Name(text string) string { return catalog.Cell(text, widestName) }

// Reason is described with Name.
func (l *listed) Reason(text string) string { return catalog.Cell(text, widestReason) }

// Quote is described with Name.
func (l *listed) Quote(path string) string { return catalog.Quote(path) }

// TableNames is described with Name.
func (l *listed) TableNames(tables []string) string { return verdict.TablesLeft(tables) }

// Files shows the files of a stored run, and its tags. Its error is the writer's, or a [catalog.Fault]: the folder
// cannot be read.
func Files(w io.Writer, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return &catalog.Fault{Field: "folder", Err: fmt.Errorf("the folder %s cannot be read: %w", catalog.Quote(folder), catalog.Reason(err))}
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
	_, err = fmt.Fprintf(w, "\nFiles\n  %s\n%s%s", catalog.Quote(filepath.Clean(folder)), text.Aligned(rows, 1), tagged)
	return err
}

// Pruning shows the runs that a plan would remove, and what remains.
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

// Pruned shows the runs that were removed, and what remains.
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
