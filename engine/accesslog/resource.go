package accesslog

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendResource appends an entry as a resource log, with the end of its line. What is no
// UTF-8 is replaced.
func AppendResource(dst []byte, e *Entry) []byte {
	w := jsonWriter{line: append(dst, '{')}
	w.text("time", e.At.Time().Format(analyticsTime))
	w.text("resourceId", e.ResourceID)
	w.text("category", e.Category)
	w.text("operationName", e.Operation)
	w.text("operationVersion", e.Version)
	w.text("schemaVersion", e.Schema)
	if e.HTTP == 0 {
		w.text("statusCode", "Unknown")
	} else {
		w.count("statusCode", int64(e.HTTP))
	}
	w.text("statusText", e.Status)
	w.millis("durationMs", e.EndToEnd)
	w.text("callerIpAddress", e.Address)
	w.text("correlationId", e.RequestID)
	if e.Authentication != "" {
		w.begin("identity")
		w.text("type", e.Authentication)
		w.end()
	}
	w.text("location", e.Location)
	w.begin("properties")
	w.text("accountName", e.Account)
	w.text("userAgentHeader", e.UserAgent)
	w.text("referrerHeader", e.Referrer)
	w.text("clientRequestId", e.ClientID)
	w.text("etag", e.ETag)
	w.text("serviceType", tableService)
	w.count("operationCount", e.Index)
	w.text("objectKey", e.ObjectKey)
	w.text("requestMd5", e.RequestMD5)
	w.text("responseMd5", e.ServerMD5)
	w.text("lastModifiedTime", e.LastModified)
	w.text("conditionsUsed", e.Conditions)
	w.text("metricResponseType", e.Metric)
	w.millis("serverLatencyMs", e.Server)
	w.count("requestHeaderSize", e.RequestHeader)
	w.count("requestBodySize", e.RequestPacket)
	w.count("responseHeaderSize", e.ResponseHeader)
	w.count("responseBodySize", e.ResponsePacket)
	w.count("contentLengthHeader", e.ContentLength)
	w.text("tlsVersion", e.TLS)
	w.end()
	w.text("uri", e.URL)
	w.text("protocol", e.Protocol)
	w.end()
	return append(w.line, '\n')
}

// jsonWriter appends members of objects; those without a value are left out.
type jsonWriter struct{ line []byte }

func (w *jsonWriter) name(name string) {
	if w.line[len(w.line)-1] != '{' {
		w.line = append(w.line, ',')
	}
	w.line = append(append(append(w.line, '"'), name...), '"', ':')
}

func (w *jsonWriter) begin(name string) {
	w.name(name)
	w.line = append(w.line, '{')
}

func (w *jsonWriter) end() { w.line = append(w.line, '}') }

func (w *jsonWriter) text(name, value string) {
	if value == "" {
		return
	}
	w.name(name)
	// The error is that of bytes which are no UTF-8, and have been replaced.
	w.line, _ = jsontext.AppendQuote(w.line, value)
}

func (w *jsonWriter) count(name string, n int64) {
	if n != Unknown {
		w.name(name)
		w.line = strconv.AppendInt(w.line, n, 10)
	}
}

func (w *jsonWriter) millis(name string, d time.Duration) {
	if d != Unknown {
		w.name(name)
		w.line = strconv.AppendFloat(w.line, float64(d)/float64(time.Millisecond), 'f', -1, 64)
	}
}
