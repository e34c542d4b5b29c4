package serve_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// The log says of every request what it was, on which key, and what became of it: what
// was asked is known here, and the log is read by the reader of logs.
func TestTheLogOfAService(t *testing.T) {
	for _, format := range serve.LogFormats() {
		t.Run(format, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := open(t, serve.Options{Log: "table.log", LogFormat: format, Set: []string{"model.partition_target=1", "model.partition_burst=1ms"}})
			s.want(entity.CreateTable, "Races", "", "")
			s.want(entity.Insert, "Races", "a'b", "ü 1;")
			throttled := s.do(entity.Get, "Races", "a'b", "ü 1;")
			s.do(entity.Get, "Races", "other", "2")
			if err := errors.Join(s.Drain(), s.Save()); err != nil {
				t.Fatal(err)
			}
			text, err := os.Open("table.log")
			if err != nil {
				t.Fatal(err)
			}
			defer text.Close()
			var said []string
			_, err = accesslog.Read(text, "table.log", func(e *accesslog.Entry) error {
				line := e.Operation + " " + e.Status
				if e.Keyed {
					line += " " + e.Key.Partition + "/" + e.Key.Row
				}
				if e.Account != emulators || e.EndToEnd < e.Server || e.RequestID == "" || e.HTTP == 0 || e.ResponsePacket < 0 {
					t.Errorf("%+v lacks something", e)
				}
				said = append(said, line)
				return nil
			})
			want := []string{"CreateTable Success", "InsertEntity Success a'b/ü 1;", "QueryEntity ServerBusy a'b/ü 1;", "QueryEntity ResourceNotFound other/2"}
			if format == string(accesslog.Analytics) {
				want[2] = "QueryEntity ThrottlingError a'b/ü 1;"
			}
			if throttled.Status != 503 {
				t.Fatalf("the read after the insert = %d; want it throttled", throttled.Status)
			}
			if err != nil || strings.Join(said, "\n") != strings.Join(want, "\n") {
				t.Errorf("the log says\n%s\n(%v); want\n%s", strings.Join(said, "\n"), err, strings.Join(want, "\n"))
			}
			if !strings.Contains(s.journal.String(), "the log is table.log\n") {
				t.Errorf("the journal = %q; want where the log is", s.journal.String())
			}
		})
	}
}

func TestLogsThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("there", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ sentence, log, format, field, want string }{
		{"a file that is there", "there", "", "log", "there is one already; expected a new one"},
		{"a folder that is not", "no/log", "", "log", "no such file or directory"},
		{"a format of nobody", "new", "analytics", "log-format", "expected one of them"},
		{"a format of no log", "", "resource-logs", "log-format", "there is no log"},
	} {
		_, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Log: row.log, LogFormat: row.format})
		var fault serve.Fault
		if !errors.As(err, &fault) || fault.Field != row.field || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want a fault of %s, %s", row.sentence, err, row.field, row.want)
		}
	}
}
