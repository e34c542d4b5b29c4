package serve_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
)

// The emulators' account and its key, and one of one's own.
const (
	emulators = "devstoreaccount1"
	own       = "cGxhbnRlZHNlY3JldHBsYW50ZWRzZWNyZXRwbGFudGVk"
)

var known = resttest.Emulator.Secret

// openService is a service that is open, and a client of it.
type openService struct {
	*resttest.OpenService
	t *testing.T
}

func open(t *testing.T, o serve.Options) *openService {
	t.Helper()
	return &openService{resttest.Open(t, o), t}
}

// get asks the second address for a path.
func (s *openService) get(path string) (int, string) {
	s.t.Helper()
	return resttest.Get(s.t, "GET", s.AdminURL()+path)
}

func (s *openService) state() serve.State {
	s.t.Helper()
	return resttest.ReadState(s.t, s.AdminURL())
}

// host is the address that the tables are served on.
func (s *openService) host() string {
	return strings.TrimSuffix(s.URL()[len("http://"):], "/"+emulators)
}

// wantJournal fails the test unless the journal has the words.
func (s *openService) wantJournal(words ...string) {
	s.t.Helper()
	for _, want := range words {
		assert.Truef(s.t, strings.Contains(s.Journal.String(), want),
			"the journal = %q; want %q in it", s.Journal, want)
	}
}

// stop ends the service with its archive.
func (s *openService) stop() {
	s.t.Helper()
	require.NoError(s.t, errors.Join(s.Drain(), s.Save()), "Drain and Save")
}

// makeTable is the body of the request of begin.
const makeTable = `{"TableName":"Races"}`

// begin sends all of a request but its body, and returns once the service has it.
func (s *openService) begin() *resttest.Conn {
	s.t.Helper()
	c := resttest.DialConn(s.t, s.host())
	c.Send(resttest.Emulator.Head(time.Now().UTC().Format(http.TimeFormat), "POST", "/"+emulators+"/Tables",
		"Content-Type: application/json", fmt.Sprint("Content-Length: ", len(makeTable))))
	resttest.Until(s.t, "a request under way", func() bool { return s.state().UnderWay == 1 })
	return c
}

// end sends what is left of the request of begin, and returns the status of the reply, 0
// where there is none.
func end(c *resttest.Conn) int {
	_, _ = c.Write([]byte(makeTable)) // its error is that nobody is there any more
	reply, _, err := c.Reply()
	if err != nil {
		return 0
	}
	return reply.StatusCode
}

// leftIn lists the files of a folder.
func leftIn(t *testing.T, folder string) []string {
	t.Helper()
	return must(filepath.Glob(filepath.Join(folder, "*")))(t)
}

// put writes files into the present folder.
func put(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// wantFault fails the test unless opening fails with one line that has these words. With a
// field it has to be a fault of that.
func wantFault(t *testing.T, what string, o serve.Options, field string, words ...string) error {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	_, err := serve.Open(t.Context(), o)
	require.Errorf(t, err, "%s: Open", what)
	var fault serve.Fault
	assert.Truef(t, (field == "" || (errors.As(err, &fault) && fault.Field == field)) && !strings.Contains(err.Error(), "\n"),
		"%s: Open = %v; want one line, a fault of %s", what, err, field)
	for _, want := range words {
		assert.Containsf(t, err.Error(), want, "%s: Open = %v", what, err)
	}
	return err
}

// must returns the value of a call that must not fail.
func must[T any](value T, err error) func(testing.TB) T { return resttest.Must(value, err) }

func TestOptionsAreValidated(t *testing.T) {
	for _, row := range []struct {
		sentence string
		options  serve.Options
		// faults are fields and values; says is part of the first.
		faults []string
		says   string
	}{
		{"nothing at all is asked for", serve.Options{}, nil, ""},
		{"everything", serve.Options{Listen: "0.0.0.0:0", Account: "races", Key: own, Profile: "off", Set: []string{"model.partition_target=5"},
			Admin: "[::1]:0", Imports: []string{"a.csv", "-"}, Export: "b.NDJSON"}, nil, ""},
		{"the emulators' key, on this machine", serve.Options{Listen: "127.0.0.1:0", Account: "races", Key: known}, nil, ""},
		{"an address without a port", serve.Options{Listen: "127.0.0.1"}, []string{"listen 127.0.0.1"}, "HOST:PORT"},
		{"a port that is none", serve.Options{Listen: "127.0.0.1:70000"}, []string{"listen 127.0.0.1:70000"}, "70000"},
		{"all addresses with the emulators' key", serve.Options{Listen: ":0"}, []string{"listen :0"}, "key is public"},
		{"an address of another machine", serve.Options{Listen: "192.0.2.1:0"}, []string{"listen 192.0.2.1:0"}, "another key"},
		{"the emulators' key, given", serve.Options{Listen: ":0", Account: "races", Key: known, KeyName: "k"}, []string{"key k"}, "key is public"},
		{"an account without a key", serve.Options{Account: "races"}, []string{"key the account races"}, "base64"},
		{"a key without an account", serve.Options{Key: own}, []string{"account "}, "requires an account"},
		{"an account that cannot be", serve.Options{Account: "Races", Key: own}, []string{`account "Races"`}, "3 to 24"},
		{"a key that is none", serve.Options{Account: "races", Key: own + "!", KeyName: "k"}, []string{"key k"}, "base64"},
		{"a profile that is nearly one", serve.Options{Profile: "documentd"}, []string{"profile documentd of 4"}, "documentd"},
		{"a start that is nearly one", serve.Options{Start: "cld"}, []string{"set start=cld"}, "warm or cold"},
		{"a setting of a cold start after a warm one", serve.Options{Set: []string{"model.detection=10m"}}, []string{"set model.detection=10m"}, "--set start=cold"},
		{"a setting of a cold start", serve.Options{Start: "cold", Set: []string{"model.detection=10m"}}, nil, ""},
		{"a setting of the clients' own network", serve.Options{Set: []string{"model.client_machines=4"}}, []string{"set model.client_machines=4"}, "belongs to the clients"},
		{"where the clients are", serve.Options{Set: []string{"model.region=same-continent"}}, nil, ""},
		{"a region that is nearly one", serve.Options{Set: []string{"model.region=same-contnent"}}, []string{"set model.region=same-contnent"}, "did you mean"},
		{"a setting without a value", serve.Options{Set: []string{"model.seed"}}, []string{"set model.seed"}, "model.PARAMETER=value"},
		{"a setting that is nearly one", serve.Options{Set: []string{"model.partition_targt=5"}}, []string{"set model.partition_targt of all"}, "unknown"},
		{"a setting of something else", serve.Options{Set: []string{"partition_target=5"}}, []string{"set partition_target of all"}, "unknown"},
		{"a setting that cannot be", serve.Options{Set: []string{"model.partition_target=-5"}}, []string{"set model.partition_target=-5"}, "expected 0 to"},
		{"settings that cannot be together", serve.Options{Set: []string{"model.tick=2s", "model.detection=1s"}}, []string{"set "}, "expected at least"},
		{"an admin address that others reach", serve.Options{Admin: "0.0.0.0:0"}, []string{"admin 0.0.0.0:0"}, "a loopback address"},
		{"an admin address that is none", serve.Options{Admin: "here"}, []string{"admin here"}, "HOST:PORT"},
		{"an import of no known kind", serve.Options{Imports: []string{"-", "a.csv", "key"}}, []string{"import key"}, ".jsonl, .ndjson or .csv"},
		{"an export of no known kind", serve.Options{Export: "all.json"}, []string{"export all.json"}, ".jsonl, .ndjson or .csv"},
		{"anybody's tokens, on an address that others reach", serve.Options{Listen: ":0", Account: "races", Key: own, Tokens: serve.AnyToken}, []string{"tokens "}, "a loopback address"},
		{"an issuer in the clear", serve.Options{Tokens: "http://login.example/"}, []string{"tokens "}, "expected https://"},
		{"an issuer that is no address", serve.Options{Tokens: "tenant"}, []string{"tokens "}, "expected an address"},
		{"one fault of each part", serve.Options{Listen: "x", Profile: "y", Admin: "z", Imports: []string{"a"}, Export: "b"},
			[]string{"listen x", "profile y of 4", "admin z", "export b"}, "HOST:PORT"},
	} {
		var got []string
		for i, err := range row.options.Validate() {
			var fault serve.Fault
			if !errors.As(err, &fault) || i == 0 && !strings.Contains(err.Error(), row.says) || strings.Contains(err.Error(), own) {
				t.Errorf("%s: fault %d = %v; want %q in it", row.sentence, i, err, row.says)
			}
			what := fault.Field + " " + fault.Value
			switch {
			case len(fault.Known) == 4:
				what += " of 4"
			case len(fault.Known) > 20 && strings.HasPrefix(fault.Known[0], "model."):
				what += " of all"
			}
			got = append(got, what)
		}
		assert.Equalf(t, strings.Join(row.faults, "; "), strings.Join(got, "; "),
			"%s: Validate = %q; want %q", row.sentence, got, row.faults)
		if len(row.faults) == 0 {
			continue
		}
		_, err := serve.Open(t.Context(), row.options)
		assert.ErrorContains(t, err, row.says, row.sentence)
	}
}

// FuzzLines reads arbitrary JSON lines: what is accepted comes back from either
// format as it was.
func FuzzLines(f *testing.F) {
	f.Add("")
	seed(f, serve.ArchiveLines)
	f.Add(`{"Table":"Races","PartitionKey":"p","RowKey":"r","Table@property@odata.type":"Edm.Int64","Table@property":"5"}`)
	f.Add("\ufeff{\"Table\":\"Races\"}\r\n\n{\"RowKey\":\"\\ud83d\\ude00\",\"PartitionKey\":\"\",\"Table\":\"Races\",\"Timestamp\":[]}")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, serve.ArchiveLines, text) })
}

// FuzzCSV does likewise with CSV.
func FuzzCSV(f *testing.F) {
	f.Add("")
	seed(f, serve.ArchiveCSV)
	f.Add("Table,PartitionKey,RowKey,A,A@Edm.Double,B@Edm.Binary,Timestamp\r\nRaces,\"\",\"a\"\"b\",,-0,,x\r\nRaces,,,,,,\r\n")
	f.Add("\ufeffRowKey,Table,Table@Edm.Guid,PartitionKey\n\n1,Races,00000000-0000-0000-0000-00000000000a,\"x\ny\"\n")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, serve.ArchiveCSV, text) })
}

// seed adds an archive of each hostile record that is small: a fuzzer is slow on
// long texts.
func seed(f *testing.F, format serve.ArchiveFormat) {
	records := hostile()
	for i := range records {
		if text := written(f, format, records[i:i+1]); len(text) < 200 {
			f.Add(text)
		}
	}
}

func checkRead(t *testing.T, f serve.ArchiveFormat, text string) {
	records, err := readAll(f, text)
	if err != nil {
		require.ErrorIsf(t, err, serve.ErrArchiveForm, "Read(%q)", text)
		return
	}
	for name, other := range formats {
		again, err := readAll(other, written(t, other, records))
		require.NoErrorf(t, err, "%s: Read(what Write wrote of %q)", name, text)
		wantSame(t, name, again, records)
	}
}
