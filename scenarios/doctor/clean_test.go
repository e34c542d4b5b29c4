package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// table makes a table, and puts an entity into it unless there are no properties.
func (s *service) table(t *testing.T, name, partition, row string, properties ...entity.Property) {
	t.Helper()
	code, _ := s.Engine.LoadTable(0, "races", name)
	if len(properties) > 0 && code == entity.OK {
		code, _ = s.Engine.Load(0, "races", name, &entity.Change{Verb: entity.Insert,
			Key: entity.Key{Partition: partition, Row: row}, Properties: properties})
	}
	require.Equalf(t, entity.OK, code, "making %s", name)
}

// mark makes a table of ours.
func (s *service) mark(t *testing.T, name string) {
	s.table(t, name, "~loadgen", "marker", marker("stress")...)
}

// killed carries a scenario out at the service until its table is marked, from when on
// nothing is carried out any more: what it has made is left.
func (s *service) killed(t *testing.T, name string) {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	dead, marked := false, false
	server := serves(t, s, func(w http.ResponseWriter, r *http.Request) bool {
		if dead = dead || marked; dead {
			kill()
			w.Header().Set("x-ms-error-code", "ResourceNotFound")
			w.WriteHeader(http.StatusNotFound)
			return false
		}
		marked = strings.Contains(r.URL.Path, "~loadgen")
		return true
	})
	spec := runtest.Must(scenarios.Builtin(name))
	spec.Workers = 1
	endpoint := runtest.Must(run.ParseConnectionString(fmt.Sprintf("AccountName=races;AccountKey=%s;TableEndpoint=%s/races;QueueEndpoint=%[2]s/queues;BlobEndpoint=%[2]s/blobs", planted, server.URL)))
	_, err := run.Run(ctx, run.Plan{Scenario: spec, On: run.Remote, Accounts: []run.Endpoint{endpoint}, NoProbe: true, Consent: func(run.Ask) error { return nil }})
	require.ErrorIsf(t, err, context.Canceled, "the run of %s ended with", name)
}

// clean cleans up the service, at another address where one is given.
func (s *service) clean(t *testing.T, o CleanOptions, at ...string) *Cleaned {
	t.Helper()
	o.Clock = clock.NewReal()
	if o.Service.Account() == "" {
		o.Service = endpointAt(t, append(at, s.URL)[0], planted)
	}
	return runtest.Must(Clean(t.Context(), o))
}

func marker(scenario string) []entity.Property {
	return []entity.Property{{Name: "Scenario", Value: entity.String(scenario)}, {Name: "FreshNumber", Value: entity.Int64(7)}}
}

// What is dropped is marked, by name and marker, and nobody has written to it of late; all
// that is somebody else's is there afterwards.
func TestClean(t *testing.T) {
	s := newService(t, 0)
	s.mark(t, "loadgenStressOne")
	s.table(t, "loadgentheirs", "", "")
	s.table(t, "loadgenother", "~loadgen", "marker", entity.Property{Name: "Owner", Value: entity.String("they")})
	s.table(t, "loadgenlike", "~loadgen", "marker", entity.Property{Name: "Scenario", Value: entity.String("stress")},
		entity.Property{Name: "FreshNumber", Value: entity.String("7")})
	s.table(t, "loadgenelsewhere", "p", "r", marker("stress")...)
	s.mark(t, "races")
	all := s.Engine.TableNames("races")
	for _, row := range []struct {
		sentence  string
		olderThan time.Duration
		agreed    bool
		state     string
		claim     string
		left      []string
	}{
		{"a table that was written to of late is left alone", time.Hour, true, UnderWay, "nothing was left behind", all},
		{"without consent nothing is dropped", 0, false, LeftBehind, "1 table left behind", all},
		{"with consent the one that is ours is dropped", 0, true, Dropped, "1 table dropped",
			slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "loadgenStressOne" })},
	} {
		c := s.clean(t, CleanOptions{OlderThan: row.olderThan, Agreed: row.agreed})
		states := make(map[string]string)
		for _, one := range c.Tables {
			states[one.Table] = one.State
		}
		for name, want := range map[string]string{"loadgenStressOne": row.state, "loadgentheirs": NotOurs, "loadgenother": NotOurs,
			"loadgenlike": NotOurs, "loadgenelsewhere": NotOurs, "races": ""} {
			assert.Equalf(t, want, states[name], "%s: %s", row.sentence, name)
		}
		assert.Equal(t, row.claim, c.Document().Answer.Claim, row.sentence)
		assert.EqualValues(t, 1, c.Marked, row.sentence)
		assert.Equal(t, row.left, s.Engine.TableNames("races"), row.sentence)
	}
}

// A list of more tables than a page has is gone on with.
func TestCleanOfManyTables(t *testing.T) {
	s := newService(t, 0)
	for i := range 1000 {
		s.table(t, fmt.Sprintf("a%04d", i), "", "")
	}
	s.mark(t, "loadgenone")
	c := s.clean(t, CleanOptions{Agreed: true})
	assert.Truef(t, c.Dropped == 1 && len(s.Engine.TableNames("races")) == 1000, "Clean = %+v; want one dropped of 1,001", c)
}

// A service that is not to be had, or does not let the list be read, is an error of the
// target.
func TestCleanOfAServiceThatRefuses(t *testing.T) {
	s := newService(t, 0)
	for _, row := range []struct {
		sentence string
		status   int
		says     string
	}{
		{"the list is closed to the signature", 403, "refuses the credential"},
		{"the service is busy", 503, "the list of tables was answered 503"},
		{"the list is none", 200, "the list of tables is none"},
	} {
		asked := 0
		refusing := serves(t, s, func(w http.ResponseWriter, r *http.Request) bool {
			if asked++; asked > 1 {
				w.Header().Set("x-ms-error-code", "Whatever")
				w.WriteHeader(row.status)
			}
			return asked == 1
		})
		_, err := Clean(t.Context(), CleanOptions{Service: endpointAt(t, refusing.URL+"/races", planted), Clock: clock.NewReal()})
		assert.Truef(t, errors.Is(err, run.ErrTarget) && strings.Contains(err.Error(), row.says),
			"%s: Clean = %v; want an error of the target with %q", row.sentence, err, row.says)
	}
}

// A clean that is interrupted leaves the rest as it is, and says so.
func TestInterruptedClean(t *testing.T) {
	s := newService(t, 0)
	for i := range 3 {
		s.mark(t, fmt.Sprintf("loadgen%d", i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server := serves(t, s, func(w http.ResponseWriter, r *http.Request) bool {
		s.ServeHTTP(w, r)
		if r.Method == http.MethodDelete {
			cancel()
		}
		return false
	})
	c := runtest.Must(Clean(ctx, CleanOptions{Service: endpointAt(t, server.URL+"/races", planted), Clock: clock.NewReal(),
		Agreed: true}))
	// Whether the reply to the first was heard is a matter of chance.
	assert.Len(t, s.Engine.TableNames("races"), 2, "tables left")
	assert.Truef(t, c.LeftBehind == 2 && c.Dropped+c.NotDropped == 1, "Clean = %+v", c)
}

// A table whose marker is old is of a run under way where an entity of it is young.
func TestCleanLooksForYoungEntities(t *testing.T) {
	lately := time.Now().UTC().Format("2006-01")
	for _, row := range []struct {
		sentence string
		// ahead is by how much the service's clock is ahead of when all was written, was what
		// the marker's month is said to be.
		ahead time.Duration
		was   string
		want  string
	}{
		{"nothing was written for two hours", 2 * time.Hour, lately, LeftBehind},
		{"the marker is old, and an entity is not", 0, "2011-11", UnderWay},
		{"the marker is young", 0, lately, UnderWay},
	} {
		s := newService(t, 0)
		s.mark(t, "loadgenone")
		later := serves(t, s, func(w http.ResponseWriter, r *http.Request) bool {
			said := httptest.NewRecorder()
			s.ServeHTTP(said, r)
			maps.Copy(w.Header(), said.Header())
			w.Header().Set("Date", time.Now().Add(row.ahead).UTC().Format(http.TimeFormat))
			w.Header().Set("ETag", strings.Replace(said.Header().Get("ETag"), lately, row.was, 1))
			w.WriteHeader(said.Code)
			_, _ = io.WriteString(w, strings.ReplaceAll(said.Body.String(), lately, row.was))
			return false
		})
		c := s.clean(t, CleanOptions{OlderThan: time.Hour}, later.URL+"/races")
		assert.Truef(t, len(c.Tables) == 1 && c.Tables[0].State == row.want, "%s: %+v", row.sentence, c.Tables)
	}
}

// A table that is asked for by name is dropped however young it is, if it is ours, and no
// other is looked at.
func TestCleanOfOneTable(t *testing.T) {
	s := newService(t, 0)
	s.mark(t, "loadgenone")
	s.mark(t, "loadgentwo")
	s.table(t, "loadgentheirs", "", "")
	c := s.clean(t,
		CleanOptions{OlderThan: time.Hour, Agreed: true, Tables: []string{"LoadgenOne", "loadgentheirs", "loadgengone"}})
	var states []string
	for _, one := range c.Tables {
		states = append(states, one.Table+" "+one.State)
	}
	assert.Equal(t, []string{"loadgenone dropped", "loadgentheirs not ours", "loadgengone not there"}, states)
	assert.Equal(t, []string{"loadgentheirs", "loadgentwo"}, s.Engine.TableNames("races"), "tables left")
}

// What a run makes beside its table is dropped with it, and before it; where that cannot be,
// the table stays, for it alone knows of the rest.
func TestCleanBesideTheTable(t *testing.T) {
	var dropped []string
	status := http.StatusNoContent
	beside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		dropped = append(dropped, r.Method+" "+r.URL.Path)
		w.WriteHeader(status)
	}))
	defer beside.Close()
	for _, row := range []struct {
		sentence string
		settings string
		status   int
		state    string
		note     string
		dropped  []string
	}{
		{"the account tells of no queues", "", 0, NotDropped, "queue loadgenone-moves: --target has no queue service", nil},
		{"the service of queues refuses", "QueueEndpoint=" + beside.URL + "/q;", 403, NotDropped, "queue loadgenone-moves: the answer was 403", []string{"DELETE /q/loadgenone-moves"}},
		{"all goes", "QueueEndpoint=" + beside.URL + "/q;", 204, Dropped, "", []string{"DELETE /q/loadgenone-moves"}},
	} {
		s := newService(t, 0)
		s.table(t, "loadgenone", "~loadgen", "marker", append(marker("mine"), entity.Property{Name: "Beside",
			Value: entity.String("table loadgenoneDay1, queue loadgenone-moves, queue theirs-moves, table theirs, table loadgenone, ship loadgenone-x, ")})...)
		s.table(t, "loadgenoneDay1", "", "")
		s.table(t, "theirs", "", "")
		dropped, status = nil, row.status
		endpoint := runtest.Must(run.ParseConnectionString("AccountName=races;AccountKey=" + planted + ";" + row.settings +
			"TableEndpoint=" + s.URL))
		c := s.clean(t, CleanOptions{Service: endpoint, Agreed: true})
		assert.Truef(t, len(c.Tables) == 1 && c.Tables[0].State == row.state && strings.HasPrefix(c.Tables[0].Note,
			row.note) && slices.Equal(c.Tables[0].Beside, []string{"table loadgenoneDay1", "queue loadgenone-moves"}),
			"%s: %+v; want %s, %q", row.sentence, c.Tables, row.state, row.note)
		left := s.Engine.TableNames("races")
		if there := slices.Contains(left, "loadgenone"); there == (row.state == Dropped) || !slices.Contains(left, "theirs") || slices.Contains(left, "loadgenoneDay1") {
			t.Errorf("%s: the tables %v are left", row.sentence, left)
		}
		assert.Truef(t, slices.Equal(dropped, row.dropped),
			"%s: the services beside it were asked for %q; want %q", row.sentence, dropped, row.dropped)
	}
}

// The marker of a run that was killed names what it made beside its table.
func TestMarkerOfAKilledRun(t *testing.T) {
	t.Parallel()
	s, name := newService(t, 0), "high-volume-delete"
	s.killed(t, name)
	c := s.clean(t, CleanOptions{})
	require.Truef(t, c.LeftBehind == 1 && c.Tables[0].Scenario == name && len(c.Tables[0].Beside) != 0, "%+v", c)
	for _, one := range c.Tables[0].Beside {
		assert.Truef(t, strings.HasPrefix(one, "table "+c.Tables[0].Table), "beside it is %q; want a table by its name", one)
	}
}
