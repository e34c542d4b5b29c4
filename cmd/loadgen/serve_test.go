package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
	"loadgen/results"
)

func TestServeSaysWhereItIs(t *testing.T) {
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
	if now := s.state(); now.Seed != 1 || now.Profile != "documented" || now.Requests.Ok != 1 {
		t.Errorf("the state = %+v; want one request, and the defaults of the flags", now)
	}
	if status, text := get(t, "GET", s.admin+serve.HealthPath); status != 200 || text != "ok\n" {
		t.Errorf("health = %d %q; want ok", status, text)
	}
	if code := s.stop(); code != codeOk || s.stdout.Len() > 0 {
		t.Errorf("serve, drained = %d, and said %q; want 0 and no more than the first line: %s", code, &s.stdout, &s.stderr)
	}
	wantSaid := "serving the account devstoreaccount1 on http://127.0.0.1:" + port + "/devstoreaccount1, profile documented\n" +
		"state of the service: " + s.admin + "/-/state\n" +
		"draining; requests under way: 0\ndrained; requests: 1 (1 ok, 0 throttled, 0 failed); entities counted: 0\n"
	if got := s.stderr.String(); got != wantSaid {
		t.Errorf("stderr = %q; want %q", got, wantSaid)
	}
	if left := leftIn(t, "."); len(left) > 0 {
		t.Errorf("serve left %v behind; want nothing", left)
	}
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShopBy(t, func(ctx context.Context, stdout, stderr io.Writer) int {
		c := (&serveFlags{Options: serve.Options{Grace: 20 * time.Millisecond}}).verb(stdout, stderr)
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
		{"faults that are not there", []string{"--faults", "none.yaml"}, "--faults: none.yaml cannot be read"},
		{"faults of no known kind", []string{"--faults", "refuze.yaml"}, `refuze.yaml:1:17: unknown kind of fault "refuze"; did you mean "refuse"?`},
		{"faults that let nothing succeed", []string{"--faults", "all.yaml"}, "all.yaml:1:11: every attempt meets a fault"},
		{"a fault's setting that cannot be", []string{"--faults", "all.yaml", "--set", "faults.0.share=120%"}, "--set faults.0.share: share is 120%"},
		{"a fault's setting without faults", []string{"--set", "faults.0.share=2%"}, "there are no faults to set"},
		{"a scenario for its faults", []string{"--faults", "scenario.yaml"}, `scenario.yaml:1:2: unknown field "name"; expected faults`},
		{"a negative seed", []string{"--seed", "-1"}, "0 or more"},
		{"a folder without a run", []string{"--out", "run"}, "--examine"},
		{"a folder that is a file", []string{"--examine", "--out", "key"}, "key"},
		{"a certificate without its key", []string{"--tls-cert", "cert.pem"}, "--tls-key: there is a certificate and no key"},
		{"a certificate that is not there", []string{"--tls-cert", "none.pem", "--tls-key", "none.pem"}, "--tls-cert none.pem: open none.pem"},
		{"two certificates", []string{"--tls-cert", "a", "--tls-key", "b", "--tls-self-signed"}, "--tls-self-signed: there is a certificate already"},
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
		"good.jsonl": good, "bad.jsonl": strings.Replace(good, "1", "2", 1) + "nonsense\n", "bad.csv": "a,b\n",
		"refuze.yaml": "faults: [{kind: refuze}]", "all.yaml": "faults: [ {kind: refuse}]", "scenario.yaml": "{name: x, faults: [{kind: cut, share: 1%}]}"}
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
		code := execute(ctx, args, strings.NewReader(""), &stdout, &stderr)
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

func TestHelpOfServeIsComplete(t *testing.T) {
	_, help, _ := say(t, "help", "serve")
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
		settings := slices.DeleteFunc(f.Set, func(one string) bool { return strings.HasPrefix(one, "faults.") })
		if faults := (serve.Options{Profile: f.Profile, Set: settings, Imports: f.Imports, Export: f.Export}).Validate(); len(faults) > 0 {
			t.Errorf("the example %q: %v", line, faults)
		}
	}
	if _, root, _ := say(t, "--help"); !strings.Contains(root, "serve") {
		t.Error("the help of loadgen does not name serve")
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
	code := execute(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--import", "-", "--export", "all.csv"}, from, &stdout, &stderr)
	from.Close()
	if code != codeTerminated || stdout.Len() > 0 || len(leftIn(t, ".")) > 0 {
		t.Errorf("serve, interrupted while importing = %d, %q, left %v; want %d and nothing", code, &stdout, leftIn(t, "."), codeTerminated)
	}
}
