package series

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
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
		rows := [][]string{append(headings(set), "validity", "offered/s", "served/s", "refused", "lost",
			"p50 ms", "p99 ms", "hottest/s", "expected")}
		for _, t := range s.Made {
			rows = append(rows, t.row())
		}
		prose.WriteString(text.Aligned(rows, len(set)+1))
		prose.WriteString("\noffered, served and hottest: entities a second, of all that is reported and of the busiest partition;\n" +
			"refused: of the attempts; lost: 1 − served/offered in the last half of each phase; p50 and p99: response times\n")
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
	summary, load := t.Record.Summary, t.Record.Total(results.Reported)
	offered, served, hottest := text.Untold, text.Untold, text.Untold
	if seconds := secondsOf(t.Record); seconds > 0 {
		offered, served = verdict.Rate(float64(load.Offered)/seconds), verdict.Rate(float64(load.Served)/seconds)
	}
	if summary.Hottest != nil {
		hottest = verdict.Rate(summary.Hottest.EntitiesPerSecond)
	}
	return append(cells, summary.Validity, offered, served, shareOf(load.Refused, load.Attempts),
		shareOf(load.LastHalf.Offered-load.LastHalf.Served, load.LastHalf.Offered),
		millis(summary.Response.P50), millis(summary.Response.P99), hottest, passed(summary.Expectations))
}

// secondsOf returns how long the reported phases of a run lasted together.
func secondsOf(record *results.Record) float64 {
	seconds := 0.0
	for i := range record.Phases {
		if p := &record.Phases[i]; p.Reported {
			seconds += p.Seconds()
		}
	}
	return seconds
}

func shareOf(part, whole int64) string {
	if whole <= 0 {
		return text.Untold
	}
	return verdict.Share(float64(max(0, part)) / float64(whole))
}

func millis(micros *int64) string {
	if micros == nil {
		return text.Untold
	}
	return fmt.Sprintf("%.1f", float64(*micros)*float64(time.Microsecond)/float64(time.Millisecond))
}

func passed(list []results.Expectation) string {
	if len(list) == 0 {
		return text.Untold
	}
	held := 0
	for _, e := range list {
		if e.Pass {
			held++
		}
	}
	return fmt.Sprintf("%d/%d", held, len(list))
}
