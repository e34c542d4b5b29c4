package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"

	"loadgen/engine/entity"
	"loadgen/results"
)

func TestServeIsATableService(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "")
	port, _, _ := strings.Cut(s.ready[strings.LastIndex(s.ready, ":")+1:], "/")
	want := "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=" + emulatorKey +
		";TableEndpoint=http://127.0.0.1:" + port + "/devstoreaccount1;"
	if s.ready != want {
		t.Errorf("the first line = %q; want %q", s.ready, want)
	}
	s.enter(s.ready)
	s.want(write(entity.CreateTable, "Races", "", ""))
	s.want(write(entity.Insert, "Races", "2011", "1", entity.Property{Name: "Fee", Value: entity.Int32(255)}))
	got := s.want(write(entity.Get, "Races", "2011", "1"))
	if fee, there := got.Entity.Lookup("Fee"); !there || !fee.Equal(entity.Int32(255)) {
		t.Errorf("Fee = %v, %v; want 255", fee.Int(), there)
	}
	if missing := s.do(write(entity.Get, "Races", "2011", "2")); missing.Status != 404 {
		t.Errorf("Get of nothing = %d %s; want 404", missing.Status, missing.Code)
	}

	now := s.state()
	if now.UptimeSeconds <= 0 {
		t.Errorf("uptime_seconds = %v; want some", now.UptimeSeconds)
	}
	now.UptimeSeconds = 0
	wanted := state{Account: "devstoreaccount1", Profile: "documented", Seed: 1,
		Requests: tallied{Total: 4, Ok: 3, Failed: 1}, EntitiesCounted: 3, PartitionsKnown: 1,
		Tables: []tableState{{"Races", 1}}}
	if !reflect.DeepEqual(now, wanted) {
		t.Errorf("the state = %+v; want %+v", now, wanted)
	}
	if code := s.stop(); code != codeOk || s.stdout.Len() > 0 {
		t.Errorf("serve, drained = %d, and said %q; want 0 and no more than the first line: %s", code, &s.stdout, &s.stderr)
	}
	for _, line := range []string{
		"serving the account devstoreaccount1 on http://127.0.0.1:" + port + "/devstoreaccount1, profile documented\n",
		"drained; requests: 4 (3 ok, 0 refused, 1 failed); entities counted: 3\n"} {
		if !strings.Contains(s.stderr.String(), line) {
			t.Errorf("stderr = %q; want %q in it", &s.stderr, line)
		}
	}
	if left := leftIn(t, "."); len(left) > 0 {
		t.Errorf("serve left %v behind; want nothing", left)
	}
}

func TestAdminPaths(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "")
	table := s.ready[strings.Index(s.ready, "http://"):strings.LastIndex(s.ready, "/")]
	for _, row := range []struct {
		method, url string
		status      int
	}{
		{"GET", s.admin + healthPath, 200}, {"GET", s.admin + statePath, 200},
		{"POST", s.admin + healthPath, 404}, {"DELETE", s.admin + statePath, 404},
		{"GET", s.admin + "/", 404}, {"GET", s.admin + healthPath + "/", 404}, {"GET", s.admin + "/devstoreaccount1/Tables", 404},
		{"GET", table + healthPath, 403}, {"GET", table + statePath, 403},
	} {
		status, text := get(t, row.method, row.url)
		if status != row.status || row.status == 404 && strings.Count(text, "\n") != 1 {
			t.Errorf("%s %s = %d %q; want %d", row.method, row.url, status, text, row.status)
		}
	}
	if _, text := get(t, "GET", s.admin+healthPath); strings.TrimSpace(text) != "ok" {
		t.Errorf("health = %q; want ok", text)
	}
}

func TestDrainLetsWhatIsUnderWayFinish(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "", "--set", "model.write_time=400ms", "--set", "model.time_spread=0")
	s.enter(s.ready)
	s.want(write(entity.CreateTable, "Races", "", ""))
	const many = 4
	outcomes := make(chan error, many)
	for i := range many {
		op := write(entity.Insert, "Races", "2011", fmt.Sprint(i))
		op.Number = uint64(100 + i)
		go func() {
			got := s.client.Do(context.Background(), op)
			if got.Status != 204 {
				outcomes <- fmt.Errorf("%d %s %s", got.Status, got.Code, got.Detail)
			}
			outcomes <- nil
		}()
	}
	s.until("requests under way", func() bool { return s.state().UnderWay == many })
	if code := s.stop(); code != codeOk {
		t.Errorf("serve, drained with requests under way = %d; want 0: %s", code, &s.stderr)
	}
	for range many {
		if err := <-outcomes; err != nil {
			t.Errorf("a request under way came to %v; want 204", err)
		}
	}
	if got := s.stderr.String(); !strings.Contains(got, "draining; requests under way: 4\n") || !strings.Contains(got, "drained; requests: 5 (5 ok") {
		t.Errorf("stderr = %q; want what was under way and what was served", got)
	}
	if got := s.do(write(entity.Get, "Races", "2011", "1")); got.Status != 0 {
		t.Errorf("a request after the end = %d; want none to be accepted", got.Status)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShopBy(t, func(ctx context.Context, stdout, stderr io.Writer) int {
		c := (&serveFlags{grace: 20 * time.Millisecond}).verb(stdout, stderr)
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs([]string{"--listen", "127.0.0.1:0", "--set", "model.write_time=10s", "--set", "model.time_spread=0",
			"--export", "all.jsonl", "--examine", "--out", "run"})
		err := c.ExecuteContext(ctx)
		code, _ := explain(ctx, err)
		return code
	})
	s.enter(s.ready)
	gone := make(chan int, 1)
	go func() { gone <- s.client.Do(context.Background(), write(entity.CreateTable, "Races", "", "")).Status }()
	s.until("a request under way", func() bool { return s.state().UnderWay == 1 })
	if code := s.stop(); code != codeTerminated || !strings.Contains(s.stderr.String(), "cut off after 20ms; requests under way: 1; ") {
		t.Errorf("serve that cut a request off = %d; want %d, and why: %s", code, codeTerminated, &s.stderr)
	}
	if status := <-gone; status != 0 {
		t.Errorf("the request that was cut off = %d; want no reply", status)
	}
	record := read(t, "run")
	if sum := record.Total(results.Everything); record.Validity != results.Partial || sum.Attempts != 1 || sum.Failed != 1 || record.Target.Failed != 1 {
		t.Errorf("the run is %s, with %d attempts, %d failed; want it partial, and the one failed", record.Validity, sum.Attempts, sum.Failed)
	}
	if text, err := os.ReadFile("all.jsonl"); err != nil || !strings.Contains(string(text), "Races") {
		t.Errorf("the export = %q, %v; want it all the same", text, err)
	}
}

func TestServeOnAPortInUse(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "")
	_, address, _ := strings.Cut(s.ready, "http://")
	address, _, _ = strings.Cut(address, "/")
	admin := strings.TrimPrefix(s.admin, "http://")
	for _, args := range [][]string{
		{"--listen", address}, {"--listen", "127.0.0.1:0", "--admin", address}, {"--listen", "127.0.0.1:0", "--admin", admin},
	} {
		code, stdout, stderr := say(t, append([]string{"serve", "--examine", "--export", "all.csv"}, args...)...)
		if code != codeUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "in use") {
			t.Errorf("serve %v = %d %q %q; want %d and one line", args, code, stdout, stderr, codeUsage)
		}
		if left := leftIn(t, "."); len(left) > 0 {
			t.Errorf("serve %v left %v behind; want nothing", args, left)
		}
	}
}

// Where the run's folder cannot be written to, the service is closed again.
func TestServeClosesWhatItCannotExamine(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"taken": ""})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	if code, stdout, stderr := say(t, "serve", "--examine", "--out", "taken", "--listen", address); code != codeUsage || stdout != "" {
		t.Errorf("serve --examine --out of a file = %d %q %q; want %d", code, stdout, stderr, codeUsage)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the port is not free again: %v", err)
	}
	again.Close()
}

func TestServeRefusesBadInputInOneLine(t *testing.T) {
	rows := []struct {
		sentence string
		args     []string
		// says is part of the line.
		says string
	}{
		{"a flag that is nearly one", []string{"--examin"}, "nearest is --examine"},
		{"an argument", []string{"now"}, `"now"`},
		{"an address without a port", []string{"--listen", "127.0.0.1"}, "HOST:PORT"},
		{"an address without anything", []string{"--listen="}, "--listen"},
		{"a port that is none", []string{"--listen", "127.0.0.1:70000"}, "--listen"},
		{"all addresses with the emulators' key", []string{"--listen", "0.0.0.0:0"}, "--account and --key-file"},
		{"all addresses in few letters", []string{"--listen", ":0"}, "--account and --key-file"},
		{"an address of another machine", []string{"--listen", "192.0.2.1:0"}, "--account and --key-file"},
		{"the emulators' key from a file", []string{"--listen", "0.0.0.0:0", "--account", "races", "--key-file", "known"}, "known to all"},
		{"an address that is not of this machine", []string{"--listen", "192.0.2.1:0", "--account", "races", "--key-file", "key"}, "192.0.2.1"},
		{"an account without a key", []string{"--account", "races"}, "both or neither"},
		{"a key without an account", []string{"--key-file", "key"}, "both or neither"},
		{"an account that cannot be", []string{"--account", "Races", "--key-file", "key"}, "3 to 24"},
		{"a key file that is not there", []string{"--account", "races", "--key-file", "nokey"}, "nokey"},
		{"a key file that holds no key", []string{"--account", "races", "--key-file", "notkey"}, "base64"},
		{"a key file that is empty", []string{"--account", "races", "--key-file", "empty"}, "base64"},
		{"a profile that is nearly one", []string{"--profile", "documentd"}, `"documented"`},
		{"a setting without a value", []string{"--set", "model.partition_target"}, "model.PARAMETER=value"},
		{"a setting that is nearly one", []string{"--set", "model.partition_targt=5"}, `"model.partition_target"`},
		{"a setting of something else", []string{"--set", "partition_target=5"}, `"model.partition_target"`},
		{"a setting that cannot be", []string{"--set", "model.partition_target=-5"}, "model.partition_target=-5"},
		{"a negative seed", []string{"--seed", "-1"}, "0 or more"},
		{"a folder without a run", []string{"--out", "run"}, "--examine"},
		{"a folder that is a file", []string{"--examine", "--out", "key"}, "key"},
		{"an admin address that others reach", []string{"--admin", "0.0.0.0:0"}, "this machine alone"},
		{"an admin address that is none", []string{"--admin", "here"}, "--admin here"},
		{"an import of no known kind", []string{"--import", "key"}, ".jsonl, .ndjson or .csv"},
		{"an import that is not there", []string{"--import", "none.csv"}, "none.csv"},
		{"an import without a header", []string{"--import", "bad.csv"}, "--import bad.csv: archive: line 1: expected a header"},
		{"an import with a fault", []string{"--import", "good.jsonl", "--import", "bad.jsonl"}, "--import bad.jsonl: archive: line 2: "},
		{"an import of the same twice", []string{"--import", "good.jsonl", "--import", "good.jsonl"}, "--import good.jsonl: line 1: the table Races has"},
		{"an export of no known kind", []string{"--export", "all.json"}, ".jsonl, .ndjson or .csv"},
		{"an export that is a folder", []string{"--export", "folder.csv"}, "folder.csv"},
		{"an export in a folder that is not there", []string{"--export", "nowhere/all.csv"}, "nowhere"},
		{"an export below a file", []string{"--export", "key/all.csv"}, "key"},
	}
	good := `{"Table":"Races","PartitionKey":"p","RowKey":"1"}` + "\n"
	given := map[string]string{"key": planted, "notkey": planted + "!", "empty": "", "known": emulatorKey,
		"good.jsonl": good, "bad.jsonl": strings.Replace(good, "1", "2", 1) + "nonsense\n", "bad.csv": "a,b\n"}
	for _, row := range rows {
		t.Chdir(t.TempDir())
		put(t, given)
		if err := os.Mkdir("folder.csv", 0o700); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"serve"}, row.args...)
		if !strings.Contains(strings.Join(args, " "), "--listen") {
			args = append(args, "--listen", "127.0.0.1:0")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		var stdout, stderr bytes.Buffer
		code := run(ctx, args, strings.NewReader(""), &stdout, &stderr)
		if ctx.Err() != nil {
			t.Errorf("%s: was not refused at once", row.sentence)
		}
		cancel()
		// What was imported before is told of, too.
		said := stderr.String()
		last := said[max(0, strings.Index(said, "loadgen: ")):]
		if code != codeUsage || stdout.Len() > 0 || strings.Count(last, "\n") != 1 || !strings.Contains(last, row.says) {
			t.Errorf("%s: %v = %d, %q on stdout, %q on stderr; want %d and one line with %q",
				row.sentence, row.args, code, &stdout, last, codeUsage, row.says)
		}
		if strings.Contains(last, planted) {
			t.Errorf("%s: the line holds the secret: %q", row.sentence, last)
		}
		if left := leftIn(t, "."); len(left) != len(given)+1 {
			t.Errorf("%s: left %v behind; want nothing new", row.sentence, left)
		}
	}
}

// An address that others reach is served to those who have the key, and what is
// said is an address to connect to.
func TestServeToOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"key": planted + "\n"})
	s := openShop(t, "", "--listen", "0.0.0.0:0", "--account", "races", "--key-file", "key")
	if !strings.Contains(s.ready, "AccountName=races;AccountKey=<the key of key>;TableEndpoint=http://127.0.0.1:") {
		t.Errorf("the first line = %q; want an address to connect to, and no key", s.ready)
	}
	if !strings.Contains(s.stderr.String(), "every address of this machine") {
		t.Errorf("stderr = %q; want what it listens on", &s.stderr)
	}
	s.enter(strings.Replace(s.ready, "<the key of key>", planted, 1))
	s.want(write(entity.CreateTable, "Races", "", ""))
	s.enter(strings.Replace(s.ready, "<the key of key>", emulatorKey, 1))
	if got := s.do(write(entity.CreateTable, "Runners", "", "")); got.Status != 403 {
		t.Errorf("CreateTable with the emulators' key = %d %s; want 403", got.Status, got.Code)
	}
	if code := s.stop(); code != codeOk {
		t.Errorf("serve = %d; want 0: %s", code, &s.stderr)
	}
}

func TestHelpOfServeIsComplete(t *testing.T) {
	_, help, _ := say(t, "serve", "--help")
	var f serveFlags
	c := f.verb(nil, nil)
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if !strings.Contains(help, "--"+flag.Name+" ") || flag.Usage == "" {
			t.Errorf("the help of serve does not explain --%s:\n%s", flag.Name, help)
		}
	})
	_, examples, found := strings.Cut(help, "Examples:\n")
	examples, _, _ = strings.Cut(examples, "\n\n")
	lines := strings.Split(examples, "\n")
	if !found || len(lines) < 4 {
		t.Fatalf("the help of serve has the examples %q; want some", lines)
	}
	for _, line := range lines {
		words, _, _ := strings.Cut(line, "#")
		args := strings.Fields(words)
		if len(args) < 2 || args[0] != "loadgen" || args[1] != "serve" {
			t.Errorf("the example %q is no command", line)
			continue
		}
		var f serveFlags
		if err := f.verb(nil, nil).ParseFlags(args[2:]); err != nil {
			t.Errorf("the example %q: %v", line, err)
		}
		if _, err := f.model(); err != nil {
			t.Errorf("the example %q: %v", line, err)
		}
	}
	if _, root, _ := say(t, "--help"); !strings.Contains(root, "serve") {
		t.Error("the help of loadgen does not name serve")
	}
}

// What was served is told every few seconds, if there was anything.
func TestCountsAreToldWhereThereAreAny(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			f := &serveFlags{listen: "127.0.0.1:0", admin: "127.0.0.1:0", profile: "off", quiet: quiet}
			s, err := f.prepare(t.Context(), nil, &said)
			if err = errors.Join(err, s.newHandler()); err != nil {
				t.Fatal(err)
			}
			close(s.flights.ready)
			ask := func() {
				s.flights.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/devstoreaccount1/Tables", nil))
			}
			s.begin()
			time.Sleep(6 * time.Second) // in the bubble's time
			ask()
			ask()
			time.Sleep(13 * time.Second)
			ask()
			time.Sleep(2 * time.Second)
			s.end()
			s.watching.Wait()
			want := "requests: 2 (0 ok, 0 refused, 2 failed); entities counted: 0\nrequests: 3 (0 ok, 0 refused, 3 failed); entities counted: 0\n"
			if quiet {
				want = ""
			}
			if said.String() != want {
				t.Errorf("quiet %v: said %q; want %q", quiet, &said, want)
			}
		})
	}
}

func TestInterruptedWhileImporting(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancelCause(context.Background())
	from, to := io.Pipe()
	go func() {
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"1"}`)
		cancel(interruption{syscall.SIGTERM})
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"2"}`)
	}()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--import", "-", "--export", "all.csv"}, from, &stdout, &stderr)
	from.Close()
	if code != codeTerminated || stdout.Len() > 0 || len(leftIn(t, ".")) > 0 {
		t.Errorf("serve, interrupted while importing = %d, %q, left %v; want %d and nothing", code, &stdout, leftIn(t, "."), codeTerminated)
	}
}
