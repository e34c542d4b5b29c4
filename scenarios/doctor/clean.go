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

// CleanOptions say where what killed runs left is looked for, and what is dropped.
type CleanOptions struct {
	Service run.Endpoint
	// Trust configures its https, nil trusts whom the machine trusts.
	Trust *tls.Config
	Clock clock.Real
	// OlderThan is since when nothing may have been written to a table, or its run may be
	// under way; 0 takes none for that.
	OlderThan time.Duration
	// Tables, where there are some, are the only ones that are looked at, however young.
	Tables []string
	// Agreed has what was left behind be dropped; else it is listed.
	Agreed bool
}

// The states of a table whose name begins as those of this tool do.
const (
	// LeftBehind is marked as this tool's, and nobody has written to it of late; Dropped is
	// such a one that was dropped, NotDropped one that could not be.
	LeftBehind = "left behind"
	Dropped    = "dropped"
	NotDropped = "not dropped"
	// UnderWay may be that of a run that goes on.
	UnderWay = "under way"
	// NotOurs has no marker of this tool: it is somebody else's, or its run was killed before
	// it was marked. It is never dropped.
	NotOurs = "not ours"
	// NotThere is one that was asked for by name.
	NotThere = "not there"
	// Untold is one that could not be looked at to the end.
	Untold = "cannot tell"
)

// Leftover is a table, and what was found of it.
type Leftover struct {
	Table string `json:"table"`
	// State is one of [LeftBehind] and those that follow it.
	State string `json:"state"`
	// Scenario and AgeS, the seconds since its run began, are told by its marker; both are
	// zero where it has none.
	Scenario string  `json:"scenario"`
	AgeS     float64 `json:"age_s"`
	// Beside are the tables, queues and containers that its run made besides.
	Beside []string `json:"beside"`
	// Note says why it was left alone, or not dropped.
	Note string `json:"note"`

	beside []campaign.Made
}

// Cleaned is what was found at a service, and what became of it.
type Cleaned struct {
	Where  string     `json:"where"`
	Tables []Leftover `json:"tables"`
	// Marked counts the tables that have this tool's marker; LeftBehind, Dropped and
	// NotDropped those of a state.
	Marked     int `json:"marked"`
	LeftBehind int `json:"left_behind"`
	Dropped    int `json:"dropped"`
	NotDropped int `json:"not_dropped"`
}

// Clean lists what killed runs have left at a service, by the names and the markers of
// tables, and drops it if that was agreed to. Where the context ends meanwhile, the rest is
// left as it is. The error wraps [run.ErrTarget], or is the context's; then there is nothing
// to tell.
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
		asked := func(one string) bool { return strings.EqualFold(one, name) }
		if len(o.Tables) == 0 || slices.ContainsFunc(o.Tables, asked) {
			c.Tables = append(c.Tables, o.look(ctx, service, name))
		}
	}
	for _, name := range o.Tables {
		if !slices.ContainsFunc(names, func(there string) bool { return strings.EqualFold(there, name) }) {
			c.Tables = append(c.Tables, Leftover{Table: name, State: NotThere, Beside: []string{}})
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c.dropAgreed(ctx, service, o.Agreed)
	return c, nil
}

// Validate returns all that is wrong with the options, each a [loadgen/scenarios/fields.Fault] whose path is
// the field that it concerns, in the words of a command's flag; nil where nothing is.
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

// look finds out whose a table is.
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
		written, known, err = service.Written(ctx, table, service.Now().Add(-o.OlderThan))
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

// dropAgreed leaves out tables that are named by the marker of another one, whose fate they share,
// drops what was left behind where that was agreed to, and counts.
func (c *Cleaned) dropAgreed(ctx context.Context, service *run.Service, agreed bool) {
	var named []string
	for _, one := range c.Tables {
		for _, made := range one.beside {
			if made.What == campaign.MadeTable {
				named = append(named, strings.ToLower(made.Name))
			}
		}
	}
	c.Tables = slices.DeleteFunc(c.Tables, func(one Leftover) bool {
		return one.State == NotOurs && slices.Contains(named, strings.ToLower(one.Table))
	})
	for i := range c.Tables {
		one := &c.Tables[i]
		if agreed && one.State == LeftBehind && ctx.Err() == nil {
			one.State = Dropped
			// Its table last: without that nobody could tell whose the rest is.
			for _, made := range append(slices.Clone(one.beside), campaign.Made{What: campaign.MadeTable, Name: one.Table}) {
				if err := service.Drop(ctx, made); err != nil {
					one.State, one.Note = NotDropped, fmt.Sprintf("%s %s: %s", made.What, made.Name, results.OneLine(err))
					break
				}
			}
		}
		if one.Scenario != "" {
			c.Marked++
		}
		switch one.State {
		case LeftBehind:
			c.LeftBehind++
		case Dropped:
			c.Dropped++
		case NotDropped:
			c.NotDropped++
		}
	}
}

// Document says what was found and what became of it, a line for each table.
func (c *Cleaned) Document() *document.Document {
	var screen document.Facts
	whole := document.NewTable("tables", "Tables with the prefix "+run.TablePrefix, "state|words", "table|words", "details|words")
	for _, one := range c.Tables {
		tone := cmp.Or(document.Good.If(one.State == Dropped), document.Bad.If(one.State == NotDropped), document.Doubtful)
		screen.Lines = append(screen.Lines, fmt.Sprintf("%s: %s", one.State, one.Table+one.known()))
		whole.Add(tone, one.State, one.Table, strings.TrimPrefix(one.known(), ", "))
	}
	var parts []string
	add := func(number int, of string) {
		if number > 0 {
			parts = append(parts, document.Counted(number, "table")+" "+of)
		}
	}
	add(c.Dropped, "dropped")
	add(c.NotDropped, "not dropped")
	add(c.LeftBehind, "left behind")
	if len(parts) == 0 {
		parts = []string{"nothing was left behind"}
	}
	a := document.Answer{Claim: strings.Join(parts, ", ")}
	others := len(c.Tables) - c.Dropped - c.NotDropped - c.LeftBehind
	for _, one := range c.Tables {
		if one.State == NotThere {
			others--
		}
	}
	if others > 0 {
		a.Says = []string{fmt.Sprintf("%s with prefix %s left unchanged", document.Counted(others, "table"), run.TablePrefix)}
	}
	d := &document.Document{Title: "doctor", Subtitle: "leftovers at " + c.Where, Answer: a, Data: c}
	d.Show(screen)
	d.Add("tables", "Tables", whole)
	return d
}

// known is what is known of a table, to be said behind its name.
func (l *Leftover) known() string {
	text := ""
	if l.Scenario != "" {
		text = fmt.Sprintf(", of %s, marked %s ago", l.Scenario, document.Span(time.Duration(l.AgeS*float64(time.Second))))
	}
	if len(l.Beside) > 0 {
		text += ", with " + document.Enumerated(l.Beside)
	}
	if l.Note != "" && text != "" {
		return text + "; " + l.Note
	}
	if l.Note != "" {
		return ", " + l.Note
	}
	return text
}
