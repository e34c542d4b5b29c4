package serve_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

func TestServiceIsATableService(t *testing.T) {
	s := open(t, serve.Options{Seed: 7})
	want := "DefaultEndpointsProtocol=http;AccountName=" + emulators + ";AccountKey=" + known + ";TableEndpoint=" + s.URL() + ";"
	assert.Equal(t, want, s.ConnectionString(), "ConnectionString()")
	s.Must(entity.CreateTable, "Races", "", "")
	s.Must(entity.Insert, "Races", "2011", "1", entity.Property{Name: "Fee", Value: entity.Int32(255)})
	got := s.Must(entity.Get, "Races", "2011", "1")
	fee, _ := got.Entity.Lookup("Fee")
	assert.Truef(t, fee.Equal(entity.Int32(255)), "Fee = %v; want 255", fee.Int())
	assert.Equal(t, 404, s.Try(entity.Get, "Races", "2011", "2").Status, "Get of nothing")

	now := s.state()
	assert.Positive(t, now.UptimeSeconds, "uptime_seconds")
	now.UptimeSeconds = 0
	wanted := serve.State{Account: emulators, Profile: "documented", Start: "warm", Seed: 7,
		Requests: serve.Requests{Total: 4, Ok: 3, Failed: 1}, EntitiesCounted: 3, PartitionsKnown: 1,
		Tables: []serve.Table{{Name: "Races", Entities: 1}}}
	assert.Empty(t, cmp.Diff(wanted, now), "the state")
	s.stop()
	s.wantJournal(emulators+" on "+s.URL()+", profile documented\n", s.AdminURL()+"/-/state\n",
		"drained; requests: 4 (3 ok, 0 throttled, 1 failed); entities counted: 3\n")
}

func TestAdminPaths(t *testing.T) {
	s := open(t, serve.Options{})
	table := strings.TrimSuffix(s.URL(), "/"+emulators)
	for _, row := range []struct {
		method, url string
		status      int
	}{
		{"GET", s.AdminURL() + serve.HealthPath, 200}, {"GET", s.AdminURL() + serve.StatePath, 200},
		{"POST", s.AdminURL() + serve.HealthPath, 404}, {"DELETE", s.AdminURL() + serve.StatePath, 404},
		{"GET", s.AdminURL() + serve.CertificatePath, 404}, {"GET", s.AdminURL() + "/", 404}, {"GET", s.AdminURL() + serve.HealthPath + "/", 404}, {"GET", s.AdminURL() + "/" + emulators + "/Tables", 404},
		{"GET", table + serve.HealthPath, 403}, {"GET", table + serve.StatePath, 403},
	} {
		status, text := resttest.Get(t, row.method, row.url)
		assert.Truef(t, status == row.status && (row.status != 404 || strings.Count(text, "\n") == 1),
			"%s %s = %d %q; want %d", row.method, row.url, status, text, row.status)
	}
	stranger := must(http.NewRequestWithContext(t.Context(), "GET", s.AdminURL()+serve.StatePath, nil))(t)
	stranger.Host = "page.example"
	reply := must(http.DefaultClient.Do(stranger))(t)
	reply.Body.Close()
	assert.Equal(t, http.StatusForbidden, reply.StatusCode, "the state for a page of the web")
	_, text := s.get(serve.HealthPath)
	assert.Equal(t, "ok\n", text, "health")
}

func TestDrainLetsWhatIsUnderWayFinish(t *testing.T) {
	s := open(t, serve.Options{Grace: time.Minute})
	request := s.begin()
	drained := make(chan error, 1)
	go func() { drained <- s.Drain() }()
	resttest.Until(t, "the health to say so", func() bool {
		status, _ := s.get(serve.HealthPath)
		return status == 503
	})
	now := s.state()
	assert.Truef(t, now.Draining && now.UnderWay == 1, "the state = %+v; want it draining, with one request under way", now)
	assert.Equal(t, 201, end(request), "the request under way")
	assert.NoError(t, <-drained, "Drain")
	s.wantJournal("under way: 1\ndrained; requests: 1 (1 ok, 0 throttled, 0 failed); entities counted: 0\n")
	assert.Equal(t, 0, s.Try(entity.Get, "Races", "2011", "1").Status, "a request after the end")
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, serve.Options{Grace: 20 * time.Millisecond, Export: "all.jsonl", Input: strings.NewReader(`{"Table":"Clubs"}`), Imports: []string{"-"}})
	request := s.begin()
	assert.ErrorIs(t, s.Drain(), context.Canceled, "Drain that cut a request off")
	assert.Equal(t, 0, end(request), "the request that was cut off")
	s.wantJournal("cut off after 20ms; requests under way: 1; ")
	assert.NoError(t, s.Save(), "Save")
	assert.Contains(t, string(must(os.ReadFile("all.jsonl"))(t)), "Clubs", "the export")
}

// Whoever is there before all is ready waits, and is told nothing where it never is.
func TestRequestsWaitUntilAllIsReady(t *testing.T) {
	s := must(serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0"}))(t)
	early := resttest.DialConn(t, strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/"+emulators))
	early.Send("GET /-/ HTTP/1.1\r\nHost: x\r\n\r\n")
	assert.NoError(t, s.Close(), "Close")
	_, _, err := early.Reply()
	assert.Error(t, err, "the reply to a request that came too early")
	assert.EqualValues(t, 0, s.Counts().Requests, "requests were served")
	assert.NoError(t, s.Close(), "a second Close")
}

func TestServeOnAPortInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, serve.Options{})
	address, admin := s.host(), strings.TrimPrefix(s.AdminURL(), "http://")
	for _, row := range []struct{ listen, admin, field string }{
		{address, "", "listen"}, {"127.0.0.1:0", address, "admin"}, {"127.0.0.1:0", admin, "admin"},
	} {
		wantFault(t, row.listen+" and "+row.admin, serve.Options{Listen: row.listen, Admin: row.admin, Export: "all.csv"}, row.field, "in use")
		assert.Emptyf(t, leftIn(t, "."), "Open on %s and %s left behind", row.listen, row.admin)
	}
}

// An address that others reach is served to those who have the key, and what is
// said is an address to connect to.
func TestServeToOthers(t *testing.T) {
	s := open(t, serve.Options{Listen: "0.0.0.0:0", Account: "races", Key: own, KeyName: "races.key"})
	assert.Contains(t, s.ConnectionString(), "DefaultEndpointsProtocol=http;AccountName=races;AccountKey=<the key of races.key>;TableEndpoint=http://127.0.0.1:")
	s.wantJournal("all local addresses\n")
	s.Must(entity.CreateTable, "Races", "", "")
	stranger := resttest.Dial(t, strings.Replace(s.ConnectionString(), "<the key of races.key>", known, 1))
	assert.Equal(t, 403, stranger.Try(entity.CreateTable, "Runners", "", "").Status, "CreateTable with the emulators' key")
}

// The log says of every request what it was, on which key, and what became of it: what
// was asked is known here, and the log is read by the reader of logs.
func TestTheLogOfAService(t *testing.T) {
	for name, format := range map[string]accesslog.Format{"table.log": accesslog.Analytics, "table.json": accesslog.Resource} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := open(t, serve.Options{Log: name, Set: []string{"model.partition_target=1", "model.partition_burst=1ms"}})
			s.Must(entity.CreateTable, "Races", "", "")
			s.Must(entity.Insert, "Races", "a'b", "ü 1;")
			throttled := s.Try(entity.Get, "Races", "a'b", "ü 1;")
			s.Try(entity.Get, "Races", "other", "2")
			s.stop()
			text := must(os.Open(name))(t)
			defer text.Close()
			var said []string
			_, err := accesslog.Read(text, accesslog.Options{File: name}, func(e *accesslog.Entry) error {
				line := e.Operation + " " + e.StatusText
				if e.HasPartition {
					line += " " + e.PartitionKey + "/" + e.RowKey
				}
				assert.Truef(t, e.Account == emulators && e.EndToEnd >= e.Server && e.RequestID != "" && e.Status != 0 && e.ResponseBytes >= 0,
					"%+v lacks something", e)
				said = append(said, line)
				return nil
			})
			want := []string{"CreateTable Success", "InsertEntity Success a'b/ü 1;", "QueryEntity ServerBusy a'b/ü 1;", "QueryEntity ResourceNotFound other/2"}
			if format == accesslog.Analytics {
				want[2] = "QueryEntity ThrottlingError a'b/ü 1;"
			}
			require.Equal(t, 503, throttled.Status, "the read after the insert")
			assert.NoError(t, err)
			assert.Equal(t, want, said, "the log")
			s.wantJournal("the log is " + name + "\n")
		})
	}
}

func TestLogsThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"there": ""})
	for _, row := range []struct{ sentence, log string }{
		{"a file that is there", "there"},
		{"a folder that is not", "no/log"},
	} {
		wantFault(t, row.sentence, serve.Options{Log: row.log}, "log")
	}
}
