package accesslog

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/wire"
)

// ErrLog is wrapped by every fault of a log.
var ErrLog = errors.New("accesslog: no log of a table service")

// Entry is one line of a log: a request, and what else a line says. Texts that a line does not have are
// empty, numbers [Unknown].
type Entry struct {
	Observed
	// StatusText is what the service calls the outcome: Success, ThrottlingError, an error code.
	StatusText                                   string
	Authentication, Requester, Account, Service  string
	URL, ObjectKey, Address, Version             string
	Index                                        int64
	RequestHeader, ResponseHeader, ContentLength int64
	RequestMD5, ServerMD5                        string
	LastModified, Conditions                     string
	UserAgent, Referrer                          string

	// What resource logs alone have.
	Category, ResourceID, Location, Protocol, TLS, Schema, Metric string
	// exportedFrom is the table of a workspace.
	exportedFrom string
}

// tableService is what logs call the service.
const tableService = "table"

// field is a value of a line.
type field struct {
	// name is the name in a resource log, and in another case the column of StorageTableLogs; empty for none.
	// object is the object of the resource log that has the field.
	name, object string
	// place is the index of the field in a line of Storage Analytics, 0 for none.
	place int
	of    func(*Entry) any
}

// The objects within a resource log.
const (
	identity   = "identity"
	properties = "properties"
)

// fields are all values of a line, in the order of a resource log.
var fields = [...]field{
	{"time", "", 1, func(e *Entry) any { return &e.At }},
	{"resourceId", "", 0, func(e *Entry) any { return &e.ResourceID }},
	{"category", "", 0, func(e *Entry) any { return &e.Category }},
	{"operationName", "", 2, func(e *Entry) any { return &e.Operation }},
	{"operationVersion", "", 16, func(e *Entry) any { return &e.Version }},
	{"schemaVersion", "", 0, func(e *Entry) any { return &e.Schema }},
	{"statusCode", "", 4, func(e *Entry) any { return &e.Status }},
	{"statusText", "", 3, func(e *Entry) any { return &e.StatusText }},
	{"durationMs", "", 5, func(e *Entry) any { return &e.EndToEnd }},
	{"callerIpAddress", "", 15, func(e *Entry) any { return &e.Address }},
	{"correlationId", "", 13, func(e *Entry) any { return &e.RequestID }},
	{"type", identity, 7, func(e *Entry) any { return &e.Authentication }},
	{"location", "", 0, func(e *Entry) any { return &e.Location }},
	{"accountName", properties, 9, func(e *Entry) any { return &e.Account }},
	{"userAgentHeader", properties, 27, func(e *Entry) any { return &e.UserAgent }},
	{"referrerHeader", properties, 28, func(e *Entry) any { return &e.Referrer }},
	{"clientRequestId", properties, 29, func(e *Entry) any { return &e.ClientRequestID }},
	{"etag", properties, 24, func(e *Entry) any { return &e.ETag }},
	{"serviceType", properties, 10, func(e *Entry) any { return &e.Service }},
	{"operationCount", properties, 14, func(e *Entry) any { return &e.Index }},
	{"objectKey", properties, 12, func(e *Entry) any { return &e.ObjectKey }},
	{"requestMd5", properties, 22, func(e *Entry) any { return &e.RequestMD5 }},
	{"responseMd5", properties, 23, func(e *Entry) any { return &e.ServerMD5 }},
	{"lastModifiedTime", properties, 25, func(e *Entry) any { return &e.LastModified }},
	{"conditionsUsed", properties, 26, func(e *Entry) any { return &e.Conditions }},
	{"metricResponseType", properties, 0, func(e *Entry) any { return &e.Metric }},
	{"serverLatencyMs", properties, 6, func(e *Entry) any { return &e.Server }},
	{"requestHeaderSize", properties, 17, func(e *Entry) any { return &e.RequestHeader }},
	{"requestBodySize", properties, 18, func(e *Entry) any { return &e.RequestBytes }},
	{"responseHeaderSize", properties, 19, func(e *Entry) any { return &e.ResponseHeader }},
	{"responseBodySize", properties, 20, func(e *Entry) any { return &e.ResponseBytes }},
	{"contentLengthHeader", properties, 21, func(e *Entry) any { return &e.ContentLength }},
	{"tlsVersion", properties, 0, func(e *Entry) any { return &e.TLS }},
	{"uri", "", 11, func(e *Entry) any { return &e.URL }},
	{"protocol", "", 0, func(e *Entry) any { return &e.Protocol }},
	{"", "", 8, func(e *Entry) any { return &e.Requester }},
	{"", "", 0, func(e *Entry) any { return &e.exportedFrom }},
}

// record has the fields of one request as text; what it does not have is empty.
type record [len(fields)]string

// fieldPlaces are the places of fields by their names in lower case, with those that StorageTableLogs alone has,
// and by their places in a line of Storage Analytics.
var fieldPlaces = sync.OnceValue(func() (p struct {
	named map[string]int
	at    [analyticsFields]int
}) {
	p.named = make(map[string]int)
	for i, one := range fields {
		if p.at[one.place] = i; one.name != "" {
			p.named[strings.ToLower(one.name)] = i
		}
	}
	p.named["timegenerated"], p.named["_resourceid"], p.named["authenticationtype"] = p.named["time"], p.named["resourceid"], p.named["type"]
	p.named["type"] = len(fields) - 1
	return p
})

// fieldOf returns the place of a field by its name in an object of a resource log; false for one that is
// not read.
func fieldOf(name []byte, object string) (int, bool) {
	lower := strings.ToLower(string(name))
	if object == identity {
		return fieldPlaces().named["authenticationtype"], lower == "type"
	}
	i, known := fieldPlaces().named[lower]
	return i, known && (object == "" || fields[i].object != "")
}

// entry makes an entry of a record. Names are those of its fields in messages, by their places.
func (r *record) entry(e *Entry, name func(place int) string) error {
	*e = Entry{}
	var v values
	for i := range fields {
		v.set(fields[i].of(e), r[i], func() string { return name(i) })
	}
	if e.Service != "" && e.Service != tableService {
		return fmt.Errorf("the line is of the service %.20q; expected %s: $logs/table/, or StorageRead, StorageWrite and StorageDelete of …/tableServices/default",
			e.Service, tableService)
	}
	if before, _, other := strings.Cut(strings.ToLower(e.ResourceID), "services/default"); other && !strings.HasSuffix(before, "/table") {
		return fmt.Errorf("the line is of %.80q; expected a resource …/tableServices/default", before[strings.LastIndexByte(before, '/')+1:]+"Services/default")
	}
	if e.exportedFrom != "" && e.exportedFrom != "StorageTableLogs" {
		return fmt.Errorf("the row is of the table %.40q; expected StorageTableLogs", e.exportedFrom)
	}
	if e.Service, e.exportedFrom, e.Asked = tableService, "", Unknown; v.err != nil {
		return v.err
	}
	e.Verb = verbs()[e.Operation]
	if e.Verb != 0 && OperationOf(e.Verb) != e.Operation {
		e.Verb = 0
	}
	e.locate()
	e.conclude()
	return nil
}

// conclude derives what follows from other fields.
func (e *Entry) conclude() {
	e.Inserts = e.Verb == entity.Insert || e.Verb == entity.InsertOrReplace || e.Verb == entity.InsertOrMerge
	text := trimAuth(e.StatusText)
	switch {
	// The timeout that the client set was too short. Resource logs name this cause in Metric.
	case text == string(entity.ClientTimeoutError), trimAuth(e.Metric) == string(entity.ClientTimeoutError):
		e.Code = entity.ClientTimeoutError
	case e.Status == http.StatusServiceUnavailable:
		e.Code = entity.ServerBusy
	case e.Status == http.StatusInternalServerError && slices.Contains(timeouts, text):
		e.Code = entity.OperationTimedOut
	case e.Status >= http.StatusBadRequest && e.StatusText == "":
		e.Code = entity.Code(http.StatusText(e.Status))
	case e.Status >= http.StatusBadRequest:
		e.Code = entity.Code(e.StatusText)
	}
}

// timeouts are the codes of requests that ended with 500 since the service took too long.
var timeouts = []string{"ServerTimeoutError", "OperationTimedOut"}

// trimAuth returns a status without the prefix of requests that were not signed with an account key.
func trimAuth(status string) string {
	return strings.TrimPrefix(strings.TrimPrefix(status, "SAS"), "Anonymous")
}

// values reads the values of a line, and keeps the fault of the first one that is wrong.
type values struct{ err error }

// set reads a value from its text.
func (v *values) set(into any, text string, name func() string) {
	wrong := func(expected string) {
		if v.err == nil {
			v.err = fmt.Errorf("%s is %.40q; expected %s", name(), text, expected)
		}
	}
	switch into := into.(type) {
	case *string:
		*into = text
	case *entity.Ticks:
		at, err := instantOf(text)
		if *into = at; err != nil && v.err == nil {
			v.err = err
		}
	case *int64:
		number, err := strconv.ParseInt(text, 10, 64)
		if *into = Unknown; err == nil && number >= 0 {
			*into = number
		} else if text != "" {
			wrong("a whole number from 0")
		}
	case *time.Duration:
		number, err := strconv.ParseFloat(text, 64)
		if *into = Unknown; err == nil && number >= 0 && number < maxMillis {
			*into = time.Duration(math.Round(number * float64(time.Millisecond)))
		} else if text != "" {
			wrong("milliseconds")
		}
	case *int:
		number, err := strconv.Atoi(text)
		if err == nil && number >= 100 && number <= 599 {
			*into = number
		} else if text != "" && text != unknownStatus { // the request was broken off
			name = func() string { return "the status" }
			wrong("an HTTP status, or Unknown")
		}
	}
}

const (
	// maxMillis is more than a request can take.
	maxMillis     = 1e9
	unknownStatus = "Unknown"
)

// locate finds out what a request is about from its operation, its address, its filter
// and the key of its object.
func (e *Entry) locate() {
	a := &e.Observed
	path, query, _ := strings.Cut(e.URL, "?")
	r, known := resourceOf(path, e.Account)
	if known {
		a.Table = r.Table
	}
	switch {
	case known && r.Kind == wire.EntityResource:
		a.setKey(r.Key)
		if a.Verb == entity.Query {
			a.Verb = entity.Get
		}
	case known && r.Kind == wire.EntitySetResource && (a.Verb == entity.Get || a.Verb == entity.Query):
		a.Verb = entity.Query
		text := ""
		for option := range strings.SplitSeq(query, "&") {
			name, value, _ := strings.Cut(option, "=")
			switch plain(name) {
			case "$filter":
				text = plain(value)
			case "$top":
				a.Top, _ = strconv.ParseInt(value, 10, 64)
			case "NextPartitionKey":
				a.Further = true
			}
		}
		a.setFilter(text)
	default:
		// An insert is a POST to the table: only the address can have its key.
		if r, known := resourceOf(e.ObjectKey, e.Account); known {
			if a.Table == "" {
				a.Table = r.Table
			}
			if r.Kind == wire.EntityResource {
				a.setKey(r.Key)
			}
		}
	}
}

// resourceOf returns what an address is of, or the key of an object, which begins with
// the account.
func resourceOf(address, account string) (wire.Resource, bool) {
	path := address
	named := false
	if _, rest, absolute := strings.Cut(address, "://"); absolute {
		host, after, _ := strings.Cut(rest, "/")
		path = after
		label, _, dotted := strings.Cut(host, ".")
		named = dotted && (account == "" && strings.Contains(host, ".table.") || account != "" && strings.TrimSuffix(label, "-secondary") == account)
	} else {
		path = strings.TrimPrefix(path, "/")
	}
	if !named {
		first, rest, more := strings.Cut(path, "/")
		if more && (account == "" || strings.TrimSuffix(first, "-secondary") == account) {
			path = rest
		}
	}
	if path == "" {
		return wire.Resource{}, false
	}
	r, code, _ := wire.ParseResource(path)
	return r, code == entity.OK
}

func (o *Observed) setKey(key entity.Key) {
	o.PartitionKey, o.RowKey, o.HasPartition, o.HasRow = key.Partition, key.Row, true, true
}

// setFilter parses a $filter.
func (o *Observed) setFilter(text string) {
	parsed, code, _ := filter.Parse(text)
	if code != entity.OK {
		return
	}
	span := parsed.Range()
	o.PartitionKey, o.HasPartition = span.Partition()
	o.Class, o.Shape, o.Filter, o.Exact = span.Class().String(), parsed.Shape(), text, parsed.Exact()
}

// plain decodes the escapes of a query text. It returns malformed texts unchanged.
func plain(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	if unescaped, err := url.QueryUnescape(text); err == nil {
		return unescaped
	}
	return text
}
