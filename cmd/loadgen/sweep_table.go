package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"loadgen/report/plain"
	"loadgen/report/verdict"
	"loadgen/results"
)

// compare prints what came of the runs of a sweep, of which so many were asked for.
func (f *runFlags) compare(stdout io.Writer, made []tried, asked int) error {
	if f.format == "json" {
		return compareJSON(stdout, made)
	}
	return compareText(stdout, made, asked)
}

// sweptRun is one run of a sweep as `--format json` prints it.
type sweptRun struct {
	Set     map[string]string `json:"set"`
	Folder  string            `json:"folder"`
	Exit    int               `json:"exit_code"`
	Summary *results.Summary  `json:"summary"`
}

func compareJSON(stdout io.Writer, made []tried) error {
	list := []sweptRun{}
	for _, t := range made {
		one := sweptRun{Set: map[string]string{}, Folder: fmt.Sprint(t.folder), Exit: t.code, Summary: t.summary}
		for _, s := range t.set {
			one.Set[s.path] = s.value
		}
		list = append(list, one)
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", text)
	return err
}

// compareText prints a row for each run: its values flush left, its figures flush
// right, and no line broken.
func compareText(stdout io.Writer, made []tried, asked int) error {
	var text strings.Builder
	if len(made) > 0 {
		values := len(made[0].set)
		rows := [][]string{append(headings(made[0].set), "validity", "offered/s", "served/s", "refused", "lost",
			"p50 ms", "p99 ms", "hottest/s", "expected")}
		for _, t := range made {
			rows = append(rows, rowOf(&t))
		}
		text.WriteString(plain.Aligned(rows, values+1))
		text.WriteString("\noffered, served and hottest: entities a second, of all that is reported and of the busiest partition;\n" +
			"refused: of the attempts; lost: 1 − served/offered in the last half of each phase; p50 and p99: response times\n")
	}
	if len(made) < asked {
		fmt.Fprintf(&text, "%d of %d runs were made\n", len(made), asked)
	}
	_, err := io.WriteString(stdout, text.String())
	return err
}

// headings returns the paths that are swept, each by its last two parts where no
// other ends like it.
func headings(set []setting) []string {
	end := func(path string) string {
		parts := strings.Split(path, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	ends := map[string]int{}
	for _, s := range set {
		ends[end(s.path)]++
	}
	var list []string
	for _, s := range set {
		if short := end(s.path); ends[short] == 1 {
			list = append(list, short)
		} else {
			list = append(list, s.path)
		}
	}
	return list
}

// untold stands where there is nothing to tell.
const untold = "–"

// rowOf returns the cells of one run.
func rowOf(t *tried) []string {
	var cells []string
	for _, s := range t.set {
		cells = append(cells, s.value)
	}
	load, offered, served := loadOf(t.record)
	hottest := untold
	if h := t.summary.Hottest; h != nil {
		hottest = verdict.Rate(h.EntitiesPerSecond)
	}
	return append(cells, t.summary.Validity, offered, served, shareOf(load.Refused, load.Attempts),
		shareOf(load.LastHalf.Offered-load.LastHalf.Served, load.LastHalf.Offered),
		millis(t.summary.Response.P50), millis(t.summary.Response.P99), hottest, passed(t.summary.Expectations))
}

// loadOf returns what the reported phases of a run came to together, and how many
// entities were due and served in a second of them.
func loadOf(record *results.Record) (load results.KindStats, offered, served string) {
	seconds := 0.0
	for i := range record.Phases {
		p := &record.Phases[i]
		if !p.Reported {
			continue
		}
		seconds += p.Seconds()
		for k := range p.Kinds {
			load.Add(&p.Kinds[k])
		}
	}
	if seconds == 0 {
		return load, untold, untold
	}
	return load, verdict.Rate(float64(load.Offered) / seconds), verdict.Rate(float64(load.Served) / seconds)
}

func shareOf(part, whole int64) string {
	if whole <= 0 {
		return untold
	}
	return verdict.Share(float64(max(0, part)) / float64(whole))
}

func millis(micros *int64) string {
	if micros == nil {
		return untold
	}
	return fmt.Sprintf("%.1f", float64(*micros)*float64(time.Microsecond)/float64(time.Millisecond))
}

// passed says how many of the expectations held.
func passed(list []results.Expectation) string {
	if len(list) == 0 {
		return untold
	}
	held := 0
	for _, e := range list {
		if e.Pass {
			held++
		}
	}
	return fmt.Sprintf("%d/%d", held, len(list))
}
