package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/report/document"
	"loadgen/results"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/run"
)

// CleanOptions configure [Clean].
type CleanOptions struct {
	Service run.Endpoint
	// Trust configures https, nil for the system's roots.
	Trust *tls.Config
	Clock clock.Real
	// OlderThan is the minimum time since the last write to a table, 0 for none.
	OlderThan time.Duration `flag:"older-than" default:"1h" requires:"clean"`
	// Tables restricts the search to these names, whatever their age.
	Tables []string `flag:"table" requires:"clean"`
	// Agreed drops leftovers instead of listing them.
	Agreed bool `flag:"yes" requires:"clean"`
}

// The states of a table with this tool's prefix.
const (
	// LeftBehind has this tool's marker and no recent write.
	LeftBehind = "left behind"
	Dropped    = "dropped"
	NotDropped = "not dropped"
	// UnderWay may belong to a run in progress.
	UnderWay = "under way"
	// NotOurs has no marker of this tool: another program's table, or of a run killed before the
	// marker. It is never dropped.
	NotOurs = "not ours"
	// NotThere was requested by name and does not exist.
	NotThere = "not there"
	// Untold could not be examined completely.
	Untold = "cannot tell"
)

// Leftover is a table and its state.
type Leftover struct {
	Table string `json:"table"`
	// State is [LeftBehind] or one of the states after it.
	State string `json:"state"`
	// Scenario and AgeS, the seconds since the run began, come from the marker; zero without one.
	Scenario string  `json:"scenario"`
	AgeS     float64 `json:"age_s"`
	// The run's other tables, queues and containers.
	Beside []string `json:"beside"`
	// Note explains why the table was kept.
	Note string `json:"note"`

	beside []campaign.Resource
}

// Cleaned is the result of [Clean].
type Cleaned struct {
	Where  string     `json:"where"`
	Tables []Leftover `json:"tables"`
	// Marked counts tables with this tool's marker; the others count states.
	Marked     int `json:"marked"`
	LeftBehind int `json:"left_behind"`
	Dropped    int `json:"dropped"`
	NotDropped int `json:"not_dropped"`
}

// Clean lists the leftovers of killed runs at a service, by table names and markers, and drops them
// if Agreed is set. A context that ends stops it. The error wraps [run.ErrTarget] or is the
// context's.
func Clean(ctx context.Context, o CleanOptions) (*Cleaned, error) {
	service, err := run.OpenService(ctx, o.Service, o.Clock, o.Trust)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	defer service.Close()
	names, err := service.Tables(ctx)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	c := &Cleaned{Where: o.Service.String(), Tables: []Leftover{}}
	for _, name := range names {
		if len(o.Tables) == 0 || containsName(o.Tables, name) {
			c.Tables = append(c.Tables, o.look(ctx, service, name))
		}
	}
	for _, name := range o.Tables {
		if !containsName(names, name) {
			c.Tables = append(c.Tables, Leftover{Table: name, State: NotThere, Beside: []string{}})
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c.dropAgreed(ctx, service, o.Agreed)
	return c, nil
}

// containsName reports whether a list has the name of a table, in any case.
func containsName(list []string, name string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return strings.EqualFold(one, name) })
}

// Validate returns each fault as a [fields.Fault] with the name of a flag.
func (o *CleanOptions) Validate() []error {
	var faults []error
	if o.OlderThan < 0 {
		faults = append(faults, fields.Fault{Path: "older-than", What: "expected 0s or more, such as 30m"})
	}
	for _, name := range o.Tables {
		if !strings.HasPrefix(strings.ToLower(name), run.TablePrefix) {
			faults = append(faults, fields.Fault{Path: "table", What: fmt.Sprintf("%q is not a name of this tool; expected the prefix %s", name, run.TablePrefix)})
		}
	}
	return faults
}

// look examines a table.
func (o *CleanOptions) look(ctx context.Context, service *run.Service, table string) Leftover {
	one := Leftover{Table: table, State: NotOurs, Beside: []string{}}
	marker, marked, ours, err := service.Marker(ctx, table)
	switch {
	case err != nil:
		one.State, one.Note = Untold, results.OneLine(err)
		return one
	case !marked:
		one.Note = "no marker: another tool's, or killed early"
		return one
	case !ours:
		one.Note = "marker of another tool"
		return one
	}
	age := max(0, service.Now().Sub(marker.Written.Time()))
	one.State, one.Scenario, one.AgeS, one.beside = LeftBehind, marker.Scenario, age.Seconds(), marker.Beside
	for _, made := range marker.Beside {
		one.Beside = append(one.Beside, made.What+" "+made.Name)
	}
	if o.OlderThan == 0 || len(o.Tables) > 0 {
		return one
	}
	written, known := true, true
	if age >= o.OlderThan {
		written, known, err = service.WrittenSince(ctx, table, service.Now().Add(-o.OlderThan))
	}
	switch {
	case err != nil:
		one.State, one.Note = Untold, results.OneLine(err)
	case !known:
		one.State, one.Note = Untold, "too many entities to check; --table drops it"
	case written:
		one.State, one.Note = UnderWay, fmt.Sprintf("written in the last %s, maybe in use; --table drops it",
			document.Span(o.OlderThan))
	}
	return one
}

// dropAgreed removes tables that another table's marker names, drops leftovers if agreed, and
// counts.
func (c *Cleaned) dropAgreed(ctx context.Context, service *run.Service, agreed bool) {
	var named []string
	for _, one := range c.Tables {
		for _, made := range one.beside {
			if made.What == campaign.ResourceTable {
				named = append(named, made.Name)
			}
		}
	}
	c.Tables = slices.DeleteFunc(c.Tables, func(one Leftover) bool {
		return one.State == NotOurs && containsName(named, one.Table)
	})
	for i := range c.Tables {
		one := &c.Tables[i]
		if agreed && one.State == LeftBehind && ctx.Err() == nil {
			one.State = Dropped
			// The table is last: its marker names the others.
			for _, made := range append(slices.Clone(one.beside), campaign.Resource{What: campaign.ResourceTable, Name: one.Table}) {
				if err := service.Drop(ctx, made); err != nil {
					one.State, one.Note = NotDropped, fmt.Sprintf("%s %s: %s", made.What, made.Name, results.OneLine(err))
					break
				}
			}
		}
		if one.Scenario != "" {
			c.Marked++
		}
	}
	c.LeftBehind, c.Dropped, c.NotDropped = c.count(LeftBehind), c.count(Dropped), c.count(NotDropped)
}

// count returns the number of tables in a state.
func (c *Cleaned) count(state string) (count int) {
	for i := range c.Tables {
		if c.Tables[i].State == state {
			count++
		}
	}
	return count
}

// Document returns the result with a line for each table.
func (c *Cleaned) Document() *document.Document {
	var screen document.Facts
	whole := document.NewTable("tables", "Tables with the prefix "+run.TablePrefix, "state|words", "table|words", "details|words")
	for _, one := range c.Tables {
		tone := cmp.Or(document.Good.If(one.State == Dropped), document.Bad.If(one.State == NotDropped), document.Doubtful)
		screen.Lines = append(screen.Lines, one.State+": "+document.Join(", ", one.Table, one.details()))
		whole.Add(tone, one.State, one.Table, one.details())
	}
	var parts []string
	for _, state := range []string{Dropped, NotDropped, LeftBehind} {
		if count := c.count(state); count > 0 {
			parts = append(parts, document.Counted(count, "table")+" "+state)
		}
	}
	a := document.Answer{Claim: cmp.Or(strings.Join(parts, ", "), "nothing was left behind")}
	others := len(c.Tables) - c.Dropped - c.NotDropped - c.LeftBehind - c.count(NotThere)
	if others > 0 {
		a.Says = []string{fmt.Sprintf("%s with prefix %s left unchanged", document.Counted(others, "table"), run.TablePrefix)}
	}
	d := &document.Document{Title: "doctor", Subtitle: "leftovers at " + c.Where, Answer: a, Data: c}
	d.Show(screen)
	d.Add("tables", "Tables", whole)
	return d
}

// details returns what is known of a table, empty for nothing.
func (l *Leftover) details() string {
	var marked, beside string
	if l.Scenario != "" {
		marked = fmt.Sprintf("of %s, marked %s ago", l.Scenario, document.Span(time.Duration(l.AgeS*float64(time.Second))))
	}
	if len(l.Beside) > 0 {
		beside = "with " + document.Enumerated(l.Beside)
	}
	return document.Join("; ", document.Join(", ", marked, beside), l.Note)
}
