package series

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios"
)

// JSON prints what came of the runs of a sweep as a list: the values of each, its folder,
// its exit code and its summary.
func (s *Swept) JSON(w io.Writer) error {
	type one struct {
		Set     map[string]string `json:"set"`
		Folder  string            `json:"folder"`
		Exit    int               `json:"exit_code"`
		Summary *results.Summary  `json:"summary"`
	}
	list := []one{}
	for _, t := range s.Made {
		set := map[string]string{}
		for _, o := range t.Set {
			set[o.Path] = o.Value
		}
		list = append(list, one{set, t.Folder, t.Exit, t.Record.Summary})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(list)
}

// Table prints a row for each run of a sweep: its values flush left, its figures flush
// right, and no line broken.
func (s *Swept) Table(w io.Writer) error {
	var prose strings.Builder
	if len(s.Made) > 0 {
		set := s.Made[0].Set
		rows := [][]string{append(headings(set), "validity", "offered/s", "served/s", "throttled", "lost",
			"p50 ms", "p99 ms", "hottest/s", "expected")}
		for _, t := range s.Made {
			rows = append(rows, t.row())
		}
		prose.WriteString(text.Aligned(rows, len(set)+1))
		prose.WriteString("\noffered and served: entities a second due in the last half of each phase; hottest: entities of the busiest second of a partition;\n" +
			"throttled: of the attempts; lost: of the operations due; p50 and p99: response times;\n" +
			"expected: how many checks hold, of those that could be judged; late: the generator was, so that rates and times may be its own\n")
	}
	if len(s.Made) < s.Asked {
		fmt.Fprintf(&prose, "%d of %d runs were made\n", len(s.Made), s.Asked)
	}
	_, err := io.WriteString(w, prose.String())
	return err
}

// headings returns the paths that are swept, each by its last two parts where no
// other ends like it.
func headings(set []scenarios.Setting) []string {
	end := func(path string) string {
		parts := strings.Split(path, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	ends := map[string]int{}
	for _, s := range set {
		ends[end(s.Path)]++
	}
	var list []string
	for _, s := range set {
		if short := end(s.Path); ends[short] == 1 {
			list = append(list, short)
		} else {
			list = append(list, s.Path)
		}
	}
	return list
}

func (t *Tried) row() []string {
	var cells []string
	for _, s := range t.Set {
		cells = append(cells, s.Value)
	}
	summary, figures := t.Record.Summary, figure.Of(t.Record)
	rate := func(name string) string {
		if v := figures.Named(name); v.Told {
			return document.Rate(v.Value)
		}
		return document.Untold
	}
	share := func(name string) string {
		if v := figures.InKinds(name, figure.Share, nil); v.Told {
			return document.Share(v.Value)
		}
		return document.Untold
	}
	millis := func(name string) string {
		if v := figures.Named(name); v.Told {
			return fmt.Sprintf("%.1f", v.Value/float64(time.Millisecond))
		}
		return document.Untold
	}
	hottest := document.Untold
	if summary.Hottest != nil {
		hottest = document.Rate(summary.Hottest.EntitiesPerSecond)
	}
	worth := summary.Validity
	if slices.ContainsFunc(summary.Phases, func(p results.PhaseSummary) bool { return p.ClientLimited }) {
		worth += ", late"
	}
	return append(cells, worth, rate("offered"), rate("served"), share("throttled"), share("share_lost"),
		millis("p50"), millis("p99"), hottest, passed(summary.Checks))
}

func passed(list []results.Check) string {
	if len(list) == 0 {
		return document.Untold
	}
	held, told := results.HeldOf(list)
	if told == 0 {
		return results.CannotTell
	}
	return fmt.Sprintf("%d/%d", held, told)
}
