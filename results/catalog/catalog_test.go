package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
)

// library is runIndex with two more runs of orders, the last of which has tags, and a link.
func library(t *testing.T) *catalog.Catalog {
	t.Helper()
	folder, _ := runIndex(t)
	kept{7, "orders", &results.Summary{Validity: results.Valid}}.write(t, folder)
	newest := kept{9, "an-escape\x1b[31m", &results.Summary{Validity: results.Valid}}.write(t, folder)
	if _, err := catalog.ChangeTags(newest, []string{"keep", "baseline"}, false); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, os.Symlink(filepath.Base(newest), filepath.Join(folder, "a-link")))
	return open(t, folder)
}

// What is told of a contest is who won; one that cannot be read is told so.
func TestContestsAreListed(t *testing.T) {
	c := library(t)
	at := slices.IndexFunc(c.Runs, func(r catalog.Run) bool { return r.Name == "20260304T020000Z-contest" })
	if at < 0 || c.Runs[at].Contest == nil || c.Runs[at].Fault != nil || *c.Runs[at].Contest.Winner != "day" || c.Runs[at].Scenario() != "orders" ||
		!c.Runs[at].Begun.Equal(time.Date(2026, 3, 4, 2, 0, 0, 0, time.UTC)) {
		t.Errorf("the contest is %+v; want that the day wins", c.Runs)
	}
	for _, text := range []string{"", "{}", "[]", "null", "{\"verdict\": 1}", "\x1b[2J\n"} {
		put(t, text, c.Folder, "20260304T020000Z-contest", "contest.json")
		if one := open(t, c.Folder).Runs[at]; one.Contest != nil || one.Fault == nil || strings.ContainsAny(one.Fault.Error(), "\n\x1b") {
			t.Errorf("of %q the contest is %+v, %v; want one line about the file", text, one.Contest, one.Fault)
		}
	}
}

func TestSelect(t *testing.T) {
	c := library(t)
	assert.Equal(t, "1 other folder, 1 link", c.Beside(), "beside the runs")
	day := func(n int) time.Time { return time.Date(2026, 3, n, 2, 0, 0, 0, time.UTC) }
	for _, row := range []struct {
		name string
		by   catalog.Selection
		// days are those of March on which the runs were begun.
		days string
	}{
		{"all, one that cannot be read among them", catalog.Selection{}, "10 8 6 4 3 2 1"},
		{"of a scenario", catalog.Selection{Scenario: "orders"}, "8 6 4 1"},
		{"of a scenario whose name moves a cursor", catalog.Selection{Scenario: "an-escape\x1b[31m"}, "10"},
		{"with a tag", catalog.Selection{Tags: []string{"keep"}}, "10"},
		{"with both of two tags", catalog.Selection{Tags: []string{"keep", "baseline"}}, "10"},
		{"since the instant at which one was begun", catalog.Selection{Since: day(6)}, "10 8 6"},
		{"since a little later", catalog.Selection{Since: day(6).Add(1)}, "10 8"},
		{"of a scenario, with a tag", catalog.Selection{Scenario: "orders", Tags: []string{"keep"}}, ""},
	} {
		chosen, err := c.Select(row.by)
		got := ""
		for _, r := range chosen {
			got += fmt.Sprintf(" %d", r.Begun.Day())
		}
		assert.Truef(t, err == nil && strings.TrimSpace(got) == row.days,
			"%s: those of%s, %v; want %s", row.name, got, err, row.days)
	}
	for _, row := range []struct {
		name string
		by   catalog.Selection
		says string
	}{
		{"a scenario with a letter too many", catalog.Selection{Scenario: "orderss"}, `scenario: no run of it in runs: unknown scenario "orderss"; did you mean "orders"?`},
		{"a scenario that is far from all", catalog.Selection{Scenario: "x"}, "expected orders or votes"},
		{"a tag with a letter too few", catalog.Selection{Tags: []string{"kee"}}, `tags: no run in runs has it: unknown tag "kee"; did you mean "keep"?`},
	} {
		_, err := c.Select(row.by)
		checkFault(t, row.name, err, row.says)
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := catalog.Open(interrupted, c.Folder)
	assert.ErrorIs(t, err, context.Canceled, "interrupted, Open")
}

// What is told of a run that cannot be read is what its folder says.
func TestRunThatCannotBeRead(t *testing.T) {
	folder, _ := runIndex(t)
	put(t, "{", folder, "mine", results.RunFile)
	written := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	require.NoError(t, os.Chtimes(filepath.Join(folder, "mine", results.RunFile), written, written))
	runs := open(t, folder).Runs
	for _, row := range []struct {
		at    int
		name  string
		begun time.Time
	}{
		{0, "mine", written}, {4, "20260302T020000Z-broken", time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)},
	} {
		r := &runs[row.at]
		if r.Name != row.name || !r.Begun.Equal(row.begun) || r.Head != nil || !errors.Is(r.Fault, results.ErrCorrupt) ||
			r.Scenario() != "" {
			t.Errorf("run %d is %+v; want %s, begun at %v", row.at, r, row.name, row.begun)
		}
	}
}

// The rate is of the phases that got to one.
func TestServedIsOfTheReportedPhases(t *testing.T) {
	step := func(served float64) results.PhaseSummary {
		return results.PhaseSummary{Offered: served, Served: served}
	}
	for _, row := range []struct {
		name   string
		phases []results.PhaseSummary
		served float64
	}{
		{"the most of several", []results.PhaseSummary{step(300), step(200)}, 300},
		{"nothing is reported", nil, -1},
		{"the run ended before the last half of its step", []results.PhaseSummary{step(0)}, -1},
	} {
		served := -1.0
		if most := catalog.Served(&results.Summary{Phases: row.phases}); most != nil {
			served = *most
		}
		assert.Equalf(t, row.served, served, "%s: served", row.name)
	}
}
