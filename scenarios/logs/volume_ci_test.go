//go:build ci || long

package logs_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/accesslog"
	"loadgen/engine/entity"
	"loadgen/scenarios/logs"
)

// forms are the forms of a log that have to be read fast: how a line of it is written, what
// stands before the first, between two, and after the last.
var forms = []struct {
	name                string
	line                func(into []byte, e *accesslog.Entry) []byte
	begin, between, end string
}{
	{name: "storage-analytics", line: accesslog.AppendAnalytics},
	{name: "resource-logs", line: resourceLine},
	{name: "StorageTableLogs.json", line: exportedObject, begin: "[\n", between: ",", end: "]\n"},
	{name: "csv", line: plainRow, begin: plainHead},
}

// formVariable names the form that a process of its own reads.
const formVariable = "LOADGEN_LOG_VOLUME"

// aimed is the CPU that a million lines are to take.
const aimed = 6 * time.Second

// Of a million lines, and of each million of ten out of a pipe, none takes more than four times the
// CPU that is aimed at on a quiet machine, which a busy one may take, nor any log more than 250 MB, in
// any form. The keys are of 300,000 partitions, a few of them heavy.
func TestALogOfMillionsOfLines(t *testing.T) {
	for form := range forms {
		switch own := os.Getenv(formVariable); own {
		case "":
			// In a process of its own, whose memory is that of the log.
			t.Run(forms[form].name, func(t *testing.T) { alone(t, forms[form].name) })
		case forms[form].name:
			t.Run(own, func(t *testing.T) { readMillions(t, form) })
		}
	}
}

func readMillions(t *testing.T, form int) {
	began, _ := spent(t)
	from, to := io.Pipe()
	go func() { to.CloseWithError(generate(to, form, volume)) }()
	files, err := logs.Open([]string{"-"}, from)
	require.NoError(t, err)
	told, err := logs.Examine(logs.Plan{Files: files})
	require.Truef(t, err == nil && told.Reading.Lines == volume, "%d lines, %v; want %d", told.Reading.Lines, err, volume)
	cpu, memory := spent(t)
	cpu -= began + made(t, form)
	t.Logf("%d lines: %v of CPU, %d MB at most", volume, cpu.Round(time.Millisecond), memory/1e6)
	assert.LessOrEqual(t, cpu, 4*aimed*volume/1_000_000, "CPU")
	assert.LessOrEqual(t, memory, int64(250e6), "bytes of memory")
}

// spent is the CPU of this process, and the most memory that it had, in bytes.
func spent(t *testing.T) (cpu time.Duration, memory int64) {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()), used.Maxrss * 1024
}

// alone runs this test in a process of its own.
func alone(t *testing.T, form string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	process, err := os.StartProcess(self, []string{self, "-test.run=^TestALogOfMillionsOfLines$", "-test.v"}, &os.ProcAttr{
		Env: append(os.Environ(), formVariable+"="+form, "GOTRACEBACK=none"), Files: []*os.File{nil, os.Stderr, os.Stderr}})
	require.NoError(t, err)
	state, err := process.Wait()
	assert.Truef(t, err == nil && state.Success(), "%v, %v", state, err)
}

// made is what it takes to make the lines alone.
func made(t *testing.T, form int) time.Duration {
	t.Helper()
	before, _ := spent(t)
	const some = 100_000
	require.NoError(t, generate(io.Discard, form, some))
	after, _ := spent(t)
	return (after - before) * volume / some
}

// What stands in a line where one differs from the next, each as long as what it is made
// of: the instant, the partition, the row and the number of the request.
var blanks = []string{begins.Format(stampLayout), "PPPPPPPPPPP", "RRRRRRRRR", "QQQQQQQQ"}

const stampLayout = "2006-01-02T15:04:05.0000000Z"

// pattern is a line with blanks in it.
type pattern struct {
	line []byte
	at   []struct{ place, blank int }
}

// patterns are the lines of an insert, of a get and of a query.
func patterns(form int) []pattern {
	var all []pattern
	for _, verb := range []entity.Verb{entity.Insert, entity.Get, entity.Query} {
		key := entity.Key{Partition: blanks[1], Row: blanks[2]}
		keyed := "(PartitionKey='" + key.Partition + "',RowKey='" + key.Row + "')"
		e := accesslog.Entry{Observed: accesslog.Observed{Operation: accesslog.OperationOf(verb), Status: 200, EndToEnd: 12 * time.Millisecond, Server: 5 * time.Millisecond,
			RequestBytes: 900, ResponseBytes: 1100, At: entity.TicksOf(begins), RequestID: blanks[3] + "-901c-000f-1f17-2f2f1d000000", ClientRequestID: blanks[3] + "-6ad4f",
			Verb: verb, PartitionKey: key.Partition, RowKey: key.Row}, Account: "races", StatusText: "Success", Authentication: "authenticated", Requester: "races",
			RequestHeader: 212, ResponseHeader: 236, ContentLength: 900, Address: "10.0.0.1:4362", Version: "2019-02-02", UserAgent: "azsdk-net-Data.Tables/12.0",
			URL: "https://races.table.core.windows.net/Runners", ObjectKey: "/races/Runners" + keyed}
		switch verb {
		case entity.Get:
			e.URL += keyed
		case entity.Query:
			e.URL, e.ObjectKey = e.URL+"()?$filter=PartitionKey%20eq%20'"+key.Partition+"'", "/races/Runners"
		}
		one := pattern{line: forms[form].line(nil, &e)}
		for i, blank := range blanks {
			for from := 0; ; from += len(blank) {
				next := bytes.Index(one.line[from:], []byte(blank))
				if next < 0 {
					break
				}
				from += next
				one.at = append(one.at, struct{ place, blank int }{from, i})
			}
		}
		all = append(all, one)
	}
	return all
}

// generate writes a log of so many lines: half of them gets, a tenth queries, the rest
// inserts.
func generate(into io.Writer, form, lines int) error {
	to := bufio.NewWriterSize(into, 1<<16)
	_, _ = to.WriteString(forms[form].begin)
	chance := rand.New(rand.NewPCG(3, 4))
	all := patterns(form)
	filled := make([][]byte, len(blanks))
	for i := range lines {
		kind := (i + 1) % 2
		if i%10 == 9 {
			kind = 2
		}
		partition, name := chance.IntN(300_000), "users"
		if i%3 == 0 {
			partition, name = min(999_999, int(math.Pow(1-chance.Float64(), -1/1.2))), "heavy"
		}
		filled[0] = begins.Add(time.Duration(i)*500*time.Microsecond).AppendFormat(filled[0][:0], stampLayout)
		filled[1] = padded(append(filled[1][:0], name...), partition, 6)
		filled[2], filled[3] = padded(filled[2][:0], i, 9), padded(filled[3][:0], i, 8)
		one := &all[kind]
		for _, at := range one.at {
			copy(one.line[at.place:], filled[at.blank])
		}
		if i > 0 {
			_, _ = to.WriteString(forms[form].between)
		}
		if _, err := to.Write(one.line); err != nil {
			return err
		}
	}
	_, _ = to.WriteString(forms[form].end)
	return to.Flush()
}

// padded appends a number with so many digits.
func padded(dst []byte, n, digits int) []byte {
	for unit := int(math.Pow10(digits - 1)); unit > 0; unit /= 10 {
		dst = append(dst, byte('0'+n/unit%10))
	}
	return dst
}

const (
	plainHead = "time,operation,table,PartitionKey,RowKey,status,duration_ms,server_ms,request_bytes,response_bytes,client_request_id\n"
	resource  = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/races/tableServices/default"
)

func resourceLine(into []byte, e *accesslog.Entry) []byte {
	e.ResourceID, e.Category, e.Location, e.Protocol, e.TLS, e.Schema, e.Metric = resource, accesslog.CategoryOf(e.Verb), "westeurope", "HTTPS", "TLS 1.2", "1.0", "Success"
	return accesslog.AppendResource(into, e)
}

func exportedObject(into []byte, e *accesslog.Entry) []byte {
	return fmt.Appendf(into, `{"AccountName": "%s", "AuthenticationType": "AccountKey", "CallerIpAddress": "%s", "Category": "StorageWrite", "ClientRequestId": "%s", "CorrelationId": "%s", "DurationMs": "%d", "Location": "westeurope", `+
		`"ObjectKey": "%s", "OperationName": "%s", "OperationVersion": "%s", "Protocol": "HTTPS", "RequestBodySize": "%d", "ResponseBodySize": "%d", "SchemaVersion": "1.0", "ServerLatencyMs": "%d", "ServiceType": "table", `+
		`"StatusCode": "%d", "StatusText": "%s", "TableName": "PrimaryResult", "TenantId": "t", "TimeGenerated": "%s", "TlsVersion": "TLS 1.2", "Type": "StorageTableLogs", "Uri": "%s", "UserAgentHeader": "%s", "_ResourceId": "%s"}`+"\n",
		e.Account, e.Address, e.ClientRequestID, e.RequestID, e.EndToEnd.Milliseconds(), e.ObjectKey, e.Operation, e.Version, e.RequestBytes, e.ResponseBytes, e.Server.Milliseconds(), e.Status, e.StatusText, e.At.Time().Format(stampLayout), e.URL, e.UserAgent, resource)
}

func plainRow(into []byte, e *accesslog.Entry) []byte {
	return fmt.Appendf(into, "%s,%s,Runners,%s,%s,%d,%d,%d,%d,%d,%s\n", e.At.Time().Format(stampLayout), e.Verb, e.PartitionKey, e.RowKey, e.Status, e.EndToEnd.Milliseconds(), e.Server.Milliseconds(), e.RequestBytes, e.ResponseBytes, e.ClientRequestID)
}
