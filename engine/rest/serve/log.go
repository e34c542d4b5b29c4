package serve

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"loadgen/engine/accesslog"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

// Log writes what a service saw as the log that a table service keeps. Its methods may be
// called concurrently.
type Log struct {
	to      io.Writer
	format  accesslog.Format
	account string
	date    clock.Calendar

	mu     sync.Mutex
	lines  []byte
	broken error
}

// NewLog returns a log of an account in the format [accesslog.Analytics] or [accesslog.Resource].
func NewLog(to io.Writer, format accesslog.Format, account string, date clock.Calendar) *Log {
	return &Log{to: to, format: format, account: account, date: date}
}

// heldLines is the number of buffered bytes above which Saw writes them.
const heldLines = 16 << 20

// Saw adds a request. It writes to the disk if the buffer is full.
func (l *Log) Saw(seen *accesslog.Observed) {
	e := l.entry(seen)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.format == accesslog.Resource {
		l.lines = accesslog.AppendResource(l.lines, &e)
	} else {
		l.lines = accesslog.AppendAnalytics(l.lines, &e)
	}
	if len(l.lines) > heldLines {
		l.write()
	}
}

// Flush writes what waits, and returns what has gone wrong so far.
func (l *Log) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
	return l.broken
}

func (l *Log) write() {
	if len(l.lines) > 0 && l.broken == nil {
		_, l.broken = l.to.Write(l.lines)
	}
	l.lines = l.lines[:0]
}

// entry returns the line of a request. A transaction has no keys in it, as the service's
// has none; the key of what an insert makes is that of its object.
func (l *Log) entry(seen *accesslog.Observed) accesslog.Entry {
	r := seen.Request
	e := accesslog.Entry{Observed: *seen, StatusText: "Success", Authentication: "authenticated", Requester: l.account, Account: l.account, Service: "table",
		URL: addressWithoutSignature(r), Address: r.RemoteAddr, Version: r.Header.Get("x-ms-version"), RequestHeader: accesslog.Unknown, ResponseHeader: accesslog.Unknown,
		ContentLength: seen.RequestBytes, UserAgent: r.UserAgent(), Referrer: r.Referer(),
		ResourceID: "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/loadgen/providers/Microsoft.Storage/storageAccounts/" + l.account + "/tableServices/default",
		Location:   "loopback", Protocol: strings.ToUpper(scheme(r)), Schema: "1.0"}
	e.At, e.Operation = entity.TicksOf(l.date.Date(seen.Arrived)), operationName(seen)
	e.Category = accesslog.CategoryOf(seen.Verb)
	if seen.Code != entity.OK {
		e.StatusText = string(seen.Code)
		if seen.Status != 0 {
			e.Status = seen.FinalStatus()
		}
	}
	if match := r.Header.Get("If-Match"); match != "" {
		e.Conditions = "If-Match=" + match
	}
	if l.format == accesslog.Analytics {
		switch seen.Code {
		case entity.ServerBusy:
			e.StatusText = "ThrottlingError"
		case entity.OperationTimedOut:
			e.StatusText = "ServerTimeoutError"
		}
	}
	if strings.Contains(r.URL.RawQuery, "sig=") {
		e.Authentication, e.Requester = "sas", ""
		if l.format == accesslog.Analytics {
			e.StatusText = "SAS" + e.StatusText
		}
	}
	e.ObjectKey = "/" + l.account
	switch {
	case seen.Verb == entity.Batch:
		e.ObjectKey += "/$batch"
	case seen.Verb == entity.Query || seen.Table != "" && !seen.HasPartition:
		e.ObjectKey += "/" + seen.Table
	case seen.Table != "":
		e.ObjectKey += "/" + string(wire.AppendEntityPath(nil, seen.Table, entity.Key{Partition: seen.PartitionKey, Row: seen.RowKey}))
	}
	return e
}

// operationName returns what the service calls an operation.
func operationName(seen *accesslog.Observed) string {
	if name := accesslog.OperationOf(seen.Verb); name != "" {
		return name
	}
	if seen.Request.Method == http.MethodGet && strings.Contains(seen.Request.URL.Path, "/Tables") {
		return "QueryTables"
	}
	return "Unknown"
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// addressWithoutSignature returns the address of a request. XXXXX replaces a signature, as in the service's logs, because a
// log must not grant access.
func addressWithoutSignature(r *http.Request) string {
	address := r.RequestURI
	if !strings.Contains(address, "://") {
		address = scheme(r) + "://" + r.Host + address
	}
	path, query, some := strings.Cut(address, "?")
	if !some {
		return address
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && strings.EqualFold(plain, "sig") {
			pairs[i] = "sig=XXXXX"
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// logFile is the log of a service that Options.Log names; one without a name is none.
type logFile struct {
	file *os.File
	*Log
}

// begin creates the file, which must not exist. It returns an observer that logs each request and calls
// Options.Observe.
func (l *logFile) begin(o *Options, account string) (observe func(*accesslog.Observed), err error) {
	if o.Log == "" {
		return o.Observe, nil
	}
	if l.file, err = os.OpenFile(o.Log, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		reason := err.Error()
		if errors.Is(err, os.ErrExist) {
			reason = "it exists already"
		} else if path, is := errors.AsType[*os.PathError](err); is {
			reason = path.Err.Error()
		}
		return nil, Fault{Field: "log", Value: o.Log, Err: errors.New("the file cannot be made: " + reason)}
	}
	format := accesslog.Analytics
	if filepath.Ext(o.Log) == ".json" {
		format = accesslog.Resource
	}
	l.Log = NewLog(l.file, format, account, o.Clock)
	if o.Observe == nil {
		return l.Saw, nil
	}
	return func(seen *accesslog.Observed) {
		l.Saw(seen)
		o.Observe(seen)
	}, nil
}

// end writes what waits and closes the file.
func (l *logFile) end() error {
	if l.file == nil {
		return nil
	}
	err := errors.Join(l.Flush(), l.file.Close())
	l.file = nil
	if err != nil {
		return Fault{Field: "log", Err: err}
	}
	return nil
}
