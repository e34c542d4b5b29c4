package serve_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

func TestServiceIsATableService(t *testing.T) {
	s := open(t, serve.Options{Seed: 7})
	want := "DefaultEndpointsProtocol=http;AccountName=" + emulators + ";AccountKey=" + known + ";TableEndpoint=" + s.URL() + ";"
	if got := s.ConnectionString(); got != want {
		t.Errorf("ConnectionString() = %q; want %q", got, want)
	}
	s.Must(entity.CreateTable, "Races", "", "")
	s.Must(entity.Insert, "Races", "2011", "1", entity.Property{Name: "Fee", Value: entity.Int32(255)})
	got := s.Must(entity.Get, "Races", "2011", "1")
	if fee, there := got.Entity.Lookup("Fee"); !there || !fee.Equal(entity.Int32(255)) {
		t.Errorf("Fee = %v, %v; want 255", fee.Int(), there)
	}
	if missing := s.Try(entity.Get, "Races", "2011", "2"); missing.Status != 404 {
		t.Errorf("Get of nothing = %d %s; want 404", missing.Status, missing.Code)
	}

	now := s.state()
	if now.UptimeSeconds <= 0 {
		t.Errorf("uptime_seconds = %v; want some", now.UptimeSeconds)
	}
	now.UptimeSeconds = 0
	wanted := serve.State{Account: emulators, Profile: "documented", Start: "warm", Seed: 7,
		Requests: serve.Requests{Total: 4, Ok: 3, Failed: 1}, EntitiesCounted: 3, PartitionsKnown: 1,
		Tables: []serve.Table{{Name: "Races", Entities: 1}}}
	if !reflect.DeepEqual(now, wanted) {
		t.Errorf("the state = %+v; want %+v", now, wanted)
	}
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
		{"GET", s.AdminURL() + "/", 404}, {"GET", s.AdminURL() + serve.HealthPath + "/", 404}, {"GET", s.AdminURL() + "/" + emulators + "/Tables", 404},
		{"GET", table + serve.HealthPath, 403}, {"GET", table + serve.StatePath, 403},
	} {
		status, text := resttest.Get(t, row.method, row.url)
		if status != row.status || row.status == 404 && strings.Count(text, "\n") != 1 {
			t.Errorf("%s %s = %d %q; want %d", row.method, row.url, status, text, row.status)
		}
	}
	stranger, err := http.NewRequestWithContext(t.Context(), "GET", s.AdminURL()+serve.StatePath, nil)
	if err != nil {
		t.Fatal(err)
	}
	stranger.Host = "page.example"
	if reply, err := http.DefaultClient.Do(stranger); err != nil || reply.StatusCode != http.StatusForbidden {
		t.Errorf("the state for a page of the web = %v, %v; want 403", reply, err)
	} else {
		reply.Body.Close()
	}
	if _, text := s.get(serve.HealthPath); text != "ok\n" {
		t.Errorf("health = %q; want ok", text)
	}
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
	if now := s.state(); !now.Draining || now.UnderWay != 1 {
		t.Errorf("the state = %+v; want it draining, with one request under way", now)
	}
	if status := end(request); status != 201 {
		t.Errorf("the request under way = %d; want 201", status)
	}
	if err := <-drained; err != nil {
		t.Errorf("Drain = %v; want no error", err)
	}
	s.wantJournal("under way: 1\ndrained; requests: 1 (1 ok, 0 throttled, 0 failed); entities counted: 0\n")
	if got := s.Try(entity.Get, "Races", "2011", "1"); got.Status != 0 {
		t.Errorf("a request after the end = %d; want none to be accepted", got.Status)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, serve.Options{Grace: 20 * time.Millisecond, Export: "all.jsonl", Input: strings.NewReader(`{"Table":"Clubs"}`), Imports: []string{"-"}})
	request := s.begin()
	if err := s.Drain(); !errors.Is(err, context.Canceled) {
		t.Errorf("Drain that cut a request off = %v; want %v", err, context.Canceled)
	}
	if status := end(request); status != 0 {
		t.Errorf("the request that was cut off = %d; want no reply", status)
	}
	s.wantJournal("cut off after 20ms; requests under way: 1; ")
	if err := s.Save(); err != nil {
		t.Errorf("Save = %v; want no error", err)
	}
	if text, err := os.ReadFile("all.jsonl"); err != nil || !strings.Contains(string(text), "Clubs") {
		t.Errorf("the export = %q, %v; want it all the same", text, err)
	}
}

// Whoever is there before all is ready waits, and is told nothing where it never is.
func TestRequestsWaitUntilAllIsReady(t *testing.T) {
	s, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	early, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.URL(), "http://"), "/"+emulators))
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	if _, err := early.Write([]byte("GET /-/ HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v; want no error", err)
	}
	if n, err := early.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("a request that came too early was told something")
	}
	if got := s.Counts(); got.Requests != 0 {
		t.Errorf("%d requests were served; want none", got.Requests)
	}
	if err := s.Close(); err != nil {
		t.Errorf("a second Close = %v; want no error", err)
	}
}

func TestServeOnAPortInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	s := open(t, serve.Options{})
	address, admin := s.host(), strings.TrimPrefix(s.AdminURL(), "http://")
	for _, row := range []struct{ listen, admin, field string }{
		{address, "", "listen"}, {"127.0.0.1:0", address, "admin"}, {"127.0.0.1:0", admin, "admin"},
	} {
		wantFault(t, row.listen+" and "+row.admin, serve.Options{Listen: row.listen, Admin: row.admin, Export: "all.csv"}, row.field, "in use")
		if left := leftIn(t, "."); len(left) > 0 {
			t.Errorf("Open on %s and %s left %v behind; want nothing", row.listen, row.admin, left)
		}
	}
}

// An address that others reach is served to those who have the key, and what is
// said is an address to connect to.
func TestServeToOthers(t *testing.T) {
	s := open(t, serve.Options{Listen: "0.0.0.0:0", Account: "races", Key: own, KeyName: "races.key"})
	if got := s.ConnectionString(); !strings.HasPrefix(got, "DefaultEndpointsProtocol=http;AccountName=races;AccountKey=<the key of races.key>;TableEndpoint=http://127.0.0.1:") {
		t.Errorf("ConnectionString() = %q; want an address to connect to, and no key", got)
	}
	s.wantJournal("every address of this machine\n")
	s.Must(entity.CreateTable, "Races", "", "")
	stranger := resttest.Dial(t, strings.Replace(s.ConnectionString(), "<the key of races.key>", known, 1))
	if got := stranger.Try(entity.CreateTable, "Runners", "", ""); got.Status != 403 {
		t.Errorf("CreateTable with the emulators' key = %d %s; want 403", got.Status, got.Code)
	}
}
