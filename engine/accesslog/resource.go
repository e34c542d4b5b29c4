package accesslog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// loose is a value of JSON as text, whether it is a text there or a number.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(text []byte) error {
	switch {
	case bytes.Equal(text, []byte("null")):
		*l = ""
		return nil
	case len(text) > 0 && text[0] == '"':
		return json.Unmarshal(text, (*string)(l))
	}
	*l = loose(text)
	return nil
}

// record is a resource log, and a row of StorageTableLogs: the names of the one are those
// of the other but for the case of their letters, and what a resource log has in
// properties is a column of its own.
type record struct {
	Time             loose `json:"time,omitempty"`
	TimeGenerated    loose `json:"TimeGenerated,omitempty"`
	ResourceID       loose `json:"resourceId,omitempty"`
	RowResourceID    loose `json:"_ResourceId,omitempty"`
	Type             loose `json:"Type,omitempty"`
	Category         loose `json:"category,omitempty"`
	OperationName    loose `json:"operationName,omitempty"`
	OperationVersion loose `json:"operationVersion,omitempty"`
	SchemaVersion    loose `json:"schemaVersion,omitempty"`
	StatusCode       loose `json:"statusCode,omitempty"`
	StatusText       loose `json:"statusText,omitempty"`
	DurationMs       loose `json:"durationMs,omitempty"`
	CallerIPAddress  loose `json:"callerIpAddress,omitempty"`
	CorrelationID    loose `json:"correlationId,omitempty"`
	Identity         *struct {
		Type loose `json:"type,omitempty"`
	} `json:"identity,omitempty"`
	Location loose `json:"location,omitempty"`
	detail
	Properties *detail `json:"properties,omitempty"`
	URI        loose   `json:"uri,omitempty"`
	Protocol   loose   `json:"protocol,omitempty"`

	// Records are the lines of an event.
	Records []record `json:"records,omitempty"`
	// Tables are what the interface of a workspace answers.
	Tables []struct {
		Columns []struct {
			Name string `json:"name"`
		} `json:"columns"`
		Rows [][]loose `json:"rows"`
	} `json:"tables,omitempty"`
}

// detail is what stands in the properties of a resource log.
type detail struct {
	AccountName         loose `json:"accountName,omitempty"`
	UserAgentHeader     loose `json:"userAgentHeader,omitempty"`
	ReferrerHeader      loose `json:"referrerHeader,omitempty"`
	ClientRequestID     loose `json:"clientRequestId,omitempty"`
	ETag                loose `json:"etag,omitempty"`
	ServiceType         loose `json:"serviceType,omitempty"`
	OperationCount      loose `json:"operationCount,omitempty"`
	ObjectKey           loose `json:"objectKey,omitempty"`
	RequestMD5          loose `json:"requestMd5,omitempty"`
	ResponseMD5         loose `json:"responseMd5,omitempty"`
	LastModifiedTime    loose `json:"lastModifiedTime,omitempty"`
	ConditionsUsed      loose `json:"conditionsUsed,omitempty"`
	MetricResponseType  loose `json:"metricResponseType,omitempty"`
	ServerLatencyMs     loose `json:"serverLatencyMs,omitempty"`
	RequestHeaderSize   loose `json:"requestHeaderSize,omitempty"`
	RequestBodySize     loose `json:"requestBodySize,omitempty"`
	ResponseHeaderSize  loose `json:"responseHeaderSize,omitempty"`
	ResponseBodySize    loose `json:"responseBodySize,omitempty"`
	ContentLengthHeader loose `json:"contentLengthHeader,omitempty"`
	TLSVersion          loose `json:"tlsVersion,omitempty"`
	AuthenticationType  loose `json:"authenticationType,omitempty"`
}

// ParseResource reads one resource log, or one row of StorageTableLogs as JSON, and calls
// visit for each entry in it: an event has several. The error says what is wrong.
func ParseResource(text []byte, visit func(*Entry) error) error {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return notJSON(err)
	}
	return r.each(visit)
}

func notJSON(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input" {
		return errors.New("the line ends within an object; expected a whole one: was the file cut off?")
	}
	return fmt.Errorf("the line is no JSON object of a log: %w", err)
}

// each visits the entries of a record.
func (r *record) each(visit func(*Entry) error) error {
	for i := range r.Records {
		if err := r.Records[i].each(visit); err != nil {
			return err
		}
	}
	for _, table := range r.Tables {
		var names []string
		for _, column := range table.Columns {
			names = append(names, column.Name)
		}
		row := newRowReader(names)
		for _, values := range table.Rows {
			if len(values) != len(names) {
				return fmt.Errorf("a row has %d values, and there are %d columns", len(values), len(names))
			}
			for i, value := range values {
				row.set(i, string(value))
			}
			if err := row.record.each(visit); err != nil {
				return err
			}
		}
	}
	if len(r.Records)+len(r.Tables) > 0 {
		return nil
	}
	e, err := r.entry()
	if err != nil {
		return err
	}
	return visit(&e)
}

// entry returns what a record says.
func (r *record) entry() (Entry, error) {
	d := &r.detail
	if r.Properties != nil {
		d = r.Properties
	}
	if err := r.ofTables(d); err != nil {
		return Entry{}, err
	}
	moment := r.Time
	if moment == "" {
		moment = r.TimeGenerated
	}
	at, err := instantOf(string(moment))
	if err != nil {
		return Entry{}, err
	}
	e := Entry{At: at, Operation: string(r.OperationName), Status: string(r.StatusText), Account: string(d.AccountName),
		Service: tableService, URL: string(r.URI), ObjectKey: string(d.ObjectKey), RequestID: string(r.CorrelationID),
		Address: string(r.CallerIPAddress), Version: string(r.OperationVersion), RequestMD5: string(d.RequestMD5),
		ServerMD5: string(d.ResponseMD5), ETag: string(d.ETag), LastModified: string(d.LastModifiedTime), Conditions: string(d.ConditionsUsed),
		UserAgent: string(d.UserAgentHeader), Referrer: string(d.ReferrerHeader), ClientID: string(d.ClientRequestID),
		Category: string(r.Category), ResourceID: string(r.ResourceID + r.RowResourceID), Location: string(r.Location), Protocol: string(r.Protocol),
		TLS: string(d.TLSVersion), Schema: string(r.SchemaVersion), Metric: string(d.MetricResponseType), About: About{Entities: Unknown}}
	e.Authentication = string(d.AuthenticationType)
	if r.Identity != nil {
		e.Authentication = string(r.Identity.Type)
	}
	var n numbers
	e.HTTP = n.status(string(r.StatusCode))
	e.EndToEnd, e.Server = n.millis("durationMs", string(r.DurationMs)), n.millis("serverLatencyMs", string(d.ServerLatencyMs))
	e.Index = n.count("operationCount", string(d.OperationCount))
	e.RequestHeader, e.RequestPacket = n.count("requestHeaderSize", string(d.RequestHeaderSize)), n.count("requestBodySize", string(d.RequestBodySize))
	e.ResponseHeader, e.ResponsePacket = n.count("responseHeaderSize", string(d.ResponseHeaderSize)), n.count("responseBodySize", string(d.ResponseBodySize))
	e.ContentLength = n.count("contentLengthHeader", string(d.ContentLengthHeader))
	e.locate()
	return e, n.err
}

// ofTables says which other service a record is of, if it is none of tables.
func (r *record) ofTables(d *detail) error {
	if service := string(d.ServiceType); service != "" && service != tableService {
		return fmt.Errorf("the line is of the service %.20q; expected %s, of the categories StorageRead, StorageWrite and StorageDelete of …/tableServices/default", service, tableService)
	}
	resource := strings.ToLower(string(r.ResourceID + r.RowResourceID))
	if before, _, other := strings.Cut(resource, "services/default"); other && !strings.HasSuffix(before, "/table") {
		return fmt.Errorf("the line is of %.80q; expected a resource …/tableServices/default", before[strings.LastIndexByte(before, '/')+1:]+"Services/default")
	}
	if r.Type != "" && r.Type != "StorageTableLogs" {
		return fmt.Errorf("the row is of the table %.40q; expected StorageTableLogs", string(r.Type))
	}
	return nil
}

// AppendResource appends an entry as a resource log, with the end of its line.
func AppendResource(dst []byte, e *Entry) ([]byte, error) {
	d := &detail{AccountName: loose(e.Account), UserAgentHeader: loose(e.UserAgent), ReferrerHeader: loose(e.Referrer), ClientRequestID: loose(e.ClientID),
		ETag: loose(e.ETag), ServiceType: tableService, OperationCount: whole(e.Index), ObjectKey: loose(e.ObjectKey), RequestMD5: loose(e.RequestMD5), ResponseMD5: loose(e.ServerMD5),
		LastModifiedTime: loose(e.LastModified), ConditionsUsed: loose(e.Conditions), MetricResponseType: loose(e.Metric), ServerLatencyMs: decimal(e.Server),
		RequestHeaderSize: whole(e.RequestHeader), RequestBodySize: whole(e.RequestPacket), ResponseHeaderSize: whole(e.ResponseHeader),
		ResponseBodySize: whole(e.ResponsePacket), ContentLengthHeader: whole(e.ContentLength), TLSVersion: loose(e.TLS)}
	r := record{Time: loose(e.At.Time().Format(analyticsTime)), ResourceID: loose(e.ResourceID), Category: loose(e.Category), OperationName: loose(e.Operation),
		OperationVersion: loose(e.Version), SchemaVersion: loose(e.Schema), StatusText: loose(e.Status), StatusCode: "Unknown",
		DurationMs: decimal(e.EndToEnd), CallerIPAddress: loose(e.Address), CorrelationID: loose(e.RequestID), Location: loose(e.Location),
		URI: loose(e.URL), Protocol: loose(e.Protocol), Properties: d}
	if e.HTTP != 0 {
		r.StatusCode = whole(int64(e.HTTP))
	}
	if e.Authentication != "" {
		r.Identity = &struct {
			Type loose `json:"type,omitempty"`
		}{loose(e.Authentication)}
	}
	text, err := json.Marshal(&r)
	if err != nil {
		return dst, err
	}
	return append(append(dst, text...), '\n'), nil
}

// MarshalJSON implements json.Marshaler: a number stands as one.
func (l loose) MarshalJSON() ([]byte, error) {
	if number(string(l)) {
		return []byte(l), nil
	}
	return json.Marshal(string(l))
}

// number reports whether a text is one as [whole] and [decimal] write it.
func number(text string) bool {
	if text == "" || len(text) > 1 && text[0] == '0' && text[1] != '.' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c != '.' || i == 0 || i == len(text)-1 || strings.IndexByte(text, '.') != i) {
			return false
		}
	}
	return true
}

func whole(n int64) loose {
	if n == Unknown {
		return ""
	}
	return loose(strconv.FormatInt(n, 10))
}

func decimal(d time.Duration) loose {
	if d == Unknown {
		return ""
	}
	return loose(strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64))
}
