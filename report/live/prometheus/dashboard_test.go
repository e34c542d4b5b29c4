package prometheus

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

	"loadgen/report/live"
	"loadgen/results"
)

// exported is what is there to be asked for: the kind of each series by its name, and its
// labels with those that whoever scrapes adds.
type exported map[string]series

type series struct {
	kind   string // counter or gauge
	labels map[string]bool
}

// exportedBy returns what a run exports, keys and all.
func exportedBy(t *testing.T) exported {
	t.Helper()
	p := live.New()
	e := New(Options{Kinds: []results.Kind{{Name: "get"}}, Stats: p, Now: func() time.Duration { return 2 * time.Second }, Keys: true})
	phase := results.Phase{Name: "peak", Rate: 10, Reported: true}
	p.Enter("peak", 10, 10*time.Second)
	p.Phase(0, &phase)
	e.Phase(0, &phase)
	a := results.Attempt{Class: results.Ok, Status: 200, Done: time.Second, HasPartition: true, PartitionKey: "key", Counted: 1}
	p.Attempt(&a)
	e.Attempt(&a)
	families, err := e.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
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
				all[family.GetName()+part] = series{"counter", own}
			}
		default:
			all[family.GetName()] = series{kind, labels}
		}
	}
	return all
}

// query reads the part of PromQL that the dashboard is written in, and refuses the rest.
type query struct {
	tokens []string
	known  exported
}

var (
	queryToken = regexp.MustCompile(`^(?:\s+|[A-Za-z_$][\w$]*|\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|=~|!~|!=|[-+*/(){}\[\],=])`)
	metricName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// check returns the labels of what a query yields.
func check(text string, known exported) (map[string]bool, error) {
	q := &query{known: known}
	for rest := text; rest != ""; {
		token := queryToken.FindString(rest)
		if token == "" {
			return nil, fmt.Errorf("nothing known begins with %q", rest)
		}
		rest = rest[len(token):]
		if strings.TrimSpace(token) != "" {
			q.tokens = append(q.tokens, token)
		}
	}
	labels, err := q.expression()
	if err == nil && len(q.tokens) > 0 {
		err = fmt.Errorf("%q stands behind its end", q.tokens[0])
	}
	return labels, err
}

func (q *query) next() string {
	if len(q.tokens) == 0 {
		return ""
	}
	token := q.tokens[0]
	q.tokens = q.tokens[1:]
	return token
}

func (q *query) takes(token string) bool {
	if len(q.tokens) > 0 && q.tokens[0] == token {
		q.tokens = q.tokens[1:]
		return true
	}
	return false
}

func (q *query) must(token string) error {
	if got := q.next(); got != token {
		return fmt.Errorf("%q stands where %q is expected", got, token)
	}
	return nil
}

// expression is terms with one of the four operations between them.
func (q *query) expression() (map[string]bool, error) {
	labels, err := q.term()
	for err == nil && len(q.tokens) > 0 && strings.Contains("+-*/", q.tokens[0]) {
		q.next()
		var more map[string]bool
		if more, err = q.term(); err == nil && !maps.Equal(labels, more) {
			err = fmt.Errorf("the sides of an operation have the labels %v and %v", labels, more)
		}
	}
	return labels, err
}

func (q *query) term() (map[string]bool, error) {
	switch name := q.next(); name {
	case "(":
		labels, err := q.expression()
		return labels, errors.Join(err, q.must(")"))
	case "sum", "max":
		return q.aggregate()
	case "histogram_quantile":
		return q.quantile()
	case "rate":
		if err := q.must("("); err != nil {
			return nil, err
		}
		of, labels, err := q.selector(q.next())
		if err == nil && of.kind != "counter" {
			err = errors.New("rate is of a gauge")
		}
		for _, token := range []string{"[", "$__rate_interval", "]", ")"} {
			err = errors.Join(err, q.must(token))
		}
		return labels, err
	default:
		of, labels, err := q.selector(name)
		if err == nil && of.kind == "counter" {
			err = fmt.Errorf("%s is a counter without rate", name)
		}
		return labels, err
	}
}

// aggregate is by labels that what is in it has.
func (q *query) aggregate() (map[string]bool, error) {
	by := map[string]bool{}
	if q.takes("by") {
		if err := q.must("("); err != nil {
			return nil, err
		}
		for more := true; more; more = q.takes(",") {
			by[q.next()] = true
		}
		if err := q.must(")"); err != nil {
			return nil, err
		}
	}
	if err := q.must("("); err != nil {
		return nil, err
	}
	labels, err := q.expression()
	for one := range by {
		if !labels[one] {
			err = errors.Join(err, fmt.Errorf("by %s, which is no label of it", one))
		}
	}
	return by, errors.Join(err, q.must(")"))
}

// quantile is of buckets, and takes their label.
func (q *query) quantile() (map[string]bool, error) {
	if err := q.must("("); err != nil {
		return nil, err
	}
	if p := q.next(); !strings.HasPrefix(p, "0.") {
		return nil, fmt.Errorf("a quantile is %s", p)
	}
	if err := q.must(","); err != nil {
		return nil, err
	}
	labels, err := q.expression()
	if err == nil && !labels["le"] {
		err = errors.New("a quantile is of no buckets")
	}
	labels = maps.Clone(labels)
	delete(labels, "le")
	return labels, errors.Join(err, q.must(")"))
}

// selector is a series that is exported, of labels that it has.
func (q *query) selector(name string) (series, map[string]bool, error) {
	of, known := q.known[name]
	if !known {
		return of, nil, fmt.Errorf("%q is no metric of a run", name)
	}
	if q.takes("{") {
		for more := true; more; more = q.takes(",") {
			label := q.next()
			if !metricName.MatchString(label) || !of.labels[label] {
				return of, nil, fmt.Errorf("%s has no label %q", name, label)
			}
			if op := q.next(); !slices.Contains([]string{"=", "!=", "=~", "!~"}, op) {
				return of, nil, fmt.Errorf("%q is no comparison", op)
			}
			if value := q.next(); !strings.HasPrefix(value, `"`) {
				return of, nil, fmt.Errorf("%s is compared with %s", label, value)
			}
		}
		if err := q.must("}"); err != nil {
			return of, nil, err
		}
	}
	has := map[string]bool{}
	for label, is := range of.labels {
		if is {
			has[label] = true
		}
	}
	return of, has, nil
}

// What the check of queries is for it finds.
func TestQueriesThatAreWrong(t *testing.T) {
	known := exportedBy(t)
	for _, tt := range []struct{ query, want string }{
		{`sum(rate(loadgen_attempts_total{job=~"$job"}[$__rate_interval]))`, ""},
		{`histogram_quantile(0.99, sum by (le, op) (rate(loadgen_request_duration_seconds_bucket{phase="x"}[$__rate_interval])))`, ""},
		{`loadgen_no_total`, "no metric"},
		{`rate(loadgen_in_flight_attempts[$__rate_interval])`, "rate is of a gauge"},
		{`sum(loadgen_attempts_total)`, "counter without rate"},
		{`loadgen_in_flight_attempts{op="get"}`, `no label "op"`},
		{`sum by (op) (rate(loadgen_attempts_total[$__rate_interval]))`, "by op"},
		{`rate(loadgen_attempts_total[5m])`, `"$__rate_interval" is expected`},
		{`histogram_quantile(0.9, sum(rate(loadgen_request_duration_seconds_bucket[$__rate_interval])))`, "of no buckets"},
		{`histogram_quantile(0.9, sum by (le) (rate(loadgen_request_duration_seconds_count[$__rate_interval])))`, "by le"},
		{`sum(loadgen_in_flight_attempts) / loadgen_in_flight_attempts`, "sides of an operation"},
		{`sum(loadgen_in_flight_attempts`, `")" is expected`},
		{`loadgen_in_flight_attempts)`, "behind its end"},
		{`loadgen_in_flight_attempts @ 5`, "nothing known begins"},
	} {
		_, err := check(tt.query, known)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v; want %q", tt.query, err, tt.want)
		}
	}
}

// Every query of the dashboard asks for what is exported, by labels that it has; every
// metric is asked for; what a legend names is there.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	known := exportedBy(t)
	all := string(text)
	legend, variable := regexp.MustCompile(`\{\{(\w+)\}\}`), regexp.MustCompile(`\$\{?(\w+)`)
	names := []string{"__rate_interval"}
	for _, one := range board.Templating.List {
		names = append(names, one.Name)
		asked := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(one.Query)
		if one.Type == "query" && (asked == nil || !known[asked[1]].labels[asked[2]]) {
			t.Errorf("the variable %s asks for %q", one.Name, one.Query)
		}
	}
	for _, match := range variable.FindAllStringSubmatch(all, -1) {
		if !slices.Contains(names, match[1]) {
			t.Errorf("there is no variable %s", match[1])
		}
	}
	taken := map[[2]int]string{}
	for _, panel := range board.Panels {
		if panel.Title == "" || panel.Description == "" || len(panel.Targets) == 0 {
			t.Errorf("panel %d has no title, no description or no query", panel.ID)
		}
		at := panel.GridPos
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %q, or out of the page", panel.Title, other)
				}
				taken[[2]int{x, y}] = panel.Title
			}
		}
		for _, target := range panel.Targets {
			labels, err := check(target.Expr, known)
			if err != nil {
				t.Errorf("%s: %s: %v", panel.Title, target.Expr, err)
			}
			for _, match := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				if !labels[match[1]] {
					t.Errorf("%s: the legend names %s, which %s has not", panel.Title, match[1], target.Expr)
				}
			}
		}
	}
	for name := range known {
		base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
		if aside := []string{"loadgen_operations_total", "loadgen_sent_attempts_total", "loadgen_served_entities_total"}; !strings.Contains(all, base) && !slices.Contains(aside, name) {
			t.Errorf("nothing asks for %s", name)
		}
	}
}

// The page of metrics names every one that is exported.
func TestPageOfMetrics(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name := range exportedBy(t) {
		if base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, ""); !strings.Contains(string(page), "`"+base+"`") {
			t.Errorf("docs/metrics.md has no %s", base)
		}
	}
	for _, name := range regexp.MustCompile("`(loadgen_\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if known := exportedBy(t); known[name[1]].kind == "" && known[name[1]+"_bucket"].kind == "" {
			t.Errorf("docs/metrics.md has %s, which is not exported", name[1])
		}
	}
}
