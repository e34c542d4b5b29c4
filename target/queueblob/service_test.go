package queueblob_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/target"
	"loadgen/target/queueblob"
)

// The secrets of the tests: a key in base64, and a signature.
const (
	plantedKey       = "cGxhbnRlZCBzZWNyZXQgcGxhbnRlZCBzZWNyZXQ="
	plantedSignature = "sv=2025-01-01&ss=bqt&se=2031-01-01&sig=cGxhbnRlZCBzaWduYXR1cmUgdGhhdCBpcyBsb25n"
)

// remote is a service that answers by a list, the last answer again and again.
type remote struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	// replies are told in their order.
	replies []reaction
}

type reaction struct {
	status  int
	headers map[string]string
	body    string
}

func newRemote(t *testing.T, replies ...reaction) *remote {
	t.Helper()
	r := &remote{replies: replies}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		io.Copy(io.Discard, request.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		one := r.replies[min(len(r.asked), len(r.replies)-1)]
		r.asked = append(r.asked, request.Method+" "+request.URL.RequestURI())
		for name, value := range one.headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(one.status)
		io.WriteString(w, one.body)
	}))
	t.Cleanup(r.Close)
	return r
}

// services opens both services at an address.
func services(t *testing.T, address, key, signature string) queueblob.Services {
	t.Helper()
	return servicesWithin(t, target.NewReplyBudget(target.CommonReplyBudget), address, key, signature)
}

// servicesWithin opens them with a budget of replies.
func servicesWithin(t *testing.T, budget *target.ReplyBudget, address, key, signature string) queueblob.Services {
	t.Helper()
	s := queueblob.Service{Address: address, Account: "races", Prove: func() (string, string) { return key, signature }}
	shown := fmt.Sprintf("%s %v %+v %#v %q", s.String(), s, s, s, &s)
	assert.NotRegexp(t, "cGxhbnRlZ", shown, "a service is printed with its secret")
	queues, blobs := must(queueblob.OpenQueues(s, 2, budget)), must(queueblob.OpenBlobs(s, 2, budget))
	t.Cleanup(queues.Close)
	t.Cleanup(blobs.Close)
	return queueblob.Services{Queues: queues, Blobs: blobs}
}

// every is a request of each kind.
func every() []target.Beside {
	return []target.Beside{
		{Verb: target.PutMessage, Store: "work", Body: []byte("a")}, {Verb: target.ReceiveMessages, Store: "work", Hidden: time.Second},
		{Verb: target.DeleteMessage, Store: "work", Name: "1", Receipt: "r"}, {Verb: target.DropQueue, Store: "work"},
		{Verb: target.PutBlob, Store: "notes", Name: "a"}, {Verb: target.GetBlob, Store: "notes", Name: "a"},
		{Verb: target.ListBlobs, Store: "notes"}, {Verb: target.DeleteBlob, Store: "notes", Name: "a"}, {Verb: target.DropContainer, Store: "notes"},
		{Verb: target.MakeQueue, Store: "work"}, {Verb: target.MakeContainer, Store: "notes"},
	}
}

// Each refusal is one attempt and an outcome, whoever asks, and no secret is told.
func TestAServiceIsAskedOnce(t *testing.T) {
	for _, row := range []struct {
		name  string
		reply reaction
		want  target.Outcome
	}{
		{"a busy service", reaction{503, map[string]string{"x-ms-error-code": "ServerBusy", "Retry-After": "7"}, ""},
			target.Outcome{Status: 503, Code: "ServerBusy", RetryAfter: 7 * time.Second}},
		{"one that took too long", reaction{500, map[string]string{"x-ms-error-code": "OperationTimedOut", "Retry-After": "999999"}, ""},
			target.Outcome{Status: 500, Code: "OperationTimedOut", RetryAfter: time.Hour}},
		{"rights that are missing", reaction{403, map[string]string{"x-ms-error-code": "AuthenticationFailed"}, "<Error><Code>AuthenticationFailed</Code><AuthenticationErrorDetail>" + plantedKey + plantedSignature + "</AuthenticationErrorDetail></Error>"},
			target.Outcome{Status: 403, Code: "AuthenticationFailed"}},
		{"a code that is none", reaction{400, map[string]string{"x-ms-error-code": plantedSignature, "Retry-After": "soon"}, ""},
			target.Outcome{Status: 400}},
		{"a way to elsewhere", reaction{307, map[string]string{"Location": "http://127.0.0.1:1/"}, ""},
			target.Outcome{Status: 307}},
	} {
		for _, credential := range [][2]string{{plantedKey, ""}, {"", plantedSignature}} {
			for _, b := range every() {
				r := newRemote(t, row.reply)
				o := services(t, r.URL, credential[0], credential[1]).Do(t.Context(), &target.Operation{Beside: &b})
				assert.Truef(t, o.Status == row.want.Status && o.Code == row.want.Code && o.RetryAfter == row.want.RetryAfter && len(r.asked) == 1,
					"%s, %v: %+v after %d requests; want %+v after one", row.name, b.Verb, o, len(r.asked), row.want)
				assert.Truef(t, !strings.Contains(o.Detail, "cGxhbnRlZ") && !strings.ContainsAny(o.Detail, "\n?") && o.Detail != "",
					"%s, %v: the detail %q tells a secret, an address, or nothing", row.name, b.Verb, o.Detail)
				assert.Falsef(t, credential[1] != "" && !strings.Contains(r.asked[0], "sig="),
					"%v was asked as %s; want it signed", b.Verb, r.asked[0])
			}
		}
	}
}

// Where nothing answers, the outcome has no status and tells no address with a secret.
func TestNobodyAnswers(t *testing.T) {
	for _, b := range every() {
		o := services(t, "http://127.0.0.1:1/races", "", plantedSignature).Do(t.Context(), &target.Operation{Beside: &b})
		if o.Status != 0 || o.Fault == "" || !strings.Contains(o.Detail, "no reply: ") || strings.Contains(o.Detail, "sig") || strings.Contains(o.Detail, "http") {
			t.Errorf("%v where nothing answers: %+v; want no status and why", b.Verb, o)
		}
	}
}

// A blob whose reply breaks off was not read.
func TestAReplyThatBreaksOff(t *testing.T) {
	r := newRemote(t, reaction{200, map[string]string{"Content-Length": "100"}, "short"})
	o := services(t, r.URL, plantedKey, "").Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.GetBlob, Store: "notes", Name: "a"}})
	assert.Truef(t, o.Status == 0 && len(o.Found) == 0 && len(r.asked) == 1,
		"%+v after %d requests; want no status after one", o, len(r.asked))
}

// What breaks a limit is not sent: a message without an id would be all of them.
func TestNothingAtFaultIsSent(t *testing.T) {
	r := newRemote(t, reaction{status: 204})
	there := services(t, r.URL, plantedKey, "")
	for _, b := range []target.Beside{
		{Verb: target.DeleteMessage, Store: "work"}, {Verb: target.DeleteMessage, Store: "work", Name: "../x", Receipt: "r"},
		{Verb: target.GetBlob, Store: "notes", Name: "../other/a"}, {Verb: target.DropQueue, Store: "a/b"}, {Verb: target.DropContainer},
		{Verb: target.PutMessage, Store: "work", Body: make([]byte, queueblob.MaxMessage+1)},
	} {
		o := there.Do(t.Context(), &target.Operation{Beside: &b})
		assert.Truef(t, o.Status == 400 || o.Status == 413, "%+v is answered %+v; want 400 or 413", b.Verb, o)
	}
	assert.Truef(t, len(r.asked) == 0, "%v was sent; want nothing", r.asked)
}

// What is missing is told, and made by a request of its own: each call is one.
func TestWhatIsMissingIsTold(t *testing.T) {
	for _, b := range []target.Beside{{Verb: target.PutMessage, Store: "work"}, {Verb: target.PutBlob, Store: "notes", Name: "a"}} {
		missing, body := "QueueNotFound", "<QueueMessagesList></QueueMessagesList>"
		if b.Verb == target.PutBlob {
			missing = "ContainerNotFound"
		}
		r := newRemote(t, reaction{404, map[string]string{"x-ms-error-code": missing}, ""}, reaction{status: 201}, reaction{201, nil, body},
			reaction{409, map[string]string{"x-ms-error-code": "ItIsThere"}, ""})
		there := services(t, r.URL, plantedKey, "")
		for i, step := range []struct {
			asks    *target.Beside
			status  int
			missing bool
		}{{&b, 404, true}, {b.Maker(), 201, false}, {&b, 201, false}, {b.Maker(), 409, false}} {
			o := there.Do(t.Context(), &target.Operation{Beside: step.asks})
			if o.Status != step.status || o.StoreMissing != step.missing || len(r.asked) != i+1 {
				t.Errorf("%v: %+v after %v; want %d after %d requests, missing: %v", step.asks.Verb, o, r.asked, step.status, i+1, step.missing)
			}
		}
		assert.Truef(t, strings.HasPrefix(r.asked[1], "PUT /"+b.Store),
			"%v is made by %s; want a PUT of it", b.Verb, r.asked[1])
	}
}

// page is one of a list of blobs.
func page(marker string, names ...string) reaction {
	var blobs strings.Builder
	for _, name := range names {
		fmt.Fprintf(&blobs, "<Blob><Name>%s</Name><Properties><Content-Length>3</Content-Length><Etag>e</Etag></Properties><Metadata><First>1</First></Metadata></Blob>", name)
	}
	return reaction{200, map[string]string{"Content-Type": "application/xml"}, `<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>` +
		blobs.String() + "</Blobs><NextMarker>" + marker + "</NextMarker></EnumerationResults>"}
}

// A list is a request for each page: it goes on at the service's own marker where that is
// known, through pages that are empty; where it is not, it begins again and passes over what
// was named.
func TestListsGoOn(t *testing.T) {
	r := newRemote(t, page("m1", "a"), page("m2"), page("m3", "b", "c"), page("m4", "d", "e"), page("m5", "a", "b", "c"), page("", "d", "e"))
	there := services(t, r.URL, plantedKey, "")
	for _, row := range []struct {
		name, after, from string
		most              int
		want, marker      string
		asked             string
	}{
		{"from the beginning", "", "", 2, "a", "m1", "maxresults=2"},
		{"over an empty page", "", "m1", 2, "", "m2", "marker=m1&maxresults=2"},
		{"to the end of what was asked for", "", "m2", 2, "b c", "", "marker=m2&maxresults=2"},
		{"behind a name whose marker is known", "c", "", 2, "d e", "", "marker=m3&maxresults=2"},
		{"behind a name whose marker is not", "b", "", 5, "c", "m5", ""},
		{"and on from there", "b", "m5", 5, "d e", "", "marker=m5"},
	} {
		before := len(r.asked)
		o := there.Do(t.Context(), &target.Operation{Beside: &target.Beside{Verb: target.ListBlobs, Store: "notes", Name: "p", After: row.after, Marker: row.from, Most: row.most}})
		var names, asked []string
		for _, one := range o.Found {
			names = append(names, one.Name)
			assert.Truef(t, one.Size == 3 && one.Metadata["first"] == "1" && one.ETag == "e",
				"%s: found %+v; want its size, its metadata by small letters and its ETag", row.name, one)
		}
		for part := range strings.SplitSeq(r.asked[before], "&") {
			if strings.HasPrefix(part, "marker=") || strings.HasPrefix(part, "maxresults=") {
				asked = append(asked, part)
			}
		}
		if o.Status != 200 || strings.Join(names, " ") != row.want || o.Marker != row.marker || strings.Join(asked, "&") != row.asked || len(r.asked) != before+1 {
			t.Errorf("%s: %d %v, on at %q, by %q; want %s, on at %q, by one %q", row.name, o.Status, names, o.Marker, r.asked[before:], row.want, row.marker, row.asked)
		}
	}
}

// Of a message that somebody else has received since, a service says 400, and others 404.
func TestAReceiptThatIsNotTheLast(t *testing.T) {
	b := target.Beside{Verb: target.DeleteMessage, Store: "work", Name: "1", Receipt: "r"}
	for _, status := range []int{400, 404} {
		r := newRemote(t, reaction{status, map[string]string{"x-ms-error-code": "PopReceiptMismatch"}, ""})
		o := services(t, r.URL, plantedKey, "").Do(t.Context(), &target.Operation{Beside: &b})
		assert.Truef(t, o.Status == 404 && o.Code == "PopReceiptMismatch", "where the service says %d: %+v; want 404", status, o)
	}
}

// endless answers each request with a status and a body without an end, and counts what of
// it went out.
func endless(t *testing.T, status int, sent *atomic.Int64) string {
	piece := []byte(strings.Repeat("<x>", 20_000))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		for {
			n, err := w.Write(piece)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// No reply of a service is read without a bound, and what it held is given back.
func TestEndlessReplies(t *testing.T) {
	for _, status := range []int{200, 503} {
		var sent atomic.Int64
		budget := target.NewReplyBudget(target.CommonReplyBudget)
		beside := servicesWithin(t, budget, endless(t, status, &sent), plantedKey, "")
		for _, one := range every() {
			if status != 200 && one.Verb != target.GetBlob && one.Verb != target.ReceiveMessages {
				continue
			}
			// What the system holds of it between the two comes on top.
			before, most := sent.Load(), int64(48<<20)
			if one.Verb == target.GetBlob && status == 200 {
				most += queueblob.MaxBlob
			}
			o := beside.Do(t.Context(), &target.Operation{Beside: &one})
			if more := sent.Load() - before; more > most || o.Status == 0 && o.Fault != target.ReplyTooLong && o.Fault != target.ConnectionFailed {
				t.Errorf("%v of %d without an end = %+v after %d bytes; want an outcome after at most %d", one.Verb, status, o, more, most)
			}
			assert.Truef(t, one.Verb != target.ListBlobs || o.Fault == target.ReplyTooLong,
				"a list without an end = %+v; want %s", o, target.ReplyTooLong)
			assert.EqualValuesf(t, 0, budget.Used(), "%v of %d", one.Verb, status)
		}
	}
}

// Nor is a head.
func TestEndlessHeads(t *testing.T) {
	r := newRemote(t, reaction{200, map[string]string{"X-Long": strings.Repeat("x", 1<<20)}, ""})
	s := services(t, r.URL, plantedKey, "")
	for _, one := range every() {
		o := s.Do(t.Context(), &target.Operation{Beside: &one})
		assert.Truef(t, o.Status == 0 && o.Fault == target.ConnectionFailed,
			"%v with a head of 1 MiB = %+v; want a connection that failed", one.Verb, o)
	}
}

// must returns a value, and panics where there is an error: the test cannot go on.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
