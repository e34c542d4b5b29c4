package rest_test

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/rest/resttest"
)

// FuzzHandler sends arbitrary requests, signed or not: each is answered, by a
// success or by an error of the documented form, and counted once.
func FuzzHandler(f *testing.F) {
	for _, row := range badRequests {
		f.Add(row.method, row.target, strings.Join(row.headers, "\n"), row.body, true)
	}
	f.Add("GET", "//", "", "", false)
	f.Add("GET", "http://", "Host: .", "", false)
	f.Add("POST", "/contoso/$batch", batchType, insertBatch("p", "1", "2"), true)
	f.Add("POST", "/contoso/$batch", batchType, deleteBatch, true)
	f.Add("POST", "/contoso/Tables", "Prefer: return-no-content", `{"TableName":"Races"}`, true)
	f.Add("PUT", races+"?comp=acl", "", policies("<Id>a</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>"), true)
	f.Add("PUT", "/contoso/?restype=service&comp=properties", "", "<StorageServiceProperties><Cors/></StorageServiceProperties>", true)
	f.Add("OPTIONS", races, "Origin: http://a\nAccess-Control-Request-Method: GET\nAccess-Control-Request-Headers: x-ms-date", "", false)
	f.Add("GET", signed(races+"?", "tn=Races&sp=r&se=2030-01-01&sv=2019-02-02&spk=a&epk=z"), "Authorization:", "", false)
	f.Add("POST", signed("/contoso/Tables?", "ss=t&srt=sco&sp=rwdlacu&se=2030-01-01&sv=2019-02-02"), "Authorization:", `{"TableName":"Boats"}`, false)
	f.Add("PUT", runner, "If-Match: *", `{"A@odata.type":"Edm.Guid","A":"00000000-0000-0000-0000-000000000000"}`, true)
	f.Add("GET", races+"()?$filter=A%20gt%205&$top=3&$select=A&NextPartitionKey=1!0!&NextRowKey=1!0!", "Accept: application/json;odata=fullmetadata", "", true)
	f.Fuzz(func(t *testing.T, method, target, headers, body string, signed bool) {
		s := withTable(t)
		s.insert(t, "full", "1234", 1)
		before := s.Counts()
		r := resttest.NewRequest(method, target, body)
		for line := range strings.SplitSeq(headers, "\n") {
			name, value, _ := strings.Cut(line, ":")
			r.Header[textproto.CanonicalMIMEHeaderKey(name)] = []string{strings.TrimSpace(value)}
		}
		if signed {
			r.Header.Set("Authorization", contoso.Lite(r.Header.Get("X-Ms-Date"), target))
		}
		w := s.Send(r)
		if method == http.MethodHead {
			if w.Body.Len() > 0 || w.Code >= 400 && w.Header().Get("x-ms-error-code") == "" {
				t.Errorf("HEAD = %d %s; want no body, and a code where it failed", w.Code, w.Body)
			}
		} else if wellFormed(t, w.Code, w.Header(), w.Body.String()); w.Code >= 400 {
			resttest.CodeOf(t, w)
		}
		after := s.Counts()
		assert.Truef(t, after.Requests == before.Requests+1 && after.Requests == after.Ok+after.Throttled+after.Failed && after.Throttled == 0,
			"Counts() = %+v after %+v; want one request more", after, before)
		if w.Code >= 400 && after.Ok != before.Ok || w.Code < 300 && w.Code != 202 && after == (engine.Counts{}) {
			t.Errorf("Counts() = %+v after %+v and %d; want it to count as what it was", after, before, w.Code)
		}
	})
}

func wellFormed(t *testing.T, status int, header http.Header, body string) {
	t.Helper()
	for _, name := range []string{"x-ms-request-id", "x-ms-version", "Date", "Server", "Cache-Control", "X-Content-Type-Options"} {
		assert.NotEmptyf(t, header.Get(name), "%d without a %s", status, name)
	}
	for name, values := range header {
		for _, value := range values {
			assert.Falsef(t, strings.ContainsAny(name+value, "\r\n\x00"), "header %q: %q; want one line", name, value)
		}
	}
	switch status {
	case 200, 201:
		isXML := header.Get("Content-Type") == "application/xml" && strings.HasPrefix(body, "\ufeff<?xml")
		isPreflight := header.Get("Access-Control-Allow-Methods") != "" && body == ""
		assert.Truef(t, json.Valid([]byte(body)) || isXML || isPreflight,
			"%d %s; want JSON, XML or the answer to a preflight", status, body)
	case 202:
		// Properties are accepted without a word.
		if body != "" && (!strings.HasPrefix(body, "--batchresponse_") || !strings.HasPrefix(header.Get("Content-Type"), "multipart/mixed; boundary=batchresponse_")) {
			t.Errorf("202 %s; want a reply of many parts", body)
		}
	case 204:
		assert.Empty(t, body, "204")
	case 400, 403, 404, 405, 409, 411, 412, 413, 415, 501:
	default:
		t.Errorf("status = %d; want one that is documented", status)
	}
}
