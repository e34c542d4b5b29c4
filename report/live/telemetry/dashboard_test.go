package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// exported is what is there to be asked for: the kind of each series by its name, and its
// labels with those that whoever scrapes adds.
type exported map[string]shownSeries

type shownSeries struct {
	kind   string // counter or gauge
	labels map[string]bool
}

// exportedBy returns what a run exports, keys and all.
func exportedBy(t *testing.T) exported {
	t.Helper()
	m := measure(t, []results.Kind{{Name: "get"}}, true)
	m.now = 2 * time.Second
	m.phase(results.Phase{Name: "peak", Rate: 10, Reported: true})
	m.attempt(results.Attempt{Class: results.Ok, Status: 200, Done: time.Second, HasPartition: true, PartitionKey: "key", Counted: 1})
	families, err := m.registry.Gather()
	require.NoError(t, err)
	all := exported{}
	for _, family := range families {
		labels := map[string]bool{"job": true, "instance": true}
		for _, one := range family.GetMetric()[0].GetLabel() {
			labels[one.GetName()] = true
		}
		switch kind := strings.ToLower(family.GetType().String()); kind {
		case "histogram":
			for _, part := range []string{"_count", "_sum", "_bucket"} {
				own := maps.Clone(labels)
				own["le"] = part == "_bucket"
				all[family.GetName()+part] = shownSeries{"counter", own}
			}
		default:
			all[family.GetName()] = shownSeries{kind, labels}
		}
	}
	return all
}

var (
	rateOf   = regexp.MustCompile(`rate\((loadgen_\w+)(\{[^}]*\})?\[\$__rate_interval\]\)`)
	seriesOf = regexp.MustCompile(`(loadgen_\w+)(?:\{([^}]*)\})?`)
	labelOf  = regexp.MustCompile(`(\w+) *(?:=~|!~|!=|=) *"`)
	byLabels = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// check returns the labels of what a query yields, and what is wrong with it: rates are of
// counters, and nothing else is; labels are those that a series has; quantiles are of buckets.
func check(query string, known exported) (labels map[string]bool, err error) {
	fault := func(format string, about ...any) { err = errors.Join(err, fmt.Errorf(format, about...)) }
	for _, match := range rateOf.FindAllStringSubmatch(query, -1) {
		if known[match[1]].kind != "counter" {
			fault("rate is of %s, which is no counter", match[1])
		}
	}
	rest := rateOf.ReplaceAllString(query, "")
	for _, match := range seriesOf.FindAllStringSubmatch(rest, -1) {
		if known[match[1]].kind != "gauge" {
			fault("%s is no gauge, and without a rate over the interval of the panel", match[1])
		}
	}
	if strings.Count(query, "(") != strings.Count(query, ")") {
		fault("a bracket is missing")
	}
	for _, match := range seriesOf.FindAllStringSubmatch(query, -1) {
		labels = maps.Clone(known[match[1]].labels)
		for _, label := range labelOf.FindAllStringSubmatch(match[2], -1) {
			if !labels[label[1]] {
				fault("%s has no label %q", match[1], label[1])
			}
		}
		if strings.Contains(query, "histogram_quantile") && !labels["le"] {
			fault("a quantile is of %s, which has no buckets", match[1])
		}
	}
	if strings.Contains(query, "sum") || strings.Contains(query, "max") {
		all := labels
		labels = map[string]bool{}
		for _, by := range byLabels.FindAllStringSubmatch(query, -1) {
			for one := range strings.SplitSeq(by[1], ", ") {
				if labels[one] = true; !all[one] {
					fault("by %s, which is no label of it", one)
				}
			}
		}
	}
	return labels, err
}

// Every query of the dashboard asks for what is exported, by labels that it has; every
// metric is asked for; what a legend names is there.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "grafana.json"))
	require.NoError(t, err)
	var board struct {
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
		Panels []struct {
			ID                 int
			Title, Description string
			GridPos            struct{ X, Y, W, H int }
			Targets            []struct{ Expr, LegendFormat string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	known := exportedBy(t)
	all := string(text)
	legend, variable := regexp.MustCompile(`\{\{(\w+)\}\}`), regexp.MustCompile(`\$\{?(\w+)`)
	names := []string{"__rate_interval"}
	for _, one := range board.Templating.List {
		names = append(names, one.Name)
		asked := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(one.Query)
		assert.Truef(t, one.Type != "query" || asked != nil && known[asked[1]].labels[asked[2]],
			"the variable %s asks for %q", one.Name, one.Query)
	}
	for _, match := range variable.FindAllStringSubmatch(all, -1) {
		assert.Truef(t, slices.Contains(names, match[1]), "there is no variable %s", match[1])
	}
	taken := map[[2]int]string{}
	for _, panel := range board.Panels {
		assert.Truef(t, panel.Title != "" && panel.Description != "" && len(panel.Targets) != 0,
			"panel %d has no title, no description or no query", panel.ID)
		at := panel.GridPos
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				other := taken[[2]int{x, y}]
				require.Truef(t, other == "" && x < 24, "%s lies over %q, or out of the page", panel.Title, other)
				taken[[2]int{x, y}] = panel.Title
			}
		}
		for _, target := range panel.Targets {
			labels, err := check(target.Expr, known)
			assert.NoErrorf(t, err, "%s: %s", panel.Title, target.Expr)
			for _, match := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				assert.Truef(t, labels[match[1]],
					"%s: the legend names %s, which %s has not", panel.Title, match[1], target.Expr)
			}
		}
	}
	for name := range known {
		base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		aside := []string{"loadgen_operations_total", "loadgen_sent_attempts_total", "loadgen_served_entities_total"}
		assert.Truef(t, strings.Contains(all, base) || slices.Contains(aside, name), "nothing asks for %s", name)
	}
}

// The page of metrics names every one that is exported.
func TestPageOfMetrics(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "live-and-metrics.md"))
	require.NoError(t, err)
	for name := range exportedBy(t) {
		base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		assert.Truef(t, strings.Contains(string(page), "`"+base+"`"), "docs/live-and-metrics.md has no %s", base)
	}
	for _, name := range regexp.MustCompile("`(loadgen_\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if known := exportedBy(t); known[name[1]].kind == "" && known[name[1]+"_bucket"].kind == "" {
			t.Errorf("docs/live-and-metrics.md has %s, which is not exported", name[1])
		}
	}
}
