package serve_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
			s.Must(entity.CreateTable, "Races", "", "")
			s.Must(entity.Insert, "Races", "a'b", "ü 1;")
			throttled := s.Try(entity.Get, "Races", "a'b", "ü 1;")
			s.Try(entity.Get, "Races", "other", "2")
			s.stop()
			text := must(os.Open("table.log"))(t)
			defer text.Close()
			var said []string
			_, err := accesslog.Read(text, "table.log", func(e *accesslog.Entry) error {
				line := e.Operation + " " + e.Status
				if e.Keyed {
					line += " " + e.Key.Partition + "/" + e.Key.Row
				}
				assert.Truef(t, e.Account == emulators && e.EndToEnd >= e.Server && e.RequestID != "" && e.HTTP != 0 && e.ResponsePacket >= 0,
					"%+v lacks something", e)
				said = append(said, line)
				return nil
			})
			want := []string{"CreateTable Success", "InsertEntity Success a'b/ü 1;", "QueryEntity ServerBusy a'b/ü 1;", "QueryEntity ResourceNotFound other/2"}
			if format == string(accesslog.Analytics) {
				want[2] = "QueryEntity ThrottlingError a'b/ü 1;"
			}
			require.Equal(t, 503, throttled.Status, "the read after the insert")
			assert.NoError(t, err)
			assert.Equal(t, want, said, "the log")
			s.wantJournal("the log is table.log\n")
		})
	}
}

func TestLogsThatCannotBe(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"there": ""})
	for _, row := range []struct{ sentence, log, format, field string }{
		{"a file that is there", "there", "", "log"},
		{"a folder that is not", "no/log", "", "log"},
		{"a format of nobody", "new", "analytics", "log-format"},
		{"a format of no log", "", "resource-logs", "log-format"},
	} {
		wantFault(t, row.sentence, serve.Options{Log: row.log, LogFormat: row.format}, row.field)
	}
}
